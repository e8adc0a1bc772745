"""Whatever is done to a committed ledger of several files is named, committed again or not.

Each kind is tried on generated ledgers of one to five files, with branches in them, by an auditor
who has a fresh clone: nothing but the files and git's history.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

import pygit2
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import examine, read, seal
from intent_lsp.governance.ledger.reader import prove
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM
from tests.support.ledgers import START, edit, new_id, ticking

BAD_LINE = {LedgerCode.BAD_JSON, LedgerCode.BAD_FORM, LedgerCode.BAD_RECORD, LedgerCode.BAD_HASH}
GONE = {LedgerCode.TRUNCATED, LedgerCode.MISSING_SEGMENT}
BROKEN = GONE | {LedgerCode.BROKEN_LINK}
WHO = pygit2.Signature("A. Person", "person@example.org", 1_800_000_000, 0)

ARCHIVES: Final = [f"{ARCHIVE_ROOM}/agent_trace-{number}.jsonl" for number in (1, 2)]
SEGMENTS: Final = [f"{SEGMENT_ROOM}/2026-11-2{number}-0123456789ab.jsonl" for number in (1, 2)]


def line_after(heads: Sequence[ContentHash], second: int, **told: object) -> bytes:
    """Give the line of a record that follows the last of some heads and ties the others."""
    end = ChainEnd(heads[-1] if heads else None, tuple(heads))
    moment = timestamp(START + timedelta(seconds=second))
    path = f"src/{second}.py"
    return seal(draft(edit(path, **told), id=new_id(), timestamp=moment, end=end))[1]


def hash_of(line: bytes) -> ContentHash:
    return examine(line).hash


@dataclass(slots=True)
class Files:
    """The lines of a ledger's files, by their names in reading order."""

    held: dict[str, list[bytes]]
    removed: list[str] = field(default_factory=list)
    draw: Callable[[st.SearchStrategy[int]], int] = field(default=lambda _: 0)

    @property
    def lines(self) -> list[tuple[str, int]]:
        return [(name, at) for name, lines in self.held.items() for at in range(len(lines))]

    def number(self, below: int) -> int:
        """Draw a number from 0 on."""
        assume(below > 0)
        return self.draw(st.integers(0, below - 1))

    def file(self, names: Sequence[str] | None = None) -> list[bytes]:
        """Draw a file, and give its lines to be changed."""
        names = list(self.held) if names is None else [name for name in names if name in self.held]
        return self.held[names[self.number(len(names))]]

    def change(self, *changes: tuple[bytes, bytes]) -> None:
        """Replace what some drawn line has."""
        lines = self.file()
        at = self.number(len(lines))
        before = lines[at]
        for old, new in changes:
            lines[at] = lines[at].replace(old, new, 1)
        assume(lines[at] != before)


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, list[bytes]]:
    """Draw a ledger of one to five files, of which the last record ties all ends."""
    archives, segments = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    names = [*ARCHIVES[:archives], LEDGER_FILE, *SEGMENTS[:segments]]
    files: dict[str, list[bytes]] = {}
    second = 0
    above: list[ContentHash] = []
    for name in names:
        lines: list[bytes] = []
        for _ in range(draw(st.integers(2, 4))):
            lines.append(line_after(above, second))
            above, second = [hash_of(lines[-1])], second + 1
        if name == LEDGER_FILE and draw(st.booleans()):
            # Two branches that git joined, and the record that ties them.
            fork = above
            ends = []
            for _ in range(2):
                lines.append(line_after(fork, second))
                ends.append(hash_of(lines[-1]))
                second += 1
            lines.append(line_after(ends, second))
            above, second = [hash_of(lines[-1])], second + 1
        files[name] = lines
    return files


Tampering = Callable[[Files], None]


def altered(*changes: tuple[bytes, bytes]) -> Tampering:
    return lambda files: files.change(*changes)


def inserted(text: bytes) -> Tampering:
    def tamper(files: Files) -> None:
        lines = files.file()
        lines.insert(files.number(len(lines) + 1), text)

    return tamper


