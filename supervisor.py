"""The process: the supervision tree as data, what its children are made of, and ``main`` (spec 5.1).

The only place that knows concrete classes. Children start in this order, each ready before the next, and stop
in reverse; asks go towards the top of the list, news the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from actors.api_door import ApiDoor, Way
from actors.audit import Audit
from actors.base import Runtime
from actors.box_facts import BoxFacts
from actors.box_parts import Parts
from actors.broker import Broker
from actors.broker import Settings as BrokerSettings
from actors.broker_grants import OwnersGrants
from actors.clock import Clock
from actors.connection_api import ApiConnection
from actors.connection_chats import ChatPlaces
from actors.connection_doctor import Probing
from actors.connection_views import Known
from actors.consolidation import Consolidation
from actors.control import Control
from actors.dead_letters import DeadLetterLog
from actors.fetch import Fetch
from actors.honcho_chat import HonchoChat
from actors.honcho_probe import HonchoProbe
from actors.honcho_search import HonchoSearch
from actors.loop import Loop
from actors.mcp_server import McpServer, actor_of, servers_of
from actors.memory import Asking, Memory, Places, Saving
from actors.model import Model, Probes, endpoint_of
from actors.model_honcho import embedded_honcho
from actors.model_probe import ModelProbe
from actors.model_sources import sources_of
from actors.outbox import Delivery, Outbox
from actors.process import supervise
from actors.runner import Children, Runner
from actors.sandbox_search import SandboxSearch, Wanted
from actors.session import Session, SessionParts
from actors.starting import Opening, opening, refuse
from actors.supervising import Start, errand, group, start_root, temporary
from actors.tool_run import Folders, ToolRun
from bxcore.backoff import Backoff
from bxcore.config import derived
from bxcore.control import Exit
from bxcore.decide import Workspace
from bxcore.doctor.meaning import meaning_fact
from bxcore.model.baseline import baseline_messages
from bxcore.openai_api.gate import Gate
from bxcore.startup import needs_sandbox, owners_grants
from bxcore.supervision import ChildSpec, Strategy, SupervisorSpec
from bxcore.tool_registry import ToolRegistry
from bxio import forgotten, notify
from bxio.approval_journal import ApprovalJournal
from bxio.audiences import Audiences
from bxio.claim import ClaimError, claim
from bxio.fetch.dialer import Dialer
from bxio.login_name import login_name
from bxio.model import ModelClient
from bxio.model_child import Order
from bxio.recall import meaning
from bxio.sandbox_makers import SandboxPlace, makers
from bxio.session_evidence import SessionEvidence
from bxio.shipped import shipped

MAX_CHATS = 128
"""Two a live session, and those that listen on for a late answer."""
MAX_RUNS = 64
"""More than the runner begins at once, so that a search for a sandbox always finds room."""
MAX_CONNECTIONS = 64
MAX_API_CONNECTIONS = 96
"""Of the interface on the loopback alone: whoever fills it takes no place of a command's."""
NETWORK = Backoff(first_s=0.5, most_s=30.0)


