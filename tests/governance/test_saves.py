"""Saves: judged before, recorded after, turned back where the team blocks.

Specified in requirements section 7.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.gate.request import Allowed, ApprovalAnswer
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import (
    Contributor,
    EntityType,
    MutationClass,
    RelatedEntry,
    ScopeValidation,
)
from intent_lsp.governance.governance import Governance
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

LEDGER = ".orchestration/agent_trace.jsonl"


def _records(editor: Editor) -> list[dict[str, Any]]:
    data = editor.disk(LEDGER) or b""
    return [json.loads(line) for line in data.splitlines()]


def test_a_save_in_scope_passes_and_is_recorded(editor: Editor, governed: Repository) -> None:
    editor.select("INT-001")
    after = editor.save("src/auth/login.py", "one\nTWO\nthree\n")
    record = after.record
    assert record is not None
    assert after.judgement.decision == Allowed(ScopeValidation.PASS)
    assert record.scope_validation is ScopeValidation.PASS
    assert (record.intent_id, record.session_id) == ("INT-001", editor.session.id)
    assert record.tool_name == "editor/save"
    assert record.intent_hash is not None
    assert record.vcs.revision_id == governed.git("rev-parse", "HEAD").strip()
    assert record.success
    assert record.inferred
    assert not record.concurrent_modification
    (file,) = record.files
    assert file.path == "src/auth/login.py"
    assert file.pre_hash == hash_content(b"one\ntwo\nthree\n")
    assert file.post_hash == hash_content(b"one\nTWO\nthree\n")
    (conversation,) = file.conversations
    assert conversation.url == editor.session.id
    assert conversation.contributor.entity_type is EntityType.HUMAN
    assert conversation.related == (
        RelatedEntry("specification", "INT-001"),
        RelatedEntry("mutation_class", "INTENT_EVOLUTION"),
    )
    (run,) = conversation.ranges
    assert (run.start_line, run.end_line, run.replaced) == (2, 2, (2, 1, 1))
    assert [line["id"] for line in _records(editor)] == [record.id]


def test_a_new_file_is_a_creation(editor: Editor) -> None:
    editor.select("INT-001")
    record = editor.save("src/auth/new.py", "x\n").record
    assert record is not None
    assert record.mutation_class is MutationClass.FILE_CREATION
    assert record.files[0].pre_hash is None
    assert record.scope_validation is ScopeValidation.PASS


def test_an_intent_with_a_specification_is_recorded_with_it(
    governed: Repository, open_editor: Callable[..., Editor]
) -> None:
    governed.write(
        ".orchestration/active_intents.yaml",
        'active_intents:\n- {id: A, name: a, requirement_id: REQ-7, owned_scope: ["**"]}\n',
    )
    editor = open_editor(governed.root)
    editor.select("A")
    record = editor.save("src/db.py", "x\n").record
    assert record is not None
    assert record.files[0].conversations[0].related[0] == RelatedEntry("specification", "REQ-7")


def test_a_save_that_changes_nothing_has_no_record(editor: Editor) -> None:
    editor.select("INT-001")
    assert editor.save("src/auth/login.py", "one\ntwo\nthree\n").record is None
    assert editor.save("src/db.py", "alpha\nbeta\ngamma\n").record is None
    assert editor.disk(LEDGER) is None


def test_a_file_that_is_gone_at_once_has_no_record(editor: Editor) -> None:
    assert editor.did_save("src/none.py", b"x").record is None


@pytest.mark.parametrize("enforcement", ["observe", "warn"])
def test_a_save_out_of_scope_goes_through_and_is_recorded_as_such(
    editor: Editor, enforcement: str
) -> None:
    editor.policy(f"  enforcement: {enforcement}\n")
    editor.select("INT-001")
    before = editor.will_save("src/db.py", "alpha\nBETA\ngamma\n")
    assert before.judgement.denied is not None
    assert before.draft is None
    record = editor.save("src/db.py", "alpha\nBETA\ngamma\n").record
    assert record is not None
    assert record.scope_validation is ScopeValidation.FAIL
    assert record.intent_id == "INT-001"
    assert editor.disk("src/db.py") == b"alpha\nBETA\ngamma\n"


def test_without_an_intent_a_save_is_recorded_as_refused(editor: Editor) -> None:
    after = editor.save("src/db.py", "x\n")
    assert after.judgement.denied is not None
    assert after.judgement.denied.code is GateCode.NO_ACTIVE_INTENT
    assert after.record is not None
    assert (after.record.intent_id, after.record.intent_hash) == (None, None)
    assert after.record.scope_validation is ScopeValidation.FAIL


def test_where_the_team_blocks_a_save_is_turned_back_and_its_text_kept(editor: Editor) -> None:
    editor.policy("  enforcement: block\n")
    editor.select("INT-001")
    typed = "alpha\nBETA \ud83d\n"
    before = editor.will_save("src/db.py", typed)
    assert before.disk.lines == ["alpha\n", "beta\n", "gamma\n"]
    draft = before.draft
    assert draft is not None
    # On disk already, whatever becomes of the editor now.
    assert editor.governance.stores.drafts.get(draft.id) == draft
    assert (draft.path, draft.text) == ("src/db.py", typed)
    assert draft.base_hash == hash_content(b"alpha\nbeta\ngamma\n")
    assert (draft.session_id, draft.intent_id) == (editor.session.id, "INT-001")
    assert draft.code == "SCOPE_VIOLATION"
    after = editor.save("src/db.py", "alpha\nBETA\ngamma\n")
    assert after.record is None
    assert editor.disk("src/db.py") == b"alpha\nbeta\ngamma\n"
    assert editor.disk(LEDGER) is None


def test_a_new_file_is_turned_back_to_nothing(editor: Editor) -> None:
    editor.policy("  enforcement: block\n")
    before = editor.will_save("lib/new.py", "x\n")
    assert before.disk.lines == []
    assert before.draft is not None
    assert before.draft.base_hash is None
    assert (before.draft.code, before.draft.intent_id) == ("NO_ACTIVE_INTENT", None)


@pytest.mark.parametrize(
    "why", ["not manual", "no text on disk", "stale", "nothing typed", "in scope", "put back"]
)
def test_these_saves_are_not_turned_back(editor: Editor, why: str) -> None:
    editor.policy("  enforcement: block\n")
    editor.select("INT-001")
    path, text = "src/db.py", "alpha\nBETA\ngamma\n"
    match why:
        case "no text on disk":
            (editor.root / path).write_bytes(b"\xff\xfe\xfd")
        case "stale":
            path = "src/auth/login.py"
            editor.show(path)
            (editor.root / path).write_text("someone else\n")
        case "nothing typed":
            text = "alpha\nbeta\ngamma\n"
        case "in scope":
            path = "src/auth/login.py"
        case "put back":
            (editor.root / path).write_text("someone else\n")
            text = "alpha\nbeta\ngamma\n"
    before = editor.will_save(path, text, manual=why != "not manual")
    assert before.draft is None
    assert editor.governance.stores.drafts.list() == ()


def test_a_save_over_an_unseen_change_is_stale_and_recorded_as_concurrent(editor: Editor) -> None:
    editor.select("INT-001")
    path = "src/auth/login.py"
    editor.show(path)
    (editor.root / path).write_text("someone else\n")
    before = editor.will_save(path, "mine\n")
    assert before.judgement.denied is not None
    assert before.judgement.denied.code is GateCode.STALE_FILE
    after = editor.save(path, "mine\n")
    assert after.record is not None
    assert after.record.concurrent_modification
    assert after.record.scope_validation is ScopeValidation.FAIL
    assert after.record.files[0].pre_hash == hash_content(b"someone else\n")
    # Having saved, the editor knows what is there.
    again = editor.save(path, "mine again\n").record
    assert again is not None
    assert again.scope_validation is ScopeValidation.PASS


def test_what_the_server_wrote_itself_is_never_stale(editor: Editor) -> None:
    editor.select("INT-001")
    path = "src/auth/login.py"
    editor.show(path)
    state = editor.governance.stores.state
    assert state is not None
    state.note_own_write(editor.place(path).path, hash_content(b"ours\n"))
    (editor.root / path).write_text("ours\n")
    after = editor.save(path, "mine\n")
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.PASS
    assert not after.record.concurrent_modification


def test_what_the_server_wrote_itself_is_not_recorded_as_a_save(editor: Editor) -> None:
    path = ".orchestration/active_intents.yaml"
    editor.show(path)
    editor.select("INT-002")
    text = (editor.root / path).read_text()
    assert text != INTENTS
    assert editor.did_save(path, INTENTS.encode()).record is None
    assert editor.save(path, text + "# mine\n").record is not None


@pytest.mark.parametrize(
    ("path", "standing", "verdict"),
    [
        (".orchestration/active_intents.yaml", FileClass.EXEMPT, ScopeValidation.EXEMPT),
        (".orchestration/constraints.sidecar.yaml", FileClass.EXEMPT, ScopeValidation.EXEMPT),
        (".intentignore", FileClass.EXEMPT, ScopeValidation.EXEMPT),
        ("AGENT.md", FileClass.EXEMPT, ScopeValidation.EXEMPT),
        (".cursor/hooks.json", FileClass.EXEMPT, ScopeValidation.EXEMPT),
        (".orchestration/intent_map.md", FileClass.SERVER_ONLY, ScopeValidation.FAIL),
        (".orchestration/governance_ledger.md", FileClass.SERVER_ONLY, ScopeValidation.FAIL),
    ],
)
@pytest.mark.parametrize("enforcement", ["observe", "warn", "block"])
def test_control_files_are_peoples_and_the_servers_are_not(
    editor: Editor, path: str, standing: FileClass, verdict: ScopeValidation, enforcement: str
) -> None:
    editor.policy(f"  enforcement: {enforcement}\n")
    text = (editor.disk(path) or b"").decode() + "# mine\n"
    before = editor.will_save(path, text)
    assert before.draft is None
    assert before.judgement.standing is standing
    after = editor.save(path, text)
    assert after.record is not None
    assert after.record.scope_validation is verdict


@pytest.fixture
def agents_editor(governed: Repository) -> Iterator[Editor]:
    """Give an editor whose connection has said that an agent works in it."""
    governance = Governance(governed.root)
    session = governance.open_editor(None, Contributor(EntityType.AI, "maker/model"))
    editor = Editor(governed.root, governance, session)
    editor.select("INT-001")
    yield editor
    editor.close()


@pytest.mark.parametrize(
    "path",
    [
        ".orchestration/active_intents.yaml",
        ".orchestration/intent_map.md",
        ".intentignore",
        ".cursor/hooks.json",
        ".git/hooks/pre-commit",
        "src/auth/vendor/.git/config",
        "src/auth/link/pre-push",
    ],
)
@pytest.mark.parametrize("enforcement", ["warn", "block"])
def test_the_control_plane_is_no_agents_to_save(
    agents_editor: Editor, path: str, enforcement: str
) -> None:
    agents_editor.policy(f"  enforcement: {enforcement}\n")
    (agents_editor.root / "src/auth/link").symlink_to("../../.git/hooks")
    old = agents_editor.disk(path)
    text = (old or b"").decode() + "# mine\n"
    before = agents_editor.will_save(path, text)
    denied = before.judgement.denied
    assert denied is not None
    assert denied.code is GateCode.PATH_DENIED
    assert (before.draft is not None) is (enforcement == "block")
    # It goes through where an editor never asks, and is shown and recorded.
    place = agents_editor.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    after = agents_editor.did_save(path, old)
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.FAIL
    look = agents_editor.look(path)
    assert (look.shown, look.server_only) == (True, True)
    (row,), judgement = agents_editor.governance.explain_save(
        agents_editor.session.id, WorkspacePath(path)
    )
    assert (row.number, row.code) == (6, GateCode.PATH_DENIED)
    assert judgement.denied == denied


def test_an_agents_other_saves_are_judged_by_scope_and_by_the_teams_rules(
    agents_editor: Editor,
) -> None:
    denying = "  deny_mutations: [{path_glob: 'src/auth/keys/**', reason: secret}]\n"
    agents_editor.policy(denying)
    found = {}
    for path in ("src/auth/a.py", "AGENT.md", "docs/guide.md", "src/auth/keys/a"):
        record = agents_editor.save(path, "x\n").record
        assert record is not None
        found[path] = record.scope_validation.value
    assert found == {
        "src/auth/a.py": "PASS",
        "AGENT.md": "FAIL",
        "docs/guide.md": "FAIL",
        "src/auth/keys/a": "FAIL",
    }
    judgement = agents_editor.will_save("src/auth/keys/a", "y\n").judgement
    assert (judgement.standing, judgement.denied is None) == (FileClass.GOVERNED, False)


def test_what_git_ignores_is_nobodys_business_in_an_agents_editor_too(
    agents_editor: Editor,
) -> None:
    (agents_editor.root / ".git/info/exclude").write_text("*.o\n")
    after = agents_editor.save("docs/a.o", "x\n")
    assert (after.record, after.judgement.standing) == (None, FileClass.IGNORED)


def test_an_agent_may_put_back_what_it_may_not_change(
    agents_editor: Editor, governed: Repository
) -> None:
    path = ".orchestration/active_intents.yaml"
    committed = governed.git("show", f"HEAD:{path}")
    agents_editor.show(path)
    assert agents_editor.save(path, committed + "# mine\n").record is not None
    back = agents_editor.save(path, committed).record
    assert back is not None
    assert back.scope_validation is ScopeValidation.EXEMPT


def test_what_a_ticket_lets_an_agent_write_its_editor_may_save(agents_editor: Editor) -> None:
    governance, path = agents_editor.governance, ".orchestration/active_intents.yaml"
    (agents_editor.root / path).write_text("active_intents: []\n")
    # The first intent: a person has let it be written.
    word = ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id="person")
    call = ToolCall(tool_name="Write", paths=(path,))
    admission = governance.calls.admit("builder", "", call, word)
    assert admission.ticket is not None, admission.decision
    agents_editor.show(path)
    judgement = agents_editor.will_save(path, INTENTS).judgement
    assert (judgement.ticket, judgement.verdict) == (admission.ticket, ScopeValidation.PASS)


def test_while_governance_is_off_an_agents_editor_may_mend_it(agents_editor: Editor) -> None:
    path = ".orchestration/active_intents.yaml"
    (agents_editor.root / path).write_text("active_intents: [\n")
    assert agents_editor.will_save(path, INTENTS).judgement.standing is FileClass.EXEMPT


def test_what_git_ignores_and_what_is_gits_is_never_recorded(
    editor: Editor, governed: Repository
) -> None:
    governed.write(".gitignore", "build/\n*.log\n")
    governed.write("kept.log", "x\n")
    governed.git("add", "--force", "kept.log")
    for path in ("build/out.o", "x.log", ".git/config", ".git/hooks/new"):
        after = editor.save(path, "changed\n" if path != ".git/config" else "# mine\n")
        assert after.judgement.standing is FileClass.IGNORED
        assert after.judgement.verdict is None
        assert after.record is None
    # Tracked, it counts although a pattern matches it.
    assert editor.save("kept.log", "y\n").record is not None


def test_a_link_that_leaves_the_root_leads_outside_of_the_workspace(
    editor: Editor, governed: Repository
) -> None:
    outside = governed.root.parent / "outside.py"
    outside.write_text("theirs\n")
    (governed.root / "src/auth/link.py").symlink_to(outside)
    editor.select("INT-001")
    after = editor.save("src/auth/link.py", "mine\n")
    assert after.judgement.denied is not None
    assert after.judgement.denied.code is GateCode.OUTSIDE_WORKSPACE
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.FAIL


def test_a_link_within_the_root_is_judged_by_both_of_its_ends(
    editor: Editor, governed: Repository
) -> None:
    (governed.root / "src/auth/db.py").symlink_to("../db.py")
    (governed.root / "src/auth/again.py").symlink_to("login.py")
    editor.select("INT-001")
    denied = editor.will_save("src/auth/db.py", "x\n").judgement.denied
    assert denied is not None
    assert denied.code is GateCode.SCOPE_VIOLATION
    assert denied.paths == ("src/db.py",)
    assert editor.will_save("src/auth/again.py", "x\n").judgement.denied is None


def test_putting_a_file_back_to_head_is_exempt(editor: Editor) -> None:
    editor.select("INT-001")
    assert editor.save("src/db.py", "mine\n").record is not None
    after = editor.save("src/db.py", "alpha\nbeta\ngamma\n")
    assert after.judgement.denied is None
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.EXEMPT


def test_putting_a_file_back_to_where_the_session_began_is_exempt(
    governed: Repository, open_editor: Callable[..., Editor]
) -> None:
    governed.write("src/db.py", "unfinished\n")
    editor = open_editor(governed.root)
    editor.policy("  enforcement: block\n")
    editor.select("INT-001")
    (editor.root / "src/db.py").write_text("spoilt\n")
    before = editor.will_save("src/db.py", "unfinished\n")
    assert before.draft is None
    after = editor.save("src/db.py", "unfinished\n")
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.EXEMPT


def test_putting_back_over_an_unseen_change_is_stale_all_the_same(editor: Editor) -> None:
    editor.select("INT-001")
    path = "src/auth/login.py"
    editor.show(path)
    (editor.root / path).write_text("someone else\n")
    denied = editor.will_save(path, "one\ntwo\nthree\n").judgement.denied
    assert denied is not None
    assert denied.code is GateCode.STALE_FILE


def test_putting_back_over_an_unseen_change_is_no_undoing_out_of_scope_either(
    editor: Editor,
) -> None:
    editor.policy("  enforcement: block\n")
    editor.select("INT-001")
    editor.show("src/db.py")
    (editor.root / "src/db.py").write_text("someone else\n")
    before = editor.will_save("src/db.py", "alpha\nbeta\ngamma\n")
    assert before.draft is not None
    assert before.disk.lines == ["someone else\n"]


def test_a_ledger_that_cannot_be_written_lets_the_record_wait(editor: Editor) -> None:
    editor.select("INT-001")
    (editor.root / LEDGER).mkdir()
    after = editor.save("src/auth/login.py", "x\n")
    assert after.record is None
    assert after.queued is not None
    assert editor.disk("src/auth/login.py") == b"x\n"
    (editor.root / LEDGER).rmdir()
    record = editor.save("src/auth/login.py", "y\n").record
    assert record is not None
    hashes = [line["files"][0]["post_hash"] for line in _records(editor)]
    assert hashes == [hash_content(b"x\n"), hash_content(b"y\n")]


def test_while_the_intents_file_is_broken_saves_are_exempt(editor: Editor) -> None:
    editor.policy("  enforcement: block\n")
    intents = editor.root / ".orchestration/active_intents.yaml"
    intents.write_text("active_intents: [\n")
    assert editor.will_save("src/db.py", "x\n").draft is None
    record = editor.save("src/db.py", "x\n").record
    assert record is not None
    assert (record.scope_validation, record.intent_id) == (ScopeValidation.EXEMPT, None)
    intents.write_text(INTENTS)
    assert editor.will_save("src/db.py", "y\n").draft is not None


def test_a_text_that_cannot_be_kept_is_not_taken_away(editor: Editor) -> None:
    editor.policy("  enforcement: block\n")
    (editor.root / ".orchestration/.local/drafts").write_text("in the way\n")
    with pytest.raises(UnsafePathError):
        editor.will_save("src/db.py", "x\n")
    (editor.root / "src/db.py").write_text("x\n")
    record = editor.did_save("src/db.py", b"alpha\nbeta\ngamma\n").record
    assert record is not None
    assert record.scope_validation is ScopeValidation.FAIL
