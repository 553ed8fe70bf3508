"""Edits of the memory files, by a session's call (spec 4.2); a room of ``actors/memory.py``."""

from __future__ import annotations

from functools import partial

from actors.base import Refusal
from actors.memory_parts import failed
from bxcore import memory_edits
from bxcore.labels import NEW_SESSION, join
from bxcore.memory_entries import IDENTITY, NotEdited
from bxcore.messages.memory import EditMemory
from bxcore.sanitize import neutralise, redact
from bxcore.tool_answer import ToolAnswer
from bxio.memory_files import Editor, MemoryFiles, MemoryFilesError


class Editing:
    """Used by the memory's thread."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files

    def edit(self, message: EditMemory) -> ToolAnswer:
        """Make the edit, or say why not."""
        args = message.args
        forbidden = memory_edits.forbidden(args, message.state)
        if forbidden is not None:
            return failed(forbidden)
        editor = Editor(session=message.session, turn=message.turn, label=message.state)
        try:
            edited = self._files.edit(args.file, partial(memory_edits.edit, args), editor)
            if isinstance(edited, NotEdited):
                told = (self._files.known.label(args.file, text) for text in edited.told)
                return ToolAnswer(ok=False, content=edited.sentence, label=join(NEW_SESSION, *told))
        except MemoryFilesError as error:
            return failed(f"memory: {error.sentence}")
        return ToolAnswer(ok=True, content=memory_edits.done(args, edited), label=NEW_SESSION)

    def block(self) -> str:
        """What a person wrote into the files is made harmless here; what a call wrote was refused before."""
        try:
            files = {file: self._files.texts(file) for file in IDENTITY}
        except MemoryFilesError as error:
            raise Refusal(error.sentence) from None
        return neutralise(redact(memory_edits.memory_block(files)))
