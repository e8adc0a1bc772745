"""Where plans of other tools are: found below a root, or recognised by the path that is given.

Specified in requirements section 3.10.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import counted
from intent_lsp.formats.plans import kiro, openspec, spec_kit
from intent_lsp.formats.plans.openspec import change_of, read_change
from intent_lsp.formats.plans.proposed_intent import (
    OF_DIRECTORIES,
    PlanKind,
    PlanProblem,
    ProposedIntent,
    ReadPlan,
)
from intent_lsp.formats.plans.spec_kit import read_feature
from intent_lsp.formats.plans.task_list import read_task_list
from intent_lsp.formats.plans.tracker_table import read_tracker_table
from intent_lsp.governance.imports.plan_documents import MAX_TABLE, PlanDocuments

MAX_DIRECTORIES: Final = 1_000
"""The most paths of one source that are read."""

MAX_REQUIREMENT_FILES: Final = 200
"""The most files of requirements of one change that are read."""

_NUMBERED: Final = re.compile(r"(?:\d{8}-\d{6}|\d{3,})-.")
_ARCHIVE: Final = "archive"
_OTHER_TOOLS: Final = frozenset((".kiro", "openspec"))

ReadDirectory = Callable[[str, Mapping[str, str]], ReadPlan]


class _Layout(Struct, frozen=True, kw_only=True):
    """Where the directories of a kind are, and which documents they have.

    `places` are where they may be below a directory that is given. If neither a directory nor the
    kind is given, only the first place of the root is searched. A directory in `home`, or in the
    archive there, needs one of `documents`; elsewhere it needs one of `signs`.
    """

    places: tuple[str, ...]
    home: str
    documents: tuple[str, ...]
    signs: tuple[str, ...]
    read: ReadDirectory


_LAYOUTS: Final = {
    PlanKind.SPEC_KIT: _Layout(
        places=("specs", ""),
        home="specs",
        documents=spec_kit.DOCUMENTS,
        signs=(spec_kit.SPEC,),
        read=read_feature,
    ),
    PlanKind.OPENSPEC: _Layout(
        places=("openspec/changes", "changes", ""),
        home="changes",
        documents=openspec.DOCUMENTS,
        signs=(openspec.PROPOSAL,),
        read=read_change,
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

    Return None if there is no such plan; `base` itself is none.
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
        are = "is" if left == 1 else "are"
        problems.append(
            PlanProblem(
                document=source.paths[MAX_DIRECTORIES],
                line=0,
                problem=f"{counted(left, 'plan')} from here on {are} left out",
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

    The place is the first one searched, as `_Layout` says, that has any; () if none has. `asked`:
    the kind was named.
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
            found += [each for each in archived if change_of(each) in known]
        if found:
            return tuple(found)
    return ()


def _held(kind: PlanKind, documents: PlanDocuments, holder: str, *, asked: bool) -> Iterator[str]:
    for name in documents.names(holder).directories:
        path = f"{holder}/{name}".lstrip("/")
        if _is_one(kind, documents, path, asked=asked):
            yield path


def _is_one(kind: PlanKind, documents: PlanDocuments, path: str, *, asked: bool) -> bool:
    """Return whether a directory is a plan of a kind. `asked`: the kind was named for it."""
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
