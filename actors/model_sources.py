"""What ``[model]`` and ``[[model.also]]`` name: the embedded model or servers, in order (spec 3.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from actors.model_embedded import Embedded
from bxcore.config import Secrets
from bxcore.config.settings import ModelServerTable, ModelTable
from bxcore.messages.model import Endpoint
from bxio.model_child import Order

DEFAULT_CONTEXT = 8192
"""Tokens, of a server that does not say and of which the owner says nothing either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A server of the owner's: ``plan`` is what is configured of it, its ``name`` empty to ask the server.

    ``context_tokens`` None asks the server too.
    """

    plan: Endpoint
    profile: Literal["auto", "native", "json"] = "auto"
    context_tokens: int | None = None

    @property
    def label(self) -> str:
        """How ``status`` names it."""
        name = f" ({self.plan.name})" if self.plan.name else ""
        return f"{self.plan.url}{name}"


def sources_of(model: ModelTable, order: Order, secrets: Secrets) -> tuple[Embedded | Remote, ...]:
    """Each in turn; the embedded one's process is started with ``order`` as its table changes it."""
    keys = (secrets.model_api_key, *secrets.model_also_api_keys)
    return tuple(
        _source(table, order, key, place)
        for place, (table, key) in enumerate(zip(model.servers, keys, strict=False))
    )


def _source(table: ModelServerTable, order: Order, key: str | None, place: int) -> Embedded | Remote:
    plan = Endpoint(
        url="http://model/v1" if table.url == "embedded" else table.url,
        name=table.name or "",
        profile="json" if table.url == "embedded" else "native",
        api_key=key,
        context_tokens=DEFAULT_CONTEXT,
        first_token_s=table.first_token_s,
        prompt_tokens_per_s=table.prompt_tokens_per_s,
        stall_s=table.stall_s,
        answer_tokens=table.answer_tokens,
        table="[[model.also]]" if place else "[model]",
        place=place,
    )
    if table.url == "embedded":
        own = replace(order, context_tokens=table.context_tokens, file=table.file)
        return Embedded(order=own, plan=plan)
    said = table.context_tokens if "context_tokens" in table.model_fields_set else None
    return Remote(plan=plan, profile=table.profile, context_tokens=said)
