"""Faults at every system call that a durable file needs: an error, no space, a short write, a kill.

    python -m tools.faults                 # every third call of every driver, some minutes
    python -m tools.faults --full          # every call
    python -m tools.faults --only ledger memory --full

A driver runs once under ``strace`` to see its calls, then again for each call and each kind of fault. After
each run the same module reads without faults: nothing acknowledged may be lost, nothing be half there, and
every refusal is a sentence.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tools.faults.drivers import DRIVERS
from tools.faults.sweeping import Outcome, sweep
from tools.faults.tracing import NoTraceError

EVERY = 3


def main(words: Sequence[str] | None = None) -> int:
    """Print what is wrong, a line a driver and each sentence once; exit 1 when something is wrong."""
    args = _arguments(words)
    began_s, wrong, runs = time.monotonic(), 0, 0
    sentences: set[str] = set()
    for name in args.only:
        try:
            outcomes = list(map(_printed, sweep(name, 1 if args.full else EVERY)))
        except NoTraceError as error:
            print(error, file=sys.stderr)
            return 1
        struck = [outcome for outcome in outcomes if outcome.struck]
        wrong += sum(bool(outcome.wrong) for outcome in struck)
        runs += len(struck)
        sentences.update(_plain(said) for outcome in struck for said in outcome.sentences)
        print(f"{name}: {_counted(outcomes)}", flush=True)
    for sentence in sorted(sentences):
        print(f"  {sentence}")
    print(f"{runs} faults, {wrong} wrong, {time.monotonic() - began_s:.0f} s")
    return 1 if wrong else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=sorted(DRIVERS), default=list(DRIVERS), metavar="NAME")
    parser.add_argument("--full", action="store_true", help="at every call")
    return parser.parse_args(words)


def _printed(outcome: Outcome) -> Outcome:
    for line in outcome.wrong:
        print(f"{outcome.driver}, {outcome.fault}: {line}", flush=True)
    return outcome


def _counted(outcomes: Sequence[Outcome]) -> str:
    """Of a run that a fault did not strike nothing can be said."""
    calls = Counter("a full disk" if o.fault.room is not None else o.fault.call for o in outcomes if o.struck)
    parts = ", ".join(f"{count} {call}" for call, count in calls.most_common())
    missed = sum(not outcome.struck for outcome in outcomes)
    return f"{calls.total()} faults ({parts})" + (f", {missed} struck nothing" if missed else "")


def _plain(sentence: str) -> str:
    """Without the folder of the run and the numbers that vary."""
    return re.sub(r"\b\d+ of \d+\b", "N of M", re.sub(r"/\S*/files", "…", sentence))


if __name__ == "__main__":
    sys.exit(main())
