"""A decision over 1,000 grants against a loop that only looks at each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from statistics import median

from bench.row import Row, percentile
from bxcore.grants import BUILT_IN, Grant, GrantSet, Mode, WhenUntrusted
from bxcore.labels import Label, Level
from bxcore.policy import Call, Ruling, decide
from bxcore.repeats import TurnCalls

ROWS = ("decide_1000_p50", "decide_1000_p99")
GRANTS = 1_000
ROUND = 100
ROUNDS = 20
NOW = datetime(2027, 1, 1, tzinfo=UTC)
CALLS = (
    ("read_file", '{"path":"/home/me/folder-999/a/b/c.md"}'),
    ("http_fetch", '{"url":"https://host-999.example.org/a"}'),
    ("shell", '{"command":"tool-999 -x | tool-999"}'),
)
"""Each is covered by one grant of all; every tool has all the grants for itself, so that none is spared."""


def rows(wanted: set[str]) -> Iterator[Row]:
    """Both take turns, so that what else the machine does falls on both; of the rounds the median counts."""
    took: list[list[float]] = []
    bare: list[list[float]] = []
    for tool, arguments in CALLS:
        grants = GrantSet.of((*BUILT_IN, *(grant(tool, number) for number in range(GRANTS))))
        deciding = partial(decide, call(tool, arguments), grants, NOW)
        assert deciding().outcome is Ruling.ASK
        for _ in range(ROUNDS):
            took.append(timed(deciding))
            bare.append(timed(partial(looked_at, tool, grants.grants)))
    for percent in (50, 99):
        if f"decide_1000_p{percent}" in wanted:
            yield Row(
                row=f"decide_1000_p{percent}",
                value=typical(took, percent) * 1e3,
                unit="ms",
                reference="a loop that looks at the tool and the expiry of each grant",
                reference_value=typical(bare, percent) * 1e3,
                goal=1.0,
            )


def call(tool: str, arguments: str) -> Call:
    state = Label(Level.PRIVATE, untrusted=True)
    return Call(tool=tool, arguments=arguments, state=state, calls=TurnCalls(turn=1), said="go on")


def grant(tool: str, number: int) -> Grant:
    return Grant(
        id=f"grant-{number}",
        tool=tool,
        mode=Mode.AUTO,
        text=f"{number}",
        when_untrusted=WhenUntrusted.NAMED,
        expires=datetime(2028, 1, 1, tzinfo=UTC),
        paths=(f"/home/me/folder-{number}", f"/srv/folder-{number}"),
        hosts=(f"host-{number}.example.org", f"*.host-{number}.example.net"),
        commands=(f"tool-{number}", "wc"),
    )


def looked_at(tool: str, grants: tuple[Grant, ...]) -> int:
    return sum(grant.tool == tool and not grant.expired(NOW) for grant in grants)


def timed(work: Callable[[], object]) -> list[float]:
    took = []
    for _ in range(ROUND):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return took


def typical(rounds: list[list[float]], percent: float) -> float:
    return median(percentile(one, percent) for one in rounds)
