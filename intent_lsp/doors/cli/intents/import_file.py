"""The part of `intents import` that adds the intents of another intents file, in one edit."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import decode
from intent_lsp.core.findings import Finding, Severity
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.open import accepted, governing
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.governance.governance import Governance
from intent_lsp.store.fs import files

_HERE: Final = "an intent has or had this id already"
_NOT_CARRIED: Final = {
    "related_files": "related_files",
    "recent_history": "recent_history",
    "aliases": "aliases",
    "specification": "specification_id",
    "updated_at": "updated_at",
}
"""The attributes of an intent that are not imported, with their keys in the file."""


class _TakenOver(Struct, frozen=True):
    """The imported intents, in a dry run those to import, and by id why the others were skipped."""

    added: tuple[Intent, ...]
    skipped: Mapping[str, str]

    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """Return the keys of each imported intent that were not imported, by the intent's id.

        An intent of which no key was left out is not in the result.
        """
        found = {
            intent.id: tuple(key for name, key in _NOT_CARRIED.items() if getattr(intent, name))
            for intent in self.added
        }
        return {intent_id: keys for intent_id, keys in found.items() if keys}


def import_file(call: Call, given: Path) -> None:
    """Add the intents of another intents file whose ids no intent has or had, and print them.

    With --dry-run, only print what would be added. Raise WrongUsageError if the file, at `given`,
    cannot be read as an intents file, if governance is off, or if nothing can be written.
    """
    read = _read(given, call.options.file)
    with Governance(call.root()) as governance:
        done = _taken_over(governance, read, dry_run=call.options.dry_run)
    for finding in read.findings:
        if finding.severity is Severity.ERROR:
            call.page.remark(f"intent-lsp: {_placed(call.options.file, finding)}")
    if call.options.json:
        call.page.json(_told(done))
    else:
        _tell(call.page, done, dry_run=call.options.dry_run)


def _read(place: Path, spelled: str) -> IntentsFile:
    data = files.read_bytes(place)
    if data is None:
        raise WrongUsageError(f"{spelled} is not a file", cure="give an intents file")
    text = decode(data)
    if text is None:
        raise WrongUsageError(f"{spelled} is not UTF-8 text", cure="give an intents file")
    read = read_intents(text.text)
    if not read.parsed:
        first = min(read.findings, key=lambda finding: (finding.severity, finding.span))
        raise WrongUsageError(
            _placed(spelled, first), cure="fix that line and run the command again"
        )
    return read


def _taken_over(governance: Governance, read: IntentsFile, *, dry_run: bool) -> _TakenOver:
    here = governing(governance).file.intents.by_id
    skipped: dict[str, str] = {i.id: _HERE for i in read.intents if i.id in here}
    wanted = [intent for intent in read.intents if intent.id not in here]
    skipped |= accepted(governance.planning.take_over(wanted, unsaved_file=False, dry_run=dry_run))
    return _TakenOver(tuple(i for i in read.intents if i.id not in skipped), skipped)


def _told(done: _TakenOver) -> dict[str, object]:
    return {
        "added": [intent.id for intent in done.added],
        "skipped": [{"id": name, "reason": why} for name, why in done.skipped.items()],
        "leftOut": [{"id": name, "keys": list(keys)} for name, keys in done.left_out().items()],
    }


def _tell(page: Output, done: _TakenOver, *, dry_run: bool) -> None:
    added = "intents that would be added" if dry_run else "intents added"
    page.line(f"{added} to {INTENTS_FILE}: {len(done.added)}, skipped: {len(done.skipped)}")
    left = done.left_out()
    for intent in done.added:
        keys = _and(left.get(intent.id, ()))
        without = f", without its {keys}" if keys else ""
        page.line(f"  {intent.id} {'new' if dry_run else 'added'}: {intent.name}{without}")
    for name, why in done.skipped.items():
        page.line(f"  {name} skipped: {why}")


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _placed(spelled: str, finding: Finding) -> str:
    start = finding.span.start
    return f"{spelled}:{start.line + 1}:{start.character + 1}: {finding.message}"
