"""A decision without a box; ``test_commands_grants`` has it as a command."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from bxcore.control import Exit
from bxcore.control.requests import ExplainRequest
from bxctl.errors import CommandError
from bxctl.explaining import explain

RECALL = ExplainRequest(tool="recall", arguments='{"query":"x"}')


def flags(home: Path) -> Namespace:
    return Namespace(home=str(home), config=None)


def test_a_refusal_has_its_sentence_and_the_steps_up_to_it(tmp_path: Path) -> None:
    explained = explain(flags(tmp_path), ExplainRequest(tool="rm", arguments="{}"))
    assert (explained["decision"], explained["grant"]) == ("refuse", None)
    assert explained["sentence"] == "no tool has this name; look one up with find_tool"
    assert [step.partition(":")[0] for step in explained["steps"]] == ["calls of the turn", "tool"]


def test_a_folder_that_was_named_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(flags(tmp_path), RECALL)["decision"] == "allow"
    (tmp_path / "boxmaker.toml").write_text('[broker]\ngrants = "gone"\n')
    with pytest.raises(CommandError) as caught:
        explain(flags(tmp_path), RECALL)
    assert caught.value.exit is Exit.USAGE
    assert f"{tmp_path}/gone" in capsys.readouterr().out
