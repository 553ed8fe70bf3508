"""Driver of a session that goes on without what it lost: its baseline, and the last turns of its log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bxcore.baseline import Baseline
from bxcore.labels import TOP
from bxcore.records import Assistant, Usage, User
from bxcore.session_loss import Loss
from bxio.live_session import LiveSession, open_live
from bxio.session_evidence import SessionEvidence
from bxio.session_store import SessionStore
from tools.faults.driver import missing, tried

HAD, LOST = 3, 2
"""Turns that the log has, and those behind them that it has lost."""
MENDED, SAID = 6, 7
"""What the driver does, by number."""
WINDOW = 8192


class Evidence(SessionEvidence):
    """A ledger that knows the lost turns, and an audit in which the session was secret."""

    def loss(self, session: str, log: str, turns: int) -> Loss | None:
        """So many are lost as are wanting to all that there were."""
        del session, log
        wanting = HAD + LOST - turns
        return Loss(turns=wanting, label=TOP) if wanting > 0 else None


def harmed(folder: Path) -> None:
    """A session of some turns, whose baseline was changed."""
    live = open_live(SessionStore(folder / "sessions"), "k3f", lambda: _baseline("first"))
    for number in range(1, HAD + 1):
        _say(live, number)
    live.log.close()
    (folder / "sessions" / "k3f" / "baseline.json").write_bytes(b"{}")


def mended(folder: Path) -> Iterator[int]:
    """An epoch that says what is lost, and a turn behind it."""
    live = _opened(folder)
    if (yield from tried(MENDED, partial(live.begin_epoch, "they talked", WINDOW))):
        yield from tried(SAID, partial(_say, live, SAID))


def mended_is(folder: Path, acknowledged: Sequence[int]) -> Iterator[str]:
    """It opens, goes on with a baseline of its own, keeps its label and its turns' places."""
    live = _opened(folder)
    if live.loss is not None and acknowledged:
        yield f"acknowledged and lost again: {live.loss}"
    if live.loss is not None:
        live.begin_epoch("they talked", WINDOW)
    if live.log.label != TOP:
        yield f"its label is {live.log.label}"
    _say(live, 99)
    live.log.close()
    if open_live(SessionStore(folder / "sessions"), "k3f", _none).baseline != live.baseline:
        yield "the baseline is not the one that it went on with"
    texts = [each.text for each in SessionStore(folder / "sessions").read("k3f") if isinstance(each, User)]
    there = [int(text.split()[1]) for text in texts if text.startswith("turn")]
    yield from missing([*range(1, HAD + 1), *(each for each in acknowledged if each == SAID), 99], there)
    if texts[HAD : HAD + LOST] != ["(lost)"] * LOST:
        yield f"the lost turns have not their places: {texts}"


def _opened(folder: Path) -> LiveSession:
    return open_live(SessionStore(folder / "sessions"), "k3f", lambda: _baseline("anew"), (), Evidence())


def _say(live: LiveSession, number: int) -> None:
    user = User(text=f"turn {number}")
    live.log.append([*live.before_the_first_turn(), user, Assistant(content="yes"), Usage()])


def _baseline(text: str) -> Baseline:
    return Baseline(
        profile="native", messages=({"role": "system", "content": text},), tools=(), workspaces=()
    )


def _none() -> Baseline:
    raise AssertionError("it has a baseline")
