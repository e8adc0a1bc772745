"""A governed work tree that is edited at random from all sources, and blame's answers about it.

Invariant: for every line of every file the right answers are known, whatever edited it.
"""

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from intent_lsp.core.blame.attribution import Confidence
from intent_lsp.core.content import hash_if_there
from intent_lsp.core.file_operations import FileOperation
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.governance.ledger.blame import ALL_LINES
from intent_lsp.governance.ledger.intent_lines import (
    Explained,
    WorkedFiles,
    explained,
    worked_files,
)
from intent_lsp.store.ledger.index.queries import Query
from tests.governance.editor import Editor
from tests.governance.test_file_operations import ends, operate
from tests.governance.work import Work
from tests.support import attributed_lines
from tests.support.attributed_lines import Edit, Line, Owner, Text, Writer, joined
from tests.support.repository import Repository, create

INTENT: Final = "INT-001"
INTENTS: Final = f"""\
active_intents:
  - {{id: {INTENT}, status: IN_PROGRESS, owned_scope: ["src/**"]}}
"""
LINES: Final = 80
AGENT: Final = "builder"
_HEAD: Final = re.compile(rb"^[0-9a-f]{40} \d+ \d+")


class EditSource(StrEnum):
    """Who makes an edit, and so how the server learns of it; of `NOBODY`'s it learns nothing."""

    PERSON = "a person's saves"
    AGENT = "an agent's calls"
    COMMAND = "shell commands"
    PROGRAM = "unannounced programs"
    NOBODY = "no server"


ANNOUNCED: Final = (EditSource.PERSON, EditSource.AGENT, EditSource.COMMAND)
WRITES: Final[tuple[Edit, ...]] = (
    attributed_lines.insert,
    attributed_lines.insert,
    attributed_lines.replace,
    attributed_lines.delete,
)
MOVES: Final[tuple[Edit, ...]] = (
    attributed_lines.move,
    attributed_lines.move,
    attributed_lines.duplicate,
)
FORMATS: Final[tuple[Edit, ...]] = (
    attributed_lines.reindent,
    attributed_lines.format_text,
    attributed_lines.rename_name,
)


class Verdict(StrEnum):
    """Whether an answer about a line is right; a twin is right for another, equal line."""

    RIGHT = "right"
    TWIN = "twin"
    MISSING = "missing"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Answer:
    """What blame said of one line, how confidently, and whether it is right.

    `strict`: only one answer is right; for a line that was moved or restored two are.
    """

    confidence: Confidence
    verdict: Verdict
    strict: bool
    path: str
    number: int
    said: Owner


