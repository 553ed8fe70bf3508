"""A session on the real llama.cpp: what every request begins with is in the server's cache, by its counts.

The baseline is saved once and sent byte for byte, so from the second request on the server has read it.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bxcore import baseline as baselines
from bxcore.epoch_summary import ASK
from bxcore.messages.model import Endpoint
from bxcore.model.values import ModelReply, ModelRequest, ModelUsage, UserMessage
from bxcore.records import CacheLoss, SessionStart
from bxio.model import ModelClient, llama_cpp
from bxio.model_child import ModelChild, Order
from bxio.weights import SMALL, find_slices
from tests.doubles.loop_bench import LoopBench

Make = Callable[..., LoopBench]
CONTEXT = 3584
SHARE = 0.95
LONG = "Say yes. " + "The garden has roses, beans and an old plum tree. " * 14

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not all(find_slices(SMALL)), reason="the weights' packages are not installed"),
]


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """The small model without a prefix read ahead: the first request reads all of it."""
    folder = tmp_path_factory.mktemp("model")
    order = Order(
        cache=folder / "cache", runtime=folder / "run", log=folder / "model.log", context_tokens=CONTEXT
    )
    child = ModelChild.start(order, 1)
    try:
        yield Endpoint(
            url="http://model/v1",
            name=_name_when_ready(child),
            profile="json",
            socket=str(child.socket),
            context_tokens=CONTEXT,
            llama_cpp=True,
        )
    finally:
        child.end()
        for weights in (folder / "cache").glob("*.gguf"):
            weights.unlink()  # half a gigabyte


def _name_when_ready(child: ModelChild) -> str:
    deadline_s, stdout = time.monotonic() + 200, child._process.stdout
    assert stdout is not None
    while time.monotonic() < deadline_s and child.exit_code() is None:
        for news in child.news():
            assert news["event"] != "failed", news
            if news["event"] == "ready":
                return str(news["name"])
        select.select([stdout], [], [], 1.0)
    raise AssertionError("the model was not ready")


class Counting(ModelClient):
    """The real client; keeps what the server counted for each request."""

    counted: list[tuple[ModelRequest, ModelUsage]]

    def stream(self, request: ModelRequest, **how: Any) -> ModelReply:
        reply = super().stream(request, **how)
        self.counted.append((request, reply.usage))
        return reply


def tokens_of_baseline(box: LoopBench, endpoint: Endpoint) -> int:
    """By the server's own template and tokenizer."""
    log = box.store.read("k3f")[0]
    assert isinstance(log, SessionStart)
    saved = baselines.load((box.folder / "sessions" / "k3f" / "baseline.json").read_bytes(), log.baseline)
    body = {"messages": list(saved.messages), "add_generation_prompt": False}
    text = llama_cpp._ask(endpoint, "POST", "apply-template", cut=None, body=body)["prompt"]
    found = llama_cpp.count_tokens(endpoint, text)
    assert found is not None
    return found


def test_from_the_second_request_on_the_baseline_is_cached_over_a_new_epoch_too(
    bench: Make, endpoint: Endpoint
) -> None:
    counted: list[tuple[ModelRequest, ModelUsage]] = []

    def client(of: Endpoint) -> ModelClient:
        made = Counting(of)
        made.counted = counted
        return made

    box = bench(endpoint=endpoint, changes={"client": client, "max_rounds": 2, "auto_recall": False})
    epochs: list[int] = []
    while epochs.count(1) < 2:
        assert len(epochs) < 8, "no epoch began"
        result = box.ask(box.saying(LONG), 120.0)
        starts = [record for record in box.store.read("k3f") if isinstance(record, SessionStart)]
        epochs.append(starts[-1].epoch)
        assert result.turn == len(epochs)

    baseline = tokens_of_baseline(box, endpoint)
    assert baseline > 900
    usages = [usage for _, usage in counted]
    assert usages[0].cached is not None, "this server counts"
    assert usages[0].cached < baseline / 2, "nothing was read ahead"
    shares = [(usage.cached or 0) / baseline for usage in usages[1:]]
    assert min(shares) >= SHARE, shares
    assert sum(_wants_summary(request) for request, _ in counted) == 1
    assert not [record for record in box.store.read("k3f") if isinstance(record, CacheLoss)]


def _wants_summary(request: ModelRequest) -> bool:
    last = request.history[-1]
    return isinstance(last, UserMessage) and last.text == ASK
