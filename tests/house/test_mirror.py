"""Tests mirror the tree: a test file has its source, and a source with logic has its tests."""

from __future__ import annotations

from pathlib import PurePosixPath

from tests.house.source import ROOT, SHIPPED, functions, kept_files, modules

BY_STORY = frozenset({"house", "kit", "traps", "chaos", "scenarios", "doubles"})
"""Folders of tests that belong to no single file."""
TESTED_ELSEWHERE = {
    "actors/base.py": "names the kernel's parts; tests/traps",
    "actors/model_honcho.py": "what a box is made of; tests/scenarios/test_one_sentence.py and others",
    "bxio/mcp/bridge.py": "a process: asked through actors.mcp_server, in its tests",
    "bxio/mcp/bridge_process.py": "the bridge's end of the server, in the same tests",
    "bxio/mcp/child.py": "its owner's end, driven by actors.mcp_server, in its tests",
    "bxio/fetch/page_child.py": "a process: asked through bxio.fetch.page, in its tests",
    "bxio/fetch/resolve_child.py": "a process: asked through bxio.fetch.resolving, in its tests",
    "bxio/sandbox_makers.py": "makes what tests/scenarios/test_tools.py runs calls in",
    "actors/kernel/": "driven through its one door, actors.base, in tests/traps, tests/kit and tests/chaos",
}
"""Sources with logic and no test file of their own, or folders of them, and where they are tested."""


def test_files() -> list[PurePosixPath]:
    paths = [
        PurePosixPath(name).relative_to("tests")
        for name in kept_files()
        if name.startswith("tests/") and name.endswith(".py")
    ]
    return [path for path in paths if path.name.startswith("test_") and path.parts[0] not in BY_STORY]


test_files.__test__ = False  # type: ignore[attr-defined]  # a function of this module, no test


def twins(test: PurePosixPath) -> list[str]:
    """The sources that a test may be named for, such as ``x.py`` of ``test_x.py`` and ``test_x_y.py``."""
    words = test.stem.removeprefix("test_").split("_")
    names = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    places = [test.parent / name for name in names]
    return [*(f"{place}.py" for place in places), *(f"{place}/__init__.py" for place in places)]


def test_each_test_file_has_its_source() -> None:
    lone = [
        f"tests/{test}" for test in test_files() if not any((ROOT / twin).is_file() for twin in twins(test))
    ]
    assert lone == []


def tests_of(source: PurePosixPath) -> list[PurePosixPath]:
    """Where a source's tests may stand: beside its twin, or in one file for the package that it is in."""
    inside = source.parent if source.name == "__init__.py" else source.with_suffix("")
    candidates = [inside, *(parent for parent in inside.parents if len(parent.parts) > 1)]
    return [
        test
        for test in test_files()
        for place in candidates
        if test.parent == place.parent and f"{test.stem}_".startswith(f"test_{place.name.removeprefix('_')}_")
    ]


tests_of.__test__ = False  # type: ignore[attr-defined]


def test_each_source_with_logic_has_its_tests() -> None:
    bare = [
        module.name
        for module in modules(*SHIPPED)
        if any(functions(module.tree)) and not module.name.startswith("bxcore/messages/")
        if not tests_of(PurePosixPath(module.name)) and not module.name.startswith(tuple(TESTED_ELSEWHERE))
    ]
    assert bare == []


def test_each_exception_still_stands() -> None:
    assert [name for name in TESTED_ELSEWHERE if not (ROOT / name).exists()] == []


def test_every_folder_of_tests_is_a_package_and_none_hides_a_source() -> None:
    folders = {
        (ROOT / name).parent for name in kept_files() if name.startswith("tests/") and name.endswith(".py")
    }
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []
