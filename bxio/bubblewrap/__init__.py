"""The second backend: bubblewrap, which needs no service and no image (spec 2.5)."""

from bxio.bubblewrap.backend import Bubblewrap, make

__all__ = ["Bubblewrap", "make"]
