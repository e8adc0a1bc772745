"""File operations: judged when announced, recorded once done (requirements section 7)."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import EMPTY_HASH, hash_content
from intent_lsp.core.errors import RequestLimitError
from intent_lsp.core.file_operations import FileHashes, FileOperation, OperationEnds, mutation_class
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import EntityType, MutationClass, Record, ScopeValidation
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.saves.file_operations import AfterOperation, Forecast
from intent_lsp.store.state.sessions_db import ReadHash
from tests.governance.editor import Editor
from tests.support.repository import Repository

CREATE, RENAME, DELETE = FileOperation.CREATE, FileOperation.RENAME, FileOperation.DELETE
PASS, FAIL, EXEMPT = ScopeValidation.PASS, ScopeValidation.FAIL, ScopeValidation.EXEMPT
LOGIN, DB, GUIDE = "src/auth/login.py", "src/db.py", "docs/guide.md"
LOGIN_HASH = hash_content(b"one\ntwo\nthree\n")
INTENTS_FILE = ".orchestration/active_intents.yaml"


def ends(old: str | None, new: str | None) -> OperationEnds:
    return OperationEnds(*(None if name is None else WorkspacePath(name) for name in (old, new)))


def operate(editor: Editor, operation: FileOperation, *named: OperationEnds) -> AfterOperation:
    """Do an operation as editors do: announced, done, told."""
    editor.governance.file_operations.before(editor.session, operation, named, Event())
    for each in named:
        perform(editor.root, each)
    return announce(editor, operation, *named)


def announce(editor: Editor, operation: FileOperation, *named: OperationEnds) -> AfterOperation:
    return editor.governance.file_operations.after(editor.session, operation, named)


def perform(root: Path, named: OperationEnds) -> None:
    old = root / (named.old or "")
    if named.new is None:
        remove(old)
        return
    new = root / named.new
    new.parent.mkdir(parents=True, exist_ok=True)
    if named.old is None:
        new.write_bytes(b"")
    else:
        old.rename(new)


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for below in path.iterdir():
            remove(below)
        path.rmdir()
    else:
        path.unlink()


def warned(
    editor: Editor, operation: FileOperation, *named: OperationEnds
) -> list[tuple[str, GateCode]]:
    found = editor.governance.file_operations.before(editor.session, operation, named, Event())
    return [(each.path, each.denied.code) for each in found.refused if each.denied is not None]


def recorded(after: AfterOperation) -> Record:
    assert after.record is not None
    return after.record


OUT = GateCode.SCOPE_VIOLATION


@pytest.mark.parametrize(
    ("operation", "named", "refused"),
    [
        (CREATE, ends(None, "src/auth/new.py"), []),
        (CREATE, ends(None, "src/new.py"), [("src/new.py", OUT)]),
        # It may become the directory of files in scope.
        (CREATE, ends(None, "src/auth"), []),
        (CREATE, ends(None, "build/new.py"), []),
        (CREATE, ends(None, ".git/config"), []),
        (CREATE, ends(None, INTENTS_FILE), []),
        (RENAME, ends(LOGIN, "src/auth/entry.py"), []),
        (RENAME, ends(LOGIN, "src/entry.py"), [("src/entry.py", OUT)]),
        (RENAME, ends(DB, "src/auth/db.py"), [(DB, OUT)]),
        (RENAME, ends(DB, "src/base.py"), [(DB, OUT), ("src/base.py", OUT)]),
        (RENAME, ends("src/auth", "src/login"), [("src/login/login.py", OUT)]),
        (DELETE, ends(LOGIN, None), []),
        (DELETE, ends(DB, None), [(DB, OUT)]),
        (DELETE, ends("src", None), [(DB, OUT)]),
        (DELETE, ends("nothing/here.py", None), []),
    ],
)
def test_an_announced_operation_is_judged_at_both_ends(
    editor: Editor,
    governed: Repository,
    operation: FileOperation,
    named: OperationEnds,
    refused: list[tuple[str, GateCode]],
) -> None:
    governed.write(".gitignore", "build/\n")
    editor.select("INT-001")
    assert warned(editor, operation, named) == refused


def test_without_an_intent_every_operation_is_warned_of(editor: Editor) -> None:
    assert warned(editor, DELETE, ends(DB, None)) == [(DB, GateCode.NO_ACTIVE_INTENT)]


def test_where_the_team_observes_nothing_is_shown_and_all_is_recorded(editor: Editor) -> None:
    editor.policy("  enforcement: observe\n")
    editor.select("INT-001")
    assert warned(editor, DELETE, ends(DB, None)) == []
    after = operate(editor, DELETE, ends(DB, None))
    assert after.refused == ()
    assert recorded(after).scope_validation is FAIL


def test_what_only_the_server_writes_is_warned_of(editor: Editor) -> None:
    editor.select("INT-001")
    (editor.root / ".orchestration/governance_ledger.md").write_text("- an entry\n")
    named = ends(".orchestration/governance_ledger.md", None)
    forecast = editor.governance.file_operations.before(editor.session, DELETE, [named], Event())
    (refused,) = forecast.refused
    assert refused.denied is None
    assert recorded(operate(editor, DELETE, named)).scope_validation is FAIL


def test_a_creation_has_no_hash_before(editor: Editor) -> None:
    editor.select("INT-001")
    record = recorded(operate(editor, CREATE, ends(None, "src/auth/new.py")))
    assert (record.tool_name, record.mutation_class) == (
        "editor/create",
        MutationClass.FILE_CREATION,
    )
    assert (record.intent_id, record.session_id) == ("INT-001", editor.session.id)
    assert record.inferred
    assert record.intent_hash is not None
    (file,) = record.files
    assert (file.path, file.previous) == ("src/auth/new.py", None)
    assert (file.pre_hash, file.post_hash) == (None, EMPTY_HASH)
    (conversation,) = file.conversations
    assert conversation.contributor.entity_type is EntityType.HUMAN
    assert [(each.start_line, each.end_line) for each in conversation.ranges] == [(0, 0)]


def test_a_creation_over_a_file_is_a_change_of_it(editor: Editor) -> None:
    editor.select("INT-001")
    record = recorded(operate(editor, CREATE, ends(None, LOGIN)))
    assert record.mutation_class is MutationClass.INTENT_EVOLUTION
    (file,) = record.files
    assert (file.pre_hash, file.post_hash) == (LOGIN_HASH, EMPTY_HASH)
    assert file.conversations[0].ranges[0].replaced == (1, 3, 0)


def test_a_deletion_has_no_hash_after(editor: Editor) -> None:
    editor.select("INT-001")
    record = recorded(operate(editor, DELETE, ends(LOGIN, None)))
    assert (record.tool_name, record.mutation_class) == (
        "editor/delete",
        MutationClass.FILE_DELETION,
    )
    assert record.scope_validation is PASS
    (file,) = record.files
    assert (file.path, file.pre_hash, file.post_hash) == (LOGIN, LOGIN_HASH, None)
    assert file.conversations[0].ranges[0].replaced == (1, 3, 0)


def test_a_rename_is_both_ends_in_one_record(editor: Editor) -> None:
    editor.select("INT-001")
    record = recorded(operate(editor, RENAME, ends(LOGIN, "src/auth/entry.py")))
    assert (record.tool_name, record.mutation_class) == (
        "editor/rename",
        MutationClass.AST_REFACTOR,
    )
    assert record.scope_validation is PASS
    (file,) = record.files
    assert (file.path, file.previous) == ("src/auth/entry.py", LOGIN)
    assert (file.pre_hash, file.post_hash) == (LOGIN_HASH, LOGIN_HASH)
    assert file.conversations[0].ranges == ()
    assert {related.value for related in file.conversations[0].related} == {
        "INT-001",
        "AST_REFACTOR",
    }


def test_a_rename_with_a_change_says_which_lines(editor: Editor) -> None:
    editor.select("INT-001")
    named = ends(LOGIN, "src/auth/entry.py")
    editor.governance.file_operations.before(editor.session, RENAME, [named], Event())
    perform(editor.root, named)
    (editor.root / "src/auth/entry.py").write_bytes(b"one\nTWO\nthree\n")
    record = recorded(announce(editor, RENAME, named))
    assert record.mutation_class is MutationClass.INTENT_EVOLUTION
    assert record.files[0].pre_hash == LOGIN_HASH
    assert record.files[0].conversations[0].ranges[0].replaced == (2, 1, 1)


@pytest.mark.parametrize(
    ("operation", "named", "verdict"),
    [
        (RENAME, ends(LOGIN, "src/entry.py"), FAIL),
        (RENAME, ends(DB, "src/auth/db.py"), FAIL),
        (RENAME, ends("src", "source"), FAIL),
        (DELETE, ends("src/auth", None), PASS),
        (CREATE, ends(None, "src/new.py"), FAIL),
        (CREATE, ends(None, ".orchestration/README.md"), EXEMPT),
        (DELETE, ends(".intentignore", None), EXEMPT),
    ],
)
def test_the_worst_end_decides(
    editor: Editor,
    governed: Repository,
    operation: FileOperation,
    named: OperationEnds,
    verdict: ScopeValidation,
) -> None:
    governed.write(".intentignore", "INT-9\n")
    editor.select("INT-001")
    assert recorded(operate(editor, operation, named)).scope_validation is verdict


def test_a_directory_stands_for_every_file_below_it(editor: Editor, governed: Repository) -> None:
    governed.write("src/auth/deep/token.py", "token\n")
    editor.select("INT-001")
    record = recorded(operate(editor, RENAME, ends("src/auth", "src/auth2")))
    moved = {(file.previous, file.path, file.post_hash) for file in record.files}
    assert moved == {
        (LOGIN, "src/auth2/login.py", LOGIN_HASH),
        ("src/auth/deep/token.py", "src/auth2/deep/token.py", hash_content(b"token\n")),
    }
    record = recorded(operate(editor, DELETE, ends("src/auth2", None)))
    assert {(file.path, file.post_hash) for file in record.files} == {
        ("src/auth2/login.py", None),
        ("src/auth2/deep/token.py", None),
    }


def test_several_names_are_one_record(editor: Editor) -> None:
    editor.select("INT-001")
    record = recorded(operate(editor, DELETE, ends(LOGIN, None), ends(DB, None)))
    assert [file.path for file in record.files] == [LOGIN, DB]
    assert record.scope_validation is FAIL


def test_an_operation_that_nobody_announced_is_recorded_from_what_is_known(
    editor: Editor, governed: Repository
) -> None:
    governed.write("notes/untracked.txt", "nobody knows me\n")
    editor.select("INT-001")
    for named in (ends(LOGIN, None), ends("docs", None), ends("notes/untracked.txt", None)):
        perform(editor.root, named)
    record = recorded(announce(editor, DELETE, ends(LOGIN, None), ends("docs", None)))
    assert [(file.path, file.pre_hash) for file in record.files] == [
        (LOGIN, LOGIN_HASH),
        (GUIDE, hash_content(b"# Guide\n")),
    ]
    # What no commit and no record knows was never anybody's.
    assert announce(editor, DELETE, ends("notes/untracked.txt", None)) == AfterOperation()
    # It is gone already, as its newest record says.
    assert announce(editor, DELETE, ends(LOGIN, None)) == AfterOperation()


def test_what_is_seen_too_late_counts_only_where_nothing_has_happened_yet(editor: Editor) -> None:
    editor.select("INT-001")
    late = Event()
    late.set()
    moved, made = ends("src/auth", "src/auth2"), ends(None, "src/auth/new.py")
    for operation, named in ((RENAME, moved), (CREATE, made)):
        perform(editor.root, named)
        before = editor.governance.file_operations.before(editor.session, operation, [named], late)
        assert before == Forecast(files=0, refused=())
        assert announce(editor, operation, named).record is not None


def test_a_new_name_that_is_read_too_late_is_not_what_was_there_before(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.select("INT-001")
    late, read = Event(), Contents.disk_if_readable

    def slow(contents: Contents, path: WorkspacePath) -> bytes | None:
        late.set()
        perform(editor.root, made)
        return read(contents, path)

    made = ends(None, "src/auth/new.py")
    with monkeypatch.context() as patched:
        patched.setattr(Contents, "disk_if_readable", slow)
        editor.governance.file_operations.before(editor.session, CREATE, [made], late)
    (file,) = recorded(announce(editor, CREATE, made)).files
    assert (file.pre_hash, file.post_hash) == (None, EMPTY_HASH)


def test_an_unannounced_rename_is_taken_for_one_that_changed_nothing(editor: Editor) -> None:
    editor.select("INT-001")
    named = ends("src/auth", "src/auth2")
    perform(editor.root, named)
    (file,) = recorded(announce(editor, RENAME, named)).files
    assert (file.previous, file.path) == (LOGIN, "src/auth2/login.py")
    assert file.pre_hash == file.post_hash == LOGIN_HASH


def test_a_recorded_content_is_what_a_deletion_took_away(editor: Editor) -> None:
    editor.select("INT-001")
    editor.save(LOGIN, "one\n")
    perform(editor.root, ends(LOGIN, None))
    (file,) = recorded(announce(editor, DELETE, ends(LOGIN, None))).files
    assert file.pre_hash == hash_content(b"one\n")


@pytest.mark.parametrize(
    ("operation", "named"),
    [
        (CREATE, ends(None, "src/auth/none.py")),
        (RENAME, ends(LOGIN, "src/auth/entry.py")),
        (DELETE, ends(LOGIN, None)),
        (DELETE, ends("bad\0name", None)),
        (RENAME, ends("bad\0name", "worse\0name")),
        (CREATE, ends(None, "a" * 300)),
        (CREATE, ends(None, "src")),
        (DELETE, ends(None, None)),
    ],
)
def test_what_did_not_happen_is_not_recorded(
    editor: Editor, operation: FileOperation, named: OperationEnds
) -> None:
    editor.select("INT-001")
    editor.governance.file_operations.before(editor.session, operation, [named], Event())
    if named != ends(None, "src"):
        assert announce(editor, operation, named) == AfterOperation()


def test_an_end_that_git_ignores_is_as_good_as_outside(
    editor: Editor, governed: Repository
) -> None:
    governed.write(".gitignore", "build/\n")
    governed.write("build/made.py", "made\n")
    editor.select("INT-001")
    (gone,) = recorded(operate(editor, RENAME, ends(LOGIN, "build/login.py"))).files
    assert (gone.path, gone.previous, gone.post_hash) == (LOGIN, None, None)
    record = recorded(operate(editor, RENAME, ends("build/made.py", "src/auth/made.py")))
    (come,) = record.files
    assert (come.path, come.previous, come.pre_hash) == ("src/auth/made.py", None, None)
    assert record.mutation_class is MutationClass.FILE_CREATION
    assert operate(editor, DELETE, ends("build/login.py", None)) == AfterOperation()
    assert operate(editor, CREATE, ends(None, "build/new.py")) == AfterOperation()


def test_an_operation_on_a_link_is_one_on_the_link(editor: Editor, governed: Repository) -> None:
    (governed.root / "src/auth/link").symlink_to(governed.root / "docs")
    (governed.root / "src/auth/guide.md").symlink_to("../../docs/guide.md")
    editor.select("INT-001")
    assert warned(editor, DELETE, ends("src/auth/link", None)) == []
    assert operate(editor, DELETE, ends("src/auth/link", None)) == AfterOperation()
    assert (governed.root / GUIDE).exists()
    record = recorded(operate(editor, DELETE, ends("src/auth/guide.md", None)))
    assert record.scope_validation is PASS
    # Through a link the operation happens where that leads.
    (governed.root / "src/auth/docs").symlink_to(governed.root / "docs")
    assert warned(editor, DELETE, ends("src/auth/docs/guide.md", None)) == [
        ("src/auth/docs/guide.md", OUT)
    ]


def test_a_link_out_of_the_root_is_outside_of_it(
    editor: Editor, governed: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (governed.root / "src/auth/away").symlink_to(tmp_path_factory.mktemp("away"))
    editor.select("INT-001")
    assert warned(editor, CREATE, ends(None, "src/auth/away/new.py")) == [
        ("src/auth/away/new.py", GateCode.OUTSIDE_WORKSPACE)
    ]


def test_another_root_below_governs_its_own_files(editor: Editor, governed: Repository) -> None:
    governed.write("src/auth/inner/.orchestration/active_intents.yaml", "active_intents: []\n")
    governed.write("src/auth/inner/a.py", "a\n")
    editor.select("INT-001")
    record = recorded(operate(editor, DELETE, ends("src/auth", None)))
    assert [file.path for file in record.files] == [LOGIN]


def test_a_name_that_is_not_utf_8_is_recorded(editor: Editor) -> None:
    editor.select("INT-001")
    old, new = (os.fsdecode(b"src/auth/" + name) for name in (b"\xff%.py", b"\xfe%.py"))
    (editor.root / old).write_text("odd\n")
    (file,) = recorded(operate(editor, RENAME, ends(old, new))).files
    assert (file.path, file.previous, file.path_encoding) == (new, old, "percent")


@pytest.mark.parametrize("head", ["a commit", "unborn"])
def test_undoing_is_never_refused(
    governed: Repository, open_editor: Callable[..., Editor], head: str
) -> None:
    if head == "unborn":
        governed.git("update-ref", "-d", "HEAD")
    editor = open_editor(governed.root)
    editor.select("INT-001")
    there, back = ends(DB, "src/base.py"), ends("src/base.py", DB)
    assert recorded(operate(editor, RENAME, there)).scope_validation is FAIL
    assert warned(editor, RENAME, back) == []
    assert recorded(operate(editor, RENAME, back)).scope_validation is EXEMPT
    assert recorded(operate(editor, CREATE, ends(None, "src/new.py"))).scope_validation is FAIL
    assert recorded(operate(editor, DELETE, ends("src/new.py", None))).scope_validation is EXEMPT


@pytest.mark.parametrize("head", ["a commit", "unborn", "none"])
def test_what_the_session_found_is_not_undone_by_deleting_it(
    governed: Repository, open_editor: Callable[..., Editor], head: str
) -> None:
    match head:
        case "unborn":
            governed.git("update-ref", "-d", "HEAD")
        case "none":
            shutil.rmtree(governed.root / ".git")
    governed.write("src/draft.py", "somebody's\n")
    editor = open_editor(governed.root)
    editor.select("INT-001")
    after = operate(editor, DELETE, ends("src/draft.py", None))
    assert recorded(after).scope_validation is FAIL
    assert [each.path for each in after.refused] == ["src/draft.py"]


def test_what_is_known_of_a_file_follows_it(editor: Editor) -> None:
    editor.select("INT-001")
    state = editor.governance.stores.state
    assert state is not None
    known = ReadHash(LOGIN_HASH, 1)
    state.put_read("agent", "", WorkspacePath(LOGIN), known)
    operate(editor, RENAME, ends(LOGIN, "src/auth/entry.py"))
    new = WorkspacePath("src/auth/entry.py")
    assert editor.governance.contents.baseline(editor.session.id, new).hash == LOGIN_HASH
    memory = state.judging.for_call([new], ("agent", ""), editor.governance.stores.clock())
    assert (memory[new].read, memory[new].turn) == (LOGIN_HASH, 1)
    # And once more, from what is listed by now.
    operate(editor, RENAME, ends(new, LOGIN))
    operate(editor, RENAME, ends(LOGIN, "src/auth/third.py"))
    third = WorkspacePath("src/auth/third.py")
    assert editor.governance.contents.baseline(editor.session.id, third).hash == LOGIN_HASH


def test_without_a_commit_the_first_sight_follows(
    governed: Repository, open_editor: Callable[..., Editor]
) -> None:
    governed.git("update-ref", "-d", "HEAD")
    editor = open_editor(governed.root)
    editor.show(LOGIN)
    editor.select("INT-001")
    operate(editor, RENAME, ends(LOGIN, "src/auth/entry.py"))
    new = WorkspacePath("src/auth/entry.py")
    assert editor.governance.contents.baseline(editor.session.id, new).hash == LOGIN_HASH
    assert editor.governance.contents.head(new).hash == LOGIN_HASH
    # Nobody can say that a file is new where no commit says what there was.
    assert warned(editor, DELETE, ends(DB, None)) == [(DB, OUT)]


def test_what_an_agent_claims_is_in_its_own_record(editor: Editor) -> None:
    agent = editor.governance.sessions.open_agent("agent")
    editor.governance.checkout.select(agent, "INT-001", unsaved_file=False)
    call = ToolCall(tool_name="delete_file", paths=(LOGIN,))
    assert editor.governance.calls.admit("agent", "", call).ticket is not None
    assert warned(editor, DELETE, ends(LOGIN, None)) == []
    assert operate(editor, DELETE, ends(LOGIN, None)) == AfterOperation()


def test_the_control_room_may_go_and_is_not_made_again(editor: Editor) -> None:
    editor.select("INT-001")
    named = ends(".orchestration", "governance")
    assert operate(editor, RENAME, named) == AfterOperation()
    assert not (editor.root / ".orchestration").exists()
    perform(editor.root, ends("governance", ".orchestration"))


def test_more_files_than_a_record_holds_are_said_to_be_too_many(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.governance.saves.operation_targets.FILES_AT_MOST", 1)
    editor.select("INT-001")
    for named in (ends("src", None), ends("src", "source")):
        with pytest.raises(RequestLimitError, match="in one operation of the editor: more than 1"):
            editor.governance.file_operations.before(editor.session, DELETE, [named], Event())
    perform(editor.root, ends("src", None))
    with pytest.raises(RequestLimitError):
        announce(editor, DELETE, ends("src", None))


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ([("a", "b", LOGIN_HASH, LOGIN_HASH)], MutationClass.AST_REFACTOR),
        ([("a", "b", LOGIN_HASH, EMPTY_HASH)], MutationClass.INTENT_EVOLUTION),
        (
            [("a", "b", EMPTY_HASH, EMPTY_HASH), ("c", None, EMPTY_HASH, None)],
            MutationClass.AST_REFACTOR,
        ),
        ([("a", None, LOGIN_HASH, None)], MutationClass.FILE_DELETION),
        ([(None, "b", None, LOGIN_HASH)], MutationClass.FILE_CREATION),
        ([(None, "b", EMPTY_HASH, LOGIN_HASH)], MutationClass.INTENT_EVOLUTION),
    ],
)
def test_the_class_is_inferred_from_all_files(
    files: list[tuple[str | None, str | None, str | None, str | None]], kind: MutationClass
) -> None:
    found = [
        FileHashes(ends(old, new), pre, post)  # type: ignore[arg-type]  # hashes are texts
        for old, new, pre, post in files
    ]
    assert mutation_class(found) is kind
