"""Text rules: what is refused, what is a secret, and how strangers' text is made harmless (spec 1.7)."""

from bxcore.sanitize.one_line import one_line, snippet
from bxcore.sanitize.refusal import Refusal, has_secret, refuse
from bxcore.sanitize.secrets import redact
from bxcore.sanitize.tags import MARK, neutralise

__all__ = ["MARK", "Refusal", "has_secret", "neutralise", "one_line", "redact", "refuse", "snippet"]
