from __future__ import annotations

from pathlib import Path

from actors.model_embedded import Embedded
from actors.model_sources import DEFAULT_CONTEXT, Remote, sources_of
from bxcore.config import Secrets
from bxcore.config.settings import ModelTable
from bxio.model_child import Order

ORDER = Order(cache=Path("/c"), runtime=Path("/r"), log=Path("/l"))


def sources(secrets: Secrets | None = None, **table: object) -> tuple[Embedded | Remote, ...]:
    keys = secrets or Secrets(model_also_api_keys=(None,) * 7)
    return sources_of(ModelTable.model_validate(table), ORDER, keys)


def test_the_default_is_the_embedded_model_with_the_owner_s_context_and_file() -> None:
    (source,) = sources(context_tokens=4096, file=Path("/x.gguf"), first_token_s=5.0)
    assert isinstance(source, Embedded)
    assert (source.order.context_tokens, source.order.file) == (4096, Path("/x.gguf"))
    assert source.plan.first_token_s == 5.0


def test_each_server_has_its_own_key_waits_and_name_in_sentences() -> None:
    named = {"url": "http://b/v1", "name": "n", "stall_s": 7.0, "answer_tokens": 4096}
    keys = Secrets(model_api_key="k1", model_also_api_keys=("k2", None))
    found = sources(keys, url="http://a/v1", also=(named, {"url": "embedded"}))
    first, second, third = found
    assert isinstance(first, Remote)
    assert isinstance(second, Remote)
    assert isinstance(third, Embedded)
    assert (first.plan.api_key, first.plan.table, first.plan.place) == ("k1", "[model]", 0)
    assert (second.plan.api_key, second.plan.table, second.plan.place) == ("k2", "[[model.also]]", 1)
    assert (second.plan.stall_s, second.plan.answer_tokens) == (7.0, 4096)
    assert [each.label for each in found] == ["http://a/v1", "http://b/v1 (n)", "embedded"]
    assert third.plan.place == 2
    assert "k2" not in repr(found)


def test_a_context_that_the_owner_wrote_stands_and_another_is_asked_for() -> None:
    (written,) = sources(url="http://a/v1", context_tokens=8192)
    (left_out,) = sources(url="http://a/v1")
    assert isinstance(written, Remote)
    assert isinstance(left_out, Remote)
    assert (written.context_tokens, left_out.context_tokens) == (8192, None)
    assert left_out.plan.context_tokens == DEFAULT_CONTEXT
