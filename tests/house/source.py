"""The tree as the house tests read it: its Python files, parsed once."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bxcore", "bxio", "actors", "bxctl")
SHIPPED = (*PACKAGES, "supervisor.py")
GIT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One Python file; ``name`` is its path from the root, such as ``bxcore/args/check.py``."""

    name: str
    text: str
    tree: ast.Module

    @property
    def top(self) -> str:
        """The first part of the path: a package's name, or the file's for ``supervisor.py``."""
        return self.name.split("/", 1)[0]

    @property
    def dotted(self) -> str:
        """The name that an import statement has."""
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@cache
def kept_files() -> tuple[str, ...]:
    """Every file that git keeps, and every new one that it would keep."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=GIT_S).stdout
    return tuple(sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file()))


@cache
def module(name: str) -> Module:
    text = (ROOT / name).read_text(encoding="utf-8")
    return Module(name=name, text=text, tree=ast.parse(text, name))


def modules(*tops: str) -> Iterator[Module]:
    """Every module under the named folders and files; all of them when none is named."""
    for name in kept_files():
        if name.endswith(".py") and (not tops or name.split("/", 1)[0] in tops):
            yield module(name)


def imported(tree: ast.AST, within: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of all that is imported; ``from a import b`` gives ``a.b``.

    ``within`` is the importing module's package, to resolve a relative import.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = within.split(".")[: len(within.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators and its docstring."""
    last = function.end_lineno or function.lineno
    lines = last - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None and first.end_lineno is not None:
        lines -= first.end_lineno - first.lineno + 1
    return lines
