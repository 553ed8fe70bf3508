"""The lock files: exact versions with hashes, closed, no address, and true to ``pyproject.toml``."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from functools import cache

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.source import PACKAGES, ROOT, SHIPPED, imported, modules
from tools.lock import LOCKS, wanted

NAMES = tuple(LOCKS.values())
PIN = re.compile(
    r"(?P<name>[a-z0-9._-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\]+))? \\\n"
    r"(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)"
)


@cache
def pins(name: str) -> dict[str, str]:
    """Name and version of each pin, and the whole file must be nothing but pins."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert PIN.sub("", text) == ""
    return {found["name"]: found["version"] for found in PIN.finditer(text)}


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_is_pins_with_sha256_hashes_and_nothing_else(name: str) -> None:
    assert pins(name)
    hashes = re.findall(r"--hash=(\S+)", (ROOT / name).read_text(encoding="utf-8"))
    assert [found for found in hashes if not re.fullmatch(r"sha256:[0-9a-f]{64}", found)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_names_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [word for word in ("://", "index", "find-links", " @ ") if word in text] == []


@pytest.mark.parametrize("extra", LOCKS)
def test_each_requirement_is_pinned_within_its_bounds(extra: str | None) -> None:
    for text in wanted(extra):
        requirement = Requirement(text)
        version = pins(LOCKS[extra])[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), text


def test_what_two_locks_pin_is_one_version() -> None:
    runtime = pins(LOCKS[None])
    for name in NAMES:
        assert {
            package: version
            for package, version in pins(name).items()
            if runtime.get(package, version) != version
        } == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_lock_is_closed(name: str) -> None:
    """It is installed without dependencies, so whatever a pinned package needs must be pinned too."""
    every = pins(name) | pins(LOCKS[None])
    missing = []
    for package in pins(name):
        try:
            needs = importlib.metadata.requires(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for need in map(Requirement, needs):
            applies = need.marker is None or need.marker.evaluate({"extra": ""})
            if applies and canonicalize_name(need.name) not in every:
                missing.append(f"{package} needs {need}")
    assert missing == []


def test_the_runtime_states_what_the_code_imports_and_nothing_else() -> None:
    stated = {canonicalize_name(Requirement(text).name) for text in wanted(None)} - {"hatchling"}
    brought = {"pydantic-core", "xllamacpp", "numpy"}  # by pydantic, and by the extras embedded and semantic
    brought |= {"anyio", "jsonschema", "mcp", "mcp-types", "referencing"}  # by the extra mcp
    brought |= {"requests", "urllib3"}  # by podman, whose client is one of requests; its sockets are ours
    tops = {name.split(".")[0] for module in modules(*SHIPPED) for _, name in imported(module.tree, "")}
    outside = tops - set(sys.stdlib_module_names) - {*PACKAGES, "supervisor"}
    assert {canonicalize_name(name) for name in outside} - brought == stated


def test_the_build_backend_is_pinned_exactly() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for text in stated["build-system"]["requires"]:
        requirement = Requirement(text)
        assert str(requirement.specifier) == f"=={pins(LOCKS[None])[requirement.name]}"


def test_every_python_since_the_oldest_is_accepted() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["requires-python"] == ">=3.11"
    assert "sys.version_info < (3, 11)" in (ROOT / "bx").read_text(encoding="utf-8")
