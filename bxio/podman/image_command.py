"""``python -m bxio.podman.image_command build|show``: the image in which tools run, for the command line.

A process of its own, so that a command that starts in no time need not load podman's package. It prints one
line: what there is now on standard output, or on standard error why not.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from bxcore.config import Settings, read
from bxcore.control import Exit
from bxcore.errors import SentenceError
from bxcore.paths import Paths, find
from bxcore.sandbox.tool_image import DEFAULT_IMAGE
from bxio.cut import Cut
from bxio.podman.service import Service, ServiceOrder, open_service

WORK_S = 90.0


def main(arguments: Sequence[str]) -> int:
    """Do it; the exit code is an ``Exit``."""
    parser = ArgumentParser(prog="image", description="The image in which tools run.")
    parser.add_argument("--home")
    parser.add_argument("--config")
    parser.add_argument("--option", action="append", default=[], help="a further global option of podman")
    parser.add_argument("what", choices=("build", "show"))
    args = parser.parse_args(arguments)
    try:
        paths = find(os.environ, cwd=Path.cwd(), home=args.home, config=args.config)
        settings = read(paths, os.environ, cwd=Path.cwd()).settings
        if settings is None:
            print("the configuration has problems; see boxmaker check", file=sys.stderr)  # noqa: T201
            return Exit.FAILED
        return _done(args.what, settings, paths, tuple(args.option))
    except SentenceError as problem:
        print(problem.sentence, file=sys.stderr)  # noqa: T201 - a command prints
        return Exit.FAILED


def _done(what: str, settings: Settings, paths: Paths, options: tuple[str, ...]) -> int:
    order = ServiceOrder(
        run=paths.run,
        log=paths.log / "podman-image.log",
        configured=settings.containers.socket,
        name=f"podman-image-{os.getpid()}.sock",
        options=options,
    )
    service = open_service(order, os.environ, Cut())
    try:
        return _built(service) if what == "build" else _shown(service, settings.containers.image)
    finally:
        service.close()


def _built(service: Service) -> int:
    from bxio.podman.images import build_image

    image = build_image(service.socket, deadline_s=time.monotonic() + WORK_S, cut=Cut())
    print(f"{DEFAULT_IMAGE} {image}")  # noqa: T201
    return Exit.OK


def _shown(service: Service, configured: str | None) -> int:
    from bxcore.sandbox.podman_words import missing_image
    from bxio.podman.images import image_id

    name = configured or DEFAULT_IMAGE
    found = image_id(service.socket, name, deadline_s=time.monotonic() + WORK_S, cut=Cut())
    if found is None:
        print(missing_image(name), file=sys.stderr)  # noqa: T201
        return Exit.NO_SUCH_THING
    print(f"{name} {found}")  # noqa: T201
    return Exit.OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