def byte_order_mark(files: Files) -> None:
    lines = files.file()
    lines[0] = b"\xef\xbb\xbf" + lines[0]


def joined_lines(files: Files) -> None:
    lines = files.file()
    at = files.number(len(lines) - 1)
    lines[at] = lines[at].rstrip(b"\n")


def split_line(files: Files) -> None:
    files.change((b',"files"', b'\n,"files"'))


def no_integrity(files: Files) -> None:
    lines = files.file()
    at = files.number(len(lines))
    assume(at > 0)
    lines[at] = lines[at][: lines[at].index(b',"integrity"')] + b"}\n"


def next_hash(files: Files) -> None:
    """Let a record claim the hash of another."""
    lines = files.file()
    at = files.number(len(lines) - 1)
    lines[at] = lines[at].replace(hash_of(lines[at]).encode(), hash_of(lines[at + 1]).encode())


def first_removed(files: Files) -> None:
    del files.file()[0]


def middle_removed(files: Files) -> None:
    lines = files.file()
    assume(len(lines) > 2)
    del lines[1 + files.number(len(lines) - 2)]


def last_removed(files: Files) -> None:
    del files.file()[-1]


def head_cut(files: Files) -> None:
    lines = files.file()
    del lines[: 1 + files.number(len(lines) - 1)]


def tail_cut(files: Files) -> None:
    lines = files.file()
    del lines[1 + files.number(len(lines) - 1) :]


def emptied(files: Files) -> None:
    files.file().clear()


def removed(*names: str) -> Tampering:
    def tamper(files: Files) -> None:
        # A ledger that is taken out of git as a whole is no longer one of this branch.
        assume(len(files.held) > 1)
        there = [name for name in names if name in files.held]
        name = there[files.number(len(there))]
        del files.held[name]
        files.removed.append(name)

    return tamper


def renamed_away(files: Files) -> None:
    """Give a file a name that no ledger's file has."""
    assume(len(files.held) > 1)
    name = list(files.held)[files.number(len(files.held))]
    files.held[f"{name}.bak"] = files.held.pop(name)
    files.removed.append(name)


def all_but_one_removed(files: Files) -> None:
    assume(len(files.held) > 1)
    kept = list(files.held)[1 + files.number(len(files.held) - 1)]
    files.removed += [name for name in files.held if name != kept]
    files.held = {kept: files.held[kept]}


def neighbours_swapped(files: Files) -> None:
    lines = files.file()
    at = files.number(len(lines) - 1)
    assume(hash_of(lines[at]).encode() in lines[at + 1])
    lines[at], lines[at + 1] = lines[at + 1], lines[at]


def ends_swapped(files: Files) -> None:
    lines = files.file()
    lines[0], lines[-1] = lines[-1], lines[0]


def turned_round(files: Files) -> None:
    files.file().reverse()


def turned_on(files: Files) -> None:
    """Put a file's first line behind its last."""
    lines = files.file()
    lines.append(lines.pop(0))


def swapped_over_the_archive(files: Files) -> None:
    """Swap a line of an archive with one that the main file has kept."""
    archive, main = files.file(ARCHIVES), files.file([LEDGER_FILE])
    first, second = files.number(len(archive)), files.number(len(main))
    archive[first], main[second] = main[second], archive[first]


def archive_and_main_exchanged(files: Files) -> None:
    name = ARCHIVES[files.number(2)]
    assume(name in files.held)
    files.held[name], files.held[LEDGER_FILE] = files.held[LEDGER_FILE], files.held[name]


def forged_from_nowhere(files: Files) -> None:
    lines = files.file()
    line = line_after([hash_content(b"nowhere")], 99)
    lines.insert(files.number(len(lines) + 1), line)


