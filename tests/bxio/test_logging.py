from __future__ import annotations

import io
import json
import logging as stdlib_logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loguru import logger

from bxio import logging

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave loguru and the standard library as a test found them."""
    root = stdlib_logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    logger.remove()
    root.handlers[:] = handlers
    root.setLevel(level)


def crash_with(secret: str) -> None:
    raise ValueError(f"cannot use {secret}")


def log_a_crash() -> None:
    try:
        crash_with(SECRET)
    except ValueError:
        logger.bind(session="main", turn=3).opt(exception=True).error("turn failed with {}", SECRET)


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_secret_inside_an_exception_reaches_no_sink(tmp_path: Path) -> None:
    for stream in (io.StringIO(), Terminal()):
        logging.set_up("info", tmp_path, stream=stream)
        log_a_crash()
        written = stream.getvalue() + (tmp_path / "boxmaker.jsonl").read_text()
        assert "ValueError: cannot use [secret-github]" in written
        assert "turn failed with [secret-github]" in written
        assert SECRET[4:20] not in written


def test_no_value_of_a_variable_is_shown(tmp_path: Path) -> None:
    stream = io.StringIO()
    logging.set_up("info", tmp_path, stream=stream)
    local_variable: Any = "the-spare-key" * 1
    try:
        local_variable.missing()
    except AttributeError:
        logger.exception("failed")
    assert "AttributeError" in stream.getvalue()
    assert "'the-spare-key'" not in stream.getvalue()
    assert "'the-spare-key'" not in (tmp_path / "boxmaker.jsonl").read_text()


def test_a_secret_of_several_lines_is_found_behind_the_json_escapes() -> None:
    stream = io.StringIO()
    logging.set_up("info", None, stream=stream)
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn\n-----END RSA PRIVATE KEY-----"
    logger.bind(why=key).info("read {}", key)
    assert "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn" not in stream.getvalue()


def test_without_a_terminal_each_line_is_json_with_its_ids() -> None:
    stream = io.StringIO()
    logging.set_up("info", None, stream=stream)
    logger.bind(session="main", turn=3).warning("first\nsecond line")
    logger.debug("too fine")
    (record,) = records(stream.getvalue())
    assert record["message"] == "first\nsecond line"
    assert (record["level"], record["session"], record["turn"]) == ("warning", "main", "3")
    assert record["at"].endswith("+00:00") or "T" in record["at"]


def test_a_terminal_gets_lines_for_people() -> None:
    stream = Terminal()
    logging.set_up("info", None, stream=stream)
    logger.bind(actor="memory").info("up {}", "\x1b[31mred\x1b[0m\u009b")
    assert stream.getvalue().endswith("info   \033[0m up \\x1b[31mred\\x1b[0m\\x9b actor=memory\n")


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    logging.set_up("info", None, stream=stream)
    logger.error("bad")
    assert "\033" not in stream.getvalue()


def test_braces_in_a_text_are_only_text() -> None:
    stream = io.StringIO()
    logging.set_up("info", None, stream=stream)
    logger.info("{} and {{x}} <red>", "{y}")
    logger.bind(k="{z}<blue>").info("a {b} c")
    assert [record["message"] for record in records(stream.getvalue())] == ["{y} and {x} <red>", "a {b} c"]


def test_a_librarys_warning_is_ours_too() -> None:
    stream = io.StringIO()
    logging.set_up("info", None, stream=stream)
    library = stdlib_logging.getLogger("pykka")
    library.info("chatter")
    library.warning("odd %s", SECRET)
    library.warning("broken %d", "format")
    (record,) = records(stream.getvalue())
    assert record["message"] == "odd [secret-github]"
    assert (record["library"], record["level"]) == ("pykka", "warning")


def test_the_files_are_private_rotated_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bxio.logging.FILE_BYTES", 2000)
    logging.set_up("info", tmp_path / "log", stream=io.StringIO())
    for number in range(200):
        logger.info("line {}", number)
    files = sorted((tmp_path / "log").iterdir())
    assert len(files) == logging.FILES + 1
    assert all(file.stat().st_size <= 2000 for file in files)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700
    newest = records((tmp_path / "log" / "boxmaker.jsonl").read_text())
    assert newest[-1]["message"] == "line 199"


def test_a_closed_stream_or_a_full_disk_stops_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stream = io.StringIO()
    logging.set_up("info", tmp_path, stream=stream)
    stream.close()
    (tmp_path / "boxmaker.jsonl").unlink()
    (tmp_path / "boxmaker.jsonl").mkdir()
    logger.info("still here {}", SECRET)
    assert "ghp_" not in capfd.readouterr().err
