"""The command `intents import`: adds the intents of a plan, or of another intents file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import decode
from intent_lsp.core.findings import Finding, Severity
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE, relative_to
from intent_lsp.doors.cli.agents.choice import person_needed
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.intents.import_plans import import_plans
from intent_lsp.doors.cli.open import accepted, governing
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.formats.plans.proposed_intent import OF_DIRECTORIES, PlanKind
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.imports.plan_import import specifications
from intent_lsp.governance.imports.plan_sources import (
    PlanSource,
    directory_of,
    kind_of_file,
    sources_below,
)
from intent_lsp.store.fs import files

_PLACES: Final = "specs/NNN-*/, openspec/changes/*/ and .kiro/specs/*/"
_CURE: Final = "give a file or a directory; `intent-lsp intents import --help` says which"
_HERE: Final = "an intent has or had this id already"
_NOT_CARRIED: Final = {
    "related_files": "related_files",
    "recent_history": "recent_history",
    "aliases": "aliases",
    "specification": "specification_id",
    "updated_at": "updated_at",
}
"""The attributes of an intent that are not imported, with their keys in the file."""


@command(
    argument(
        "file FILE",
        "a file, or a directory of plans (default: the plans that the root has)",
        nargs="?",
    ),
    argument(
        "--from KIND",
        f"what FILE is: {', '.join(kind.value for kind in PlanKind)} (default: as it looks)",
        dest="kind",
        choices=[kind.value for kind in PlanKind],
    ),
    flag("--open", "leave out the work that is closed"),
    flag("--yes", "write without asking"),
    flag("--dry-run", "show what would be written, and write nothing"),
    examples=(
        "intent-lsp intents import",
        "intent-lsp intents import specs/001-photo-albums --dry-run",
        "intent-lsp intents import jira.csv --open --yes",
        "intent-lsp intents import ../old/.orchestration/active_intents.yaml",
    ),
    json=(
        "write {added, skipped, leftOut} as JSON; of a plan also {written, changed, intents,"
        " problems, diff}"
    ),
)
def intents_import(call: Call) -> int | None:
    """Import a plan or the intents of another intents file, and print what was imported.

    Without FILE, import the plans of other tools that the root has: features of spec-kit
    (specs/NNN-*/), changes of OpenSpec (openspec/changes/*/) and specs of Kiro
    (.kiro/specs/*/). FILE is the directory of one or several of them, a task list in Markdown
    (.md), an export of Jira, GitHub, Linear, Azure DevOps or another tracker (.csv, .tsv), or
    another intents file, in any supported format.

    A plan is a proposal: the edit of the intents file is shown, and written if you agree, or
    with --yes. An intent whose specification_id is there already is not imported again; if the
    plan says something else by now, the differences are listed. The exit status is 2 if
    something is to be written and nobody can be asked.

    Of another intents file, those of its intents whose ids do not exist yet are added at once,
    in a single edit: ids, names, statuses, globs, constraints, criteria and creation dates. The
    intents that were skipped and the keys that were not imported are listed.

    Return 2 if intents of a plan are to be written and nobody can be asked, else 0 or None. Raise
    WrongUsageError if an agent runs the command without --dry-run.
    """
    options = call.options
    if not options.dry_run:
        person_needed("`intent-lsp intents import`")
    # As with git, paths are relative to -C.
    given = None if options.file is None else Path(options.root) / options.file
    kind = None if options.kind is None else PlanKind(options.kind)
    if (
        given is not None
        and not given.is_dir()
        and PlanKind.INTENTS is (kind or kind_of_file(given.name))
    ):
        _import_file(call, given)
        return None
    with Governance(call.root()) as governance:
        governing(governance)
        known = specifications(governance)
        return import_plans(call, governance, _sources(governance.root, given, kind, known))


def _sources(
    root: Path, given: Path | None, kind: PlanKind | None, known: frozenset[str]
) -> Sequence[PlanSource]:
    """Return the plans to import: those at the path `given`, or all in the root if it is None.

    `kind` is the kind that --from names, or None. `known` has the specification ids of all intents;
    an archived change of OpenSpec is found only if its id is among them, or if `given` is the
    change or the archive. Raise WrongUsageError if there is no plan, or if `given` is missing or
    does not suit `kind`.
    """
    if given is None and kind is not None and kind not in OF_DIRECTORIES:
        raise WrongUsageError(f"--from {kind.value} needs a file", cure="give it as FILE")
    place = root if given is None else given.absolute()
    if given is not None and not place.exists():
        raise WrongUsageError(f"{given} is not there", cure="give a file or a directory")
    if kind is not None and kind not in OF_DIRECTORIES and not place.is_file():
        raise WrongUsageError(
            f"{given} is not a file", cure=f"give the file; --from {kind.value} reads one"
        )
    base, path = _below(root, place)
    found = _file(base, path, kind) if place.is_file() else sources_below(base, path, known, kind)
    if not found:
        where = "in the root" if given is None else f"in {given}"
        what = _PLACES if kind is None else f"plans of {kind.value}"
        raise WrongUsageError(f"no plan is {where}; looked for {what}", cure=_CURE)
    return found


def _below(root: Path, place: Path) -> tuple[Path, str]:
    """Return the directory whose files may be read, and the path of `place` relative to it.

    The directory is the root, or, if `place` is outside of the root, the parent of `place`.
    """
    resolved, top = place.resolve(), root.resolve()
    if resolved == top:
        return root, ""
    inside = relative_to(str(resolved), str(top))
    return (resolved.parent, resolved.name) if inside is None else (root, inside)


def _file(base: Path, path: str, kind: PlanKind | None) -> Sequence[PlanSource]:
    """Return the plan of the file `path`: the file alone, or the directory to which it belongs.

    Return () if `kind` is a kind of directories, and the file's directory is no plan of that kind.
    """
    if kind is None:
        held = directory_of(base, path)
        kind, path = held or (kind_of_file(path), path)
    elif kind in OF_DIRECTORIES:
        path = path.rpartition("/")[0]
        found = sources_below(base, path, (), kind)
        # The directory may hold plans beside the file, and these are not meant.
        return tuple(source for source in found if source.paths == (path,))
    return (PlanSource(kind, base, (path,)),)


class _TakenOver(Struct, frozen=True):
    """The imported intents, and by the id of each other intent why it was skipped.

    In a dry run, `added` are the intents that would be imported.
    """

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


def _import_file(call: Call, given: Path) -> None:
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