def sealed_again(files: Files) -> None:
    """Change a record and seal it where it stood; what follows it names the one before."""
    lines = files.file()
    at = files.number(len(lines))
    record = read(lines[at])
    assert record is not None
    link = examine(lines[at])
    lines[at] = line_after([*link.merges, *([link.prev] if link.prev else [])], 98, intent_id="X")


def all_sealed_again(files: Files) -> None:
    """Write the whole ledger anew, with one record another one's."""
    above: list[ContentHash] = []
    for lines in files.held.values():
        for at in range(len(lines)):
            lines[at] = line_after(above, 100 + at, intent_id="INT-666")
            above = [hash_of(lines[at])]


def tail_written_anew(files: Files) -> None:
    """Cut the newest file's end off and write another."""
    lines = files.held[list(files.held)[-1]]
    at = 1 + files.number(len(lines) - 1)
    above = [hash_of(lines[at - 1])]
    for here in range(at, len(lines)):
        lines[here] = line_after(above, 200 + here, intent_id="INT-666")
        above = [hash_of(lines[here])]


def same_id_again(files: Files) -> None:
    lines = files.held[list(files.held)[-1]]
    first = examine(files.file()[0])
    end = ChainEnd(hash_of(lines[-1]), (hash_of(lines[-1]),))
    moment = timestamp(START + timedelta(seconds=99))
    lines.append(seal(draft(edit("other"), id=first.id, timestamp=moment, end=end))[1])


def ids_exchanged(files: Files) -> None:
    lines = files.file()
    at = files.number(len(lines) - 1)
    one, other = (examine(lines[each]).id.encode() for each in (at, at + 1))
    lines[at] = lines[at].replace(one, other)
    lines[at + 1] = lines[at + 1].replace(other, one)


HASH = b'"content_hash":"sha256:2'

