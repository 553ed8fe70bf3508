"""What bubblewrap really keeps on this machine, each guarantee shown by a run of its own (spec 2.5)."""

from __future__ import annotations

import time
from collections.abc import Callable

from bxcore.sandbox import Guarantee, Job, Limits, Probe, Ran, SandboxError

PIDS = 12
"""The limit under which the probe starts thrice as many."""
PROBE_S = 10.0

LOOK = """\
while read -r key value _; do
  case $key in NoNewPrivs:|CapEff:|CapBnd:|CapPrm:|CapInh:|CapAmb:) echo "$key$value";; esac
done </proc/self/status
while read -r name _; do
  case $name in *:) echo "net:${name%:}";; esac
done </proc/net/dev
for place in / /usr /etc /dev /proc/sys/kernel; do
  (: >"$place/written-by-the-probe") 2>/dev/null && echo "written:$place"
done
echo end
"""
FORKS = f"""\
n=0
while [ $n -lt {3 * PIDS} ]; do
  sleep 5 &
  n=$((n + 1))
  echo $n
done
"""

Run = Callable[[Job, float], Ran]
_MEMORY = "bubblewrap limits the memory of each process, not of all of them together"


def prove(run: Run) -> Probe:
    """Run the probes with ``run(job, deadline_s)``. Raises ``SandboxError`` when nothing runs at all."""
    said = _look(run)
    faults: dict[Guarantee, str] = {Guarantee.MEMORY_LIMIT: _MEMORY}
    if "NoNewPrivs:1" not in said:
        faults[Guarantee.NO_NEW_PRIVILEGES] = "a program in it may gain privileges"
    held = [line for line in said if line.startswith("Cap")]
    if len(held) < 5 or any(line.partition(":")[2].strip("0") for line in held):  # noqa: PLR2004 (five sets)
        faults[Guarantee.NO_CAPABILITIES] = "a capability is left in it"
    if [line for line in said if line.startswith("net:")] != ["net:lo"]:
        faults[Guarantee.NO_NETWORK] = "it sees a network interface of this machine"
    written = [line.partition(":")[2] for line in said if line.startswith("written:")]
    if written:
        faults[Guarantee.READ_ONLY_ROOT] = f"{', '.join(written)} can be written in it"
    if not _pids_hold(run):
        faults[Guarantee.PIDS_LIMIT] = "the kernel does not keep the limit on processes for one run"
    proven = frozenset(each for each in Guarantee if each not in faults)
    return Probe(proven=proven, missing=tuple((each, faults[each]) for each in Guarantee if each in faults))


def _look(run: Run) -> list[str]:
    ran = run(Job(name="probe-look", command=("sh", "-c", LOOK)), time.monotonic() + PROBE_S)
    lines = ran.stdout.data.decode("ascii", "replace").splitlines()
    if ran.exit_code != 0 or lines[-1:] != ["end"]:
        reason = ran.stderr.data.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no reason"]
        raise SandboxError(f"bubblewrap does not run here: {reason[0]}")
    return lines


def _pids_hold(run: Run) -> bool:
    """Whether it could not start more processes than its limit; a shell gives up when it cannot fork."""
    job = Job(name="probe-pids", command=("sh", "-c", FORKS), limits=Limits(pids=PIDS, time_s=PROBE_S))
    ran = run(job, time.monotonic() + PROBE_S)
    started = len(ran.stdout.data.splitlines())
    return 0 < started <= PIDS
