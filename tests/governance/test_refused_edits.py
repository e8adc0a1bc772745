"""Edits that were refused to an agent and appear all the same: recorded, and shown as that."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from intent_lsp.core.codes import HostCode
from intent_lsp.core.content import content_of
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.patch.reader import added_runs
from intent_lsp.governance.violations.file_violations import code_of
from tests.governance.editor import Editor
from tests.governance.watcher import Watcher
from tests.support.hook_agent import Agent, reason
from tests.support.repository import Repository

LOGIN = WorkspacePath("src/auth/login.py")
DB = WorkspacePath("src/db.py")
PATCH = """\
*** Begin Patch
*** Update File: src/db.py
@@
-beta
+BETA and more
*** Update File: docs/guide.md
@@
+Another line
*** End Patch
"""


@pytest.fixture
def watcher(editor: Editor) -> Watcher:
    editor.select("INT-001")
    return Watcher(editor.governance, editor.session)


def whole(agent: Agent) -> None:
    reason(agent.before("Write", file_path=LOGIN, content="one\nTWO!\nthree\n"))


def piece(agent: Agent) -> None:
    reason(agent.before("Edit", file_path=LOGIN, old_string="two", new_string="TWO!"))


def pieces(agent: Agent) -> None:
    edits = [{"old_string": "two", "new_string": "TWO!"}]
    reason(agent.before("MultiEdit", file_path=LOGIN, edits=edits))


def patch(agent: Agent) -> None:
    text = f"*** Begin Patch\n*** Update File: {LOGIN}\n@@\n-two\n+TWO!\n*** End Patch\n"
    reason(agent.before("apply_patch", input=text))


@pytest.mark.parametrize("refuse", [whole, piece, pieces, patch])
def test_a_refused_edit_that_appears_is_recorded_with_the_call_and_shown(
    watcher: Watcher, editor: Editor, governed: Repository, refuse: Callable[[Agent], None]
) -> None:
    """The person's own intent owns the file, so that only the refusal makes it a violation."""
    refuse(Agent(governed))
    governed.write(LOGIN, "one\nTWO!\nthree\n")
    [record] = watcher.recorded()
    assert (record.tool_name, record.scope_validation) == ("disk/change", ScopeValidation.FAIL)
    assert record.refused_call_hash is not None
    disk = content_of(b"one\nTWO!\nthree\n")
    look = editor.governance.looks.look(
        editor.session, editor.place(LOGIN), disk, disk.hash, edited=False
    )
    assert (look.shown, code_of(look)) == (True, HostCode.REFUSAL_IGNORED)
    assert look.ignored is not None
    assert " by claude was refused at " in look.ignored
    assert "`intent-lsp doctor`" in look.ignored
    assert not editor.governance.looks.is_fine(editor.session, editor.place(LOGIN))
    editor.save(LOGIN, "one\nperson\nthree\n")
    after = content_of(b"one\nperson\nthree\n")
    look = editor.governance.looks.look(
        editor.session, editor.place(LOGIN), after, after.hash, edited=False
    )
    assert look.ignored is None


def test_another_content_a_later_one_or_one_that_was_there_is_no_disobedience(
    watcher: Watcher, governed: Repository
) -> None:
    agent = Agent(governed)
    piece(agent)
    governed.write(LOGIN, "one\nanything\nthree\n")
    [other] = watcher.recorded()
    assert other.refused_call_hash is None
    reason(agent.before("Edit", "short", file_path=DB, old_string="alpha", new_string="b"))
    governed.write(DB, "b\nbeta\ngamma\n")
    [short] = watcher.recorded()
    assert short.refused_call_hash is None
    watcher.at += timedelta(minutes=11)
    governed.write(LOGIN, "one\nTWO!\nthree\n")
    [late] = watcher.recorded()
    assert late.refused_call_hash is None


def test_an_edit_that_was_allowed_afterwards_is_the_agents_own(
    watcher: Watcher, governed: Repository
) -> None:
    agent = Agent(governed)
    whole(agent)
    agent.select("INT-001")
    assert agent.edit(LOGIN, "one\nTWO!\nthree\n", "again").status == 0
    assert watcher.recorded() == []
    governed.write(LOGIN, "something else\n")
    assert len(watcher.recorded()) == 1
    governed.write(LOGIN, "one\nTWO!\nthree\n")
    [record] = watcher.recorded()
    assert record.refused_call_hash is None


def test_a_patch_of_several_files_is_known_by_the_lines_of_each(
    watcher: Watcher, governed: Repository
) -> None:
    reason(Agent(governed).before("apply_patch", input=PATCH))
    governed.write(DB, "alpha\nBETA and more\ngamma\n")
    [record] = watcher.recorded()
    assert record.refused_call_hash is not None
    assert [file.path for file in record.files] == [DB]


def test_the_added_lines_of_both_forms_of_a_patch_are_found() -> None:
    assert added_runs(PATCH) == {
        "src/db.py": ("BETA and more",),
        "docs/guide.md": ("Another line",),
    }
    unified = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,3 @@\n-a\n+b\n+++c\n d\n+e\n"
    assert added_runs(unified) == {"x.py": ("b\n++c", "e")}


DIFF = "--- a/q.sql\n+++ b/q.sql\n"
ENVELOPE = "*** Begin Patch\n*** Update File: q.sql\n"


@pytest.mark.parametrize(
    ("head", "counts", "between"),
    [
        (DIFF, "@@ -1,2 +1,3 @@", ""),
        (DIFF, "@@ -1,2 +1,2 @@", "@@ -9 +9 @@\n"),
        (ENVELOPE, "@@ -1,2 +1,3 @@", ""),
        (ENVELOPE, "@@", ""),
        (ENVELOPE, "@@", "@@ def f():\n"),
    ],
)
def test_lines_of_a_hunk_that_look_like_a_header_are_none(
    head: str, counts: str, between: str
) -> None:
    hunk = f"{counts}\n x\n--- old\n+++ new\n{between}+select 1;\n"
    assert "\n".join(added_runs(head + hunk)["q.sql"]) == "++ new\nselect 1;"
    following = "*** End Patch\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert added_runs(head + hunk + following)["x.py"] == ("b",)
