"""Who may import whom (spec chapter 0): ``bxcore ← bxio ← actors ← supervisor.py``, and bxctl apart."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.house.source import PACKAGES, ROOT, SHIPPED, Module, imported, modules

OURS = frozenset((*PACKAGES, "supervisor", "tests", "bench", "tools", "config"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a layer may import besides the standard library, and what of that library it may not."""

    ours: frozenset[str]
    others: frozenset[str]
    never: frozenset[str] = frozenset()


OWN_THREADS = {
    "asyncio",
    "concurrent.futures",
    "multiprocessing",
    "threading.Thread",
    "threading.Timer",
    "_thread",
}
CLOCKS = {"sched", "time"}
CHANCE = {"random", "secrets", "uuid.uuid1", "uuid.uuid4"}
FILES = {"fcntl", "glob", "io.open", "mmap", "os", "shutil", "sqlite3", "tempfile"}
NETWORK = {
    "http.client",
    "http.server",
    "select",
    "selectors",
    "socket",
    "socketserver",
    "ssl",
    "urllib.request",
}
PROCESS = {"logging", "queue", "signal", "subprocess", "sys.stderr", "sys.stdin", "sys.stdout", "threading"}
PURE_OTHERS = {"idna", "inscriptis", "lxml", "pydantic", "pydantic_core", "tomli"}
OUTSIDE = {
    "anyio",
    "h11",
    "httpcore",
    "httpx",
    "jsonschema",
    "loguru",
    "mcp",
    "mcp_types",
    "numpy",
    "podman",
    "referencing",
    "requests",
    "tantivy",
    "urllib3",
    "xllamacpp",
}

RULES = {
    "bxcore": Rule(
        ours=frozenset({"bxcore"}),
        others=frozenset(PURE_OTHERS),
        never=frozenset(OWN_THREADS | CLOCKS | CHANCE | FILES | NETWORK | PROCESS),
    ),
    "bxio": Rule(
        ours=frozenset({"bxcore", "bxio"}),
        others=frozenset(PURE_OTHERS | OUTSIDE),
        never=frozenset(OWN_THREADS),
    ),
    "actors": Rule(
        ours=frozenset({"bxcore", "bxio", "actors"}),
        others=frozenset({"loguru", "pykka"}),
        never=frozenset({"asyncio", "concurrent.futures", "multiprocessing"}),
    ),
    "supervisor.py": Rule(
        ours=frozenset({"bxcore", "bxio", "actors"}),
        others=frozenset({"loguru", "pykka"}),
    ),
    "bxctl": Rule(
        ours=frozenset({"bxcore", "bxctl"}),
        others=frozenset({"tomli"}),
        never=frozenset({"asyncio", "multiprocessing"}),
    ),
}

BASE = ("actors.base", "actors.kernel")
"""What every actor may import of its own layer; the kernel is a part of base."""


def within(name: str, names: frozenset[str]) -> bool:
    """Whether ``a.b.c`` is one of ``names`` or lies in one, as it does in ``a.b``."""
    parts = name.split(".")
    return any(".".join(parts[:n]) in names for n in range(1, len(parts) + 1))


def faults(module: Module, rule: Rule) -> Iterator[str]:
    package = module.dotted if module.name.endswith("/__init__.py") else module.dotted.rpartition(".")[0]
    for line, name in imported(module.tree, package):
        top = name.split(".", 1)[0]
        if top in OURS:
            fine = top in rule.ours
        elif top in sys.stdlib_module_names:
            fine = not within(name, rule.never)
        else:
            fine = top in rule.others
        if not fine:
            yield f"{module.name}:{line} imports {name}"


@pytest.mark.parametrize("top", SHIPPED)
def test_each_layer_imports_only_what_lies_below_it(top: str) -> None:
    assert [fault for module in modules(top) for fault in faults(module, RULES[top])] == []


def test_an_actor_imports_no_other_actor_but_base() -> None:
    """The rooms of one actor, ``broker_runs`` beside ``broker``, may know each other."""
    found = []
    for module in modules("actors"):
        if module.dotted.startswith(BASE):
            continue
        own = module.dotted.partition("_")[0]
        for line, name in imported(module.tree, "actors"):
            if name.startswith("actors.") and not name.startswith((*BASE, own)):
                found.append(f"{module.name}:{line} imports {name}")
    assert found == []


def test_pykka_is_met_in_one_file() -> None:
    outside = [
        f"{module.name}:{line} imports {name}"
        for module in modules(*SHIPPED)
        for line, name in imported(module.tree, module.dotted)
        if name.split(".")[0] == "pykka" and module.dotted != "actors.kernel.pykka_seam"
    ]
    assert outside == []


def test_the_pure_core_opens_nothing_and_asks_no_clock() -> None:
    """It may read a folder that it was handed: what it calls then is the object's own method."""
    asking = {"now", "utcnow", "today", "cwd", "home"}
    found = []
    for module in modules("bxcore"):
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Call):
                continue
            opened = isinstance(node.func, ast.Name) and node.func.id in {"open", "print", "input"}
            asked = isinstance(node.func, ast.Attribute) and node.func.attr in asking
            if opened or asked:
                found.append(f"{module.name}:{node.lineno} {ast.unparse(node.func)}()")
    assert found == []


def test_the_operators_command_starts_without_the_heavy_libraries() -> None:
    """It has a fifth of a second (spec 6.3), and each of these takes most of that."""
    heavy = {"httpx", "loguru", "podman", "pydantic", "pykka", "sqlite3", "asyncio"}
    names = sorted(m.dotted for m in modules("bxctl") if m.name.startswith("bxctl/commands/"))
    fast = [name for name in names if name.rpartition(".")[2] not in {"check", "init", "serve", "__init__"}]
    script = f"import sys, bxctl.main, {', '.join(fast)}; print(*sorted({heavy!r} & set(sys.modules)))"
    command = [sys.executable, "-c", script]
    asked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, "\n", "")


def test_the_official_client_of_mcp_is_met_in_its_own_process_alone() -> None:
    found = {
        module.name
        for module in modules(*SHIPPED)
        for _, name in imported(module.tree, module.dotted)
        if name.split(".")[0] in {"anyio", "jsonschema", "mcp", "mcp_types"}
        or name.startswith("bxio.mcp.bridge")
    }
    assert found == {
        f"bxio/mcp/{name}.py" for name in ("arguments", "bridge", "bridge_lines", "bridge_process")
    }


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("bxcore/x.py", "import threading"),
        ("bxcore/x.py", "from time import monotonic"),
        ("bxcore/x.py", "import httpx"),
        ("bxcore/x.py", "def f():\n    from bxio import cut"),
        ("bxio/x.py", "from threading import Thread"),
        ("bxio/x.py", "import actors.base"),
        ("actors/x.py", "import bxctl.main"),
        ("actors/x.py", "import httpx"),
        ("supervisor.py", "from bxctl import main"),
        ("bxctl/x.py", "from bxio.cut import Cut"),
        ("bxctl/x.py", "import tests.kit"),
        ("bxcore/args/x.py", "from ... import bxio"),
    ],
)
def test_the_rule_finds_what_it_is_for(name: str, source: str) -> None:
    broken = Module(name=name, text=source, tree=ast.parse(source))
    assert len(list(faults(broken, RULES[broken.top]))) == 1
