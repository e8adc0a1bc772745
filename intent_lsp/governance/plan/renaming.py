"""Renaming of intents in the intents file and in `.intentignore`.

Specified in requirements section 3.

Invariant: an intent that `.intentignore` excludes stays excluded at every moment while this process
renames it.
"""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from intent_lsp.core.content import decode
from intent_lsp.core.errors import IntentLspError, PathError
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import IGNORE_FILE
from intent_lsp.formats.intents.edit import EditRefused, FileEdit, apply_changes
from intent_lsp.formats.intents.rename_intent import (
    IgnoreEdit,
    excluding_line,
    rename_ignored,
    rename_intent,
    unparsed,
)
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.plan.checkout import CheckoutRefusal, unknown
from intent_lsp.governance.plan.planning import unwritten
from intent_lsp.governance.root.intents_writer import IntentsEdit, IntentsWriter
from intent_lsp.store.fs import files
from intent_lsp.store.fs.write import replace_file


class RenameEdits(Struct, frozen=True, kw_only=True):
    """The edits that rename `intent`: `changes` of the intents file, `ignored` of `.intentignore`.

    `new_id` is the id that the intent gets.
    """

    intent: Intent
    new_id: str
    changes: FileEdit
    ignored: IgnoreEdit


class IgnoreText(Struct, frozen=True):
    """The text of `.intentignore`. It is not `editable` if the file is not UTF-8 or UTF-16 text."""

    text: str
    editable: bool = True


class RenamedIntent(Struct, frozen=True):
    """An intent after a rename, the id that it had before, and warnings for the person."""

    intent: Intent
    old_id: str
    warnings: tuple[str, ...]


def rename_edits(
    structure: IntentsStructure, ignored: str, intent_id: str, new_id: str
) -> RenameEdits | EditRefused:
    """Return the edits that give an intent the id `new_id`, or a refusal.

    `structure` is that of the intents file, and `ignored` the text of `.intentignore`. `intent_id`
    is the id or an alias of the intent.
    """
    changes, intent = rename_intent(structure, intent_id, new_id), structure.intents.get(intent_id)
    if isinstance(changes, EditRefused) or intent is None:
        return changes if isinstance(changes, EditRefused) else unparsed(structure.text)
    new_id = new_id.strip()
    edit = rename_ignored(ignored, structure.intents, intent.id, new_id)
    return RenameEdits(intent=intent, new_id=new_id, changes=changes, ignored=edit)


def not_renamed(intent_id: str, reason: str) -> CheckoutRefusal:
    """Return the refusal of a rename. `reason` is a clause that says why."""
    return unwritten(f"{intent_id} was not renamed", reason)


def ignore_text(root: Path) -> IgnoreText:
    """Return the text of a root's `.intentignore` on disk; "" if there is none or it is unreadable.

    What is not UTF-8 or UTF-16 is decoded with replacement characters.
    """
    file = _IgnoreFile(root)
    return IgnoreText(file.text, editable=file.editable)


def rename_on_disk(
    writer: IntentsWriter, intent_id: str, new_id: str, *, unsaved_file: bool
) -> RenamedIntent | CheckoutRefusal:
    """Give an intent another id in the intents file and in the ignore file, or refuse.

    `intent_id` is its id or an alias. What is recorded under the old id stays with the intent, and
    so do the sessions that have selected it. `unsaved_file`: an editor has unsaved changes of the
    intents file, so nothing is written.
    """
    stores = writer.stores
    rules = stores.rules.current()
    known = rules.active(intent_id)
    if known is None or not rules.governed:
        return unknown(rules, intent_id)
    ignoring = _IgnoreFile(stores.root)
    made: list[RenameEdits] = []

    def edit(text: str) -> IntentsEdit:
        structure = read_structure(text)
        if structure is None:
            return unparsed(text)
        found = rename_edits(structure, ignoring.text, known.id, new_id)
        if isinstance(found, EditRefused):
            return found
        made[:] = [found]
        ignoring.cover(found)
        return found.changes

    refused = writer.change(edit, unsaved_file=unsaved_file)
    if refused is not None:
        ignoring.restore()
        return not_renamed(known.id, refused)
    (done,) = made
    warnings = (done.ignored.warning, ignoring.finish(done))
    intent = stores.rules.current().active(done.new_id) or known
    return RenamedIntent(intent, known.id, tuple(filter(None, warnings)))


class _IgnoreFile:
    """The `.intentignore` of a root while an intent is renamed, as it was read at first."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = root / IGNORE_FILE
        self._now: bytes | None = None
        with suppress(OSError):  # Else it is left as it is.
            self._now = files.read_bytes(self._path, MAX_BYTES)
        self._decoded = decode(self._now or b"")
        self.editable = self._decoded is not None
        """Whether what was read is UTF-8 or UTF-16 text, so that it can be edited."""
        lenient = (self._now or b"").decode("utf-8", "replace")
        self.text = lenient if self._decoded is None else self._decoded.text
        """The text that was read; "" if there is no file or it is unreadable.

        What is not UTF-8 or UTF-16 is decoded with replacement characters.
        """

    def cover(self, edits: RenameEdits) -> None:
        """Add the new id to `.intentignore` if the old id is excluded there.

        Without this, the ignored intent could be selected under its new id until `finish` is
        called. Raise OSError or IntentLspError.
        """
        if edits.ignored.excluded and edits.ignored.changes:
            end = line_end_of(self.text)
            apart = "" if self.text.endswith(("\n", "\r")) else end
            self._put(f"{self.text}{apart}{excluding_line(edits.new_id)}{end}")

    def finish(self, edits: RenameEdits) -> str | None:
        """Write the renamed lines. Return a warning if that fails, else None."""
        try:
            if edits.ignored.changes:
                self._put(apply_changes(self.text, edits.ignored.changes))
        except (OSError, IntentLspError) as problem:
            return f"{IGNORE_FILE} still names {edits.intent.id}: {problem}"
        return None

    def restore(self) -> None:
        """Write back what was read. If that fails, a line for the unused new id stays."""
        with suppress(OSError, IntentLspError):
            self._put(self.text)

    def _put(self, text: str) -> None:
        if self._now is None:
            return
        if self._decoded is None:
            # The refusal shows the problem alone, so that holds the cure too.
            problem = "is not UTF-8 text; save it as UTF-8 and try again"
            raise PathError(path=IGNORE_FILE, problem=problem)
        data = self._decoded.encode(text)
        if data == self._now:
            return
        # Not noted as our own write: what an agent's command has us write here is the command's.
        replace_file(self._path, data, root=self._root, expected=self._now)
        self._now = data
