from __future__ import annotations

import importlib.util
import io
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bxio.embedded_model import News, Prefix
from bxio.model_child import ModelChild, Order

needs_llama = pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="no extra embedded")


@pytest.fixture
def children() -> Iterator[list[ModelChild]]:
    started: list[ModelChild] = []
    yield started
    for child in started:
        child.end()


def start(folder: Path, children: list[ModelChild], **changes: Any) -> ModelChild:
    made = {"cache": folder / "cache", "runtime": folder / "run", "log": folder / "model.log"}
    children.append(ModelChild.start(Order(**{**made, **changes}), 1))
    return children[-1]


def all_news(child: ModelChild) -> list[Mapping[str, Any]]:
    deadline = time.monotonic() + 20
    found: list[Mapping[str, Any]] = []
    while child.exit_code() is None and time.monotonic() < deadline:
        found += child.news()
    return [*found, *child.news()]


def test_an_owner_s_file_that_is_no_model_is_one_sentence(tmp_path: Path, children: list[ModelChild]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    child = start(tmp_path, children, file=path)
    assert all_news(child) == [
        {
            "event": "failed",
            "sentence": f"[model] file {path} is no GGUF file; name another, or leave [model] file out",
        }
    ]
    assert child.exit_code() == 1


@needs_llama
def test_a_damaged_model_is_one_sentence_and_no_crash(tmp_path: Path, children: list[ModelChild]) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(b"GGUF" + bytes(range(256)) * 40)
    child = start(tmp_path, children, file=path)
    *_, last = all_news(child)
    assert last["event"] == "failed"
    assert last["sentence"].startswith(f"llama.cpp cannot load {path}: it is damaged")
    assert child.exit_code() == 1


def test_what_a_library_prints_is_log_and_no_news(tmp_path: Path, children: list[ModelChild]) -> None:
    code = (
        "import atexit, runpy; atexit.register(print, 'loud');"
        "runpy.run_module('bxio.embedded_model', run_name='__main__')"
    )
    child = start(tmp_path, children, file=tmp_path / "none", command=(sys.executable, "-c", code))
    assert [each["event"] for each in all_news(child)] == ["failed"]
    assert "loud" in (tmp_path / "model.log").read_text()


@needs_llama
def test_a_cache_that_cannot_be_written_keeps_no_prefix_and_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "prefixes").write_text("in the way")
    model = tmp_path / "model.gguf"
    model.write_bytes(b"GGUF")
    order = {"cache": str(tmp_path), "prefix": [{}], "socket": str(tmp_path / "none"), "context_tokens": 1}
    prefix = Prefix(order, model)
    assert not prefix.can_be_kept
    prefix.have_read(News(io.StringIO()))
    (tmp_path / "prefixes").unlink()
    assert Prefix(order, model).can_be_kept


def test_progress_is_told_every_ten_per_cent() -> None:
    out = io.StringIO()
    news = News(out)
    for per_cent in range(101):
        news.progress("assembling", per_cent)
    texts = [json.loads(line)["text"] for line in out.getvalue().splitlines()]
    assert texts == [f"assembling the model's weights, {per_cent} %" for per_cent in range(0, 101, 10)]
