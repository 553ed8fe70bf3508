"""What a connection reads of the audit's file, and doctor's list; a room of ``actors/connection.py`` (2.4).

The file is read beside its writer, a bounded part of it or once along; nobody is asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias, assert_never

from bxcore.control import ErrorCode, requests
from bxcore.control.audit import calls_json, record_json
from bxcore.control.chain import chain_json
from bxcore.doctor import Check, Verdict
from bxcore.errors import system_reason
from bxio import audit_reader

OfAudit: TypeAlias = requests.AuditTailRequest | requests.AuditShowRequest | requests.AuditVerifyRequest

MOST_CALLS = 10_000
"""That are listed at once."""


def read_audit(path: Path, request: OfAudit) -> object | tuple[ErrorCode, str]:
    """The answer's JSON, or the "no" of it."""
    try:
        return _read(path, request)
    except OSError as error:
        return ErrorCode.FAILED, f"{path} cannot be read: {system_reason(error)}"


def _read(path: Path, request: OfAudit) -> object | tuple[ErrorCode, str]:
    match request:
        case requests.AuditTailRequest():
            return calls_json(audit_reader.tail(path, min(max(1, request.limit), MOST_CALLS)))
        case requests.AuditShowRequest():
            found = audit_reader.find(path, request.number)
            if found is None:
                sentence = f"record {request.number} belongs to no call; list them with bxctl audit tail"
                return ErrorCode.NO_SUCH_THING, sentence
            return record_json(found)
        case requests.AuditVerifyRequest():
            return chain_json(audit_reader.verify(path))
        case _:
            assert_never(request)


def audit_check(path: Path) -> Check:
    """Doctor's word on the audit's chain."""
    try:
        chain = chain_json(audit_reader.verify(path))
    except OSError as error:
        sentence = f"{path} cannot be read: {system_reason(error)}"
        return Check(name="audit", verdict=Verdict.BAD, sentence=sentence, help="ls -l on it")
    return Check(
        name="audit",
        verdict=Verdict.OK if chain["ok"] else Verdict.BAD,
        sentence=chain["sentence"],
        help=None if chain["ok"] else "bxctl audit show the calls around it; somebody changed the file",
    )
