"""Where plans of other tools are, and their documents: found below a root, recognised, and read.

Specified in requirements section 3.10.

Invariant: no file outside of a source's directory is read. A link that leads there is a problem.
Invariant: a file that cannot be read is a problem, never an error.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import decode
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.text import counted
from intent_lsp.formats.plans import kiro, openspec, spec_kit
from intent_lsp.formats.plans.proposed_intent import (
    OF_DIRECTORIES,
    PlanKind,
    PlanProblem,
    ProposedIntent,
    ReadPlan,
)
from intent_lsp.formats.plans.task_list import read_task_list
from intent_lsp.formats.plans.tracker_table import read_tracker_table
from intent_lsp.store.fs.files import TooLargeError, read_bytes
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.fs.tree_walk import DirectoryNames, is_linked, names_in

MAX_DOCUMENT: Final = 1024 * 1024
"""The most bytes of a document in Markdown."""

MAX_TABLE: Final = 16 * 1024 * 1024
"""The most bytes of a tracker's table."""

MAX_DIRECTORIES: Final = 1_000
"""The most paths of one source that are read."""

MAX_REQUIREMENT_FILES: Final = 200
"""The most files of requirements of one change that are read."""

_DEEPEST: Final = 6
_NUMBERED: Final = re.compile(r"(?:\d{8}-\d{6}|\d{3,})-.")
_ARCHIVE: Final = "archive"
_OTHER_TOOLS: Final = frozenset((".kiro", "openspec"))


class _Layout(Struct, frozen=True, kw_only=True):
    """Where the plan directories of one kind are, and by which documents each is recognised.

    `places` are the directories below the searched one that may hold them. If the root is searched
    and no kind is given, only the first place is. `home` is the usual place, such as `specs`. A
    directory in `home` or `home/archive` is a plan if it has one of `documents`, any other if it
    has one of `signs`.
    """

    places: tuple[str, ...]
    home: str
    documents: tuple[str, ...]
    signs: tuple[str, ...]
    read: Callable[[str, Mapping[str, str]], ReadPlan]


_LAYOUTS: Final = {
    PlanKind.SPEC_KIT: _Layout(
        places=("specs", ""),
        home="specs",
        documents=spec_kit.DOCUMENTS,
        signs=(spec_kit.SPEC,),
        read=spec_kit.read_feature,
    ),
    PlanKind.OPENSPEC: _Layout(
        places=("openspec/changes", "changes", ""),
        home="changes",
        documents=openspec.DOCUMENTS,
        signs=(openspec.PROPOSAL,),
        read=openspec.read_change,
    ),
    PlanKind.KIRO: _Layout(
        places=(".kiro/specs", "specs", ""),
        home=".kiro/specs",
        documents=kiro.DOCUMENTS,
        signs=(kiro.REQUIREMENTS, kiro.BUGFIX),
        read=kiro.read_spec,
    ),
}
_ENDINGS: Final = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), PlanKind.TASK_LIST),
    **dict.fromkeys((".csv", ".tsv", ".tab"), PlanKind.TABLE),
}


