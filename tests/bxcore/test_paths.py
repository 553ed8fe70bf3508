from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bxcore.paths import LONGEST_SOCKET_BYTES, ConfigFile, PathError, find, socket_problem

CWD = Path("/srv")
XDG = {
    "HOME": "/home/ada",
    "XDG_CONFIG_HOME": "/x/config",
    "XDG_STATE_HOME": "/x/state",
    "XDG_CACHE_HOME": "/x/cache",
    "XDG_RUNTIME_DIR": "/run/user/7",
}


def test_home_puts_everything_under_one_folder() -> None:
    paths = find({**XDG, "BOXMAKER_CONFIG": "/other.toml", "STATE_DIRECTORY": "/s"}, cwd=CWD, home="box")
    assert paths.config_files == (ConfigFile(path=Path("/srv/box/boxmaker.toml")),)
    every = (paths.config, paths.grants, paths.state, paths.run, paths.cache, paths.log, paths.socket)
    assert all(path.is_relative_to("/srv/box") for path in every)
    assert paths.socket == Path("/srv/box/run/control.sock")


def test_without_home_the_xdg_folders_are_used() -> None:
    paths = find(XDG, cwd=CWD)
    assert paths.config == Path("/x/config/boxmaker")
    assert paths.grants == Path("/x/config/boxmaker/grants")
    assert paths.state == Path("/x/state/boxmaker")
    assert paths.cache == Path("/x/cache/boxmaker")
    assert paths.socket == Path("/run/user/7/boxmaker/control.sock")
    assert paths.log == Path("/x/state/boxmaker/log")


def test_without_xdg_the_defaults_lie_in_the_home_folder() -> None:
    paths = find({"HOME": "/home/ada"}, cwd=CWD)
    assert paths.config_file == Path("/home/ada/.config/boxmaker/boxmaker.toml")
    assert paths.state == Path("/home/ada/.local/state/boxmaker")
    assert paths.run == Path("/home/ada/.local/state/boxmaker/run")


def test_what_systemd_set_beats_xdg() -> None:
    systemd = {
        "STATE_DIRECTORY": "/var/lib/boxmaker:/var/lib/other",
        "RUNTIME_DIRECTORY": "/run/boxmaker",
        "CACHE_DIRECTORY": "/var/cache/boxmaker",
        "LOGS_DIRECTORY": "/var/log/boxmaker",
        "CONFIGURATION_DIRECTORY": "/etc/boxmaker",
        "CREDENTIALS_DIRECTORY": "/run/credentials/boxmaker",
    }
    paths = find(XDG | systemd, cwd=CWD)
    assert (paths.state, paths.run) == (Path("/var/lib/boxmaker"), Path("/run/boxmaker"))
    assert (paths.cache, paths.log) == (Path("/var/cache/boxmaker"), Path("/var/log/boxmaker"))
    assert paths.credentials == Path("/run/credentials/boxmaker")
    assert paths.config_files == (ConfigFile(path=Path("/etc/boxmaker/boxmaker.toml")),)


def test_systemd_alone_needs_no_home_folder() -> None:
    folders = ("STATE", "RUNTIME", "CACHE", "LOGS", "CONFIGURATION")
    paths = find({f"{name}_DIRECTORY": f"/{name}" for name in folders}, cwd=CWD)
    assert paths.state == Path("/STATE")


def test_a_named_file_comes_first_and_must_be_there() -> None:
    paths = find(XDG, cwd=CWD, config="mine.toml")
    assert paths.config_files == (
        ConfigFile(path=Path("/srv/mine.toml"), required=True),
        ConfigFile(path=Path("/x/config/boxmaker/boxmaker.toml")),
        ConfigFile(path=Path("/etc/boxmaker/boxmaker.toml")),
    )


def test_the_flag_beats_the_variable() -> None:
    environ = {**XDG, "BOXMAKER_CONFIG": "~/env.toml"}
    assert find(environ, cwd=CWD).config_files[0].path == Path("/home/ada/env.toml")
    assert find(environ, cwd=CWD, config="/flag.toml").config_files[0].path == Path("/flag.toml")


@pytest.mark.parametrize("relative", ["state", "./x", ""])
def test_a_relative_xdg_folder_is_ignored(relative: str) -> None:
    paths = find({"HOME": "/home/ada", "XDG_STATE_HOME": relative, "STATE_DIRECTORY": relative}, cwd=CWD)
    assert paths.state == Path("/home/ada/.local/state/boxmaker")


@pytest.mark.parametrize("flag", ["home", "config"])
def test_an_empty_flag_is_not_the_current_folder(flag: str) -> None:
    with pytest.raises(PathError) as caught:
        find(XDG, cwd=CWD, **{flag: ""})
    assert caught.value.sentence == f"--{flag} is empty; name one, or leave the flag away"


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "here"}])
def test_no_home_folder_is_said_with_what_to_do(environ: dict[str, str]) -> None:
    with pytest.raises(PathError) as caught:
        find(environ, cwd=CWD)
    assert caught.value.sentence == "no home folder is known, $HOME is not set; name a folder with --home DIR"


@given(st.text(st.characters(exclude_characters="\0/"), min_size=1, max_size=120))
def test_a_socket_path_is_measured_in_bytes(name: str) -> None:
    path = Path("/") / f"x{name}"
    fits = len(bytes(path)) <= LONGEST_SOCKET_BYTES if _encodes(name) else None
    if fits is not None:
        assert (socket_problem(path) is None) == fits


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def test_a_path_that_is_too_long_is_named_with_its_size() -> None:
    problem = socket_problem(Path("/" + "é" * 54))
    assert problem is not None
    assert problem.startswith("the control socket's path is 109 bytes long and Linux takes 107: /é")
    assert "--home" in problem
