"""``bxctl doctor``: everything that matters, how it is, and what to do; without a running box too (6.3)."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bxcore.control import Exit
from bxcore.control.answers import CheckJson, DoctorJson
from bxcore.control.requests import DoctorRequest
from bxctl.called import retyped, typed
from bxctl.errors import CommandError
from bxctl.place import paths_of, socket_of
from bxctl.printing import as_json, data, paint, visible
from bxctl.wire import Wire

EPILOG = "exits 0 when nothing is bad, 1 when something is"
_COLOURS = {"ok": "green", "warn": "yellow", "bad": "red"}
_WIDTH = 4


def arguments(parser: ArgumentParser) -> None:
    """Take no arguments of its own."""
    del parser


def run(args: Namespace) -> int:
    """Look at everything, and print each thing as soon as it is known."""
    verdicts = []
    for check in _checks(args):
        verdicts.append(check["verdict"])
        if args.json:
            as_json(check)
        else:
            _show(check)
        sys.stdout.flush()
    bad = sum(verdict not in {"ok", "warn"} for verdict in verdicts)
    if not args.json:
        data(f"{bad} to mend" if bad else "nothing to mend")
    return Exit.FAILED if bad else Exit.OK


def _show(check: CheckJson) -> None:
    verdict = check["verdict"]
    word = paint(f"{verdict:{_WIDTH}}", _COLOURS.get(verdict, "red"), sys.stdout)
    help_ = f" -> {check['help']}" if check["help"] else ""
    print(f"{word}  {visible(check['name'])}: {visible(retyped(check['sentence'] + help_))}")


def _checks(args: Namespace) -> Iterator[CheckJson]:
    """What this command sees itself, then what the box says, or what is known without it."""
    from bxcore.doctor import check_json
    from bxctl.examining.configuration import configuration_checks, python_check, settings_of, state_check
    from bxctl.examining.kept_lines import kept_checks
    from bxctl.examining.machine import look_for_image, sandbox_checks
    from bxctl.examining.memory_files import memory_checks
    from bxctl.examining.workspaces import workspace_checks

    paths = paths_of(args)
    settings, problems = settings_of(paths)
    yield check_json(python_check())
    yield from map(check_json, configuration_checks(paths, settings, problems))
    yield check_json(state_check(paths.state))
    yield from map(check_json, memory_checks(settings, paths.state))
    yield from map(check_json, kept_checks(settings, paths.state))
    box, asked = _ask(args)
    yield box
    if asked is not None:
        yield from asked["checks"]
        return
    yield from map(check_json, workspace_checks(settings))
    yield from map(check_json, sandbox_checks(settings, lambda: look_for_image(args)))
    yield _audit(args)


def _ask(args: Namespace) -> tuple[CheckJson, DoctorJson | None]:
    """The running process, and what it says; what could not be asked is said with it."""
    try:
        socket = socket_of(args)
        answer: DoctorJson = Wire(socket).call(DoctorRequest())
    except CommandError as error:
        if error.exit is not Exit.NOT_RUNNING:
            return _check("process", "bad", error.sentence, f"{typed('tree')}"), None
        sentence = "boxmaker does not run, so model, honcho and what the sandbox proved were not asked"
        return _check("process", "warn", sentence, typed("serve")), None
    return _check("process", "ok", f"runs, and answers on {socket}", None), answer


def _audit(args: Namespace) -> CheckJson:
    from bxctl.audit_file import audit_file, walk_file

    path = audit_file(args)
    try:
        chain = walk_file(path)
    except OSError as error:
        return _check("audit", "bad", f"{path} cannot be read: {error.strerror}", f"ls -l {path}")
    help_ = None if chain["ok"] else f"{typed('audit')} tail; somebody changed the file"
    return _check("audit", "ok" if chain["ok"] else "bad", chain["sentence"], help_)


def _check(name: str, verdict: str, sentence: str, help_: str | None) -> CheckJson:
    return {"name": name, "verdict": verdict, "sentence": sentence, "help": help_}
