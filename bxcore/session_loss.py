"""What a session goes on without: the baseline that was saved, or turns of its log (spec 2.1, 3.1, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

from bxcore.labels import NEUTRAL, Label
from bxcore.records import Record, Usage, User

LOST = "(lost)"
"""What stands where the words of a lost turn were."""
NOT_KEPT = "its part of the log is lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One of both at least: why the ``baseline`` is of no use, or the number of ``turns``.

    ``label`` is the highest that the session is known to have had: it may have come with one of these turns.
    """

    baseline: str = ""
    turns: int = 0
    label: Label = NEUTRAL

    def sentence(self, session: str, has: int, label: Label) -> str:
        """What is lost and what becomes of it, for a session that ``has`` so many turns and gets a label."""
        said = []
        if self.baseline:
            said.append(f"{self.baseline}; it goes on with a new one, made of what memory holds now")
        if self.turns:
            said.append(
                f"its log has {_turns(has)}, and the ledger knows {self.turns} more: these are lost, unless "
                f"a backup has them; its label is {label} now, the highest that is known of it"
            )
        return f"session {session}: {'; '.join(said)}"

    def of_one_that_is_gone(self, session: str) -> str:
        """The same for a session that is begun anew where one of its name was."""
        return (
            f"session {session} had {_turns(self.turns)}, and its log is gone: this is a new one of that "
            f"name, with the highest label that is known of it; bxctl memory forget {session} ends that"
        )


def in_their_place(turns: int) -> tuple[Record, ...]:
    """Records that keep the places of lost turns, so that no later one is taken for one of them."""
    return (User(text=LOST), Usage(failed=NOT_KEPT)) * turns


def _turns(number: int) -> str:
    return "1 turn" if number == 1 else f"{number} turns"
