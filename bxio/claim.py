"""Taking a box's folders for this process: made, checked, locked, with the log set up (spec 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bxcore.errors import SentenceError, system_reason
from bxcore.paths import Paths
from bxio import logging
from bxio.embedded_honcho import DamagedDatabase, EmbeddedHoncho
from bxio.instance_lock import AlreadyRunningError, InstanceLock
from bxio.session_store import SessionStore
from bxio.state_folder import StateFolderError, make_folder, open_state


class ClaimError(SentenceError):
    """The box cannot be had; ``sentence`` says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What this process alone holds until ``release``; ``embedded_honcho`` is None with a real server."""

    lock: InstanceLock
    store: SessionStore
    embedded_honcho: EmbeddedHoncho | None

    def release(self) -> None:
        """Close what is open and give the lock back."""
        if self.embedded_honcho is not None:
            self.embedded_honcho.close()
        self.lock.release()


def claim(paths: Paths, *, log_level: str, honcho: Callable[[Path], EmbeddedHoncho] | None) -> Claim:
    """Take the state folder; ``honcho`` opens the embedded server's file, None when a real server is used.

    Raises ``ClaimError``: a folder is not ours, read-only or of a newer version, another process runs on it,
    or a database in it is damaged.
    """
    lock = InstanceLock(paths.state)
    try:
        open_state(paths.state)
        lock.take()
        make_folder(paths.run)
        logging.set_up(log_level, paths.log)
        embedded = None if honcho is None else honcho(paths.state / "honcho.sqlite")
        return Claim(lock=lock, store=SessionStore(paths.state / "sessions"), embedded_honcho=embedded)
    except (StateFolderError, AlreadyRunningError, DamagedDatabase) as error:
        sentence = str(error)
    except OSError as error:
        reason = system_reason(error)
        sentence = f"{error.filename or paths.state} cannot be used: {reason}; make it writable for this user"
    lock.release()
    raise ClaimError(sentence)