KINDS: Mapping[str, tuple[Tampering, set[LedgerCode]]] = {
    "another id": (altered((b'{"id":"', b'{"id":"0'), (b"-", b"")), BAD_LINE),
    "another time": (altered((b'"timestamp":"2026', b'"timestamp":"2025')), BAD_LINE),
    "another intent": (altered((b'"INT-001","intent_hash', b'"INT-002","intent_hash')), BAD_LINE),
    "no intent": (altered((b'"INT-001","intent_hash', b'null,"intent_hash')), BAD_LINE),
    "another session": (altered((b'"session_id":"s1"', b'"session_id":"s2"')), BAD_LINE),
    "another tool": (altered((b"editor/save", b"write_file")), BAD_LINE),
    "another class": (altered((b"INTENT_EVOLUTION", b"REFACTOR")), BAD_LINE),
    "announced": (altered((b'"inferred":true', b'"inferred":false')), BAD_LINE),
    "another verdict": (altered((b'"PASS"', b'"EXEMPT"')), BAD_LINE),
    "a failure": (altered((b'"success":true', b'"success":false')), BAD_LINE),
    "another revision": (altered((b'"UNKNOWN"', b'"' + b"a" * 40 + b'"')), BAD_LINE),
    "another path": (altered((b'"src/', b'"lib/')), BAD_LINE),
    "another content": (altered((b'"post_hash":"sha256:2', b'"post_hash":"sha256:3')), BAD_LINE),
    "other lines": (altered((b'"end_line":1', b'"end_line":9')), BAD_LINE),
    "other text": (altered((HASH, HASH[:-1] + b"3")), BAD_LINE),
    "another person": (altered((b'"HUMAN"', b'"AI"')), BAD_LINE),
    "no ranges": (altered((b'"replaced":[1,0,1]', b'"replaced":[1,1,1]')), BAD_LINE),
    "another hash": (next_hash, BAD_LINE),
    "another spelling": (altered((b'":', b'": ')), BAD_LINE),
    "an escape": (altered((b"editor/save", b"editor\\u002fsave")), BAD_LINE),
    "a float": (altered((b'"start_line":1', b'"start_line":1.0')), BAD_LINE),
    "a key twice": (altered((b'{"id"', b'{"inferred":true,"id"')), BAD_LINE),
    "one key more": (altered((b'{"id"', b'{"more":1,"id"')), BAD_LINE),
    "a key less": (altered((b'"intent_hash":null,', b"")), BAD_LINE),
    "carriage returns": (altered((b"\n", b"\r\n")), BAD_LINE),
    "text behind it": (altered((b"}\n", b"} //\n")), BAD_LINE),
    "a byte order mark": (byte_order_mark, BAD_LINE),
    "an empty line": (inserted(b"\n"), BAD_LINE),
    "a list": (inserted(b"[]\n"), BAD_LINE),
    "null": (inserted(b"null\n"), BAD_LINE),
    "no JSON": (inserted(b"<<<<<<< HEAD\n"), BAD_LINE),
    "no UTF-8": (inserted(b"\xff\xfe\n"), BAD_LINE),
    "two lines in one": (joined_lines, BAD_LINE),
    "a line in two": (split_line, BAD_LINE),
    "no place in the chain": (no_integrity, BAD_LINE | BROKEN),
    "no hash form": (altered((b'"canonical":"rfc8785",', b"")), BAD_LINE),
    "the first line gone": (first_removed, GONE),
    "a line gone": (middle_removed, BROKEN),
    "the last line gone": (last_removed, GONE),
    "the head cut off": (head_cut, GONE),
    "the tail cut off": (tail_cut, GONE),
    "a file emptied": (emptied, GONE),
    "an archive gone": (removed(*ARCHIVES), {LedgerCode.MISSING_SEGMENT}),
    "a segment gone": (removed(*SEGMENTS), {LedgerCode.MISSING_SEGMENT}),
    "the main file gone": (removed(LEDGER_FILE), {LedgerCode.MISSING_SEGMENT}),
    "a file renamed": (renamed_away, {LedgerCode.MISSING_SEGMENT}),
    "all files but one gone": (all_but_one_removed, {LedgerCode.MISSING_SEGMENT}),
    "two lines swapped": (neighbours_swapped, BROKEN),
    "the ends swapped": (ends_swapped, BROKEN),
    "the order turned round": (turned_round, BROKEN),
    "the first line last": (turned_on, BROKEN),
    "lines of two files swapped": (swapped_over_the_archive, BROKEN),
    "two files exchanged": (archive_and_main_exchanged, BROKEN),
    "a forged line": (forged_from_nowhere, BROKEN),
    "a record sealed again": (sealed_again, BROKEN),
    "all sealed again": (all_sealed_again, GONE),
    "another end": (tail_written_anew, GONE),
    "an id again": (same_id_again, {LedgerCode.DUPLICATE_ID}),
    "two ids exchanged": (ids_exchanged, BAD_LINE),
}


@contextmanager
def auditor() -> Iterator[tuple[Path, pygit2.Repository]]:
    """Give a work tree, and its repository, of which this machine has seen nothing yet."""
    root = Path(tempfile.mkdtemp(prefix="tampering-"))
    try:
        yield root, pygit2.init_repository(os.fspath(root))
    finally:
        shutil.rmtree(root)


def put(root: Path, held: Mapping[str, Sequence[bytes]], gone: Sequence[str] = ()) -> None:
    for name in gone:
        (root / name).unlink()
    for name, lines in held.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"".join(lines))


def commit(repository: pygit2.Repository, *others: pygit2.Oid) -> pygit2.Oid:
    index = repository.index
    index.read()
    index.add_all()
    # What is no longer there is not added, and has to be taken out.
    for entry in [each for each in index if not Path(repository.workdir, each.path).exists()]:
        index.remove(entry.path)
    index.write()
    parents = [] if repository.head_is_unborn else [repository.head.target]
    return repository.create_commit(
        "HEAD", WHO, WHO, "work", index.write_tree(), [*parents, *others]
    )


def verified(root: Path) -> Verification:
    with closing(Ledger(root, ticking(), new_id)) as ledger:
        return prove(ledger)


