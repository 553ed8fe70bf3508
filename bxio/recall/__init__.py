"""The index of past turns and notes: texts and labels in SQLite, their words in a search index (spec 4.3)."""

from bxio.recall.errors import RecallIndexError
from bxio.recall.index import RecallIndex, drop

__all__ = ["RecallIndex", "RecallIndexError", "drop"]
