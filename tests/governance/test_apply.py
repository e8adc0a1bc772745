"""A change that an agent asked for, made where no editor has the files open (protocol 2)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.calls.admission import Applied
from intent_lsp.governance.calls.calls import apply_changes
from tests.governance.test_calls import Agent
from tests.support.repository import Repository

LOGIN, GUIDE = "src/auth/login.py", "docs/guide.md"
TEXT = b"one\ntwo\nthree\n"


def says(text: str) -> Callable[[str], str]:
    return lambda _: text


def loud(text: str) -> str:
    return text.upper()


def impossible(_: str) -> str:
    raise ValueError("it was not made for this text")


def write(path: str, text: str) -> FileChange:
    return FileChange(path=path, rewrite=says(text))


class Maker(Agent):
    """An agent that lets its changes be made."""

    def applies(self, *changes: FileChange) -> Applied:
        paths = tuple(touched.path for change in changes for touched in change.touched)
        call = ToolCall(tool_name="apply", paths=paths)
        return self.governance.calls.apply(self.name, "", call, changes)

    def holds(self, path: str) -> bytes | None:
        file = self.root.root / path
        return file.read_bytes() if file.is_file() else None


@pytest.fixture
def maker(governed: Repository) -> Iterator[Maker]:
    opened = Maker(governed, "builder")
    yield opened
    opened.governance.close(None)


def names(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_all_that_may_change_is_made_and_recorded(maker: Maker) -> None:
    done = maker.applies(
        FileChange(path=LOGIN, rewrite=loud),
        write("src/auth/new/deep.py", "new\n"),
        FileChange(path="src/auth/empty.py"),
    )
    assert done.problem is None
    assert done.outcome is not None
    assert done.outcome.record is not None
    assert [file.relative_path for file in done.outcome.record.files] == [
        LOGIN,
        "src/auth/new/deep.py",
        "src/auth/empty.py",
    ]
    assert maker.holds(LOGIN) == TEXT.upper()
    assert maker.holds("src/auth/new/deep.py") == b"new\n"
    assert maker.holds("src/auth/empty.py") == b""


def test_a_file_moves_with_its_mode_and_may_change_on_the_way(maker: Maker) -> None:
    (maker.root.root / LOGIN).chmod(0o755)
    there, again = "src/auth/lib/login.py", "src/auth/log_in.py"
    plain = maker.applies(FileChange(path=there, effect=Effect.MOVE, source=LOGIN))
    assert plain.problem is None
    assert maker.holds(LOGIN) is None
    assert maker.holds(there) == TEXT
    changed = FileChange(path=again, effect=Effect.MOVE, source=there, rewrite=loud)
    assert maker.applies(changed).problem is None
    assert maker.holds(again) == TEXT.upper()
    assert (maker.root.root / again).stat().st_mode & 0o777 == 0o755
    (file,) = maker.governance.stores.ledger.index.newest_for_path(again).files  # type: ignore[union-attr, arg-type]
    assert (file.relative_path, file.previous_path) == (again, there)


def test_a_file_goes(maker: Maker) -> None:
    done = maker.applies(FileChange(path=LOGIN, effect=Effect.DELETE))
    assert done.problem is None
    assert maker.holds(LOGIN) is None
    assert done.outcome is not None
    assert done.outcome.record is not None
    assert done.outcome.record.files[0].post_hash is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfa\r\nb\r\n", b"\xef\xbb\xbfA\r\nB\r\n"),
        ("\ufeffa\n".encode("utf-16-le"), "\ufeffA\n".encode("utf-16-le")),
        ("é\n".encode(), "É\n".encode()),
        (b"", b""),
    ],
)
def test_a_text_stays_spelled_as_it_was(maker: Maker, before: bytes, after: bytes) -> None:
    maker.root.write(LOGIN, before)
    assert maker.applies(FileChange(path=LOGIN, rewrite=loud)).problem is None
    assert maker.holds(LOGIN) == after


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ((FileChange(path=LOGIN, rewrite=impossible),), "it was not made for this text"),
        (
            (write("src/auth/image.png", "x"),),
            "src/auth/image.png is not a text file, so it cannot be edited",
        ),
        ((write("src/auth/room", "x"),), "is not a regular file"),
        ((write(f"{LOGIN}/below", "x"),), "File exists"),
        ((FileChange(path="src/auth/room", effect=Effect.DELETE),), "is a directory"),
        (
            (FileChange(path="src/auth/image.png", effect=Effect.MOVE, source=LOGIN),),
            "exists already",
        ),
        (
            (FileChange(path="src/auth/x", effect=Effect.MOVE, source="src/auth/none"),),
            "No such file",
        ),
        ((write("src/auth/fixed.py", "x"),), "Permission denied"),
        (
            (
                FileChange(
                    path="src/auth/x", effect=Effect.MOVE, source="src/auth/fixed.py", rewrite=loud
                ),
            ),
            "Permission denied",
        ),
    ],
)
def test_what_cannot_be_made_leaves_all_as_it_was(
    maker: Maker, changes: tuple[FileChange, ...], why: str
) -> None:
    root = maker.root
    root.write("src/auth/image.png", b"\x89PNG\xff\0")
    root.write("src/auth/fixed.py", "fixed\n").chmod(0o444)
    (root.root / "src/auth/room").mkdir()
    for number, some in enumerate((changes, (write("src/auth/first.py", "1\n"), *changes))):
        done = maker.applies(*some)
        assert isinstance(done.admission.decision, Allowed)
        assert done.problem is not None
        assert why in done.problem
        assert done.outcome is not None
        assert done.outcome.record is not None, number
        assert not done.outcome.record.success
        assert maker.holds(LOGIN) == TEXT
        assert maker.holds("src/auth/first.py") is None
        assert maker.holds("src/auth/fixed.py") == b"fixed\n"
        assert maker.holds("src/auth/image.png") == b"\x89PNG\xff\0"
        maker.governance.sessions.begin_turn("builder")
        maker.select("INT-001")


@pytest.mark.parametrize("path", ["docs/guide.md", "../outside", "src/auth/out/x", "/etc/x"])
def test_what_may_not_change_is_not_touched_nor_is_the_rest(maker: Maker, path: str) -> None:
    (maker.root.root / "src/auth/out").symlink_to(maker.root.root.parent)
    done = maker.applies(write(LOGIN, "x"), write(path, "x"))
    assert isinstance(done.admission.decision, Denied)
    assert (done.outcome, done.problem) == (None, None)
    assert maker.holds(LOGIN) == TEXT
    assert not (maker.root.root.parent / "x").exists()
    assert not (maker.root.root.parent / "outside").exists()


def test_a_file_that_changed_since_it_was_judged_is_not_written(maker: Maker) -> None:
    """The lock keeps agents away, not people: what they wrote in between stays."""
    theirs = b"theirs\n"

    def meanwhile(_: str) -> str:
        maker.root.write(LOGIN, theirs)
        return "ours\n"

    done = maker.applies(write("src/auth/new.py", "n\n"), FileChange(path=LOGIN, rewrite=meanwhile))
    assert done.problem is not None
    assert "login.py was changed by somebody else before this change was written" in done.problem
    assert maker.holds(LOGIN) == theirs
    assert maker.holds("src/auth/new.py") is None


@pytest.mark.parametrize(
    "change",
    [
        write(LOGIN, "ours\n"),
        FileChange(path=LOGIN, effect=Effect.DELETE),
        FileChange(path="src/auth/x", effect=Effect.MOVE, source=LOGIN),
    ],
    ids=["write", "delete", "move"],
)
def test_a_ticket_is_good_for_what_was_judged_alone(maker: Maker, change: FileChange) -> None:
    call = ToolCall(tool_name="apply", paths=tuple(each.path for each in change.touched))
    admission = maker.governance.calls.admit_change("builder", "", call, (change,))
    assert admission.ticket is not None
    maker.root.write(LOGIN, "theirs\n")
    assert apply_changes(maker.root.root, (change,), admission.ticket) == (
        f"{LOGIN} has changed since the call was judged; read it again and make the edit anew"
    )
    assert maker.holds(LOGIN) == b"theirs\n"
    maker.root.write(LOGIN, TEXT)
    assert apply_changes(maker.root.root, (change,), admission.ticket) is None


def test_a_link_that_came_after_the_judgement_leads_nowhere(maker: Maker) -> None:
    change = write("src/auth/late/x", "ours\n")
    call = ToolCall(tool_name="apply", paths=(change.path,))
    admission = maker.governance.calls.admit_change("builder", "", call, (change,))
    (maker.root.root / "src/auth/late").symlink_to(maker.root.root.parent)
    assert (
        apply_changes(maker.root.root, (change,), admission.ticket)
        == "src/auth/late/x is outside of the root"
    )
    assert not (maker.root.root.parent / "x").exists()


@pytest.mark.parametrize("path", ["", ".", "a\0b", "../x", "/etc/passwd"])
def test_what_is_no_file_of_the_root_is_said(maker: Maker, path: str) -> None:
    before = names(maker.root.root)
    changes = (write(LOGIN, "x"), write(path, "x"))
    assert apply_changes(maker.root.root, changes, None) == f"{path} is outside of the root"
    assert names(maker.root.root) == before
    assert maker.holds(LOGIN) == TEXT


def test_without_governance_it_is_made_of_whatever_is_there(maker: Maker) -> None:
    maker.root.write(".orchestration/active_intents.yaml", "active_intents: [\n")
    done = maker.applies(FileChange(path=LOGIN, rewrite=loud), write("docs/new.md", "new\n"))
    assert (done.outcome, done.problem) == (None, None)
    assert maker.holds(LOGIN) == TEXT.upper()
    assert maker.holds("docs/new.md") == b"new\n"
    again = maker.applies(FileChange(path=LOGIN, rewrite=impossible))
    assert again.problem == "it was not made for this text"


def test_a_change_of_nothing_is_made(maker: Maker) -> None:
    assert apply_changes(maker.root.root, (), None) is None


@pytest.fixture
def stray(maker: Maker) -> str:
    """A file that a command of the agent has created out of scope."""
    call = ToolCall(tool_name="Bash", command="python3 make.py")
    admission = maker.governance.calls.admit("builder", "", call)
    assert admission.ticket is not None
    maker.root.write("docs/stray.md", "stray\n")
    outcome = maker.governance.calls.record(admission.ticket.id)
    assert outcome is not None
    assert outcome.violating == ("docs/stray.md",)
    return "docs/stray.md"


def test_a_deletion_that_undoes_a_violation_is_made(maker: Maker, stray: str) -> None:
    done = maker.applies(FileChange(path=stray, effect=Effect.DELETE))
    assert (done.problem, maker.holds(stray)) == (None, None)
    assert done.outcome is not None
    assert done.outcome.record is not None
    assert [file.relative_path for file in done.outcome.record.files] == [stray]
    assert done.outcome.record.scope_validation is ScopeValidation.EXEMPT


def test_the_record_of_a_tool_that_undoes_a_violation_names_the_file(
    maker: Maker, stray: str
) -> None:
    patch = f"*** Begin Patch\n*** Delete File: {stray}\n*** End Patch\n"
    call = ToolCall(tool_name="apply_patch", patch=patch)
    admission = maker.governance.calls.admit("builder", "", call)
    assert admission.decision == Allowed(ScopeValidation.EXEMPT)
    assert admission.ticket is not None
    (maker.root.root / stray).unlink()
    outcome = maker.governance.calls.record(admission.ticket.id)
    assert outcome is not None
    assert outcome.record is not None
    assert [file.relative_path for file in outcome.record.files] == [stray]
    assert outcome.record.scope_validation is ScopeValidation.EXEMPT


def test_what_was_written_and_could_not_be_recorded_is_not_said_to_be_unmade(
    maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(type(maker.governance.commands.recording), "record", fails)
    done = maker.applies(write(LOGIN, "new\n"))
    assert maker.holds(LOGIN) == b"new\n"
    assert isinstance(done.admission.decision, Allowed)
    assert (done.outcome, done.problem) == (None, None)