@dataclass
class EditedTree:
    """A tree of a few files in a repository, edited through a governance of its own."""

    repository: Repository
    chance: random.Random
    files: dict[str, Text] = field(default_factory=dict)
    past: dict[str, list[Text]] = field(default_factory=dict)
    steps: int = 0
    log: list[str] = field(default_factory=list)
    _of_record: dict[str, int] = field(default_factory=dict)
    _stream: list[bytes] = field(default_factory=list)
    _names: int = 0

    @classmethod
    def made(cls, root: Path, seed: int, texts: Sequence[Text] = ()) -> "EditedTree":
        """Make a tree of two files, with these texts or random ones, and open an editor in it."""
        chance = random.Random(seed)  # noqa: S311 - nobody is kept out by these numbers
        tree = cls(create(root), chance)
        tree.repository.write(".orchestration/active_intents.yaml", INTENTS)
        tree.repository.write(".orchestration/.gitignore", ".local/\n*.md\n")
        tree.repository.write(".gitignore", "/.orchestration/agent_trace.jsonl\n")
        for number, text in enumerate(
            texts or [attributed_lines.base(chance, LINES) for _ in "ab"]
        ):
            tree.files[f"src/f{number}.py"] = text
        for path, text in tree.files.items():
            tree.repository.write(path, joined(text))
        tree.repository.commit()
        tree._commit_twin()
        tree.open()
        return tree

    def open(self) -> None:
        """Open the governance as a server start does; its agent selects the intent again."""
        self.editor = Editor.open(self.repository.root)
        self.editor.select(INTENT)
        self.work = Work(self.editor, self.repository)
        self.work.agent(AGENT, INTENT)

    def close(self) -> None:
        self.editor.close()

    # -- steps ---------------------------------------------------------------------------------

    def edit(self, edit: Edit, source: EditSource) -> None:
        """Edit one file."""
        path = self._any_file()
        writer = self._writer(source)
        self._step(source, edit.__name__, {path: edit(writer, self.files[path])})

    def move_between(self, source: EditSource) -> None:
        """Move a block, or a whole file, into another file, which may be new."""
        path, writer = self._any_file(), self._writer(source)
        text = self.files[path]
        others = [other for other in sorted(self.files) if other != path]
        kind = writer.chance.choice(["block", "block", "split", "join"])
        first, last = (0, len(text)) if kind == "join" else writer.block(text, 30)
        block = writer.share(text[first:last])
        if kind == "split" or not others:
            if last - first == len(text) or first == last:
                return
            self._step(source, "split", {self._new_name(): block, path: text[:first] + text[last:]})
            return
        other = writer.chance.choice(others)
        into = self.files[other]
        at = writer.chance.randrange(len(into) + 1)
        left = None if kind == "join" else text[:first] + text[last:]
        joined = into[:at] + block + into[at:]
        if left is None and len(self.files) < 3:
            return
        self._step(source, kind, {other: joined, path: left})

    def rename(self, source: EditSource) -> None:
        """Return a file another name."""
        path, new = self._any_file(), self._new_name()
        text = self.files.pop(path)
        self.past[new] = self.past.pop(path, [])
        self.files[new] = text
        self._begin(source, f"rename {path} {new}")
        old_place, new_place = self.repository.root / path, self.repository.root / new
        if source is EditSource.PERSON:
            operate(self.editor, FileOperation.RENAME, ends(path, new))
        else:
            self._done(source, lambda: old_place.rename(new_place))
        self._end()

    def undo(self, source: EditSource) -> None:
        """Restore a text that a file had before."""
        path, writer = self._any_file(), self._writer(source)
        past = self.past.get(path)
        if past:
            then = writer.chance.choice(past[-3:])
            self._step(
                source, "undo", {path: attributed_lines.restored(writer, self.files[path], then)}
            )

    def recreate(self, source: EditSource) -> None:
        """Delete a file, and make it again, with an edit or without."""
        path, writer = self._any_file(), self._writer(source)
        text = self.files[path]
        self._step(source, "delete", {path: None})
        again = self._writer(source)
        new = again.share(text) if again.who is not None else text
        if writer.chance.random() < 0.5:
            new = attributed_lines.insert(again, new)
        self._step(source, "recreate", {path: new})

    def git(self) -> None:
        """Use git in a way that leaves the files as they are in the end."""
        kind = self.chance.choice(["commit", "commit", "branch", "stash", "discard"])
        self._begin(None, f"git {kind}")
        repository = self.repository
        if kind == "commit":
            repository.commit()
        elif kind == "branch":
            repository.commit()
            repository.git("checkout", "-q", "-b", f"b{self.steps}", "HEAD~1")
            self.work.noticed()
            repository.git("checkout", "-q", "main")
        elif kind == "stash":
            if repository.git("status", "--porcelain", "-uno"):
                repository.git("stash", "-q")
                self.work.noticed()
                repository.git("stash", "pop", "-q")
        else:
            repository.commit()
            path = self._any_file()
            repository.write(path, "lost\n" + joined(self.files[path]))
            self.work.noticed()
            repository.git("checkout", "-q", "--", path)
        self.work.noticed()
        self._end()

    def pull(self) -> None:
        """Merge what a colleague has committed, which nobody here recorded."""
        self.repository.commit()
        path = self._any_file()
        writer = Writer(self.chance, None)
        text = attributed_lines.insert(writer, self.files[path])
        self._begin(None, f"pull {path}")
        theirs = self.repository.root.parent / f"{self.repository.root.name}-colleague"
        root = str(self.repository.root)
        subprocess.run(["git", "clone", "-q", root, str(theirs)], check=True, capture_output=True)
        colleague = Repository(theirs)
        colleague.write(path, joined(text))
        colleague.commit()
        self.repository.git("pull", "-q", "--no-rebase", str(theirs), "main")
        subprocess.run(["rm", "-rf", str(theirs)], check=True)
        self._keep(path, text)
        self.work.noticed()
        self._end()

    def branches(self) -> None:
        """Edit on two branches, and merge them where git can."""
        repository, path = self.repository, self._any_file()
        repository.commit()
        before, past = dict(self.files), {name: [*texts] for name, texts in self.past.items()}
        repository.git("checkout", "-q", "-b", f"side{self.steps}")
        for _ in range(self.chance.randint(1, 3)):
            self._edit_of(path)
        repository.commit()
        side, theirs = repository.git("rev-parse", "HEAD").strip(), self.files[path]
        repository.git("checkout", "-q", "main")
        self.files, self.past = before, past
        self.work.noticed()
        for _ in range(self.chance.randint(1, 2)):
            self._edit_of(path)
        repository.commit()
        ours = self.files[path]
        self._begin(None, f"merge {path}")
        try:
            repository.git("merge", "-q", "--no-edit", side)
        except AssertionError:
            repository.git("merge", "--abort")
        else:
            new = (repository.root / path).read_bytes().decode()
            self._keep(path, attributed_lines.merged(ours, theirs, new))
        self.work.noticed()
        self._end()

    def copy(self, source: EditSource) -> None:
        """Copy a file: its lines are the copy's, or still their writers'."""
        path, writer = self._any_file(), self._writer(source)
        copied = writer.share(self.files[path])
        if writer.who is None:
            # Nobody saw where they came from.
            copied = [Line(line.text, line.owners | {None}) for line in copied]
        self._step(source, f"copy {path}", {self._new_name(): copied})

    def _edit_of(self, path: str) -> None:
        """Edit one file from any source whose change is recorded."""
        source = self.chance.choice([*ANNOUNCED, EditSource.PROGRAM])
        edit = self.chance.choice(WRITES)
        self._step(source, edit.__name__, {path: edit(self._writer(source), self.files[path])})

    def forget(self) -> None:
        """Go on as a fresh clone does: with what commits and the ledger hold, and nothing else."""
        self.close()
        self.repository.commit()
        shutil.rmtree(self.repository.root / LOCAL_ROOM)
        self.open()

    # -- answers --------------------------------------------------------------------------------

    def answers(self) -> Iterator[Answer]:
        """Yield blame's answer for each line that has a letter or digit."""
        twins = self._twins()
        for path, text in sorted(self.files.items()):
            blamed = self.editor.governance.blaming.blame(WorkspacePath(path))
            assert blamed is not None
            runs = blamed.runs(*ALL_LINES)
            told = [run for run in runs for _ in range(run.count)]
            assert len(told) == len(text), (path, self.log)
            for number, (line, run) in enumerate(zip(text, told, strict=True), 1):
                said = None if run.record is None else self._of_record[run.record.id]
                if any(map(str.isalnum, line.text)):
                    verdict = _verdict(line, said, twins)
                    strict = len(line.owners) == 1
                    yield Answer(run.confidence, verdict, strict, path, number, said)

    def lines_of_intent(self) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
        """Return the lines of the intent by blame of each file, and those by `intent/lines`."""
        governance = self.editor.governance
        index, rules = governance.stores.ledger.index, governance.rules.current()
        asked = worked_files(self.repository.root, index, rules, INTENT)
        assert isinstance(asked, WorkedFiles)
        told = [explained(governance.blaming, path, asked.names) for path in asked.paths]
        found = [
            explained(governance.blaming, WorkspacePath(path), [INTENT]) for path in self.files
        ]
        return _lines(found), _lines(told)

    def git_answers(self, place: Path) -> Counter[Verdict]:
        """Ask `git blame`, of a repository with a commit for each edit, recorded or not."""
        repository = create(place)
        _fast_import(place, b"".join(self._stream))
        repository.git("reset", "-q", "--hard", "refs/heads/edits")
        twins, found = self._twins(), Counter[Verdict]()
        for path, text in self.files.items():
            for line, said in zip(text, _git_blame(place, path), strict=True):
                if any(map(str.isalnum, line.text)):
                    known = said if said in self._recorded else None
                    found[_verdict(line, known, twins)] += 1
        return found

    @property
    def _recorded(self) -> frozenset[int]:
        return frozenset(self._of_record.values())

    def _twins(self) -> Mapping[str, set[Owner]]:
        twins: dict[str, set[Owner]] = {}
        for text in self.files.values():
            for line in text:
                twins.setdefault(line.text.strip(), set()).update(line.owners)
        return twins

    # -- implementation --------------------------------------------------------------------------

    def _any_file(self) -> str:
        return self.chance.choice(sorted(self.files))

    def _new_name(self) -> str:
        self._names += 1
        return f"src/n{self._names}.py"

    def _writer(self, source: EditSource) -> Writer:
        return Writer(self.chance, None if source is EditSource.NOBODY else self.steps + 1)

    def _step(self, source: EditSource, name: str, changes: Mapping[str, Text | None]) -> None:
        """Change some files (None deletes one): by saves one after the other, otherwise at once."""
        self._begin(source, f"{name} {' '.join(changes)}")
        if source is EditSource.PERSON:
            for path, text in changes.items():
                self._save(path, text)
        elif source is EditSource.AGENT and None not in changes.values():
            for path, text in changes.items():
                self._call(path, joined(text or []))
        else:
            self._done(source, lambda: self._write(changes))
        for path, text in changes.items():
            self._keep(path, text)
        self._end()

    def _keep(self, path: str, text: Text | None) -> None:
        if path in self.files:
            self.past.setdefault(path, []).append(self.files[path])
        self.files.pop(path, None)
        if text is not None:
            self.files[path] = text

    def _save(self, path: str, text: Text | None) -> None:
        if text is None:
            operate(self.editor, FileOperation.DELETE, ends(path, None))
        else:
            self.editor.show(path)
            self.editor.save(path, joined(text))

    def _call(self, path: str, text: str) -> None:
        held = self.editor.disk(path)
        self.work.governance.calls.read(AGENT, "", WorkspacePath(path), hash_if_there(held))
        ticket = self.work.begins(AGENT, path, text)
        self.repository.write(path, text)
        self.work.ends(ticket)

    def _done(self, source: EditSource, do: Callable[[], object]) -> None:
        if source in (EditSource.COMMAND, EditSource.AGENT):
            ticket = self.work.begins(AGENT)
            do()
            self.work.ends(ticket)
        elif source is EditSource.NOBODY:
            self.close()
            do()
            self.open()
        else:
            do()
            self.work.noticed()

    def _write(self, changes: Mapping[str, Text | None]) -> None:
        for path, text in changes.items():
            if text is None:
                (self.repository.root / path).unlink()
            else:
                self.repository.write(path, joined(text))

    def _begin(self, source: EditSource | None, name: str) -> None:
        self.steps += 1
        self.log.append(f"{self.steps}: {name}" + (f" by {source.value}" if source else ""))

    def _end(self) -> None:
        """Note which records this step made, and commit it to the repository for `git blame`."""
        page = self.editor.governance.stores.ledger.index.query(Query(), limit=40)
        for record in page.records:
            self._of_record.setdefault(record.id, self.steps)
        self._commit_twin()

    def _commit_twin(self) -> None:
        head = f"commit refs/heads/edits\ncommitter A <a@b> {self.steps} +0000\ndata 0\ndeleteall\n"
        files = b"".join(
            f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
            for path, data in ((path, joined(text).encode()) for path, text in self.files.items())
        )
        self._stream.append(head.encode() + files)