class PlanDocuments:
    """Reads documents below the directory `base`. Paths are relative to it, "" for itself."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.problems: list[PlanProblem] = []

    def text(self, path: str, at_most: int = MAX_DOCUMENT) -> str | None:
        """Return the text of a file, or None if it has none that can be read.

        What is wrong with the file is added to `problems`: it has more than `at_most` bytes, cannot
        be read, is not UTF-8 text, or is a link that leads nowhere or out of `base`. Nothing is
        added if there is no file, or if `path` itself names a place outside `base`.
        """
        parsed = parse_relative(path)
        place = None if parsed is None else resolve_below(self.base, parsed)
        if place is None:
            return None
        file = self.base / place.path
        try:
            data = None if place.real is None else read_bytes(file, at_most)
        except TooLargeError:
            size = f"it has more than {at_most >> 20} MiB"
            self._unread(path, size, "split it, or leave parts out")
            return None
        except OSError as error:
            self._unread(path, error.strerror or str(error), "make it readable")
            return None
        text = None if data is None else decode(data)
        if data is not None and text is None:
            self._unread(path, "it is not UTF-8 text", "save it as UTF-8")
        elif data is None and holds_file(file):
            out = "it is a link that leads nowhere, or out of the directory that is imported"
            self._unread(path, out, "put the file itself there")
        return None if text is None else text.text

    def names(self, directory: str) -> DirectoryNames:
        """Return the names in a directory, sorted and without links.

        There are none if the directory is missing, cannot be listed, or is or leads through a link.
        """
        found = names_in(self.base, directory)
        return DirectoryNames(sorted(found.directories), sorted(found.files))

    def has_any(self, directory: str, names: Iterable[str]) -> bool:
        """Return whether a directory has a file or a link with one of these names.

        A directory that is or leads through a link has none.
        """
        if is_linked(self.base, directory):
            return False
        return any(holds_file(self.base / directory / name) for name in names)

    def files_named(self, directory: str, name: str, *, at_most: int) -> list[str]:
        """Return the paths of the files `name` in a directory and below it, sorted.

        `directory` is not "". They are at most `at_most`. What is more than five levels below is
        not searched, and of each level only the first 2 * `at_most` directories are.
        """
        found: list[str] = []
        level = [directory]
        for _ in range(_DEEPEST):
            below: list[str] = []
            for each in level:
                names = self.names(each)
                found += [f"{each}/{name}"] * (name in names.files)
                below += [f"{each}/{inner}" for inner in names.directories]
            level = below[: at_most * 2]
        return sorted(found)[:at_most]

    def _unread(self, path: str, problem: str, cure: str) -> None:
        self.problems.append(PlanProblem(document=path, line=0, problem=problem, cure=cure))


class PlanSource(Struct, frozen=True):
    """What is imported: files or directories of one kind, by their paths relative to `base`."""

    kind: PlanKind
    base: Path
    paths: tuple[str, ...]


def kind_of_file(path: str) -> PlanKind:
    """Return the kind of plan that a file is by its name: a table, a task list, else intents."""
    return _ENDINGS.get(PurePosixPath(path).suffix.lower(), PlanKind.INTENTS)


def directory_of(base: Path, path: str) -> tuple[PlanKind, str] | None:
    """Return the kind and the directory of the plan that has a document at `path`.

    Return None if there is no such plan. A document in `base` itself is part of no plan.
    """
    parent, _, name = path.rpartition("/")
    if not parent:
        return None
    documents = PlanDocuments(base)
    for kind in OF_DIRECTORIES:
        if name in _LAYOUTS[kind].documents and _is_one(kind, documents, parent, asked=False):
            return kind, parent
    return None


def sources_below(
    base: Path, path: str, known: Collection[str], kind: PlanKind | None = None
) -> tuple[PlanSource, ...]:
    """Return the plans in the directory `path` below `base`, of `kind` or each of OF_DIRECTORIES.

    The directory may be `base` itself (""), one that holds such plans, or one plan. `known` are the
    specifications of the intents that there are: an archived change is found only if it is known,
    or if the directory of archived changes or of the change itself is given.
    """
    kinds = OF_DIRECTORIES if kind is None else (kind,)
    documents = PlanDocuments(base)
    found = (
        PlanSource(each, base, _directories(each, documents, path, known, asked=kind is not None))
        for each in kinds
    )
    return tuple(source for source in found if source.paths)


def read_source(source: PlanSource) -> ReadPlan:
    """Return the intents that a source proposes, and what could not be read of it.

    Of more than MAX_DIRECTORIES paths, the first so many are read; the others are a problem.
    """
    documents = PlanDocuments(source.base)
    proposed: list[ProposedIntent] = []
    problems: list[PlanProblem] = []
    for path in source.paths[:MAX_DIRECTORIES]:
        read = _read(source.kind, documents, path)
        proposed += read.proposed
        problems += read.problems
    left = len(source.paths) - MAX_DIRECTORIES
    if left > 0:
        problems.append(
            PlanProblem(
                document=source.paths[MAX_DIRECTORIES],
                line=0,
                problem=f"{counted(left, 'plan')} left out, beginning with this one",
                cure=f"import each by its own path: at most {MAX_DIRECTORIES:,} are read at once",
            )
        )
    return ReadPlan(tuple(proposed), (*documents.problems, *problems))


def _read(kind: PlanKind, documents: PlanDocuments, path: str) -> ReadPlan:
    if kind is PlanKind.TABLE:
        text = documents.text(path, MAX_TABLE)
        return ReadPlan() if text is None else read_tracker_table(path, text)
    if kind is PlanKind.TASK_LIST:
        text = documents.text(path)
        return ReadPlan() if text is None else read_task_list(path, text)
    layout = _LAYOUTS[kind]
    names = list(layout.documents)
    if kind is PlanKind.OPENSPEC:
        below = f"{path}/{openspec.SPECS}"
        found = documents.files_named(below, spec_kit.SPEC, at_most=MAX_REQUIREMENT_FILES)
        names += [each.removeprefix(f"{path}/") for each in found]
    texts = {name: documents.text(f"{path}/{name}") for name in names}
    return layout.read(path, {name: text for name, text in texts.items() if text is not None})


def _directories(
    kind: PlanKind, documents: PlanDocuments, path: str, known: Collection[str], *, asked: bool
) -> tuple[str, ...]:
    """Return the directory `path` if it is a plan of a kind, else the plans in a place below it.

    The place is the first one searched, as `_Layout` says, that has any; () if none has. Archived
    changes are left out, unless they are `known` or `path` names them. `asked`: see `_is_one`.
    """
    if path and _is_one(kind, documents, path, asked=asked):
        return (path,)
    places = _LAYOUTS[kind].places
    # Any directory of a root may hold a `requirements.md` that is no plan of this tool.
    for place in places if path or asked else places[:1]:
        holder = "/".join(filter(None, (path, place)))
        found = list(_held(kind, documents, holder, asked=asked))
        if kind is PlanKind.OPENSPEC and holder.rpartition("/")[2] != _ARCHIVE:
            archived = _held(kind, documents, f"{holder}/{_ARCHIVE}".lstrip("/"), asked=asked)
            found += [each for each in archived if openspec.change_of(each) in known]
        if found:
            return tuple(found)
    return ()


def _held(kind: PlanKind, documents: PlanDocuments, holder: str, *, asked: bool) -> Iterator[str]:
    for name in documents.names(holder).directories:
        path = f"{holder}/{name}".lstrip("/")
        if _is_one(kind, documents, path, asked=asked):
            yield path


def _is_one(kind: PlanKind, documents: PlanDocuments, path: str, *, asked: bool) -> bool:
    """Return whether a directory is a plan of a kind. `asked`: a person has named the kind."""
    layout = _LAYOUTS[kind]
    parent, _, name = path.rpartition("/")
    if name == _ARCHIVE:
        return False
    # Other tools have directories `specs` with a `spec.md` or `tasks.md` below, too.
    others = not _NUMBERED.match(name) or not _OTHER_TOOLS.isdisjoint(parent.split("/"))
    if kind is PlanKind.SPEC_KIT and not asked and others:
        return False
    held = f"/{parent}".endswith((f"/{layout.home}", f"/{layout.home}/{_ARCHIVE}"))
    return documents.has_any(path, layout.documents if held else layout.signs)
