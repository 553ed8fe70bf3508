"""Faults at every system call that a durable file needs: an error, no space, a short write, a kill.

    python -m tools.faults                 # all of tools/fault_drivers.py, a few minutes
    python -m tools.faults --only ledger memory

A driver runs once to see its calls, then again for each of them and each kind of fault, with ``strace``
injecting it. After each run the same module reads without faults: nothing acknowledged may be lost, nothing
half there, and every refusal is a sentence.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.fault_drivers import DRIVERS

CALLS = "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,openat,ftruncate,unlink,unlinkat"
KINDS: dict[str, tuple[str, ...]] = {
    "write": ("error=EIO", "error=ENOSPC", "signal=KILL"),
    "pwrite64": ("error=EIO", "error=ENOSPC", "signal=KILL"),
    "openat": ("error=EMFILE", "error=ENOSPC", "signal=KILL"),
}
"""What may befall a call; all others fail with EIO or ENOSPC, or are the process's last."""
SHORT = "retval=3"
"""A short write, of which ``strace`` puts nothing on disk: it is for those who take that for a failure."""
JOURNAL = ".jsonl>"
"""How a call on a file with one write a line looks in the trace."""
OTHERS = ("error=EIO", "error=ENOSPC", "signal=KILL")
LIMIT_S = 60.0
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Fault:
    """One call of a driver, the ``number``-th of its name in the whole run, and what befalls it."""

    call: str
    number: int
    kind: str
    lasting: bool = False

    @property
    def injection(self) -> str:
        """As ``strace`` takes it."""
        return f"inject={self.call}:{self.kind}:when={self.number}{'+' if self.lasting else ''}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run said, and what is wrong after it."""

    driver: str
    fault: Fault
    sentences: tuple[str, ...]
    wrong: tuple[str, ...]


def _traced(name: str, folder: Path, extra: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = ["strace", "-f", "-qq", "-y", "-e", f"trace={CALLS}", *extra]
    driver = [sys.executable, "-P", "-m", "tools.fault_drivers", name, str(folder)]
    return subprocess.run(  # noqa: S603 - our own program
        [*command, *driver],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )


def calls(name: str, folder: Path) -> Iterator[tuple[str, int, bool]]:
    """The calls that touch the folder: names, which of that name in the run each is, whether on a journal."""
    trace = folder.with_name("trace")
    ran = _traced(name, folder, ["-o", str(trace)])
    if "ack" not in ran.stdout:
        raise SystemExit(f"{name} acknowledges nothing: {ran.stderr[-2000:]}")
    count: Counter[str] = Counter()
    for line in trace.read_text(errors="replace").splitlines():
        match = re.match(r"(?:\d+ +)?([a-z0-9]+)\(", line)
        if match is not None:
            count[match[1]] += 1
            if str(folder) in line:
                yield match[1], count[match[1]], JOURNAL in line


def faults(found: Iterable[tuple[str, int, bool]], every: int) -> Iterator[Fault]:
    """Each kind of fault at each ``every``-th call."""
    for place, (call, number, on_journal) in enumerate(found):
        if place % every == 0:
            for kind in KINDS.get(call, OTHERS):
                yield Fault(call, number, kind)
            if call == "write" and on_journal:
                yield Fault(call, number, SHORT)
            yield Fault(call, number, "error=ENOSPC", lasting=True)


def run(name: str, fault: Fault) -> Outcome:
    """Run a driver with one fault in a folder of its own, and look at what is left."""
    driver = DRIVERS[name]
    home = Path(tempfile.mkdtemp(prefix="faults-"))
    try:
        folder = home / "files"
        folder.mkdir(mode=0o700)
        driver.prepare(folder)
        ran = _traced(name, folder, ["-o", "/dev/null", "-e", fault.injection])
        said = ran.stdout.splitlines()
        acknowledged = [int(line.split()[1]) for line in said if line.startswith("ack ")]
        sentences = tuple(line[3:] for line in said if line.startswith("no "))
        return Outcome(name, fault, sentences, tuple(_wrong(name, folder, ran, acknowledged)))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _wrong(
    name: str, folder: Path, ran: subprocess.CompletedProcess[str], acknowledged: Sequence[int]
) -> Iterator[str]:
    last = ran.stderr.strip().rpartition("\n")[2]
    if "Traceback" in ran.stderr and "/lib/python" not in last:  # else it struck an import of Python's own
        yield f"a traceback: {last}"
    checked = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-P", "-c", _CHECK, name, str(folder), *map(str, acknowledged)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    if checked.returncode:
        yield f"it cannot be read afterwards: {checked.stderr.strip().splitlines()[-1]}"
    yield from checked.stdout.splitlines()


_CHECK = """
import sys
from pathlib import Path
from tools.fault_drivers import DRIVERS
name, folder, *acknowledged = sys.argv[1:]
for line in DRIVERS[name].check(Path(folder), list(map(int, acknowledged))):
    print(line)
"""


def sweep(names: Sequence[str], every: int = 1) -> Iterator[Outcome]:
    """Every fault of every driver, two at a time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        for name in names:
            with tempfile.TemporaryDirectory() as home:
                folder = Path(home) / "files"
                folder.mkdir(mode=0o700)
                DRIVERS[name].prepare(folder)
                found = list(calls(name, folder))
            yield from pool.map(lambda fault, name=name: run(name, fault), faults(found, every))


def main() -> int:
    """Print a line a driver, each kind of sentence once, and all that is wrong; exit 1 then."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=sorted(DRIVERS), default=list(DRIVERS), metavar="NAME")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only at every N-th call")
    args = parser.parse_args()
    runs: Counter[str] = Counter()
    sentences: set[str] = set()
    bad = 0
    for outcome in sweep(args.only, args.every):
        runs[outcome.driver] += 1
        sentences.update(re.sub(r"/\S*/files", "…", sentence) for sentence in outcome.sentences)
        for line in outcome.wrong:
            bad += 1
            print(f"{outcome.driver}, {outcome.fault.injection}: {line}", flush=True)
    for sentence in sorted(sentences):
        print(f"  {sentence}")
    print(", ".join(f"{count} runs of {name}" for name, count in runs.items()))
    print(f"{runs.total()} runs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