def _lines(files: Sequence[Explained | None]) -> set[tuple[str, int]]:
    return {
        (file.path, line)
        for file in files
        if file is not None
        for run in file.runs
        for line in range(run.start_line, run.end_line + 1)
    }


def _verdict(line: Line, said: Owner, twins: Mapping[str, set[Owner]]) -> Verdict:
    if said in line.owners:
        return Verdict.RIGHT
    if said is None:
        return Verdict.MISSING
    return Verdict.TWIN if said in twins[line.text.strip()] else Verdict.WRONG


def _fast_import(place: Path, stream: bytes) -> None:
    words = ["git", "fast-import", "--quiet"]
    subprocess.run(words, cwd=place, input=stream, check=True, capture_output=True)


def _git_blame(place: Path, path: str) -> list[int]:
    """Return the step of each line's commit, which is its commit time."""
    words = ["git", "blame", "--line-porcelain", "--", path]
    printed = subprocess.run(words, cwd=place, check=True, capture_output=True).stdout
    return [
        int(line.split()[1]) for line in printed.split(b"\n") if line.startswith(b"committer-time ")
    ]


# -- kinds of scripts ----------------------------------------------------------------------------

Step = Callable[[EditedTree], None]


def _edits(edits: Sequence[Edit], *sources: EditSource) -> Step:
    return lambda tree: tree.edit(tree.chance.choice(edits), tree.chance.choice(sources))


