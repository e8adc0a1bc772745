"""Which plans `intents import` reads: those that its options name, or all that the root has."""

from collections.abc import Sequence
from pathlib import Path

from intent_lsp.core.paths import relative_to
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.formats.plans.plan_kind import OF_DIRECTORIES, PlanKind
from intent_lsp.governance.imports.plan_sources import (
    PlanSource,
    directory_of,
    kind_of_file,
    sources_below,
)

_PLACES = "specs/NNN-*/, openspec/changes/*/ and .kiro/specs/*/"
_CURE = "give a file or a directory; `intent-lsp intents import --help` says which"


def sources(
    root: Path, given: Path | None, kind: PlanKind | None, known: frozenset[str]
) -> Sequence[PlanSource]:
    """Return the plans to import: those at the path `given`, or all in the root if it is None.

    `kind` is the kind that --from names, or None. `known` are the specifications of all intents;
    archived changes are found only if they are known. Raise WrongUsageError if there is no plan, or
    if `given` is missing or does not suit `kind`.
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

    It is the root, or the directory that holds `place` if that is outside of the root.
    """
    resolved, top = place.resolve(), root.resolve()
    if resolved == top:
        return root, ""
    inside = relative_to(str(resolved), str(top))
    return (resolved.parent, resolved.name) if inside is None else (root, inside)


def _file(base: Path, path: str, kind: PlanKind | None) -> Sequence[PlanSource]:
    """Return the plan of the file `path`: the file alone, or the directory to which it belongs.

    There is none if `kind` is one of directories, and the file's directory is no such plan.
    """
    if kind is None:
        held = directory_of(base, path)
        kind, path = held or (kind_of_file(path), path)
    elif kind in OF_DIRECTORIES:
        path = path.rpartition("/")[0]
        return sources_below(base, path, (), kind)
    return (PlanSource(kind, base, (path,)),)
