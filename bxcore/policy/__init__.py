"""Policy: what becomes of a call, by the owner's grants and the session's label (spec 2.3)."""

from bxcore.grants.grant_set import GrantSet
from bxcore.policy.call import MAX_NAME, Call, call_key, sha256
from bxcore.policy.hosts import refuse_redirect
from bxcore.policy.table import TABLE, decide
from bxcore.policy.verdict import Ruling, Verdict

__all__ = [
    "MAX_NAME",
    "TABLE",
    "Call",
    "GrantSet",
    "Ruling",
    "Verdict",
    "call_key",
    "decide",
    "refuse_redirect",
    "sha256",
]
