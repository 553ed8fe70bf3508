"""How a turn is shown: to people as it happens, to programs as one object at its end."""

from __future__ import annotations

import sys
from typing import Protocol

from bxcore.control.answers import LineJson, ToolJson, TurnJson
from bxctl.printing import as_json, data, paint, talk, visible

_LONGEST = 200
"""Characters of a call or its result that are shown; ``bxctl sessions show`` has it all."""
_LONGEST_FAILURE = 600
"""A failed call's sentence has what to do at its end."""


class Screen(Protocol):
    """Shows one turn after the other."""

    def show(self, line: LineJson) -> None:
        """Show a line of the running turn."""

    def leave_line(self) -> None:
        """End a line of streamed text: something else is about to be shown."""

    def finish(self, turn: TurnJson) -> None:
        """Show how it ended."""

    def say(self, reply: str) -> None:
        """Show a reply that comes from the log."""


class JsonScreen:
    """One object a turn (spec 6.2)."""

    def show(self, line: LineJson) -> None:
        """Show only what is for the person behind the program, on stderr."""
        if line["kind"] == "notice":
            talk(line["text"])

    def leave_line(self) -> None:
        """Nothing is streamed."""

    def finish(self, turn: TurnJson) -> None:
        """Print the turn."""
        as_json(turn)
        sys.stdout.flush()

    def say(self, reply: str) -> None:
        """Print it as an object with nothing else."""
        as_json({"reply": reply})
        sys.stdout.flush()


class PeopleScreen:
    """The reply on stdout, streamed when that is a terminal; everything else on stderr."""

    def __init__(self) -> None:
        self._streams = sys.stdout.isatty()
        self._written = ""

    def show(self, line: LineJson) -> None:
        """Show a line as it comes."""
        match line["kind"]:
            case "text_delta" if self._streams:
                self._written += line["text"]
                sys.stdout.write(visible(line["text"]))
                sys.stdout.flush()
            case "notice":
                self._talk(line["text"])
            case "tool_started":
                self._talk(f"· {line['tool']} {short(line['arguments'])}")
            case "tool_ended":
                self._talk(f"  {_result(line['call'])}")
            case _:
                pass

    def leave_line(self) -> None:
        """End a line of streamed text; what follows begins anew."""
        if self._written and not self._written.endswith("\n"):
            print()
        self._written = ""

    def finish(self, turn: TurnJson) -> None:
        """Print the reply unless it stands there already."""
        written, reply = self._written.strip(), turn["reply"]
        self.leave_line()
        if reply is not None and written != reply.strip():
            data(reply)
        sys.stdout.flush()

    def say(self, reply: str) -> None:
        """Print it."""
        self.leave_line()
        data(reply)
        sys.stdout.flush()

    def _talk(self, text: str) -> None:
        self.leave_line()
        print(paint(visible(text), "dim", sys.stderr), file=sys.stderr, flush=True)


def _result(call: ToolJson) -> str:
    label = call["class"] + (", untrusted" if call["untrusted"] else "")
    if call["ok"]:
        return f"→ {short(call['content'])} ({label})"
    return f"→ failed: {short(call['content'], _LONGEST_FAILURE)} ({label})"


def short(text: str, longest: int = _LONGEST) -> str:
    """A text on one line, its end left out when it is long."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= longest else f"{one_line[: longest - 1]}…"
