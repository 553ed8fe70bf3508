"""What doctor says of a workspace that was tried."""

from __future__ import annotations

import pytest

from bxcore.doctor import Check, Verdict
from bxcore.doctor.honcho_workspaces import untried_check, workspace_check
from bxcore.honcho_health import Health
from bxcore.workspaces import OtherAgent, Readable, configured

OWN, UNTRUSTED, FLEET, BOX2 = configured(
    trusted="box1",
    untrusted="box1-untrusted",
    fleet="fleet7",
    others=[OtherAgent(agent="box2", workspace="second", trusted=True)],
)


def check(health: Health, detail: str = "x", of: Readable = OWN) -> Check:
    return workspace_check(of, health, detail, 12)


@pytest.mark.parametrize("health", list(Health))
@pytest.mark.parametrize("of", [OWN, UNTRUSTED, FLEET, BOX2])
def test_each_finding_names_the_workspace_and_what_is_bad_says_what_to_do(
    health: Health, of: Readable
) -> None:
    said = check(health, of=of)
    assert said.name == f"workspace {of.name}"
    assert of.workspace in said.sentence
    assert (said.verdict is Verdict.OK) == (said.help is None)


def test_a_workspace_that_answers_is_well_also_when_it_is_empty() -> None:
    fine = Check(name="workspace own", verdict=Verdict.OK, sentence="box1: it answers (12 ms)")
    assert check(Health.FINE, "it answers") == fine
    assert check(Health.EMPTY, "it answers") == fine


@pytest.mark.parametrize("of", [OWN, UNTRUSTED])
def test_the_boxs_own_workspace_is_made_by_what_is_saved_to_it(of: Readable) -> None:
    said = check(Health.NO_SUCH_WORKSPACE, of=of)
    assert (said.verdict, said.help) == (Verdict.OK, None)
    assert said.sentence == f"{of.workspace} is not there yet; the first turn that is saved to it makes it"


@pytest.mark.parametrize(
    ("of", "help_"),
    [
        (FLEET, "mend [honcho] fleet, or make the workspace on the server"),
        (BOX2, "mend [[honcho.read]] workspace of box2, or make the workspace on the server"),
    ],
)
def test_another_workspace_that_does_not_exist_is_bad(of: Readable, help_: str) -> None:
    said = check(Health.NO_SUCH_WORKSPACE, of=of)
    assert (said.verdict, said.sentence) == (Verdict.BAD, f"no such workspace: {of.workspace}")
    assert said.help == help_


@pytest.mark.parametrize(
    "health", [Health.UNREACHABLE, Health.NO_HONCHO, Health.TOKEN_REFUSED, Health.TOO_OLD, Health.FAILING]
)
def test_what_does_not_work_is_bad_and_says_what_was_found(health: Health) -> None:
    said = check(health, "503, as it was found")
    assert said.verdict is Verdict.BAD
    assert "503, as it was found" in said.sentence


@pytest.mark.parametrize(
    ("detail", "word"),
    [
        ("the server's certificate is not trusted", "SSL_CERT_FILE"),
        ("307, a redirect, which is not followed", "it leads to"),
        ("the host's name was not found", "mend the name"),
        ("the connection was refused", "whether the server runs"),
        ("no answer in 4750 ms", "whether the server runs"),
    ],
)
def test_what_helps_depends_on_why_it_is_unreachable(detail: str, word: str) -> None:
    assert word in str(check(Health.UNREACHABLE, detail).help)


def test_a_workspace_that_nobody_tried_is_not_called_well() -> None:
    said = untried_check(BOX2, "asks is full")
    assert (said.verdict, said.sentence) == (Verdict.WARN, "second could not be tried: asks is full")


@pytest.mark.parametrize(
    ("health", "detail", "word"),
    [
        (Health.NO_HONCHO, "the answer has the wrong shape", "is [honcho] url one?"),
        (Health.TOKEN_REFUSED, "401, the token was refused", "a token for this workspace, one without"),
        (Health.TOKEN_REFUSED, "403, access is forbidden", "a proxy lets this box in"),
        (Health.FAILING, "429, too many requests", "raise the limit"),
        (Health.FAILING, "422, what was sent is refused", "which server"),
        (Health.FAILING, "413, so large a request", "a request's size"),
        (Health.FAILING, "500, the server failed", "the server's own log"),
    ],
)
def test_what_helps_depends_on_the_answer(health: Health, detail: str, word: str) -> None:
    assert word in str(check(health, detail).help)


def test_what_answers_and_is_no_honcho_is_not_called_unreachable() -> None:
    said = check(Health.NO_HONCHO, "200, the answer is not JSON").sentence
    assert said == "box1: it answers, but not as a Honcho does (200, the answer is not JSON)"
