"""Collect the rows of every ``bench/rows_*.py`` and print each as one JSON line.

A module of rows has ``ROWS``, the names that it can measure, and ``rows(wanted)``, which yields a ``Row`` for
each wanted name. With names on the command line only those are measured; a name may be the start of several.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence

import bench
from bench.row import Row


def names() -> dict[str, str]:
    """Map each row's name to the module that measures it."""
    found: dict[str, str] = {}
    for info in sorted(pkgutil.iter_modules(bench.__path__), key=lambda info: info.name):
        if info.name.startswith("rows_"):
            for row in importlib.import_module(f"bench.{info.name}").ROWS:
                found[row] = info.name
    return found


def measured(wanted: dict[str, str]) -> Iterator[Row]:
    """Measure the wanted rows, module by module, each module once."""
    for module in sorted(set(wanted.values())):
        yield from importlib.import_module(f"bench.{module}").rows(
            {row for row, of in wanted.items() if of == module}
        )


def main(arguments: Sequence[str]) -> int:
    """Print the rows; exit 1 when one misses its goal, 2 when a name is unknown."""
    every = names()
    unknown = [word for word in arguments if not any(row.startswith(word) for row in every)]
    if unknown:
        print(f"no row is named {unknown[0]}; the rows are {', '.join(every)}", file=sys.stderr)
        return 2
    wanted = {
        row: of
        for row, of in every.items()
        if not arguments or any(row.startswith(word) for word in arguments)
    }
    missed = 0
    for row in measured(wanted):
        print(row.line(), flush=True)
        missed += not row.ok
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
