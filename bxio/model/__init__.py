"""Conversations with a model server (spec 3.4)."""

from bxio.model.client import ModelClient
from bxio.model.errors import ModelUnavailable

__all__ = ["ModelClient", "ModelUnavailable"]
