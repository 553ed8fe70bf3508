"""The written forms of secrets, a family each (spec 1.7, and the vendors' published token formats).

Every quantifier is bounded and every pattern begins with a fixed text, so that a scan takes time in step with
the text's length. Floors are low and ceilings absent: a token that was cut is still one. Letters are ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_REST = 2000
"""Characters after the floor that still belong to a token, for its redaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One of ``anchors`` stands in every token of the family; ``pattern`` finds a token from its start.

    So does one of ``signs``, single characters that many a text has none of.
    """

    title: str
    signs: str
    anchors: tuple[str, ...]
    pattern: str

    def begins_in(self, text: str) -> bool:
        """Whether the text may hold a token; quick, and never wrong about "no"."""
        return any(sign in text for sign in self.signs) and any(anchor in text for anchor in self.anchors)


_ALONE = "(?<![A-Za-z0-9])"

FAMILIES: Mapping[str, Family] = {
    "secret-github": Family(
        title="a GitHub token",
        signs="_",
        anchors=("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        pattern=(
            rf"gh(?:[pousr]_[A-Za-z0-9]{{30}}[A-Za-z0-9]{{0,{_REST}}}"
            rf"|s_[A-Za-z0-9._-]{{36}}[A-Za-z0-9._-]{{0,{_REST}}})"
            rf"|github_pat_[A-Za-z0-9_]{{36}}[A-Za-z0-9_]{{0,{_REST}}}"
        ),
    ),
    "secret-gitlab": Family(
        title="a GitLab token",
        signs="-9",
        anchors=(
            *("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-"),
            *("gloas-", "glsoat-", "glffct-", "glwt-", "GR1348941"),
        ),
        pattern=(
            rf"{_ALONE}gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)"
            rf"-[A-Za-z0-9_.-]{{20}}[A-Za-z0-9_.-]{{0,{_REST}}}"
            rf"|GR1348941[A-Za-z0-9_-]{{20}}[A-Za-z0-9_-]{{0,{_REST}}}"
        ),
    ),
    "secret-sk": Family(
        title="an API key",
        signs="-_",
        anchors=("sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        pattern=(
            rf"{_ALONE}(?:sk-(?:[A-Za-z0-9]{{32}}"
            r"|(?=[A-Za-z0-9_-]{0,15}[0-9])[A-Za-z0-9_-]{20}"
            r"|(?:proj|svcacct|admin|None|or-v1|ant-[a-z]{2,8}[0-9]{0,3})-[A-Za-z0-9_-]{20})"
            rf"|[sr]k_(?:live|test)_[A-Za-z0-9]{{16}})[A-Za-z0-9_-]{{0,{_REST}}}"
        ),
    ),
    "secret-slack": Family(
        title="a Slack token",
        signs="-/",
        anchors=("xox", "xapp-", "hooks.slack.com/"),
        pattern=(
            rf"xox(?:[abceprs]-[A-Za-z0-9-]{{20}}|o-[0-9][A-Za-z0-9-]{{19}}|d-[A-Za-z0-9%/+=_-]{{20}}"
            rf"|e\.xox[bp]-[A-Za-z0-9_-]{{20}})[A-Za-z0-9%/+=_-]{{0,{_REST}}}"
            rf"|xapp-[0-9]-[A-Za-z0-9-]{{20}}[A-Za-z0-9-]{{0,{_REST}}}"
            rf"|hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{{20}}"
            rf"[A-Za-z0-9_/+-]{{0,{_REST}}}"
        ),
    ),
    "secret-aws": Family(
        title="an AWS secret key",
        signs="AKet",
        anchors=("AKIA", "ASIA", "ABIA", "ACCA", "ABSK", "ecret", "ECRET"),
        pattern=(
            rf"{_ALONE}ABSK[A-Za-z0-9+/]{{40}}[A-Za-z0-9+/=]{{0,{_REST}}}"
            r"|(?i:secret[_ -]?(?:access[_ -]?)?key)[\"']?[ \t]{0,8}(?:[:=]|=>|>)[ \t]{0,8}[\"']?"
            r"[A-Za-z0-9/+]{40}"
        ),
    ),
    "secret-private-key": Family(
        title="a private key",
        signs="-",
        anchors=("PRIVATE KEY", "PRIVATEKEY", "PuTTY-User-Key-File-", "AGE-SECRET-KEY-1"),
        pattern=(
            r"-{4,5} ?BEGIN ?[A-Z0-9 ]{0,40}PRIVATE ?KEY(?: ?BLOCK)? ?-{4,5}"
            r"|PuTTY-User-Key-File-[23]"
            rf"|AGE-SECRET-KEY-1[A-Z0-9]{{20}}[A-Z0-9]{{0,{_REST}}}"
        ),
    ),
}
"""The families in the order in which a text is refused; the key is the rule's name."""


GUARDED = (
    "sk-",
    "sk_",
    "rk_",
    "ABSK",
    *(each for each in FAMILIES["secret-gitlab"].anchors if each[-1] == "-"),
)
"""What a token begins with that is none behind a letter or a digit."""


@cache
def pattern(rule: str) -> re.Pattern[str]:
    """The compiled pattern of a family."""
    return re.compile(FAMILIES[rule].pattern, re.ASCII)
