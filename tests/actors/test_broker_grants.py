"""The grants in force: read at the start and on the owner's word, audited, never half a set."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.base import NeverReady
from actors.broker_grants import BadGrants, BrokerGrants, OwnersGrants
from bxcore.grants import BUILT_IN, GrantProblem, Grants, Mode
from bxcore.labels import NEW_SESSION, Label, Level
from bxcore.messages.broker import ExplainCall, Explained, GrantsView, ListGrants, ReloadGrants
from bxcore.messages.runner import RunTool
from tests.doubles.broker_bench import LS, NOON, BrokerBench, broker_bench, grant, make_broker
from tests.kit.kit import Kit
from tests.kit.log_lines import log_lines

AUTO = grant(mode=Mode.AUTO)
BAD = (
    GrantProblem("grants/house.toml", 3, "mode is not known"),
    GrantProblem("grants/x.toml", 1, "tool is missing"),
)
SENTENCES = ("grants/house.toml:3: mode is not known", "grants/x.toml:1: tool is missing")


class Folder:
    """What the owner's folder holds."""

    def __init__(self, found: Grants) -> None:
        self.found = found

    def load(self) -> Grants:
        return self.found


@pytest.fixture
def bench(kit: Kit, tmp_path: Path) -> BrokerBench:
    return broker_bench(kit, tmp_path, grants=[AUTO])


def loaded(bench: BrokerBench) -> list[tuple[str, list[str]]]:
    return [(line["why"], [each[0] for each in line["grants"]]) for line in bench.lines("grants_loaded")]


BUILT = [each.id for each in sorted(BUILT_IN, key=lambda each: each.id)]


def test_the_set_of_the_start_is_audited_with_each_grants_hash(bench: BrokerBench) -> None:
    assert loaded(bench) == [("start", [*BUILT, "house"])]
    (line,) = bench.lines("grants_loaded")
    assert line["grants"][-1] == ["house", AUTO.sha256]


def test_a_bad_set_at_the_start_is_no_start_and_says_every_problem(kit: Kit, tmp_path: Path) -> None:
    for name in ("memory", "audit", "runner"):
        kit.probe(name)
    with log_lines() as lines, pytest.raises(NeverReady):
        kit.start(
            "broker",
            lambda context: make_broker(context, tmp_path, grants=OwnersGrants(lambda: Grants((AUTO,), BAD))),
        )
    assert lines
    assert "BadGrants" in lines[0]


def test_the_error_of_a_bad_set_has_every_sentence_with_its_place() -> None:
    grants = BrokerGrants(OwnersGrants(lambda: Grants((), BAD)), lambda _record: 1, wall=lambda: NOON)
    with pytest.raises(BadGrants) as raised:
        grants.start()
    assert str(raised.value) == ("grants/house.toml:3: mode is not known; grants/x.toml:1: tool is missing")


def view_of(bench: BrokerBench, message: ListGrants | ReloadGrants) -> GrantsView:
    found = bench.box.call(message, 1.0)
    assert isinstance(found, GrantsView)
    return found


def test_a_reload_is_audited_and_in_force_at_once(bench: BrokerBench) -> None:
    bench.owners[:] = [grant("read_file", Mode.AUTO, id="notes")]
    view = view_of(bench, ReloadGrants())
    assert [row.id for row in view.grants] == [*BUILT, "notes"]
    assert loaded(bench)[-1] == ("reload", [*BUILT, "notes"])
    assert "no grant allows shell" in bench.outcome(bench.ask("shell", LS)).content
    assert view_of(bench, ListGrants()) == view


def test_a_bad_set_on_reload_changes_nothing_and_says_so(kit: Kit, tmp_path: Path) -> None:
    bench = broker_bench(kit, tmp_path)
    folder = Folder(Grants((AUTO,), ()))
    kept = OwnersGrants(folder.load)
    box = kit.start("other", lambda context: make_broker(context, tmp_path / "o", grants=kept))
    folder.found = Grants((), BAD)
    view = box.call(ReloadGrants(), 1.0)
    assert [row.id for row in view.grants] == [*BUILT, "house"]
    assert view.problems == ("grants/house.toml:3: mode is not known", "grants/x.toml:1: tool is missing")
    assert loaded(bench)[-1] == ("reload refused, 2 problems; the old set stays", [*BUILT, "house"])
    assert box.call(ListGrants(), 1.0).problems == view.problems
    folder.found = Grants((AUTO,), ())
    assert box.call(ReloadGrants(), 1.0).problems == ()


