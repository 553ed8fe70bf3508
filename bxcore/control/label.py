"""A label as the control socket's JSON."""

from __future__ import annotations

from bxcore.control.answers import LabelJson
from bxcore.labels import Label


def label_json(label: Label) -> LabelJson:
    """Write a label."""
    return {"class": label.level.text, "untrusted": label.untrusted}
