"""Lines of ``status`` that no tree shows; collected as news, read without asking anybody (spec 6.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock

from actors.base import Runtime
from bxcore.control.views import Fact
from bxcore.doctor import Check, Verdict, sandbox_checks, sandbox_fact
from bxcore.mcp_view import McpKnown, McpView
from bxcore.messages.model import ModelState
from bxcore.outbox_facts import OutboxFacts
from bxcore.recall_facts import RecallFacts
from bxcore.sandbox.view import SandboxView


class BoxFacts:
    """Any thread. ``meaning`` says how recall by meaning is; status shows it when it is not well."""

    def __init__(self, runtime: Runtime, meaning: Fact | None = None) -> None:
        self._runtime = runtime
        self._mcp_lock = Lock()
        self._meaning = meaning
        self._model: ModelState | None = None
        self._api: Fact | None = None
        self._audit: str | None = None
        self._broken: str | None = None
        self._grants: tuple[str, ...] = ()
        self._sandbox: SandboxView | None = None
        self._outbox: OutboxFacts | None = None
        self._recall: RecallFacts | None = None
        self._mcp: Mapping[str, McpView] = {}

    def hear_of_api(self, fact: Fact) -> None:
        """Keep how the door of OpenAI's interface stands."""
        self._api = fact

    def hear_of_model(self, state: ModelState) -> None:
        """Keep the model's last news."""
        self._model = state

    def hear_of_audit(self, problem: str | None) -> None:
        """Keep why the audit cannot be written, None once it can."""
        self._audit = problem

    def hear_of_broken_chain(self, sentence: str) -> None:
        """Keep where the audit's chain did not hold at the start."""
        self._broken = sentence

    def hear_of_grants(self, problems: tuple[str, ...]) -> None:
        """Keep what is wrong with the grants that were read last, nothing when they are in force."""
        self._grants = problems

    def hear_of_sandbox(self, view: SandboxView) -> None:
        """Keep what the runner found out last."""
        self._sandbox = view

    def hear_of_outbox(self, facts: OutboxFacts) -> None:
        """Keep how the way to Honcho is."""
        self._outbox = facts

    def hear_of_recall(self, facts: RecallFacts) -> None:
        """Keep how the index of what was said is."""
        self._recall = facts

    def hear_of_mcp(self, view: McpView) -> None:
        """Keep how one MCP server is; each has its own actor, so several threads come here."""
        with self._mcp_lock:
            self._mcp = {**self._mcp, view.server: view}

    def mcp_known(self) -> McpKnown:
        """The tools of all MCP servers that have listed theirs, by name, and the servers that have not."""
        views = self._mcp
        return McpKnown(
            tools=tuple(tool for name in sorted(views) for tool in views[name].tools),
            silent=frozenset(name for name, view in views.items() if not view.tools),
        )

    def checks(self) -> Iterator[Check]:
        """The same for doctor, which wants the good news too."""
        meaning = [self._meaning] if self._meaning is not None else []
        for fact in (*self._lines(), *meaning):
            yield Check(
                name=fact.name,
                verdict=Verdict.OK if fact.ok else Verdict.BAD,
                sentence=fact.text,
                help=None if fact.ok else fact.help,
            )
        yield from self._models()
        if self._sandbox is not None:
            yield from sandbox_checks(self._sandbox)

    def _models(self) -> Iterator[Check]:
        """Each of several models; one that does not answer is a warning while another does."""
        for number, server in enumerate(self._model.servers if self._model is not None else (), start=1):
            yield Check(
                name=f"model {number}",
                verdict=Verdict.OK if server.ok else Verdict.WARN,
                sentence=f"{server.label}, {server.text}",
                help=None if server.ok else "start it, or see docs/model.md",
            )

    def __call__(self) -> Iterator[Fact]:
        """What is known now."""
        yield from self._lines()
        if self._meaning is not None and not self._meaning.ok:
            yield self._meaning
        if self._outbox is not None:  # doctor tries Honcho itself
            help_ = "bxctl memory outbox"
            yield Fact(name="honcho", text=self._outbox.text, ok=self._outbox.ok, help=help_)
        if self._broken is not None:  # doctor walks the chain anew
            text = f"somebody changed the file, {self._broken}"
            yield Fact(name="audit chain", text=text, ok=False, help="bxctl audit verify")
        if self._sandbox is not None:
            yield sandbox_fact(self._sandbox)

    def _lines(self) -> Iterator[Fact]:
        if self._model is not None:
            yield Fact(name="model", text=self._model.text, ok=self._model.ok, help="bxctl restart model")
        if self._api is not None:
            yield self._api
        for name, view in sorted(self._mcp.items()):
            yield Fact(name=f"mcp {name}", text=view.text, ok=view.ready, help=f"bxctl inspect mcp/{name}")
        if self._recall is not None:
            help_ = "look at the disk, then bxctl restart memory"
            yield Fact(name="recall", text=self._recall.text, ok=self._recall.ok, help=help_)
        if self._audit is not None:
            yield Fact(
                name="audit", text=f"no call runs, {self._audit}", ok=False, help="bxctl inspect audit"
            )
        if self._grants:
            more = f"; {len(self._grants) - 1} more" if len(self._grants) > 1 else ""
            text = f"an older set, {self._grants[0]}{more}"
            yield Fact(name="grants in force", text=text, ok=False, help="bxctl grants")
        stuck = self._runtime.zombies.snapshot()
        if stuck:
            oldest = stuck[0]
            text = f"{len(stuck)}, the oldest {oldest.name} for {oldest.age_s:.0f} s"
            yield Fact(name="stuck threads", text=text, ok=False, help=f"bxctl stack {oldest.name}")