def test_a_restart_with_a_bad_set_keeps_the_last_good_one_and_tells_each_problem(bench: BrokerBench) -> None:
    good = grant("read_file", Mode.AUTO, id="notes")
    bench.owners[:] = [AUTO, good]
    assert view_of(bench, ReloadGrants()).problems == ()
    bench.owners[:], bench.problems[:] = [good], BAD
    with log_lines() as lines:
        bench.restart()
    kept = view_of(bench, ListGrants())
    assert [row.id for row in kept.grants] == [*BUILT, "house", "notes"]
    assert kept.problems == SENTENCES == bench.told[-1]
    assert [line for line in lines if "old grants" in line] == [
        f"ERROR broker: the old grants stay in force: {sentence}" for sentence in SENTENCES
    ]
    assert loaded(bench)[-1] == ("start refused, 2 problems; the old set stays", [*BUILT, "house", "notes"])
    bench.ran(bench.ask("shell", LS))
    bench.restart()
    assert view_of(bench, ListGrants()) == kept


def test_a_restart_with_a_mended_set_has_it_in_force(bench: BrokerBench) -> None:
    bench.problems[:] = BAD
    bench.restart()
    bench.owners[:], bench.problems[:] = [grant("read_file", Mode.AUTO, id="notes")], ()
    bench.restart()
    view = view_of(bench, ListGrants())
    assert ([row.id for row in view.grants], view.problems) == ([*BUILT, "notes"], ())
    assert bench.told == [(), SENTENCES, ()]
    assert loaded(bench)[-1] == ("start", [*BUILT, "notes"])


def test_a_set_that_was_never_in_force_is_not_kept_for_a_restart(bench: BrokerBench) -> None:
    bench.kit.runtime.stop("audit")
    bench.owners.clear()
    refused = view_of(bench, ReloadGrants())
    assert refused.problems == bench.told[-1]
    bench.problems[:] = BAD
    bench.restart()
    assert view_of(bench, ListGrants()).grants == refused.grants
    bench.kit.letters.read_all()


def test_a_set_that_cannot_be_audited_is_not_in_force(bench: BrokerBench) -> None:
    bench.kit.runtime.stop("audit")
    bench.owners.clear()
    view = view_of(bench, ReloadGrants())
    assert [row.id for row in view.grants] == [*BUILT, "house"]
    assert view.problems[0].startswith("the old set stays, the audit cannot be written: ")
    bench.kit.letters.read_all()


def test_a_call_is_explained_and_nothing_runs(bench: BrokerBench) -> None:
    found = bench.box.call(ExplainCall(tool="shell", arguments=LS, label=NEW_SESSION), 1.0)
    assert isinstance(found, Explained)
    assert (found.decision, found.grant, found.sentence) == ("allow", "house", None)
    assert found.steps[0].startswith("calls of the turn: ")
    untrusted = Label(Level.PRIVATE, untrusted=True)
    asked = bench.box.call(ExplainCall(tool="shell", arguments=LS, label=untrusted), 1.0)
    assert (asked.decision, asked.grant) == ("ask", "house")
    assert "strangers' words" in asked.sentence
    secret = Label(Level.SECRET, untrusted=False)
    refused = bench.box.call(ExplainCall(tool="shell", arguments=LS, label=secret), 1.0)
    assert refused.decision == "refuse"
    assert "no grant allows shell in a secret session" in refused.sentence
    bench.runner.expect_none()
    assert bench.lines() == []


def test_what_the_owner_said_names_a_destination(kit: Kit, tmp_path: Path) -> None:
    from bxcore.grants import WhenUntrusted

    named = grant(mode=Mode.AUTO, when_untrusted=WhenUntrusted.NAMED)
    bench = broker_bench(kit, tmp_path, grants=[named])
    untrusted = Label(Level.PRIVATE, untrusted=True)
    for said, decision in (("please run `ls`", "allow"), ("please look", "ask"), (None, "ask")):
        asked = ExplainCall(tool="shell", arguments=LS, label=untrusted, said=said)
        assert bench.box.call(asked, 1.0).decision == decision
    first = bench.ask("shell", LS, said="please run `ls`")
    bench.ran(first, label=untrusted)
    second = bench.ask("shell", LS, said="please run `ls`", turn=2)
    bench.ran(second, label=untrusted)
    assert bench.surface.asked == []
    bench.ask("shell", LS, said=None, turn=3)
    bench.asked()
    bench.runner.expect_none()


def test_a_call_under_an_auto_grant_runs_without_a_question(bench: BrokerBench) -> None:
    reply = bench.ask("shell", LS)
    assert bench.runner.expect(RunTool).grant == AUTO
    assert reply.pending
    assert bench.surface.news == []
    assert [line["kind"] for line in bench.lines()] == ["intent"]


def test_the_set_of_the_start_is_audited_before_any_call_when_it_could_not_be_at_once(
    kit: Kit, tmp_path: Path
) -> None:
    (tmp_path / "audit.jsonl").mkdir()
    bench = broker_bench(kit, tmp_path, grants=[AUTO])
    assert "no call runs" in bench.outcome(bench.ask("shell", LS)).content
    (tmp_path / "audit.jsonl").rmdir()
    bench.ran(bench.ask("shell", LS))
    bench.ran(bench.ask("shell", LS, turn=2, said=None, session="other"))
    assert loaded(bench) == [("start", [*BUILT, "house"])]
    lines = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert '"kind":"grants_loaded"' in lines[0]