def _by(step: Callable[[EditedTree, EditSource], None], *sources: EditSource) -> Step:
    return lambda tree: step(tree, tree.chance.choice(sources))


_SAVES: Final = _edits(WRITES, EditSource.PERSON)
_ALL: Final = (*ANNOUNCED, EditSource.PROGRAM)

_STEPS: Final[Mapping[str, Sequence[Step]]] = {
    "saves": [_edits(WRITES, EditSource.PERSON)],
    "agents": [_edits(WRITES, EditSource.AGENT, EditSource.AGENT, EditSource.PERSON)],
    "commands": [_edits(WRITES, EditSource.COMMAND, EditSource.COMMAND, EditSource.PERSON)],
    "programs": [_edits(WRITES, EditSource.PROGRAM, EditSource.PERSON)],
    "git": [_edits(WRITES, *_ALL), EditedTree.git, EditedTree.pull],
    "branches": [_edits(WRITES, *_ALL), EditedTree.branches],
    "copies": [_edits(WRITES, *_ALL), _by(EditedTree.copy, *_ALL)],
    "copies, no server": [_SAVES, _SAVES, _by(EditedTree.copy, EditSource.NOBODY)],
    "no server": [_SAVES, _edits(WRITES, EditSource.AGENT), _edits(WRITES, EditSource.NOBODY)],
    "moves": [_SAVES, _edits(MOVES, *_ALL), _by(EditedTree.move_between, *_ALL)],
    "moves, no server": [
        *(_SAVES, _SAVES, _edits(MOVES, EditSource.NOBODY)),
        _by(EditedTree.move_between, EditSource.NOBODY),
    ],
    "formats": [_SAVES, _edits(FORMATS, *_ALL)],
    "formats, no server": [_SAVES, _SAVES, _edits(FORMATS, EditSource.NOBODY)],
    "renames": [_SAVES, _edits(WRITES, EditSource.AGENT), _by(EditedTree.rename, *_ALL)],
    "renames, no server": [_SAVES, _SAVES, _by(EditedTree.rename, EditSource.NOBODY)],
    "undo": [_edits(WRITES, *_ALL), _by(EditedTree.undo, *_ALL)],
    "undo, no server": [_SAVES, _SAVES, _by(EditedTree.undo, EditSource.NOBODY)],
    "made anew": [_edits(WRITES, *_ALL), _by(EditedTree.recreate, *_ALL)],
    "everything": [
        *(_edits((*WRITES, *MOVES, *FORMATS), *_ALL),) * 4,
        _edits((*WRITES, *MOVES, *FORMATS), EditSource.NOBODY),
        _by(EditedTree.move_between, *_ALL, EditSource.NOBODY),
        _by(EditedTree.rename, *_ALL, EditSource.NOBODY),
        _by(EditedTree.undo, *_ALL),
        _by(EditedTree.recreate, *_ALL),
        _by(EditedTree.copy, *_ALL, EditSource.NOBODY),
        EditedTree.git,
        EditedTree.pull,
        EditedTree.branches,
    ],
}
"""The kinds of scripts: each step of a script is drawn from its list."""

_CLONED: Final = "a clone: "

KINDS: Final = (*_STEPS, *(f"{_CLONED}{kind}" for kind in ("saves", "git", "branches", "undo")))


def run_script(root: Path, kind: str, seed: int, steps: int) -> EditedTree:
    """Run a random script of a kind; the caller closes the tree."""
    tree = EditedTree.made(root, seed)
    for _ in range(steps):
        tree.chance.choice(_STEPS[kind.removeprefix(_CLONED)])(tree)
    if kind.startswith(_CLONED):
        tree.forget()
    return tree
