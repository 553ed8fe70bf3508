"""The keys of ``boxmaker.toml``, their types and their defaults (spec 6.2, 4.5).

Values are strict: a number in quotes is a wrong type, so that a typo is a problem and not a guess. Paths
arrive absolute (``bxcore.config.layers`` anchors them at their file's folder). None stands for "not set".
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator

from bxcore.config.values import (
    auto_or_switch,
    guarantee,
    honcho_name,
    honcho_url,
    listen_address,
    mcp_name,
    model_url,
    path_value,
    socket_path,
)
from bxcore.labels import Level

FilePath = Annotated[Path, BeforeValidator(path_value), Field(strict=False)]
SocketPath = Annotated[Path, BeforeValidator(path_value), AfterValidator(socket_path), Field(strict=False)]
HonchoName = Annotated[str, AfterValidator(honcho_name)]
Class = Literal["public", "private", "secret"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=False)


class ModelServerTable(_Table):
    """``[[model.also]]``: a model that is asked while those before it do not answer."""

    url: Annotated[str, AfterValidator(model_url)] = "embedded"
    name: str | None = None
    profile: Literal["auto", "native", "json"] = "auto"
    file: FilePath | None = None
    api_key_file: FilePath | None = None
    context_tokens: int = Field(default=8192, ge=2048, le=4_194_304)
    first_token_s: float = Field(default=60.0, allow_inf_nan=False, gt=0, le=3600)
    prompt_tokens_per_s: float = Field(default=40.0, allow_inf_nan=False, ge=1, le=1_000_000)
    stall_s: float = Field(default=120.0, allow_inf_nan=False, gt=0, le=3600)
    answer_tokens: int = Field(default=1024, ge=64, le=131_072)


class ModelTable(ModelServerTable):
    """``[model]``: where turns are thought out; ``also`` are others in order of preference."""

    also: tuple[ModelServerTable, ...] = Field(default=(), strict=False, max_length=7)

    @property
    def servers(self) -> tuple[ModelServerTable, ...]:
        """All of them, the preferred one first."""
        return (self, *self.also)


class LoopTable(_Table):
    """``[loop]``: sessions and their turns."""

    auto_recall: Annotated[Literal["auto"] | bool, PlainValidator(auto_or_switch)] = "auto"
    """``auto`` is on for the ``json`` profile and off for ``native`` (spec 3.4)."""
    max_rounds: int = Field(default=8, ge=1, le=64)
    idle_s: float = Field(default=900.0, allow_inf_nan=False, gt=0, le=604_800)


class BrokerTable(_Table):
    """``[broker]``: decisions over tool calls. ``grants`` is a folder; None is ``Paths.grants``."""

    timeout_ms: int = Field(default=120_000, ge=100, le=3_600_000)
    grants: FilePath | None = None
    approval_s: float = Field(default=600.0, allow_inf_nan=False, gt=0, le=3600)
    calls_per_turn: int = Field(default=30, ge=1, le=1000)


class ContainersTable(_Table):
    """``[containers]``: where tools run; ``accept`` names guarantees that the owner does without.

    ``image`` None is the one that ``boxmaker image build`` makes.
    """

    backend: Literal["auto", "podman", "bubblewrap", "none"] = "auto"
    socket: FilePath | None = None
    image: str | None = None
    accept: tuple[Annotated[str, AfterValidator(guarantee)], ...] = Field(default=(), strict=False)


class MemoryTable(_Table):
    """``[memory]``: ``folder`` holds the three files; None is ``<state>/memory``."""

    folder: FilePath | None = None
    semantic: Annotated[Literal["auto"] | bool, PlainValidator(auto_or_switch)] = "auto"
    """``auto`` looks by meaning when the extra ``semantic`` is installed; true wants it to be (spec 4.3)."""


class HonchoRead(_Table):
    """``[[honcho.read]]``: another agent's workspace. The key ``class`` is the attribute ``level``."""

    agent: HonchoName
    workspace: HonchoName
    trusted: bool = False
    level_text: Class = Field(default="private", alias="class")

    @property
    def level(self) -> Level:
        """The class of what this workspace answers."""
        return Level.parse(self.level_text)


class HonchoTable(_Table):
    """``[honcho]`` (4.5): ``trusted`` is ``agent`` by default, ``untrusted`` is ``<trusted>-untrusted``."""

    url: Annotated[str, AfterValidator(honcho_url)] = "embedded"
    token_file: FilePath | None = None
    save: bool = True
    chat_wait_s: float = Field(default=150.0, allow_inf_nan=False, gt=0, le=3600)
    agent: HonchoName = "boxmaker"
    trusted: HonchoName = Field(default_factory=lambda data: data["agent"])
    untrusted: HonchoName = Field(default_factory=lambda data: f"{data['trusted']}-untrusted")
    fleet: HonchoName | None = None
    read: tuple[HonchoRead, ...] = Field(default=(), strict=False)


class ControlTable(_Table):
    """``[control]``: the control socket; None is ``<runtime>/control.sock``."""

    socket: SocketPath | None = None


class WebTable(_Table):
    """``[web]``: the page, off unless ``listen`` names a loopback address and port."""

    listen: Annotated[str, AfterValidator(listen_address)] | None = None


class ApiTable(_Table):
    """``[api]``: OpenAI's interface over TCP, off unless ``listen`` names a loopback address and port.

    ``speaker`` is whose words those are that no header names another for; None is the login name of the user
    that the box runs as.
    """

    listen: Annotated[str, AfterValidator(listen_address)] | None = None
    token_file: FilePath | None = None
    speaker: str | None = Field(default=None, min_length=1, max_length=512)


class McpTable(_Table):
    """``[[mcp]]``: an MCP server, started as a program; ``env_files`` are files that hold one secret each."""

    name: Annotated[str, AfterValidator(mcp_name)]
    command: tuple[str, ...] = Field(strict=False, min_length=1, max_length=100)
    env: dict[str, str] = {}
    env_files: dict[str, FilePath] = {}
    folder: FilePath | None = None
    start_s: float = Field(default=30.0, allow_inf_nan=False, gt=0, le=600)
    call_s: float | None = Field(default=None, allow_inf_nan=False, gt=0, le=3600)


class LogTable(_Table):
    """``[log]``: the least level written, and the folder of the log files; None is ``Paths.log``."""

    level: Literal["trace", "debug", "info", "warning", "error"] = "info"
    folder: FilePath | None = None


class Settings(_Table):
    """The whole of ``boxmaker.toml``; each attribute is a table."""

    model: ModelTable = ModelTable()
    loop: LoopTable = LoopTable()
    broker: BrokerTable = BrokerTable()
    containers: ContainersTable = ContainersTable()
    memory: MemoryTable = MemoryTable()
    honcho: HonchoTable = HonchoTable()
    control: ControlTable = ControlTable()
    web: WebTable = WebTable()
    api: ApiTable = ApiTable()
    mcp: tuple[McpTable, ...] = Field(default=(), strict=False, max_length=16)
    log: LogTable = LogTable()
