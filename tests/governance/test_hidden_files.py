"""What a command hides by a new line of an ignore file, and what was ignored all along."""

import subprocess

import pytest

from intent_lsp.core.records import ScopeValidation
from tests.governance.work import Work, paths

LOGIN, DB = "src/auth/login.py", "src/db.py"


@pytest.fixture
def work(work: Work) -> Work:
    work.root.write(".gitignore", "dist/\n*.log\n")
    work.root.write("src/.gitignore", "/old\n")
    work.root.write("dist/a", "built\n")
    work.root.write("src/old", "ignored\n")
    work.root.commit("ignored")
    work.noticed()
    work.agent("builder", "INT-001")
    return work


@pytest.mark.parametrize(
    ("ignore", "lines", "made"),
    [
        (".gitignore", "dist/\n*.log\ndocs/evil.md\n", "docs/evil.md"),
        (".gitignore", "dist/\n*.log\n/stash/\n", "stash/deep/evil.py"),
        (".gitignore", "*\n!dist\n", "evil.py"),
        ("src/.gitignore", "/old\nevil.py\n", "src/deep/evil.py"),
        ("src/.gitignore", "/old\n/evil.py\n", "src/evil.py"),
        ("docs/.gitignore", "*.py\n", "docs/evil.py"),
    ],
)
def test_what_a_new_line_hides_is_found(work: Work, ignore: str, lines: str, made: str) -> None:
    ticket = work.begins("builder")
    work.root.write(made, "evil\n")
    work.root.write(ignore, lines)
    outcome = work.ends(ticket)
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.FAIL
    assert set(outcome.violating) == {ignore, made}


@pytest.mark.parametrize(
    ("ignore", "lines"),
    [
        (".gitignore", "/dist/\n*.log\n"),
        (".gitignore", "# Built.\ndist\n\n*.log   \n"),
        ("src/.gitignore", "old\n"),
    ],
)
def test_what_was_ignored_before_in_other_words_is_nobodys_still(
    work: Work, ignore: str, lines: str
) -> None:
    ticket = work.begins("builder")
    work.root.write(ignore, lines)
    work.root.write("dist/a", "built again\n")
    work.root.write("dist/b", "built\n")
    work.root.write("build.log", "built\n")
    work.root.write("src/old", "ignored\n")
    assert set(work.ends(ticket).violating) == {ignore}


def test_an_exclude_file_of_gits_own_hides_nothing_either(work: Work) -> None:
    ticket = work.begins("builder")
    work.root.write("evil.py", "evil\n")
    exclude = work.root.root / ".git/info/exclude"
    exclude.write_text("evil.py\n")
    assert set(work.ends(ticket).violating) == {".git/info/exclude", "evil.py"}


def test_what_an_ignore_file_of_the_intents_own_hides_is_nobodys(work: Work) -> None:
    ticket = work.begins("builder")
    work.root.write("src/auth/.gitignore", "generated/\n")
    work.root.write("src/auth/generated/a.py", "generated\n")
    outcome = work.ends(ticket)
    assert (paths(outcome.record), outcome.violating) == (["src/auth/.gitignore"], ())


def test_what_was_seen_before_it_was_hidden_is_compared_by_what_it_held(work: Work) -> None:
    work.root.write("notes.txt", "mine\n")
    work.noticed()
    ticket = work.begins("builder")
    work.root.write(".gitignore", "dist/\n*.log\nnotes.txt\n")
    assert set(work.ends(ticket).violating) == {".gitignore"}
    work.root.write(".gitignore", "dist/\n*.log\n")
    work.noticed()
    ticket = work.begins("builder")
    work.root.write("notes.txt", "theirs\n")
    work.root.write(".gitignore", "dist/\n*.log\nnotes.txt\n")
    assert set(work.ends(ticket).violating) == {".gitignore", "notes.txt"}


def test_what_is_hidden_and_cannot_be_read_is_left_out_and_logged(
    work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    ticket = work.begins("builder")
    room = work.root.root / "deep"
    # Its directory can be listed, but its path is longer than the system allows: nobody, whatever
    # their rights, can open it.
    while len(str(room)) < 3840:
        room /= "d" * min(240, 4000 - len(str(room)))
    room.mkdir(parents=True)
    subprocess.run(["touch", "f" * 255], cwd=room, check=True)
    work.root.write("evil.py", "evil\n")
    work.root.write(".gitignore", "dist/\n*.log\n/deep/\nevil.py\n")
    assert set(work.ends(ticket).violating) == {".gitignore", "evil.py"}
    assert "cannot be compared" in caplog.text
