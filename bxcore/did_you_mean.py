"""The nearest of the known names, for a name that somebody mistyped."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` most likely stands for, or None when none is near. Case does not count."""
    from difflib import get_close_matches

    by_folded = {each.casefold(): each for each in reversed(list(known))}
    found = get_close_matches(name[:MAX_NAME].casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def hint(name: str, known: Iterable[str]) -> str:
    """``; did you mean url?`` to put after a sentence, or the empty string."""
    found = nearest(name, known)
    return f"; did you mean {found}?" if found else ""


MAX_NAME = 64
"""Characters of a name that are compared; the comparison's cost grows with their square."""
