"""`intent-lsp status`, and who asks where no session is named."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE
from intent_lsp.governance.setup import initialise
from tests.doors.cli.conftest import Shell, Terminal
from tests.governance.editor import Editor
from tests.governance.work import Work
from tests.support.repository import Repository

LOGIN, GUIDE, BILL = "src/auth/login.py", "docs/guide.md", "src/billing/bill.py"


@pytest.fixture
def opened(project: Repository) -> Iterator[Callable[[], Editor]]:
    """Give what opens an editor on the project."""
    editors: list[Editor] = []

    def one() -> Editor:
        editors.append(Editor.open(project.root))
        return editors[-1]

    yield one
    for editor in editors:
        editor.close()


def facts(out: str) -> dict[str, str]:
    """Give what is told beside each heading; more lines of one are joined."""
    found: dict[str, str] = {}
    name = ""
    for line in out.splitlines():
        head, _, rest = line.partition("  ")
        name = head or name
        found[name] = f"{found[name]}\n{rest.strip()}" if name in found else rest.strip()
    return found


def test_nothing_has_happened_yet(shell: Shell, project: Repository) -> None:
    said = shell("status")
    assert said.status == 0
    assert facts(said.out) == {
        "root": str(project.root),
        "enforcement": "warn",
        "intents": "2 open of 2",
        "sessions": "no live session",
        "violations": "none",
        "ledger": "no record yet: the first edit makes one",
    }


def test_live_sessions_are_shown_with_their_intents(
    shell: Shell, project: Repository, opened: Callable[[], Editor]
) -> None:
    editor = opened()
    editor.select("INT-001")
    shell("intents", "select", "INT-002", "--session", "builder")
    told = facts(shell("status").out)["sessions"].splitlines()
    assert [line.split(" (last used")[0] for line in told] == [
        f"editor {editor.session.id[:8]}: INT-001 (Login)",
        "agent builder: INT-002 (Billing)",
    ]
    assert told[0].endswith(", the session that this command uses")
    rows = shell("status", "--json").json["sessions"]
    assert [(row["kind"], row["activeIntentId"], row["isAsking"]) for row in rows] == [
        ("editor", "INT-001", True),
        ("agent", "INT-002", False),
    ]
    editor.close()
    left = facts(shell("status").out)["sessions"]
    assert left.startswith("agent builder")
    assert project.root.is_dir()


def test_what_was_saved_out_of_bounds_is_shown_until_it_is_put_right(
    shell: Shell, project: Repository, opened: Callable[[], Editor]
) -> None:
    editor = opened()
    editor.select("INT-001")
    editor.save("README.md", "# Another\n")
    editor.save(LOGIN, "fine\n")
    (each,) = shell("status", "--json").json["violations"]
    assert (each["path"], each["intentId"]) == ("README.md", "INT-001")
    assert facts(shell("status").out)["violations"].startswith(
        "README.md: edited under INT-001 against the rules, "
    )
    project.git("checkout", "--", "README.md")
    assert shell("status", "--json").json["violations"] == []
    assert facts(shell("status").out)["violations"] == "none"
    assert facts(shell("status").out)["ledger"].startswith("2 records, the newest from 20")


def test_a_failed_call_settles_no_violation(
    shell: Shell, project: Repository, opened: Callable[[], Editor]
) -> None:
    editor = opened()
    editor.select("INT-001")
    editor.save(BILL, "a bill\n")
    work = Work(editor, project)
    work.agent("builder", "INT-002")
    ticket = work.begins("builder", BILL, "another\n")
    outcome = editor.governance.calls.record(ticket, error="the disk is full")
    assert outcome is not None
    (each,) = shell("status", "--json").json["violations"]
    assert (each["path"], each["intentId"]) == (BILL, "INT-001")
    ticket = work.begins("builder", BILL, "another\n")
    (project.root / BILL).write_text("another\n")
    work.ends(ticket)
    assert shell("status", "--json").json["violations"] == []


def test_a_root_that_cannot_be_read_is_off(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, "active_intents: [")
    said = shell("status")
    assert said.status == 0
    assert facts(said.out)["governance"].startswith("off: ")
    told = shell("status", "--json").json
    assert (told["governed"], bool(told["reason"])) == (False, True)


def test_an_older_repository_is_told_what_keeps_its_tree_clean(
    shell: Shell, project: Repository
) -> None:
    project.write(".orchestration/.gitignore", ".local/\n")
    project.write(".orchestration/intent_map.md", "# Intent map\n")
    project.write(".orchestration/agent_trace.jsonl", "")
    project.commit()
    offers = shell("status", "--json").json["offers"]
    assert [offer["command"] for offer in offers] == [
        "echo intent_map.md >> .orchestration/.gitignore",
        "git rm --cached .orchestration/intent_map.md",
        "echo '*.jsonl linguist-generated' >> .orchestration/.gitattributes",
    ]
    assert shell("status").err.splitlines() == [
        f"intent-lsp: {offer['what']}; `{offer['command']}` fixes that" for offer in offers
    ]
    for offer in offers:
        project.write("mend.sh", offer["command"])
        project.git("-c", "alias.mend=!sh mend.sh", "mend")
    assert shell("status").err == ""


def test_a_line_is_offered_apart_from_one_that_has_not_ended(
    shell: Shell, project: Repository
) -> None:
    project.write(".orchestration/.gitignore", ".local/")
    project.commit()
    (offer,) = shell("status", "--json").json["offers"]
    project.write("mend.sh", offer["command"])
    project.git("-c", "alias.mend=!sh mend.sh", "mend")
    assert (project.root / ".orchestration/.gitignore").read_text() == ".local/\nintent_map.md\n"
    assert shell("status").err == ""


def test_a_repository_that_is_set_up_now_lacks_nothing(
    shell: Shell, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    initialise(repository.root)
    repository.commit()
    assert shell("status").err == ""
    assert not [path for path in repository.root.iterdir() if path.suffix == ".md"]
    assert (repository.root / CONTROL_ROOM).is_dir()


# -- who asks ------------------------------------------------------------------------------------


def test_the_only_open_editor_asks_where_nobody_is_named(
    shell: Shell, project: Repository, opened: Callable[[], Editor]
) -> None:
    editor = opened()
    editor.select("INT-001")
    said = shell("explain", LOGIN)
    name = editor.session.id[:8]
    assert (said.status, said.err) == (
        0,
        f"intent-lsp: this command acts for your editor's session {name}: INT-001 (Login)\n",
    )
    listed = shell("intents", "list", "--json")
    assert listed.json["activeIntentId"] == "INT-001"
    assert listed.err == said.err
    opened()
    # Of two nobody knows which is meant.
    assert shell("explain", LOGIN).status == 1
    assert shell("intents", "list", "--json").json["activeIntentId"] is None
    assert project.root.is_dir()


def test_an_editors_intent_is_changed_at_a_terminal_alone_and_after_a_question(
    shell: Shell,
    opened: Callable[[], Editor],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor = opened()
    assert "no session was given" in shell("intents", "select", "INT-002").problem
    written = Terminal()
    for answer, intent in (("n\n", None), ("", None), ("y\n", "INT-002")):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        monkeypatch.setattr(sys, "stdout", written)
        shell("intents", "select", "INT-002")
        assert editor.governance.sessions.active_intent(editor.session.id) == intent
    asked = f"Select INT-002 in your editor's session {editor.session.id[:8]}: no intent selected?"
    assert asked in written.getvalue()


# -- codes ---------------------------------------------------------------------------------------


def test_a_code_is_explained_with_its_way_out(shell: Shell, tmp_path: Path) -> None:
    said = shell("explain", "--code", "stale_file", "-C", str(tmp_path))
    assert said.status == 0
    assert said.out.startswith("STALE_FILE\n\nThe file on disk changed")
    assert "\nWay out: let the editor read the file again" in said.out
    assert "](" not in shell("explain", "--code", "SCOPE_VIOLATION").out
    problem = shell("explain", "--code", "STALE").problem
    assert "there is no code STALE; did you mean STALE_FILE?" in problem
