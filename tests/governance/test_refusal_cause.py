"""Where the refusal of an edit comes from in the intents file (protocol section 4.3)."""

import pytest

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.governance.violations.cause import RefusalCause, cause_of
from tests.governance.editor import Editor
from tests.support.marked_text import cursor_in, text_at
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
OWNER = """
  - id: INT-002
    status: IN_PROGRESS
    owned_scope: ["docs/**", "src/**"]
"""


def entry(rest: str) -> str:
    return f"active_intents:\n  - id: INT-001\n{rest}"


def cause(
    governed: Repository, intents: str, selected: str | None = "INT-001", ignored: str = ""
) -> RefusalCause | None:
    """Return the cause of the refusal of an edit of the login, by these intents on disk."""
    editor = Editor.open(governed.root)
    try:
        if selected is not None:
            governed.write(INTENTS_FILE, "active_intents: [{id: INT-001}, {id: INT-009}]\n")
            editor.select(selected)
        governed.write(INTENTS_FILE, intents)
        governed.write(".intentignore", ignored)
        return cause_of(governed.root, editor.look(LOGIN, "changed\n").judgement)
    finally:
        editor.close()


@pytest.mark.parametrize(
    ("marked", "selected", "found"),
    [
        # Out of scope: the list of globs, in whatever form it has.
        (entry('    owned_scope: |["lib/**"]\n'), "INT-001", '["lib/**"]'),
        (
            entry("    owned_scope:\n      |- lib/**\n      - doc\n"),
            "INT-001",
            "- lib/**\n      - doc",
        ),
        (entry("    owned_scope: |[]\n"), "INT-001", "[]"),
        (entry("    owned_scope: |lib/**\n"), "INT-001", "lib/**"),
        (entry("    name: No scope\n").replace("INT-001", "|INT-001"), "INT-001", "INT-001"),
        ("active_intents: [{id: INT-001, owned_scope: |[lib]}]\n", "INT-001", "[lib]"),
        (entry("    ownedScope: |[lib]\n"), "INT-001", "[lib]"),
        (entry("    owned_scope: |[lib]\n").replace("\n", "\r\n"), "INT-001", "[lib]"),
        ("# 🙂 für\n" + entry('    owned_scope: |["🙂/**"]\n'), "INT-001", '["🙂/**"]'),
        # An exclusion that takes the file out of the scope.
        (entry('    owned_scope: ["src/**", |"!src/auth/**"]\n'), "INT-001", '"!src/auth/**"'),
        (
            entry("    owned_scope:\n      - src/**\n      - |!src/auth/**\n"),
            "INT-001",
            "!src/auth/**",
        ),
        (
            entry("    owned_scope: ['!lib/**', |'!**/login.py', 'src/**']\n"),
            "INT-001",
            "'!**/login.py'",
        ),
        # The status of a closed intent.
        (entry("    status: |COMPLETED\n    owned_scope: [src]\n"), "INT-001", "COMPLETED"),
        (entry('    owned_scope: ["src/**"]\n    status: |"done"\n'), "INT-001", '"done"'),
        # The glob of the owner, if no usable intent is selected.
        (entry("    owned_scope: [lib]") + OWNER.replace('"src', '|"src'), None, '"src/**"'),
        (f"active_intents:{OWNER}".replace('"src', '|"src'), "INT-009", '"src/**"'),
        (
            entry("    status: DONE\n    owned_scope: ['src/**']") + OWNER.replace('"src', '|"src'),
            None,
            '"src/**"',
        ),
    ],
)
def test_the_cause_is_where_the_mark_is(
    governed: Repository, marked: str, selected: str | None, found: str
) -> None:
    intents, at = cursor_in(marked)
    place = cause(governed, intents, selected)
    assert place is not None
    assert place.path == governed.root / INTENTS_FILE
    assert "".join(place.lines) == intents
    assert place.span.start == TextPositions(intents).position(at)
    assert text_at(intents, place.span).rstrip() == found.replace(
        "\n", "\r\n" if "\r" in intents else "\n"
    )


@pytest.mark.parametrize(
    ("intents", "selected"),
    [
        (entry("    owned_scope: ['src/**']\n"), "INT-001"),
        (entry("    owned_scope: [lib]\n"), None),
        ("active_intents: []\n", "INT-001"),
    ],
)
def test_an_edit_that_is_allowed_or_nobodys_has_no_cause(
    governed: Repository, intents: str, selected: str | None
) -> None:
    assert cause(governed, intents, selected) is None


def test_an_ignored_intent_is_the_cause_by_its_id(governed: Repository) -> None:
    intents = entry("    owned_scope: ['src/**']\n")
    place = cause(governed, intents, ignored="INT-001\n")
    assert place is not None
    assert text_at(intents, place.span) == "INT-001"


def test_the_place_is_in_the_text_of_the_editor_not_of_the_disk(
    governed: Repository, editor: Editor
) -> None:
    editor.select("INT-002")
    judgement = editor.look(LOGIN, "changed\n").judgement
    on_disk = cause_of(governed.root, judgement)
    assert on_disk is not None
    moved = split_lines("# One more line.\n" + "".join(on_disk.lines))
    place = cause_of(governed.root, judgement, moved)
    assert place is not None
    assert place.span.start.line == on_disk.span.start.line + 1
    assert place.lines == moved
    # What is being typed there may have no such intent, or not parse at all.
    for typed in ("active_intents: []\n", "active_intents: [\n", "", "\t\0"):
        assert cause_of(governed.root, judgement, split_lines(typed)) is None


def test_a_file_that_cannot_be_read_has_no_place(governed: Repository, editor: Editor) -> None:
    editor.select("INT-002")
    judgement = editor.look(LOGIN, "changed\n").judgement
    path = governed.root / INTENTS_FILE
    path.write_bytes(b"\xff\xfe\x00")
    assert cause_of(governed.root, judgement) is None
    path.unlink()
    path.mkdir()
    assert cause_of(governed.root, judgement) is None