def errors(found: Verification) -> set[LedgerCode]:
    return {each.code for each in found.problems if each.severity is Severity.ERROR}


def test_there_are_many_kinds() -> None:
    assert len(KINDS) >= 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["in the work tree", "in a commit"])
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(held=ledgers(), data=st.data())
def test_what_is_done_to_a_committed_ledger_is_named(
    kind: str, where: str, held: dict[str, list[bytes]], data: st.DataObject
) -> None:
    tampering, codes = KINDS[kind]
    files = Files({name: list(lines) for name, lines in held.items()}, draw=data.draw)
    tampering(files)
    with auditor() as (root, repository):
        put(root, held)
        commit(repository)
        assert verified(root).ok
        put(root, files.held, files.removed)
        if where == "in a commit":
            commit(repository)
        found = verified(root)
    assert not found.ok
    assert errors(found) & codes, found.problems
    assert LedgerCode.HEAD_ELSEWHERE not in {each.code for each in found.problems}


@settings(max_examples=10, deadline=None)
@given(steps=st.lists(st.sampled_from(["main", "segment", "archive", "branch"]), max_size=8))
def test_what_honest_tools_do_is_never_an_error(steps: list[str]) -> None:
    """Commit after each step: appends, new segments, archives, and branches that git joins."""
    held: dict[str, list[bytes]] = {LEDGER_FILE: [line_after([], 0)]}
    heads = [hash_of(held[LEDGER_FILE][0])]
    with auditor() as (root, repository):
        put(root, held)
        commit(repository)
        for number, step in enumerate(steps, 1):
            merged: list[pygit2.Oid] = []
            if step == "archive":
                held[f"{ARCHIVE_ROOM}/agent_trace-{number}.jsonl"] = held[LEDGER_FILE][:-1]
                held[LEDGER_FILE] = held[LEDGER_FILE][-1:]
            elif step == "segment":
                line = line_after(heads, number)
                held[f"{SEGMENT_ROOM}/{number}.jsonl"] = [line]
                heads = [hash_of(line)]
            elif step == "main":
                line = line_after(heads, number)
                held[LEDGER_FILE].append(line)
                heads = [hash_of(line)]
            else:
                ours, theirs = (line_after(heads, number) for _ in range(2))
                base = repository.head.target
                put(root, held | {LEDGER_FILE: [*held[LEDGER_FILE], theirs]})
                merged = [commit(repository)]
                repository.head.set_target(base)
                put(root, held | {LEDGER_FILE: [*held[LEDGER_FILE], ours]})
                commit(repository)
                held[LEDGER_FILE] += [ours, theirs]
                heads = [hash_of(ours), hash_of(theirs)]
            put(root, held)
            commit(repository, *merged)
            found = verified(root)
            assert found.ok, found.problems
            assert {each.code for each in found.problems} <= {LedgerCode.UNTIED_HEADS}
            assert all(each.records for each in found.anchors)


def test_a_file_of_a_branch_that_was_never_merged_is_elsewhere() -> None:
    main = [line_after([], 0)]
    segment = [line_after([hash_of(main[0])], 1)]
    with auditor() as (root, repository):
        put(root, {LEDGER_FILE: main})
        base = commit(repository)
        put(root, {SEGMENTS[0]: segment})
        other = commit(repository)
        repository.references.create("refs/heads/other", other)
        repository.head.set_target(base)
        (root / SEGMENTS[0]).unlink()
        put(root, {SEGMENTS[1]: [line_after([hash_of(segment[0])], 2)]})
        commit(repository)
        found = verified(root)
        assert found.ok
        assert [each.code for each in found.problems][:1] == [LedgerCode.HEAD_ELSEWHERE]
        # Merged once, and taken out again: no other branch's any longer.
        put(root, {SEGMENTS[0]: segment})
        commit(repository, other)
        assert verified(root).ok
        (root / SEGMENTS[0]).unlink()
        commit(repository)
        found = verified(root)
    assert errors(found) == {LedgerCode.MISSING_SEGMENT}
