"""``boxmaker image``: build the image that tools run in, or show which one they would (spec 2.5)."""

from __future__ import annotations

import subprocess
from argparse import ArgumentParser, Namespace

from bxcore.control import Exit
from bxctl.errors import CommandError
from bxctl.image_process import WORK_S, image_process
from bxctl.printing import as_json, data

EPILOG = """build makes localhost/boxmaker-tools of this machine's static busybox (package busybox-static);
nothing is downloaded. [containers] image names an image of your own.
show exits 4 when there is none"""


def arguments(parser: ArgumentParser) -> None:
    """Take what to do."""
    parser.add_argument("action", choices=("build", "show"))


def run(args: Namespace) -> int:
    """Have it done, and print the image's name and id."""
    try:
        done = image_process(args, args.action, WORK_S)
    except subprocess.TimeoutExpired:
        sentence = f"podman was not done within {WORK_S:.0f} s; see what it does and run this again"
        raise CommandError(Exit.TIMED_OUT, sentence) from None
    if done.returncode != Exit.OK:
        raise CommandError(
            _exit_of(done.returncode), done.stderr.strip() or "the image's process said nothing"
        )
    name, _, image = done.stdout.strip().partition(" ")
    if args.json:
        as_json({"image": name, "id": image})
    else:
        data(f"{name} {image}")
    return Exit.OK


def _exit_of(code: int) -> Exit:
    return Exit(code) if code in {each.value for each in Exit} else Exit.FAILED
