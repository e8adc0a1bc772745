"""The server's own edits of the intents file: small, over nobody's, none lost.

Specified in requirements section 3.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.edit import EditRefused, set_status
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.intents_writer import UNSAVED, IntentsEdit, IntentsWriter
from intent_lsp.store.locks.root_lock import RootLock
from tests.governance.clocks_and_races import overtake_writes
from tests.governance.editor import INTENTS
from tests.support.repository import Repository

NOW = "2030-01-01T12:00:00.000Z"
DONE = INTENTS.replace("IN_PROGRESS", "COMPLETED", 1).replace("2026-01-01T00:00:00Z", NOW, 1)


@pytest.fixture
def governance(governed: Repository) -> Iterator[Governance]:
    opened = Governance(governed.root)
    yield opened
    opened.close(None)


@pytest.fixture
def writer(governance: Governance, tmp_path: Path) -> Iterator[IntentsWriter]:
    opened = IntentsWriter(governance.stores, RootLock(tmp_path / "lock", 0.05))
    yield opened
    opened.close()


@pytest.fixture
def file(governed: Repository) -> Path:
    return governed.root / INTENTS_FILE


def complete(text: str) -> IntentsEdit:
    return set_status(text, "INT-001", Status.COMPLETED, NOW)


def first_line(text: str) -> IntentsEdit:
    """Put one more comment on top of whatever is there."""
    top = Position(0, 0)
    return (TextChange(Span(top, top), f"# {text.count('#')}\n"),)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_every_byte_beside_the_change_stays(
    writer: IntentsWriter, governance: Governance, file: Path, mark: bytes, end: str
) -> None:
    file.write_bytes(mark + INTENTS.replace("\n", end).encode())
    file.chmod(0o640)
    assert writer.change(complete, unsaved_file=False) is None
    assert file.read_bytes() == mark + DONE.replace("\n", end).encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert governance.stores.state is not None
    assert governance.stores.state.own_write(INTENTS_FILE) == hash_content(file.read_bytes())


def test_what_is_so_already_is_not_written(writer: IntentsWriter, file: Path) -> None:
    before = file.stat()
    done: list[bool] = []
    refused = writer.change(lambda _: (), unsaved_file=False, then=lambda: done.append(True))
    assert refused is None
    assert done == [True]
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_edit_that_is_refused_says_why_and_notes_nothing(
    writer: IntentsWriter, file: Path
) -> None:
    done: list[bool] = []

    def then() -> None:
        done.append(True)

    for edit, unsaved, why in (
        (lambda _: EditRefused("it is an alias"), False, "it is an alias"),
        (complete, True, UNSAVED),
    ):
        assert writer.change(edit, unsaved_file=unsaved, then=then) == why
    assert done == []
    assert file.read_text() == INTENTS


@pytest.mark.parametrize("data", [None, b"\xff\xfe\xff", b"a: \xe9"])
def test_what_is_no_text_is_not_edited(
    writer: IntentsWriter, file: Path, data: bytes | None
) -> None:
    file.unlink()
    if data is not None:
        file.write_bytes(data)
    assert writer.change(complete, unsaved_file=False) == "the file is missing or is not UTF-8 text"
    assert (file.read_bytes() if data is not None else None) == data


def test_a_read_only_file_stays(writer: IntentsWriter, file: Path) -> None:
    file.chmod(0o444)
    said = writer.change(complete, unsaved_file=False)
    assert said is not None
    assert said.startswith("the file could not be written: ")
    assert "Permission denied" in said
    assert file.read_text() == INTENTS
    assert [each.name for each in file.parent.glob(".tmp-*")] == []


def test_a_link_is_followed_inside_of_the_root_alone(
    writer: IntentsWriter, file: Path, governed: Repository
) -> None:
    inside, outside = governed.root / "intents.yaml", governed.root.parent / "intents.yaml"
    for target, text in ((inside, DONE), (outside, INTENTS)):
        target.write_text(INTENTS)
        file.unlink()
        file.symlink_to(target)
        said = writer.change(complete, unsaved_file=False)
        assert (said is None) == (target is inside)
        assert target.read_text() == text
        assert file.is_symlink()


@pytest.mark.parametrize("times", [1, 2])
def test_an_edit_is_made_anew_for_what_somebody_else_wrote(
    writer: IntentsWriter, file: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    theirs = [f"# Theirs {number}.\n{INTENTS}" for number in range(times)]
    overtake_writes(monkeypatch, file, *(text.encode() for text in theirs))
    assert writer.change(complete, unsaved_file=False) is None
    assert file.read_text() == theirs[-1].replace("IN_PROGRESS", "COMPLETED", 1).replace(
        "2026-01-01T00:00:00Z", NOW, 1
    )


def test_whoever_is_always_quicker_is_never_written_over(
    writer: IntentsWriter, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = [f"# Theirs {number}.\n{INTENTS}".encode() for number in range(5)]
    overtake_writes(monkeypatch, file, *theirs)
    done: list[bool] = []
    said = writer.change(complete, unsaved_file=False, then=lambda: done.append(True))
    assert said is not None
    assert said.endswith("was changed by somebody else before this change was written")
    assert done == []
    assert file.read_bytes() == theirs[2]


def test_what_came_meanwhile_can_make_the_edit_impossible(
    writer: IntentsWriter, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtake_writes(monkeypatch, file, b"active_intents: []\n")
    assert writer.change(complete, unsaved_file=False) == "the file has no intent INT-001"
    assert file.read_bytes() == b"active_intents: []\n"


def test_while_another_edits_nobody_does(
    writer: IntentsWriter, governance: Governance, file: Path, tmp_path: Path
) -> None:
    other = RootLock(tmp_path / "lock", 0.05)
    with other.held():
        said = writer.change(complete, unsaved_file=False)
    assert said is not None
    assert "has held the lock" in said
    assert file.read_text() == INTENTS
    # What is to be noted is noted while the lock is held.
    found: list[str | None] = []
    second = IntentsWriter(governance.stores, other)
    writer.change(
        complete,
        unsaved_file=False,
        then=lambda: found.append(second.change(first_line, unsaved_file=False)),
    )
    second.close()
    assert [said is not None and "has held the lock" in said for said in found] == [True]


def test_without_a_local_room_the_file_is_edited_all_the_same(
    governance: Governance, file: Path
) -> None:
    writer = IntentsWriter(replace(governance.stores, state=None), None)
    assert writer.change(complete, unsaved_file=False) is None
    writer.close()
    assert file.read_text() == DONE


def test_of_edits_of_two_desks_none_gets_lost(governance: Governance, governed: Repository) -> None:
    open_roots = (governance, Governance(governed.root))

    def create(number: int) -> Intent | None:
        wanted = Intent(id=IntentId(""), name=f"Plan {number}", owned_scope=(f"p{number}/**",))
        made = open_roots[number % 2].planning.create(wanted, unsaved_file=False)
        return made if isinstance(made, Intent) else None

    with ThreadPoolExecutor(4) as pool:
        made = [intent for intent in pool.map(create, range(12)) if intent is not None]
    open_roots[1].close(None)
    assert len({intent.id for intent in made}) == 12
    intents = governance.rules.current().file.intents
    assert {intent.name for intent in intents} >= {f"Plan {number}" for number in range(12)}
    assert list((governed.root / ".orchestration").glob(".tmp-*")) == []
