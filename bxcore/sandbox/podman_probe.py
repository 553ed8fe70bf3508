"""What one probe container runs, and what its output proves (spec 2.5); any image with sh and dd will do.

Nothing is believed that podman merely says: the kernel's own view is read from inside, and each limit is
tried by going beyond it. Counting processes comes last, because a shell that cannot fork ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bxcore.sandbox.guarantees import Guarantee, Probe
from bxcore.sandbox.job import Job, Limits, Mount

MEMORY_MB, PIDS = 64, 16
PROBE_S = 20.0
MOUNTED = "/probe"
_TRIED = 3 * PIDS

SCRIPT = f"""\
while read -r key value rest; do
  case $key in NoNewPrivs:|CapEff:|CapPrm:|CapBnd:) echo "status $key $value";; esac
done </proc/self/status
while read -r name rest; do
  case $name in *:*) echo "net ${{name%%:*}}";; esac
done </proc/net/dev
while read -r device place kind options rest; do
  case $place in /|{MOUNTED}) echo "mounted $place $options";; esac
done </proc/mounts
for place in / /etc {MOUNTED}; do
  (: >"$place/written") 2>/dev/null && echo "written $place"
done
dd if=/dev/zero of=/dev/null bs=1M count=1 2>/dev/null; echo "little $?"
dd if=/dev/zero of=/dev/null bs={2 * MEMORY_MB}M count=1 2>/dev/null; echo "much $?"
n=0
while [ $n -lt {_TRIED} ]; do
  sleep 60 &
  n=$((n + 1)); echo "forked $n"
done 2>/dev/null
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What podman says of where it runs, to say why a limit does not hold."""

    rootless: bool
    cgroups: str
    controllers: frozenset[str]


def probe_job(source: str) -> Job:
    """The job; ``source`` is a folder that everybody may write, so that only the mount can refuse it."""
    return Job(
        name="probe",
        command=("sh", "-c", SCRIPT),
        mounts=(Mount(source=source, target=MOUNTED, read_only=True),),
        limits=Limits(time_s=PROBE_S, memory_mb=MEMORY_MB, pids=PIDS),
    )


def judged(output: str, where: Circumstances) -> Probe:
    """What the job's output proves; what is not there proves nothing."""
    said = [line.split() for line in output.splitlines() if line.strip()]
    faults = {each: fault for each, judge in _JUDGES.items() if (fault := judge(said)) is not None}
    for each, controller in ((Guarantee.MEMORY_LIMIT, "memory"), (Guarantee.PIDS_LIMIT, "pids")):
        if each in faults:
            faults[each] += _reason(controller, where)
    return Probe(
        proven=frozenset(Guarantee) - faults.keys(),
        missing=tuple((each, faults[each]) for each in Guarantee if each in faults),
    )


_Said = Sequence[Sequence[str]]


def _of(said: _Said, kind: str) -> list[Sequence[str]]:
    return [words[1:] for words in said if words[0] == kind]


def _privileges(said: _Said) -> str | None:
    return None if ["NoNewPrivs:", "1"] in _of(said, "status") else "a program in it may gain privileges"


def _capabilities(said: _Said) -> str | None:
    sets = [words[-1].strip("0") for words in _of(said, "status") if words[0].startswith("Cap")]
    return None if sets == ["", "", ""] else "a capability is left in it"


def _network(said: _Said) -> str | None:
    return None if _of(said, "net") == [["lo"]] else "it sees a network interface beside its own loopback"


def _root(said: _Said) -> str | None:
    written = [" ".join(words) for words in _of(said, "written")]
    if written:
        return f"{', '.join(written)} can be written in it"
    options = {words[0]: words[1].split(",") for words in _of(said, "mounted") if len(words) > 1}
    writable = [place for place in ("/", MOUNTED) if "ro" not in options.get(place, ())]
    return f"{' and '.join(writable)} is not mounted read-only in it" if writable else None


def _memory(said: _Said) -> str | None:
    if ["0"] not in _of(said, "little"):
        return "the probe could not use any memory"
    much = _of(said, "much")
    if much == [["1"]]:
        return "the memory of each process is limited, not that of all together"
    return None if much == [["137"]] else "twice the allowed memory could be used in it"


def _pids(said: _Said) -> str | None:
    count = len(_of(said, "forked"))
    if not count:
        return "the probe could not start any process"
    return None if count < PIDS else f"{count} processes ran in it where {PIDS} were allowed"


_JUDGES: Mapping[Guarantee, Callable[[_Said], str | None]] = {
    Guarantee.NO_NEW_PRIVILEGES: _privileges,
    Guarantee.NO_CAPABILITIES: _capabilities,
    Guarantee.NO_NETWORK: _network,
    Guarantee.READ_ONLY_ROOT: _root,
    Guarantee.MEMORY_LIMIT: _memory,
    Guarantee.PIDS_LIMIT: _pids,
}


def _reason(controller: str, where: Circumstances) -> str:
    if where.rootless and where.cgroups == "v1":
        return "; podman without root sets no limits with control groups of version 1: run it as root"
    if controller not in where.controllers:
        return f"; podman has no control group controller {controller}: delegate it to this user"
    return ""
