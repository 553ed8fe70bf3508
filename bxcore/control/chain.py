"""What a walk along the audit's chain found, as the control socket's JSON (spec 2.4)."""

from __future__ import annotations

from bxcore.audit_chain import Broken, Head
from bxcore.control.answers import ChainJson


def chain_json(walked: Head | Broken) -> ChainJson:
    """Write what a walk along the chain found."""
    if isinstance(walked, Broken):
        return {"ok": False, "records": walked.line - 1, "line": walked.line, "sentence": walked.sentence}
    records = "1 record" if walked.number == 1 else f"{walked.number} records"
    return {"ok": True, "records": walked.number, "line": None, "sentence": f"{records}, the chain holds"}
