"""The prompt of a chat: a line is edited by readline, and news of the session may interrupt it (spec 6.2).

One thread does all. While a person edits, the kernel signals what the watch's socket has (SIGIO) and the time
of the next try (SIGALRM). A signal that brings news ends the editing; what was typed comes back behind it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType

from bxctl.columns import width

PROMPT = "> "
LOOK_S = 1.0


class NewsError(Exception):
    """Something is to be shown, or tried, before the next key."""


class Editor:
    """Asks for one text after the other; ``earlier`` come back by the arrow keys, the newest last."""

    def __init__(self, earlier: Iterable[str] = ()) -> None:
        self._asking = False
        self._half = ""
        self._readline = _readline() if sys.stdout.isatty() else None
        for text in earlier:
            self.remember(text)

    def remember(self, text: str) -> None:
        """Have the arrow keys bring a text back."""
        if self._readline is not None:
            self._readline.add_history(text)

    def half(self) -> str:
        """Take what was typed when news came; it belongs before what is typed next."""
        half, self._half = self._half, ""
        return half

    def keep(self, half: str) -> None:
        """Have the next prompt begin with this, to be edited."""
        self._half = half

    def ask(self, news: Callable[[], bool], socket: int | None, due_s: float | None) -> str:
        """One text, perhaps of several pasted lines.

        Raises ``NewsError`` when ``news`` says so after a signal, of ``socket`` or after ``due_s``; EOFError,
        KeyboardInterrupt and UnicodeDecodeError as ``input`` does.
        """
        with self._signals(news), _signalled(socket), _alarm(due_s):
            try:
                self._asking = True
                _raise_if(news())
                return self._input()
            except NewsError:
                self._interrupted()
                raise
            finally:
                self._asking = False

    def _input(self) -> str:
        if self._readline is None:  # the prompt is talk; standard output may be a file
            print(PROMPT, end="", file=sys.stderr, flush=True)
            return input()
        half, readline = self.half(), self._readline
        readline.set_startup_hook((lambda: readline.insert_text(half)) if half else None)
        return input(PROMPT)

    @contextmanager
    def _signals(self, news: Callable[[], bool]) -> Iterator[None]:
        def on_signal(_number: int, _frame: FrameType | None) -> None:
            if self._asking and news():
                self._asking = False
                raise NewsError

        before = {each: signal.signal(each, on_signal) for each in (signal.SIGIO, signal.SIGALRM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, signal.SIG_IGN if handler is signal.SIG_DFL else handler)

    def _interrupted(self) -> None:
        """Take what is typed, and its place on the terminal."""
        if self._readline is None:
            print(file=sys.stderr, flush=True)
            return
        self._half = self._half or self._readline.get_line_buffer()
        sys.stdout.write(_erased(self._half))
        sys.stdout.flush()


def _raise_if(there: bool) -> None:  # noqa: FBT001 - what was just asked
    if there:
        raise NewsError


def _erased(half: str) -> str:
    """What takes a prompt with its text off a terminal; one that cannot do that goes on below it."""
    if os.environ.get("TERM", "dumb") == "dumb" or "\n" in half:
        return "\n"
    columns = os.get_terminal_size(sys.stdout.fileno()).columns or 80
    rows = (width(PROMPT + half)) // columns
    return ("\033[A" * rows) + "\r\033[J"


@contextmanager
def _signalled(socket: int | None) -> Iterator[None]:
    """Have the kernel send SIGIO when the socket has something."""
    if socket is None:
        yield
        return
    flags = fcntl.fcntl(socket, fcntl.F_GETFL)
    fcntl.fcntl(socket, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(socket, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # closed by who took the news
            fcntl.fcntl(socket, fcntl.F_SETFL, flags)


@contextmanager
def _alarm(due_s: float | None) -> Iterator[None]:
    """Have SIGALRM come when a try is due, and each second.

    A signal in the instant before Python waits for a key is seen at the next one only.
    """
    signal.setitimer(signal.ITIMER_REAL, LOOK_S if due_s is None else max(due_s, 0.001), LOOK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _readline() -> ModuleType | None:
    """The module, set to remember only what it is told to; None in a Python without it."""
    try:
        import readline
    except ImportError:
        return None
    readline.set_auto_history(False)
    return readline
