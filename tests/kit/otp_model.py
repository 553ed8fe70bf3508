"""A supervisor as OTP describes it, small and pure: what starts and stops, in which order, and who gives up.

Two levels: ``root`` (one_for_one) keeps one supervisor, ``group``, which keeps the children. No threads, no
messages, no clock of its own. Each start of a child is scripted to succeed or to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Rule = Literal["permanent", "transient", "temporary"]


class GroupDied(Exception):  # noqa: N818 - an event of the model
    """The group stopped its children and itself."""


class RootDied(Exception):  # noqa: N818 - an event of the model
    """The root did, too."""


@dataclass
class Window:
    intensity: int
    period_s: float
    at: list[float] = field(default_factory=list)

    def strike(self, now_s: float) -> bool:
        """Note one restart; True when it is one too many."""
        self.at = [then for then in self.at if now_s - then <= self.period_s] + [now_s]
        return len(self.at) > self.intensity


@dataclass
class Model:
    rules: dict[str, Rule]
    strategy: str
    group: Window
    root: Window
    start_fails: Callable[[str], bool]
    log: list[tuple[str, str]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    up: set[str] = field(default_factory=set)
    by_hand: set[str] = field(default_factory=set)
    dead: bool = False

    def begin(self) -> None:
        """Start everything; a failed start is a failed start of the whole."""
        try:
            self._begin_group()
        except GroupDied:
            raise RootDied from None

    def down(self, name: str, *, crashed: bool, now_s: float) -> None:
        """A child that was up has ended."""
        self.up.discard(name)
        rule = self.rules[name]
        if rule == "temporary":
            self.known.remove(name)
        elif rule == "permanent" or crashed:
            self._guarded(lambda: self._restart(name, now_s), now_s)

    def stop_by_hand(self, name: str) -> None:
        self._stop(name)
        self.by_hand.add(name)

    def start_by_hand(self, name: str, now_s: float) -> None:
        self.by_hand.discard(name)
        if name in self.up or self._start(name):
            return
        if self.rules[name] == "temporary":
            self.known.remove(name)
        else:
            self._guarded(lambda: self._restart(name, now_s), now_s)

    def restart_by_hand(self, name: str, now_s: float) -> None:
        self._stop(name)
        self.start_by_hand(name, now_s)

    def shut_down(self) -> None:
        self._stop_all()
        self.dead = True

    def _guarded(self, change: Callable[[], None], now_s: float) -> None:
        """One death of the group for the root; its new start may fail, which is one more."""
        try:
            change()
        except GroupDied:
            while not self.root.strike(now_s):
                try:
                    self._begin_group()
                except GroupDied:
                    continue
                return
            self.dead = True

    def _begin_group(self) -> None:
        self.known, self.up, self.by_hand, self.group.at = list(self.rules), set(), set(), []
        for name in list(self.known):
            if not self._start(name):
                self._stop_all()
                raise GroupDied

    def _restart(self, failed: str, now_s: float) -> None:
        while True:
            if self.group.strike(now_s):
                self._stop_all()
                raise GroupDied
            again = self._start_all(self._stopped_with(failed))
            if again is None:
                return
            failed = again

    def _stopped_with(self, failed: str) -> list[str]:
        at = self.known.index(failed)
        everybody = {"one_for_one": [failed], "rest_for_one": self.known[at:], "one_for_all": self.known[:]}
        for name in reversed(everybody[self.strategy]):
            if name in self.up and name != failed:
                self._stop(name)
                if self.rules[name] == "temporary":
                    self.known.remove(name)
        return [name for name in everybody[self.strategy] if name in self.known and name not in self.by_hand]

    def _start_all(self, names: Sequence[str]) -> str | None:
        return next((name for name in names if not self._start(name)), None)

    def _start(self, name: str) -> bool:
        self.log.append(("start", name))
        if self.start_fails(name):
            return False
        self.up.add(name)
        return True

    def _stop(self, name: str) -> None:
        if name in self.up:
            self.up.discard(name)
            self.log.append(("stop", name))

    def _stop_all(self) -> None:
        for name in reversed(self.known):
            self._stop(name)
