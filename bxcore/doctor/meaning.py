"""What status and doctor say of recall by meaning: whether it is on, and how it is had (spec 4.3)."""

from __future__ import annotations

from typing import Literal

from bxcore.control.views import Fact

INSTALL = "pip install 'boxmaker[semantic]'"
_NAME = "recall by meaning"


def meaning_fact(setting: Literal["auto"] | bool, *, installed: bool) -> Fact:  # noqa: FBT001 - a key's value
    """Judge ``[memory] semantic`` by whether its libraries are there; not ok when it is wanted in vain."""
    if setting is False:
        return Fact(name=_NAME, text="off by [memory] semantic")
    if installed:
        return Fact(name=_NAME, text="on, beside recall by words")
    if setting is True:
        text = "wanted by [memory] semantic, and its libraries are not installed; recall works by words alone"
        return Fact(name=_NAME, text=text, ok=False, help=INSTALL)
    return Fact(name=_NAME, text=f"off, its libraries are not installed; {INSTALL} adds it")
