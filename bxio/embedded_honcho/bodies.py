"""The bodies that the API takes; unknown keys are let pass, as the real server does."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError

from bxcore.honcho_text import MAX_BATCH, MAX_CONTENT, MAX_QUERY

MAX_KEYS = 100
MAX_DEPTH = 5


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(metadata) > MAX_KEYS:
        raise PydanticCustomError("metadata_keys", "Metadata has more than 100 top-level keys")
    if _deeper_than(metadata, MAX_DEPTH):
        raise PydanticCustomError("metadata_depth", "Metadata is nested deeper than 5 levels")
    return metadata


def _deeper_than(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(each, levels - 1) for each in inside)


Name = Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[a-zA-Z0-9_-]+$")]
Metadata = Annotated[dict[str, Any], AfterValidator(_small)]
Filters = dict[str, Any] | None


class Made(BaseModel):
    """Get or create a workspace, a peer or a session."""

    id: Name
    metadata: Metadata | None = None
    configuration: dict[str, Any] | None = None


class MadeSession(Made):
    """Get or create a session, with peers in it."""

    peers: dict[Name, dict[str, Any]] | None = None


class Changed(BaseModel):
    """Replace metadata or configuration; what is absent or null stays."""

    metadata: Metadata | None = None
    configuration: dict[str, Any] | None = None


class Listed(BaseModel):
    """Choose what a list holds."""

    filters: Filters = None


class Message(BaseModel):
    """One message of an append."""

    content: Annotated[str, Field(max_length=MAX_CONTENT)]
    peer_id: str
    metadata: Metadata | None = None
    configuration: dict[str, Any] | None = None
    created_at: datetime | None = None


class Batch(BaseModel):
    """An append: all or none."""

    messages: Annotated[list[Message], Field(min_length=1, max_length=MAX_BATCH)]


class Search(BaseModel):
    """A search over messages."""

    query: str
    filters: Filters = None
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class Chat(BaseModel):
    """A question to a workspace."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
    reasoning_level: Literal["minimal", "low", "medium", "high", "max"] = "low"
    stream: bool = False
    session_id: str | None = None
    scope: str | list[str] | None = None
    response_format: dict[str, Any] | None = None


class Page(BaseModel):
    """The query of a list."""

    page: Annotated[int, Field(ge=1)] = 1
    size: Annotated[int, Field(ge=1, le=100)] = 50
    reverse: bool = False
