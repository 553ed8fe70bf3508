"""Fuzz the parsers: ``python -m tools.fuzz [--minutes N] [--target NAME] [--seed S]``.

The time is shared by the targets, one after the other. Prints the seed, and a line for each target; an input
that breaks a promise is kept under ``tests/tools/fuzz/found``. Exits 1 when there is one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from tools.fuzz.running import Tally, run, save
from tools.fuzz.target import Target
from tools.fuzz.targets import TARGETS

ROUND_S = 10.0
"""Seconds of one target's turn at most, so that a run that is stopped has seen all of them."""


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments name; see the module."""
    asked = _parser().parse_args(arguments)
    chosen = [target for target in TARGETS if asked.target in (None, target.name)]
    seed = time.time_ns() % 1_000_000_000 if asked.seed is None else asked.seed
    print(f"seed {seed}, {len(chosen)} targets, {asked.minutes:g} minutes", flush=True)
    tallies = {target.name: Tally() for target in chosen}
    left_s = asked.minutes * 60
    while left_s > 0:
        turn_s = min(ROUND_S, left_s / len(chosen))
        for target in chosen:
            _add(tallies[target.name], run(target, seed, seconds=turn_s))
        left_s -= turn_s * len(chosen)
        seed += 1
    return _report(chosen, tallies)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description="Fuzz the parsers.")
    parser.add_argument("--minutes", type=float, default=1.0, help="for all targets together")
    parser.add_argument("--target", choices=[target.name for target in TARGETS], help="only this one")
    parser.add_argument("--seed", type=int, help="of an earlier run, to make the same inputs again")
    return parser


def _add(tally: Tally, more: Tally) -> None:
    for kind, finding in more.findings.items():
        if kind not in tally.findings:
            print(f"{finding.what}\n  {save(finding)}\n{finding.trace}", flush=True)
        tally.add(finding)
    tally.executions += more.executions
    tally.slowest_s = max(tally.slowest_s, more.slowest_s)


def _report(chosen: Sequence[Target], tallies: dict[str, Tally]) -> int:
    for target in chosen:
        tally = tallies[target.name]
        print(
            f"{target.name}: {tally.executions} executions, slowest {tally.slowest_s:.2f} s, "
            f"{len(tally.findings)} findings",
            flush=True,
        )
    total = sum(tally.executions for tally in tallies.values())
    findings = sum(len(tally.findings) for tally in tallies.values())
    print(f"in all: {total} executions, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
