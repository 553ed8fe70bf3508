from __future__ import annotations

import hashlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from bxio import weights
from bxio.weights import (
    LARGE,
    SMALL,
    Release,
    WeightsError,
    choose,
    find_slices,
    free_memory_bytes,
    owners_file,
    ready,
)

PARTS = [b"GGUF" + b"a" * 3_000_000, b"b" * 2_000_000, b"c" * 10]


@dataclass
class Usage:
    total: int
    used: int
    free: int


class Packages:
    """Packages on the import path that carry slices; importing one would fail."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.release = Release(
            name="Test-Model",
            module=f"{name}_part",
            slices=len(PARTS),
            file="test.gguf",
            sha256=hashlib.sha256(b"".join(PARTS)).hexdigest(),
            memory_bytes=1,
        )
        for number, part in enumerate(PARTS, start=1):
            data = self.package(number) / "data"
            data.mkdir(parents=True)
            (self.package(number) / "__init__.py").write_text("raise SystemExit('imported')")
            (data / f"part{number:02d}.bin").write_bytes(part)

    def package(self, number: int) -> Path:
        return self.folder / f"{self.release.module}{number}"

    def slice(self, number: int) -> Path:
        return self.package(number) / "data" / f"part{number:02d}.bin"


class Cache:
    """A cache folder, and what was said while it was filled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[tuple[str, int]] = []

    def ready(self, release: Release) -> Path:
        return ready(release, self.folder, lambda doing, per_cent: self.said.append((doing, per_cent)))

    def problem(self, release: Release) -> str:
        with pytest.raises(WeightsError) as caught:
            self.ready(release)
        return caught.value.sentence

    def files(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Packages:
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(str(folder))
    return Packages(folder, f"slices_{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]}")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache" / "models")


def test_the_slices_are_put_together_and_checked(packages: Packages, cache: Cache) -> None:
    path = cache.ready(packages.release)
    assert path.read_bytes() == b"".join(PARTS)
    assert cache.files() == {"test.gguf", "test.gguf.checked"}
    assert cache.folder.stat().st_mode & 0o777 == 0o700


def test_no_package_is_imported(packages: Packages, cache: Cache) -> None:
    cache.ready(packages.release)
    assert not any(name.startswith(packages.release.module) for name in sys.modules)


def test_the_progress_rises_to_a_hundred_per_cent(packages: Packages, cache: Cache) -> None:
    cache.ready(packages.release)
    assert {doing for doing, _ in cache.said} == {"assembling"}
    per_cents = [per_cent for _, per_cent in cache.said]
    assert per_cents == sorted(set(per_cents))
    assert per_cents[-1] == 100


def test_a_file_that_is_there_is_hashed_once_only(packages: Packages, cache: Cache) -> None:
    path = cache.ready(packages.release)
    (cache.folder / "test.gguf.checked").unlink()
    cache.said.clear()
    cache.ready(packages.release)
    assert cache.said[-1] == ("checking", 100)
    cache.said.clear()
    assert cache.ready(packages.release) == path
    assert cache.said == []


def test_a_file_that_was_changed_is_put_together_anew(packages: Packages, cache: Cache) -> None:
    path = cache.ready(packages.release)
    path.write_bytes(b"x" * path.stat().st_size)
    os.utime(path, ns=(1, 1))
    assert cache.ready(packages.release).read_bytes() == b"".join(PARTS)


def test_slices_with_another_hash_are_refused_and_nothing_is_left(packages: Packages, cache: Cache) -> None:
    packages.slice(2).write_bytes(b"evil")
    sentence = cache.problem(packages.release)
    assert "do not have the SHA-256 of Test-Model's own release" in sentence
    assert cache.files() == set()


def test_a_missing_slice_is_counted(packages: Packages, cache: Cache) -> None:
    packages.slice(2).unlink()
    assert "lack 1 of 3 parts; install" in cache.problem(packages.release)
    assert find_slices(packages.release)[1] is None


def test_no_slices_at_all_is_said_in_other_words(packages: Packages, cache: Cache) -> None:
    shutil.rmtree(packages.folder)
    assert "are not installed; install boxmaker with the extra embedded" in cache.problem(packages.release)


def test_a_full_disk_is_said_before_anything_is_written(
    packages: Packages, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = Usage(total=30_000_000, used=10_000_000, free=20_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    assert "has 20 MB free, and the model's weights need 55 MB" in cache.problem(packages.release)
    assert cache.files() == set()


def test_a_folder_that_cannot_be_made_is_one_sentence(packages: Packages, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "models")
    sentence = cache.problem(packages.release)
    assert f"cannot be written to {cache.folder} (" in sentence
    assert "[model] url" in sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(packages: Packages, cache: Cache) -> None:
    cache.folder.mkdir(parents=True, mode=0o500)
    assert "cannot be written" in cache.problem(packages.release)


def test_what_a_killed_process_left_is_removed_and_what_runs_is_not(packages: Packages, cache: Cache) -> None:
    cache.folder.mkdir(parents=True)
    running = cache.folder / f".test.gguf.{os.getppid()}.part"
    left = cache.folder / ".test.gguf.4194304.part"
    for path in (running, left):
        path.write_bytes(b"x")
    cache.ready(packages.release)
    assert running.exists()
    assert not left.exists()


def test_the_larger_model_needs_its_parts_and_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "find_slices", lambda release: [Path("x")] * release.slices)
    assert choose(LARGE.memory_bytes) is LARGE
    assert choose(LARGE.memory_bytes - 1) is SMALL
    assert choose(None) is SMALL
    monkeypatch.setattr(weights, "find_slices", lambda release: [None] * release.slices)
    assert choose(LARGE.memory_bytes) is SMALL


def test_free_memory_is_what_the_kernel_says() -> None:
    free = free_memory_bytes()
    assert free is None or free > 1_000_000


def test_an_owner_s_file_is_looked_at(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.gguf", tmp_path / "bad.gguf"
    good.write_bytes(b"GGUF and more")
    bad.write_bytes(b"PK")
    assert owners_file(good) == good
    with pytest.raises(WeightsError, match="is no GGUF file"):
        owners_file(bad)
    with pytest.raises(WeightsError, match=r"cannot be read \(no such file or directory\); name another"):
        owners_file(tmp_path / "none.gguf")


@pytest.mark.timeout(5)
def test_an_owner_s_file_that_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe.gguf", tmp_path / "folder.gguf"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (pipe, folder, Path("/dev/zero")):
        with pytest.raises(WeightsError) as caught:
            owners_file(path)
        assert caught.value.sentence == (
            f"[model] file {path} is no regular file; name another, or leave [model] file out"
        )


def test_an_owner_s_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "good.gguf").write_bytes(b"GGUF and more")
    link = tmp_path / "link.gguf"
    link.symlink_to("good.gguf")
    assert owners_file(link) == link
