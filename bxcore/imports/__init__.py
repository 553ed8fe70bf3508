"""Memory files and chat exports of other agents, read as entries and conversations; pure, no heavy import."""

from bxcore.imports.reading import MAX_BYTES, read, takes
from bxcore.imports.values import Conversation, Exchange, Imported

__all__ = ["MAX_BYTES", "Conversation", "Exchange", "Imported", "read", "takes"]
