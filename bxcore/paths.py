"""Where everything lies: flags and environment in, paths out; no file is looked at (spec 6.2).

``--home`` puts all under one folder. Else each folder comes from what systemd set for the unit
(``$STATE_DIRECTORY`` and its like), else from ``$XDG_*``, else from the XDG defaults under ``$HOME``.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bxcore.errors import SentenceError

LONGEST_SOCKET_BYTES = 107
"""What ``sockaddr_un`` holds on Linux, without its closing zero."""

_APP = "boxmaker"
_FILE = "boxmaker.toml"


class PathError(SentenceError):
    """A path that cannot be used; ``sentence`` says which and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """One file of the configuration; a ``required`` one was named by the person and must be there."""

    path: Path
    required: bool = False


PROGRAM = (
    Path(__file__).resolve().parent.parent,
    *((Path(sys.prefix),) if sys.prefix != sys.base_prefix else ()),
)
"""Where the box's own program lies, and the virtual environment that it runs in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Absolute paths. ``config_files`` are in the order of precedence, the strongest first."""

    config_files: tuple[ConfigFile, ...]
    config: Path
    """The folder that ``boxmaker init`` writes to; ``boxmaker.toml`` lies in it."""
    grants: Path
    state: Path
    run: Path
    cache: Path
    log: Path
    credentials: Path | None
    """``$CREDENTIALS_DIRECTORY``, where systemd's ``LoadCredential=`` puts secrets."""
    secret_files: tuple[Path, ...] = ()
    """The files of secrets that the configuration names, once it was read."""

    @property
    def config_file(self) -> Path:
        """The ``boxmaker.toml`` of this user, whether it exists or not."""
        return self.config / _FILE

    @property
    def own(self) -> tuple[Path, ...]:
        """What the box keeps for itself: no tool is shown any of it. The folder of grants is not among it."""
        secrets = (*self.secret_files, *((self.credentials,) if self.credentials is not None else ()))
        return (self.config_file, self.state, self.run, self.cache, self.log, *secrets, *PROGRAM)

    @property
    def socket(self) -> Path:
        """The control socket's place when the configuration names no other."""
        return self.run / "control.sock"


def find(
    environ: Mapping[str, str], *, cwd: Path, home: str | None = None, config: str | None = None
) -> Paths:
    """Map the flags ``--home`` and ``--config`` and the environment to paths.

    ``cwd`` anchors relative flags. Raises ``PathError`` when neither ``--home`` nor ``$HOME`` is there, and
    for an empty flag, which a shell makes of a variable that is not set: it would mean the current folder.
    """
    for flag, value in (("--home", home), ("--config", config)):
        if value == "":
            raise PathError(f"{flag} is empty; name one, or leave the flag away")
    if home is not None:
        return _under_one_folder(_absolute(home, cwd, environ), environ, _named(config, cwd, environ))
    named = _named(config or environ.get("BOXMAKER_CONFIG"), cwd, environ)
    return _by_environment(environ, named)


def _under_one_folder(root: Path, environ: Mapping[str, str], named: tuple[ConfigFile, ...]) -> Paths:
    return Paths(
        config_files=(*named, ConfigFile(path=root / _FILE)),
        config=root,
        grants=root / "grants",
        state=root / "state",
        run=root / "run",
        cache=root / "cache",
        log=root / "log",
        credentials=_first(environ, "CREDENTIALS_DIRECTORY"),
    )


def _by_environment(environ: Mapping[str, str], named: tuple[ConfigFile, ...]) -> Paths:
    config = _first(environ, "CONFIGURATION_DIRECTORY") or _xdg(environ, "XDG_CONFIG_HOME", ".config")
    state = _first(environ, "STATE_DIRECTORY") or _xdg(environ, "XDG_STATE_HOME", ".local/state")
    files = (config / _FILE, Path("/etc") / _APP / _FILE)
    return Paths(
        config_files=(*named, *(ConfigFile(path=path) for path in dict.fromkeys(files))),
        config=config,
        grants=config / "grants",
        state=state,
        run=_first(environ, "RUNTIME_DIRECTORY") or _xdg_runtime(environ) or state / "run",
        cache=_first(environ, "CACHE_DIRECTORY") or _xdg(environ, "XDG_CACHE_HOME", ".cache"),
        log=_first(environ, "LOGS_DIRECTORY") or state / "log",
        credentials=_first(environ, "CREDENTIALS_DIRECTORY"),
    )


def _first(environ: Mapping[str, str], name: str) -> Path | None:
    """Read one of systemd's folders; it joins several by colons, and the first one is ours."""
    folder = environ.get(name, "").split(":", 1)[0]
    return Path(folder) if folder.startswith("/") else None


def _xdg(environ: Mapping[str, str], name: str, default: str) -> Path:
    """A relative ``$XDG_*`` is to be ignored, says the XDG base directory specification."""
    folder = environ.get(name, "")
    return Path(folder) / _APP if folder.startswith("/") else _home(environ) / default / _APP


def _xdg_runtime(environ: Mapping[str, str]) -> Path | None:
    folder = environ.get("XDG_RUNTIME_DIR", "")
    return Path(folder) / _APP if folder.startswith("/") else None


def _home(environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise PathError("no home folder is known, $HOME is not set; name a folder with --home DIR")
    return Path(home)


def _named(config: str | None, cwd: Path, environ: Mapping[str, str]) -> tuple[ConfigFile, ...]:
    if not config:
        return ()
    return (ConfigFile(path=_absolute(config, cwd, environ), required=True),)


def _absolute(text: str, cwd: Path, environ: Mapping[str, str]) -> Path:
    return anchored(text, cwd, environ.get("HOME"))


def anchored(text: str, folder: Path, home: str | None) -> Path:
    """Make ``text`` absolute: ``~/`` is the home folder, a relative path starts at ``folder``."""
    if home and (text == "~" or text.startswith("~/")):
        return Path(home) / text[2:]
    return folder / text


def socket_problem(path: Path) -> str | None:
    """Say what is wrong with a socket's path, or None. The kernel's limit counts bytes, not characters."""
    size = len(str(path).encode("utf-8", "surrogateescape"))
    if size <= LONGEST_SOCKET_BYTES:
        return None
    return (
        f"the control socket's path is {size} bytes long and Linux takes {LONGEST_SOCKET_BYTES}: {path}; "
        "use a shorter --home, or set [control] socket to a shorter path"
    )
