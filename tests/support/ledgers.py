"""Ledgers and records for tests: generated events, a clock that ticks, and unique ids."""

import itertools
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from intent_lsp.core.approvals import Approval, ApprovalChannel, ApprovalChoice, Grant
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.ledger.chain import ChainCursor, draft
from intent_lsp.core.ledger.truncation import RecordCommit
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import (
    AstFingerprint,
    Contributor,
    Conversation,
    EntityType,
    Event,
    MutationClass,
    Range,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import examine, seal
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.file import FileSystem

START = datetime(2026, 11, 21, 20, 27, 33, 123000, tzinfo=UTC)
HASH = hash_content(b"x")

_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_word = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
hashes = st.binary(max_size=2).map(hash_content)


def _maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


@st.composite
def runs(draw: st.DrawFn) -> tuple[Range, ...]:
    """Draw ranges that ascend and do not overlap."""
    found, above = [], 0
    for _ in range(draw(st.integers(0, 3))):
        start = above + draw(st.integers(1, 4))
        end = start + draw(st.integers(0, 4))
        replaced = draw(_maybe(st.tuples(st.integers(1, 9), st.integers(0, 9))))
        found.append(
            Range(
                start_line=start,
                end_line=end,
                content_hash=draw(hashes),
                replaced=replaced and (*replaced, end - start + 1),
                fallback=replaced is None and draw(st.booleans()),
            )
        )
        above = end
    return tuple(found)


conversations = st.builds(
    Conversation,
    url=_word,
    contributor=st.builds(Contributor, st.sampled_from(EntityType), _word),
    ranges=runs(),
    related=st.lists(st.builds(RelatedEntry, _word, _text), max_size=2).map(tuple),
)
files = st.builds(
    RecordFile,
    relative_path=_word,
    previous_path=_maybe(_word),
    pre_hash=_maybe(hashes),
    post_hash=_maybe(hashes),
    ast_fingerprint=_maybe(
        st.builds(AstFingerprint, parser=_word, language=_word, summary_hash=hashes)
    ),
    conversations=st.lists(conversations, max_size=2).map(tuple),
)
_edits = st.builds(
    Event,
    intent_id=_maybe(_word),
    intent_hash=_maybe(hashes),
    session_id=_word,
    agent_id=_maybe(_word),
    tool_name=_word,
    mutation_class=st.sampled_from(MutationClass),
    inferred=st.booleans(),
    scope_validation=st.sampled_from(ScopeValidation),
    concurrent_modification=st.booleans(),
    approval=_maybe(
        st.builds(
            Approval,
            choice=st.sampled_from(ApprovalChoice),
            session_id=_word,
            channel=st.sampled_from(ApprovalChannel),
        )
    ),
    vcs=st.sampled_from([Vcs(), Vcs("a3c56b05b2766f6ce3795558307cdc8fdf46391a")]),
    files=st.lists(files, max_size=3).map(tuple),
)
_failures = st.builds(
    Event,
    session_id=_word,
    tool_name=_word,
    mutation_class=st.sampled_from(MutationClass),
    scope_validation=st.sampled_from(ScopeValidation),
    success=st.just(value=False),
    error=_maybe(_text),
)
_grants = st.builds(
    Event,
    session_id=_word,
    tool_name=st.just("intent/grant"),
    mutation_class=st.just(MutationClass.CONFIGURATION),
    scope_validation=st.just(ScopeValidation.EXEMPT),
    grant=st.builds(
        Grant,
        patterns=st.lists(_text, max_size=2).map(tuple),
        reason=_maybe(_text),
        granted_by=_word,
        expires_at=_maybe(st.just("2026-11-21T20:27:33.123Z")),
    ),
)
events = _edits | _failures | _grants


def edit(path: str = "src/a.py", **fields: object) -> Event:
    """Return the event of one plain save; `fields` replaces fields of it."""
    talk = Conversation(
        url="s1",
        contributor=Contributor(EntityType.HUMAN, "human"),
        ranges=(Range(start_line=1, end_line=1, content_hash=HASH, replaced=(1, 0, 1)),),
        related=(RelatedEntry("specification", "INT-001"),),
    )
    file = RecordFile(relative_path=path, pre_hash=None, post_hash=HASH, conversations=(talk,))
    plain: dict[str, Any] = {
        "intent_id": "INT-001",
        "session_id": "s1",
        "tool_name": "editor/save",
        "mutation_class": MutationClass.INTENT_EVOLUTION,
        "inferred": True,
        "scope_validation": ScopeValidation.PASS,
        "files": (file,),
    }
    return Event(**(plain | fields))


def ticking() -> Callable[[], datetime]:
    """Return a clock that advances by a second each time it is read."""
    seconds = itertools.count()
    return lambda: START + timedelta(seconds=next(seconds))


def new_id() -> str:
    """Return a random UUID."""
    return str(uuid.uuid4())


def ledger_at(root: Path, *, disk: FileSystem | None = None, wait_seconds: float = 2.0) -> Ledger:
    """Open a ledger below `root`, with a clock that ticks."""
    return Ledger(root, ticking(), new_id, disk=disk, wait_seconds=wait_seconds)


def lines_of(root: Path) -> list[bytes]:
    """Read the ledger's lines, each with its newline."""
    return (root / LEDGER_FILE).read_bytes().splitlines(keepends=True)


def on_another_branch(hashes: Iterable[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
    """Return evidence that a commit of another branch holds these records."""
    held = RecordCommit(commit="c" * 40, file=LEDGER_FILE, below=False, named=True)
    return dict.fromkeys(hashes, held)


def put_lines(root: Path, lines: list[bytes]) -> None:
    """Replace the ledger's file, as git or a person does."""
    path = root / LEDGER_FILE
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(b"".join(lines))


def two_branches(root: Path) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Write a ledger with the lines of one branch; return base, these, and the other's."""
    ledger = ledger_at(root)
    ledger.append(edit("base"))
    base = lines_of(root)
    ledger.append(edit("theirs"))
    theirs = lines_of(root)
    put_lines(root, base)
    ledger.append(edit("ours"))
    ledger.close()
    return base, lines_of(root), theirs


def chained(names: Iterable[str], before: Sequence[bytes] = ()) -> list[bytes]:
    """Return lines with an edit of each path appended, sealed as a ledger does."""
    trail, lines = stepped(before), [*before]
    for name in names:
        moment = timestamp(START + timedelta(seconds=len(lines)))
        _, line = seal(draft(edit(name), id=new_id(), timestamp=moment, end=trail.end))
        trail.step(examine(line))
        lines.append(line)
    return lines


def stepped(lines: Iterable[bytes]) -> ChainCursor:
    """Return a cursor that has followed a ledger's lines one by one."""
    trail = ChainCursor()
    for line in lines:
        trail.step(examine(line))
    return trail
