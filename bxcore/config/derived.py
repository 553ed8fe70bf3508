"""What follows from the settings: waits, workspaces that may be asked, files of secrets (spec 2.3, 4.5)."""

from __future__ import annotations

from pathlib import Path

from bxcore.config.settings import Settings
from bxcore.waits import Waits
from bxcore.workspaces import OtherAgent, Readable, configured


def waits(settings: Settings) -> Waits:
    """The table of waits with the owner's two numbers in it."""
    return Waits.configured(chat_s=settings.honcho.chat_wait_s, call_s=settings.broker.timeout_ms / 1000)


def readable(settings: Settings) -> tuple[Readable, ...]:
    """The workspaces that may be asked, in the order of 4.5."""
    honcho = settings.honcho
    others = (
        OtherAgent(agent=each.agent, workspace=each.workspace, trusted=each.trusted, level=each.level)
        for each in honcho.read
    )
    return configured(trusted=honcho.trusted, untrusted=honcho.untrusted, fleet=honcho.fleet, others=others)


def secret_files(settings: Settings) -> tuple[Path, ...]:
    """Each file of secrets that the configuration names; no tool is shown one."""
    tables = (settings.model, *settings.model.also)
    named = (*(table.api_key_file for table in tables), settings.honcho.token_file, settings.api.token_file)
    of_servers = (file for server in settings.mcp for file in server.env_files.values())
    return (*(file for file in named if file is not None), *of_servers)