def tree(parts: Parts) -> SupervisorSpec:
    """The whole tree on one screen."""
    return SupervisorSpec(
        strategy=Strategy.ONE_FOR_ONE,
        intensity=10,
        period_s=60.0,
        children=(
            ChildSpec(name="clock", start=_clock(parts)),
            ChildSpec(name="dead-letters", start=DeadLetterLog),
            ChildSpec(name="audit", start=_audit(parts)),
            ChildSpec(name="model", start=_model(parts), backoff=NETWORK),
            group(
                "memory.group",
                Strategy.ONE_FOR_ONE,
                ChildSpec(name="outbox", start=_outbox(parts), start_s=60.0, backoff=NETWORK),
                ChildSpec(name="memory", start=_memory(parts), start_s=60.0),
            ),
            *_mcp(parts),
            group(
                "broker.group",
                Strategy.ONE_FOR_ONE,
                group("runs", max_children=MAX_RUNS),
                ChildSpec(name="runner", start=_runner(parts), shutdown_s=10.0),
                ChildSpec(name="broker", start=_broker(parts), start_s=30.0),
            ),
            group("asks", max_children=MAX_CHATS),
            group(
                "loop.group",
                Strategy.REST_FOR_ONE,
                group("sessions", max_children=128),
                ChildSpec(name="loop", start=_loop(parts)),
            ),
            group(
                "control.group",
                Strategy.REST_FOR_ONE,
                group("connections", max_children=MAX_CONNECTIONS),
                ChildSpec(name="control", start=_control(parts)),
            ),
            *_api(parts),
        ),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _clock(parts: Parts) -> Start:
    watchdog_s = notify.watchdog_s()
    return lambda context: Clock(
        context,
        period_s=30.0 if watchdog_s is None else watchdog_s / 2,
        addresses=[parts.box("memory"), parts.box("broker"), parts.box("loop")],
        beat=lambda: notify.notify(notify.WATCHDOG),
        check=parts.runtime.zombies.check,
    )


def _audit(parts: Parts) -> Start:
    path, facts = parts.paths.state / "audit.jsonl", parts.facts
    tell, broken = facts.hear_of_audit, facts.hear_of_broken_chain
    return lambda context: Audit(context, path=path, now=_now, tell=tell, tell_broken=broken)


def _model(parts: Parts) -> Start:
    paths = parts.paths
    order = Order(
        cache=paths.cache / "models",
        runtime=paths.run,
        log=paths.log / "model.log",
        prefix=baseline_messages("json", system=_system(), memory_block="", tools=ToolRegistry().array()),
    )
    sources = sources_of(parts.settings.model, order, parts.secrets)
    probes = Probes(asks=parts.box("asks"), probe=temporary(ModelProbe, 1.0))
    tell = parts.facts.hear_of_model
    return lambda context: Model(context, sources=sources, probes=probes, publish=tell)


def _mcp(parts: Parts) -> Sequence[ChildSpec]:
    """An actor for each MCP server; none of them ever fails for what its server does."""
    servers = servers_of(parts.settings.mcp, parts.secrets.mcp_env, parts.paths)
    tell = parts.facts.hear_of_mcp
    starts = {each.actor: partial(McpServer, server=each, publish=tell) for each in servers}
    children = [ChildSpec(name=name, start=start, shutdown_s=10.0) for name, start in starts.items()]
    return [group("mcp", Strategy.ONE_FOR_ONE, *children)] if children else []


def _outbox(parts: Parts) -> Start:
    honcho, state = parts.settings.honcho, parts.paths.state
    delivery = Delivery(
        client=parts.honcho(),
        workspaces={Workspace.TRUSTED: honcho.trusted, Workspace.UNTRUSTED: honcho.untrusted},
        agent=honcho.agent,
        ledger=state / "ledger.jsonl",
        marks=state / "delivered.jsonl",
        sessions=parts.claim.store,
        forgotten=state / "forgotten.jsonl",
        save=honcho.save,
        settle_s=0.0 if honcho.url == "embedded" else 5.0,  # what is in this process ends with it
        publish=parts.facts.hear_of_outbox,
    )
    return lambda context: Outbox(context, delivery=delivery)


def _memory(parts: Parts) -> Start:
    settings, box, honcho, client = parts.settings, parts.box, parts.settings.honcho, parts.honcho()
    endpoint = partial(endpoint_of, box("model"), parts.runtime.world.monotonic)
    places = Places.of(settings, parts.paths, parts.claim.store)
    search = errand(lambda context, where: HonchoSearch(context, client=client, workspace=where))
    asking = Asking(
        readable=derived.readable(settings),
        asks=box("asks"),
        chat=errand(lambda context, where: HonchoChat(context, client=client, workspace=where)),
        search=search if places.concludes else None,  # an embedded one holds what the index holds
        consolidation=temporary(lambda context: Consolidation(context, endpoint=endpoint)),
    )
    return lambda context: Memory(
        context,
        places=places,
        asking=asking,
        saving=Saving(outbox=box("outbox"), agent=honcho.agent, save=honcho.save),
        now=_now,
        waits=derived.waits(settings),
        publish=parts.facts.hear_of_recall,
    )


def _runner(parts: Parts) -> Start:
    paths, containers = parts.paths, parts.settings.containers
    place = SandboxPlace(
        run=paths.run,
        state=paths.state,
        log=paths.log / "podman.log",
        socket=containers.socket,
        image=containers.image,
    )
    wanted = Wanted(backend=containers.backend, accept=containers.accept, makers=makers(place))
    grants = parts.settings.broker.grants or paths.grants
    folders = Folders(work=paths.state / "work", own=(*paths.own, grants))

    children = Children(
        runs=parts.box("runs"),
        search=temporary(lambda context: SandboxSearch(context, wanted=wanted), shutdown_s=10.0),
        tool_run=lambda name, backend: temporary(partial(ToolRun, backend=backend, folders=folders))(name),
        fetch=temporary(lambda context: Fetch(context, dialer=parts.dialer)),
        mcp={server.name: parts.box(actor_of(server.name)) for server in parts.settings.mcp},
    )
    tell, needed = parts.facts.hear_of_sandbox, partial(needs_sandbox, parts.settings.broker.grants, paths)
    return lambda context: Runner(context, children=children, publish=tell, needed=needed)


def _broker(parts: Parts) -> Start:
    box, broker = parts.box, parts.settings.broker
    settings = BrokerSettings(
        waits=derived.waits(parts.settings),
        calls_per_turn=broker.calls_per_turn,
        approval_s=broker.approval_s,
    )
    journal = ApprovalJournal(parts.paths.state / "approvals.jsonl", uuid4().hex)
    servers = frozenset(each.name for each in parts.settings.mcp)
    grants = OwnersGrants(
        lambda: owners_grants(broker.grants, parts.paths), parts.facts.hear_of_grants, servers
    )
    return lambda context: Broker(
        context,
        memory=box("memory"),
        audit=box("audit"),
        runner=box("runner"),
        sessions=parts.claim.store,
        settings=settings,
        grants=grants,
        journal=journal,
        wall=lambda: datetime.now(UTC),
    )


def _loop(parts: Parts) -> Start:
    settings, box = parts.settings, parts.box
    auto_recall = settings.loop.auto_recall
    session_parts = SessionParts(
        store=parts.claim.store,
        broker=box("broker"),
        memory=box("memory"),
        model=box("model"),
        audit=box("audit"),
        client=ModelClient,
        system=_system(),
        mcp=parts.facts.mcp_known,
        workspaces=tuple(each.name for each in derived.readable(settings)),
        auto_recall=None if auto_recall == "auto" else auto_recall,
        max_rounds=settings.loop.max_rounds,
        idle_s=settings.loop.idle_s,
        waits=derived.waits(settings),
        forgotten=partial(forgotten.whole, parts.paths.state / "forgotten.jsonl"),
        evidence=SessionEvidence(
            *(parts.paths.state / name for name in ("ledger.jsonl", "audit.jsonl", "forgotten.jsonl"))
        ),
    )
    audiences = Audiences()
    return lambda context: Loop(
        context,
        sessions=box("sessions"),
        store=parts.claim.store,
        audiences=audiences,
        start=lambda inner, session: Session(inner, session=session, parts=session_parts),
    )


def _system() -> str:
    return shipped("system.md").read_text("utf-8")


def _known(parts: Parts, connections: int) -> Known:
    """What the clients of one door may know and ask."""
    client, box = parts.honcho(), parts.box
    return Known(
        runtime=parts.runtime,
        loop=box("loop"),
        memory=box("memory"),
        broker=box("broker"),
        outbox=box("outbox"),
        audit_path=parts.paths.state / "audit.jsonl",
        started_s=parts.started_s,
        facts=parts.facts,
        doctor=parts.facts.checks,
        waits=derived.waits(parts.settings),
        chats=ChatPlaces(connections),
        owner=parts.settings.api.speaker or login_name(),
        probing=Probing(
            readable=derived.readable(parts.settings),
            asks=box("asks"),
            probe=errand(lambda context, where: HonchoProbe(context, client=client, workspace=where)),
        ),
    )


def _control(parts: Parts) -> Start:
    known = _known(parts, MAX_CONNECTIONS)
    return lambda context: Control(
        context,
        path=parts.settings.control.socket or parts.paths.socket,
        lock=parts.claim.lock,
        connections=parts.box("connections"),
        connect=lambda inner, exchange: ApiConnection(inner, exchange=exchange, known=known),
    )


def _api(parts: Parts) -> Sequence[ChildSpec]:
    """The door on the loopback, when it is switched on; the configuration has a token then."""
    listen, token = parts.settings.api.listen, parts.secrets.api_token
    if listen is None or token is None:
        return ()
    known = _known(parts, MAX_API_CONNECTIONS)
    way = Way(
        listen=listen,
        connections=parts.box("api"),
        most=MAX_API_CONNECTIONS,
        connect=lambda inner, exchange, port: ApiConnection(
            inner, exchange=exchange, known=known, gate=Gate(port=port, token=token)
        ),
        publish=parts.facts.hear_of_api,
    )
    door = ChildSpec(name="api-door", start=lambda context: ApiDoor(context, way=way))
    clients = group("api", max_children=MAX_API_CONNECTIONS)
    return (group("api.group", Strategy.REST_FOR_ONE, clients, door),)


def main(argv: Sequence[str] | None = None, *, dialer: Dialer | None = None) -> int:
    """``serve [--home DIR] [--config FILE]``: run until SIGTERM, SIGINT, or the tree gives up.

    ``dialer`` is for tests, whose pages are on this machine.
    Exits 0 after a stop that was wanted, 1 when it cannot run or gave up, 2 for a bad configuration.
    """
    opened = opening(argv)
    return opened if isinstance(opened, Exit) else _run(opened, dialer or Dialer())


def _run(opened: Opening, dialer: Dialer) -> int:
    """Take the state folder, start the tree, wait for its end."""
    runtime, settings = Runtime(), opened.settings
    secret_files = derived.secret_files(settings)
    paths = replace(opened.paths, log=settings.log.folder or opened.paths.log, secret_files=secret_files)
    honcho = embedded_honcho(settings, runtime)
    try:
        taken = claim(paths, log_level=settings.log.level, honcho=honcho)
    except ClaimError as error:
        return refuse([error.sentence], Exit.FAILED)
    parts = Parts(
        runtime=runtime,
        settings=settings,
        secrets=opened.secrets,
        paths=paths,
        claim=taken,
        started_s=runtime.world.monotonic(),
        facts=BoxFacts(runtime, meaning_fact(settings.memory.semantic, installed=meaning.installed())),
        dialer=dialer,
    )
    try:
        return supervise(
            runtime,
            lambda signals: start_root(
                runtime,
                tree(parts),
                on_end=lambda _error: signals.want(),
                still_wanted=lambda: not signals.wanted,
            ),
        )
    finally:
        taken.release()


if __name__ == "__main__":
    raise SystemExit(main())
