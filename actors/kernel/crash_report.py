"""The log line of a crash: who, on what, which exception, and never a text (spec 5.2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING

from actors.kernel.errors import ChildNeverReady, Refusal, shown

if TYPE_CHECKING:
    from types import TracebackType

    from actors.kernel.life import Life

_FRAMES = 12


def report_crash(life: Life, message_type: str, error: BaseException) -> None:
    """Write one line, and the frames without values. The crashed actor's own thread.

    A start that is refused is no bug: its line is the sentence alone, and who started it adds none.
    """
    from loguru import logger

    if isinstance(error, ChildNeverReady):
        return
    if isinstance(error, Refusal) and not life.started:
        logger.error(f"{life.name} cannot start: {error.sentence}")
        return
    supervisor = life.parent.name if life.parent is not None else "nobody"
    logger.error(
        f"{life.name} crashed on {message_type}: {' from '.join(causes(error))}"
        f" (incarnation {life.incarnation}, {life.restarts} restarts, supervised by {supervisor})"
        f" at {' < '.join(frames(error.__traceback__))}"
    )


def causes(error: BaseException) -> Iterator[str]:
    """The exception's type name, then those of what it came from; a sentence where it may be shown."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield shown(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def frames(trace: TracebackType | None) -> list[str]:
    """``file:line function`` of the innermost frames, innermost first."""
    lines: list[str] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        lines.append(f"{PurePath(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return lines[::-1][:_FRAMES]
