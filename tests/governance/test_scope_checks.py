"""Scopes held against the files that exist (requirements section 3)."""

from collections.abc import Callable

import pytest

from intent_lsp.core.codes import FileCode
from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Finding
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.plan import scope_checks
from intent_lsp.store.fs.resolve import is_directory
from intent_lsp.store.git.repository import Git
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository


def _findings(editor: Editor, text: str) -> dict[FileCode, Finding]:
    found = editor.scope_checks.findings(read_intents(text))
    return {finding.code: finding for finding in found}


def _marked(text: str, finding: Finding) -> str:
    start, end = finding.span.start, finding.span.end
    assert start.line == end.line
    return text.split("\n")[start.line][start.character : end.character]


def test_a_scope_that_matches_no_file_is_found_at_its_place(editor: Editor) -> None:
    found = _findings(editor, INTENTS)
    assert set(found) == {FileCode.SCOPE_MATCHES_NOTHING}
    assert _marked(INTENTS, found[FileCode.SCOPE_MATCHES_NOTHING]) in (
        '"lib/**"',
        "lib/**",
        '["lib/**"]',
    )


def test_scopes_that_share_files_are_found_with_the_other_place(editor: Editor) -> None:
    text = INTENTS.replace("lib/**", "src/**")
    found = _findings(editor, text)
    overlap = found[FileCode.SCOPE_OVERLAP]
    assert overlap.related
    assert _findings(editor, text) == found


def test_without_a_repository_nothing_is_listed(
    repository: Repository, open_editor: Callable[..., Editor]
) -> None:
    (repository.root / ".git").rename(repository.root.parent / "not-git")
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    assert _findings(open_editor(repository.root), INTENTS) == {}


def test_where_git_does_not_answer_no_glob_is_said_to_match_nothing(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Git, "known_files", lambda _: None)
    assert _findings(editor, INTENTS) == {}


def test_a_file_that_does_not_parse_has_no_scopes(editor: Editor) -> None:
    assert _findings(editor, "active_intents: [\n") == {}


def test_a_directory_of_the_work_tree_is_known(editor: Editor) -> None:
    assert is_directory(editor.root, "src/auth")
    assert not is_directory(editor.root, "src/db.py")
    assert not is_directory(editor.root, "none")
    assert not is_directory(editor.root, "..")


def test_while_a_text_is_typed_what_is_known_of_unchanged_scopes_stays(editor: Editor) -> None:
    checks = editor.scope_checks
    assert checks.typed(read_intents(INTENTS)) == ()
    known = checks.findings(read_intents(INTENTS))
    assert known
    typed = "# One line more.\n" + INTENTS.replace("docs/**", "doc/**")
    moved = next(f for f in checks.typed(read_intents(typed)) if f.code == known[0].code)
    assert moved.span.start.line == known[0].span.start.line + 1
    assert checks.typed(read_intents("active_intents: [\n")) == ()


def test_while_a_scope_is_typed_it_is_held_against_the_work_tree(editor: Editor) -> None:
    checks = editor.scope_checks
    checks.findings(read_intents(INTENTS))
    text = """\
active_intents:
  - id: A
    name: One
    owned_scope: [src/**, src/auth/**, no/such/*, .orchestration/**]
  - id: B
    name: Two
    owned_scope: [src/auth/**]
"""
    told = {finding.code for finding in checks.typed(read_intents(text))}
    assert told == {
        FileCode.COVERED_GLOB,
        FileCode.SCOPE_MATCHES_NOTHING,
        FileCode.SCOPE_CONTROL_PLANE,
        FileCode.SCOPE_OVERLAP,
    }
    # As after the save, in the same places.
    assert set(checks.typed(read_intents(text))) == set(checks.findings(read_intents(text)))
    one = text.replace("src/auth/**]\n", "docs/**]\n")
    assert FileCode.SCOPE_OVERLAP not in {f.code for f in checks.typed(read_intents(one))}


def test_of_many_scopes_that_differ_only_what_is_known_is_told(editor: Editor) -> None:
    checks = editor.scope_checks
    checks.findings(read_intents(INTENTS))
    many = "".join(f"- {{id: N{n}, owned_scope: [no/such/{n}]}}\n" for n in range(5))
    assert checks.typed(read_intents("active_intents:\n" + many)) == ()


def test_a_glob_that_is_nearly_a_path_is_named_with_a_fix(editor: Editor) -> None:
    text = INTENTS.replace('"src/auth/**"', '"src/atuh/**"')
    found = editor.scope_checks.findings(read_intents(text), split_lines(text))
    one = next(finding for finding in found if finding.fixes)
    assert one.code is FileCode.SCOPE_MATCHES_NOTHING
    assert one.message == "No file matches this pattern. Did you mean `src/auth/**`?"
    assert apply_changes(text, one.fixes[0].changes) == INTENTS


def test_while_a_scope_is_typed_no_other_glob_is_compared_with_the_tree(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = "".join(f"  - {{id: N{n}, owned_scope: [src/dead{n}]}}\n" for n in range(9))
    text = f"{INTENTS}{dead}"
    checks = editor.scope_checks
    checks.findings(read_intents(text))
    compared: list[str] = []
    monkeypatch.setattr(
        scope_checks, "near_glob", lambda pattern, _tree: compared.append(pattern.text)
    )
    typed = read_intents(text.replace("[src/dead4]", "[src/d]"))
    found = [each.code for each in checks.typed(typed)]
    assert found.count(FileCode.SCOPE_MATCHES_NOTHING) >= 9
    assert compared == ["src/d"]
