"""Where a thread is right now, without asking it."""

from __future__ import annotations

import sys
from pathlib import PurePath
from types import FrameType


def stack_of(ident: int) -> list[str] | None:
    """``file:line function``, innermost first; None when the thread has ended."""
    frame: FrameType | None = sys._current_frames().get(ident)  # noqa: SLF001 - documented, for debuggers
    if frame is None:
        return None
    lines: list[str] = []
    while frame is not None:
        code = frame.f_code
        lines.append(f"{PurePath(code.co_filename).name}:{frame.f_lineno} {code.co_name}")
        frame = frame.f_back
    return lines
