"""Small rooms: how long a file and a function may be, and names that say nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from statistics import median

from tests.house.source import SHIPPED, functions, length, module, modules

MOST_LINES = 400
MOST_MEDIAN_LINES = 150
SCREEN_LINES = 45
MOST_FUNCTION_LINES = 40
MOST_MEDIAN_FUNCTION_LINES = 10
MOST_POSITIONAL = 5
EMPTY_WORDS = frozenset({"helper", "helpers", "manager", "misc", "stuff", "util", "utils"})


def test_no_file_is_longer_than_a_room() -> None:
    assert {found.name: found.lines for found in modules() if found.lines > MOST_LINES} == {}


def test_half_the_files_are_short() -> None:
    assert (
        median(found.lines for found in modules(*SHIPPED) if not found.name.endswith("__init__.py"))
        <= MOST_MEDIAN_LINES
    )


def test_the_tree_stands_on_one_screen() -> None:
    found = module("supervisor.py")
    (tree,) = [function for function in functions(found.tree) if function.name == "tree"]
    assert length(tree) <= SCREEN_LINES
    assert tree.lineno <= 2 * SCREEN_LINES, "the tree stands at the top, before what it is made of"


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{found.name}:{function.lineno} {function.name}": length(function)
        for found in modules()
        for function in functions(found.tree)
        if length(function) > MOST_FUNCTION_LINES
    }
    assert long == {}


def test_half_the_functions_are_short() -> None:
    lengths = [length(function) for found in modules(*SHIPPED) for function in functions(found.tree)]
    assert median(lengths) <= MOST_MEDIAN_FUNCTION_LINES


def test_a_function_takes_at_most_five_arguments_by_position() -> None:
    many = []
    for found in modules():
        for function in functions(found.tree):
            names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            if len([name for name in names if name not in {"self", "cls"}]) > MOST_POSITIONAL:
                many.append(f"{found.name}:{function.lineno} {function.name}")
    assert many == []


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.lineno, node.name


def words(name: str) -> set[str]:
    """``ChildManager`` and ``child_manager`` are the words child and manager."""
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return set(spaced.replace("_", " ").replace("/", " ").replace(".", " ").split())


def test_no_name_is_an_empty_word() -> None:
    found = [m.name for m in modules() if words(m.name) & EMPTY_WORDS]
    found += [
        f"{m.name}:{line} {name}"
        for m in modules()
        for line, name in names(m.tree)
        if words(name) & EMPTY_WORDS
    ]
    assert found == []


def test_every_public_name_says_what_it_is() -> None:
    bare = []
    for found in modules(*SHIPPED):
        if ast.get_docstring(found.tree) is None:
            bare.append(found.name)
        named = [node for node in found.tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        public = [node for node in named if not node.name.startswith("_")]
        bare += [f"{found.name}:{node.lineno} {node.name}" for node in public if not ast.get_docstring(node)]
    assert bare == []


def test_a_message_is_a_frozen_value() -> None:
    """Frozen, slotted, keyword-only: nothing that is sent can change under its reader (spec 5.2)."""
    loose = []
    for found in modules("bxcore"):
        if not found.name.startswith("bxcore/messages/"):
            continue
        for node in found.tree.body:
            if isinstance(node, ast.ClassDef) and not any(
                ast.unparse(base) == "Protocol" for base in node.bases
            ):
                made = [ast.unparse(decorator) for decorator in node.decorator_list]
                if made != ["dataclass(frozen=True, slots=True, kw_only=True)"]:
                    loose.append(f"{found.name}:{node.lineno} {node.name}")
    assert loose == []
