"""A real memory on a folder of its own; what it speaks to is played by the test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from actors.base import Actor, Context, Mailbox
from actors.memory import Asking, Memory, Places, Saving
from bxcore import workspaces
from bxcore.args import MemoryArgs, RecallArgs
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.memory import EditMemory, Recall, TurnEnded
from bxcore.messages.outbox import Deliver
from bxcore.recall_facts import RecallFacts
from bxcore.records import Assistant, Record, SessionStart, ToolResult, Usage, User
from bxcore.supervision import ChildSpec, Restart
from bxcore.tool_answer import ToolAnswer
from bxcore.waits import Waits
from bxcore.workspaces import OtherAgent, Readable
from bxio.session_store import SessionStore
from tests.kit.kit import Kit
from tests.kit.probe import Probe

READABLE = workspaces.configured(
    trusted="boxmaker",
    untrusted="boxmaker-untrusted",
    fleet="fleet",
    others=[OtherAgent(agent="boxmaker1", workspace="b1", trusted=True)],
)
AT = "2026-11-02T10:00:00+00:00"
UNTRUSTED = Label(Level.PRIVATE, untrusted=True)
SECRET = Label(Level.SECRET, untrusted=False)
TOKEN = "ghp_" + "a1B2" * 9
TAINTING = ToolResult(
    call="c", tool="ask_memory", content="marmalade hearsay", ok=True, level=Level.PRIVATE, untrusted=True
)


def never(context: Context) -> Actor:
    raise AssertionError(f"{context.name} is started by no test's probe")


def never_made(name: str, workspace: str) -> ChildSpec:
    """The spec of a chat that nothing starts; its workspace can be read off the name of its function."""
    del workspace
    return ChildSpec(name=name, start=never, restart=Restart.TEMPORARY)


@dataclass(frozen=True, kw_only=True)
class MemoryBench:
    """Where the memory is, and what is said to it."""

    folder: Path
    asks: Mailbox
    outbox: Mailbox
    chat: Callable[[str, str], ChildSpec] = never_made
    readable: tuple[Readable, ...] = READABLE
    waits: Waits = field(default_factory=Waits)
    save: bool = True
    consolidation: Callable[[str], ChildSpec] | None = None
    publish: Callable[[RecallFacts], None] | None = None
    most_bytes: int = 2_000_000_000
    search: Callable[[str, str], ChildSpec] | None = None
    search_s: float = 2.0
    kept: Mapping[Path, str] = field(default_factory=dict)
    concludes: bool = False
    looked_through: tuple[Path, ...] = ()

    @property
    def sessions(self) -> SessionStore:
        return SessionStore(self.folder / "sessions")

    @property
    def places(self) -> Places:
        return Places(
            files=self.folder / "memory",
            index=self.folder / "recall.sqlite",
            ledger=self.folder / "ledger.jsonl",
            sessions=self.sessions,
            work=self.folder / "work",
            kept=self.kept,
            concludes=self.concludes,
            looked_through=self.looked_through,
            most_bytes=self.most_bytes,
        )

    def make(self, context: Context) -> Memory:
        return Memory(
            context,
            places=self.places,
            asking=Asking(
                readable=self.readable,
                asks=self.asks,
                chat=self.chat,
                consolidation=self.consolidation,
                search=self.search,
                search_s=self.search_s,
            ),
            saving=Saving(outbox=self.outbox, agent="boxmaker", save=self.save),
            now=lambda: AT,
            waits=self.waits,
            publish=self.publish,
        )

    def log(self, session: str, *records: Record) -> None:
        """Append to a session's log, its first record when there is none yet."""
        begun = self.sessions.exists(session)
        opened = self.sessions.open(session)
        opened.append(records if begun else (SessionStart(baseline=""), *records))
        opened.close()

    def turn(self, session: str, said: str, reply: str = "noted", speaker: str | None = "owner") -> None:
        """Log one finished turn."""
        self.log(session, User(text=said, speaker=speaker, at=AT), Assistant(content=reply), Usage())


def recall(
    box: Mailbox, query: str, *, session: str = "other", k: int = 5, trusted_only: bool = False
) -> ToolAnswer:
    asked = Recall(args=RecallArgs(query=query, k=k), session=session, trusted_only=trusted_only)
    found = box.call(asked, 5.0)
    assert isinstance(found, ToolAnswer)
    return found


def edit(  # noqa: PLR0913
    box: Mailbox, action: str, file: str, *, text: str = "", entry: str = "", state: Label = NEW_SESSION
) -> ToolAnswer:
    args = MemoryArgs(action=action, file=file, text=text, entry=entry)
    found = box.call(EditMemory(args=args, session="k3f", turn=4, state=state), 5.0)
    assert isinstance(found, ToolAnswer)
    return found


def ended(box: Mailbox, session: str, turn: int) -> None:
    box.tell(TurnEnded(session=session, turn=turn))


def restarted(kit: Kit, bench: MemoryBench) -> Mailbox:
    """Stop the memory and start it again on the same folder."""
    kit.runtime.stop("memory")
    return kit.start("memory", bench.make)


def delivered(outbox: Probe) -> list[tuple[str, int, object]]:
    """Session, turn and action of each row that was handed over next."""
    return [(row.session, row.turn, row.action) for row in outbox.expect(Deliver).rows]
