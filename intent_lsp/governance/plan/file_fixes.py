"""*Fix all* of the intents file on disk (requirements section 3.11)."""

from pathlib import Path

from msgspec import Struct

from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.formats.intents.edit import EditRefused
from intent_lsp.formats.intents.fix_all import fix_intents
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.governance.root.intents_writer import IntentsEdit, IntentsWriter, text_on_disk


class FixedFile(Struct, frozen=True, kw_only=True):
    """The intents file's text before and after *Fix all*, as bytes, and the number of fixes."""

    before: bytes
    after: bytes
    count: int


def proposed_fixes(root: Path) -> FixedFile | EditRefused:
    """Return the intents file with every safe fix, without writing it; or why it cannot be fixed.

    Raise OSError if it cannot be read.
    """
    found = text_on_disk(root)
    if isinstance(found, EditRefused):
        return found
    data, text = found
    fixed = fix_intents(text.text)
    after = text.encode(fixed.text) if fixed.count else data
    return FixedFile(before=data, after=after, count=fixed.count)


def apply_fixes(root: Path, writer: IntentsWriter) -> FixedFile | EditRefused:
    """Write the intents file with every safe fix, and return it; or return why it is not written.

    If there is no fix, nothing is written either, and the count is 0. Raise OSError if the file
    cannot be read.
    """
    made = proposed_fixes(root)
    if isinstance(made, EditRefused) or not made.count:
        return made
    done: list[FixedFile] = []

    def edit(text: str) -> IntentsEdit:
        # The file may have changed since, so what is written is what is reported.
        fixed = fix_intents(text)
        before, after = text.encode(), fixed.text.encode()
        done[:] = [FixedFile(before=before, after=after, count=fixed.count)]
        whole = Span(Position(0, 0), TextPositions(text).position(len(text)))
        return (TextChange(whole, fixed.text),) if fixed.count else ()

    refused = writer.change(edit, unsaved_file=False)
    return done[0] if refused is None else EditRefused(refused)
