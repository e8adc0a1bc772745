"""`intent-lsp intents add`, `rename`, `select`, `complete` and `import`."""

import sys

import pytest

from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.store.packaged_files import template
from tests.doors.cli.conftest import Shell, Terminal, file_of
from tests.support.governed_repository import INTENTS
from tests.support.repository import Repository


def test_an_intent_is_added_by_the_smallest_edit(shell: Shell, project: Repository) -> None:
    said = shell("intents", "add", "Docs", "--scope", "docs/**", "*.md", "--scope", "LICENSE")
    assert (said.status, said.err) == (0, "")
    assert (
        said.out
        == f"INT-003 was added to {INTENTS_FILE}: Docs (PLANNED), owns docs/**, *.md, LICENSE\n"
    )
    text = file_of(project)
    assert text.startswith(INTENTS)
    assert text[len(INTENTS) :].splitlines()[:3] == [
        "  - id: INT-003",
        "    name: Docs",
        "    status: PLANNED",
    ]


def test_an_intent_is_added_with_all_that_is_said_of_it(shell: Shell, project: Repository) -> None:
    told = shell(
        *("intents", "add", "Docs", "--scope", "docs/**", "--id", "D-1", "--status", "active"),
        *("--constraint", "short", "--constraint", "true", "--criterion", "no dead link", "--json"),
    ).json
    intent = told["intent"]
    assert (intent["id"], intent["status"]) == ("D-1", "IN_PROGRESS")
    assert intent["constraints"] == ["short", "true"]
    assert intent["acceptanceCriteria"] == ["no dead link"]
    assert intent["createdAt"].endswith("Z")
    assert read_intents(file_of(project)).intents.get("D-1") is not None


def test_the_first_intent_of_a_new_root_is_added(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, template(INTENTS_FILE))
    assert shell("intents", "add", "A", "--scope", "a/**").out.startswith("INT-001 was added to ")
    assert [intent.id for intent in read_intents(file_of(project)).intents] == ["INT-001"]


@pytest.mark.parametrize(
    ("glob", "why"),
    [
        ("**", "'**' is refused: The glob matches every file of the work tree;"),
        ("/etc/**", "is an absolute path"),
        (".orchestration/**", "matches control files"),
        (
            "src/auth",
            'is a directory; as a glob it matches no file in it; say "src/auth/**"',
        ),
        ("{1..9999}", "is refused: This pattern is not used and owns no file: "),
        ("", "argument --scope: must have 1 to 4096 characters, but has 0"),
        ("x" * 4097, "argument --scope: must have 1 to 4096 characters, but has 4097"),
        ("\udce9", "argument --scope: '\\udce9' is not UTF-8 text"),
    ],
)
def test_a_glob_that_grants_nothing_or_everything_is_refused(
    shell: Shell, project: Repository, glob: str, why: str
) -> None:
    assert why in shell("intents", "add", "A", "--scope", "a/**", glob).problem
    assert file_of(project) == INTENTS


def test_a_glob_that_is_odd_is_remarked_on(shell: Shell, project: Repository) -> None:
    said = shell("intents", "add", "A", "--scope", "/src/**", "docs/**")
    assert said.status == 0
    assert (
        "intent-lsp: /src/**: The leading `/` is ignored, since patterns begin at the root"
        in said.err
    )
    assert said.err.count("\n") == 1
    assert "INT-003" in file_of(project)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["A"], "the following arguments are required: --scope"),
        (["A", "--scope", "a", "--id", "INT-001"], "the file already has an intent INT-001"),
        (["A", "--scope", "a", "--id", "q\x1b"], "q\\x1b was not created"),
        (
            ["A", "--scope", "a", "--status", "someday"],
            "'someday' is not a status; use one of PLANNED, IN_PROG",
        ),
        (
            ["A", "--scope", "a", "--id", "x" * 257],
            "argument --id: must have 1 to 256 characters, but has 257",
        ),
        (["A\udce9", "--scope", "a"], "argument NAME: "),
        (["A", "--scope", "!src/x", "!src/y"], "begins with `!`, so it only excludes files"),
    ],
)
def test_an_intent_that_cannot_be_is_refused(
    shell: Shell, project: Repository, words: list[str], why: str
) -> None:
    assert why in shell("intents", "add", *words).problem
    assert file_of(project) == INTENTS


def test_a_file_that_cannot_be_edited_stays_and_says_why(shell: Shell, project: Repository) -> None:
    odd = "active_intents: &all\n  - {id: A, owned_scope: [a]}\n"
    project.write(INTENTS_FILE, odd)
    problem = shell("intents", "add", "B", "--scope", "b").problem
    assert f"B was not created in {INTENTS_FILE}: " in problem
    assert problem.endswith(
        f"; fix that and run the command again, or edit {INTENTS_FILE} by hand\n"
    )
    assert file_of(project) == odd


def test_an_intent_is_renamed(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    project.write(IGNORE_FILE, "INT-0*\n!INT-001\n")
    said = shell("intents", "rename", "INT-001", "AUTH")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"INT-001 is now AUTH in {INTENTS_FILE}; INT-001 is an alias of it\n"
    assert (project.root / IGNORE_FILE).read_text() == "INT-0*\n!AUTH\n"
    status = shell("status", "--session", "s1", "--json").json
    assert [each["activeIntentId"] for each in status["sessions"]] == ["AUTH"]
    listed = shell("intents", "list", "--session", "s1", "--json").json
    assert listed["activeIntentId"] == "AUTH"
    # The records of both ids are the intent's, and either id leads to it.
    told = shell("intents", "rename", "INT-001", "AUTH-2", "--json").json
    assert (told["oldId"], told["intent"]["id"]) == ("AUTH", "AUTH-2")
    assert told["aliases"] == ["INT-001", "AUTH"]


def test_what_a_rename_changes_besides_is_remarked_on(shell: Shell, project: Repository) -> None:
    project.write(IGNORE_FILE, "A*\n")
    said = shell("intents", "rename", "INT-001", "AUTH")
    assert said.status == 0
    assert said.err == (
        "intent-lsp: AUTH is excluded by `A*` in .intentignore, so it cannot be selected\n"
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["INT-9", "X"], "INT-9 is not in .orchestration/active_intents.yaml. Available: INT-001"),
        (["INT-001", "INT-002"], "INT-002 is the id of another intent; choose another id; fix"),
        (["INT-001", "INT-001"], "INT-001 was not renamed in .orchestration/active_intents.yaml:"),
        (["INT-001", "a\nb"], "and this one has a line end"),
        (["INT-001", ""], "argument NEW: must have 1 to 256 characters, but has 0"),
        (["INT-001", " "], "and this one is empty"),
        (["INT-001"], "the following arguments are required: NEW"),
    ],
)
def test_an_intent_that_cannot_be_renamed_says_why(
    shell: Shell, project: Repository, words: list[str], why: str
) -> None:
    assert why in shell("intents", "rename", *words).problem
    assert file_of(project) == INTENTS


@pytest.mark.parametrize("place", [".orchestration/.local", ".orchestration/.local/state.sqlite3"])
def test_a_selection_that_would_be_lost_is_refused(
    shell: Shell, project: Repository, place: str
) -> None:
    if place.endswith(".sqlite3"):
        (project.root / place).mkdir(parents=True)
    else:
        project.write(place, "not a directory\n")
    before = (project.root / INTENTS_FILE).read_text()
    said = shell("intents", "select", "INT-001", "--session", "s1")
    assert said.status == 2
    assert "the selection cannot be stored: " in said.err
    assert "; fix that, then select again" in said.err
    assert (project.root / INTENTS_FILE).read_text() == before


def test_selecting_tells_what_the_intent_asks(shell: Shell, project: Repository) -> None:
    said = shell("intents", "select", "INT-001", "--session", "s1")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith('<intent_context id="INT-001" status="IN_PROGRESS">\n')
    assert said.out.endswith("</intent_context>\n")
    assert file_of(project) == INTENTS.replace("status: PLANNED", "status: IN_PROGRESS")
    told = shell("intents", "select", "INT-001", "--session", "s1", "--json").json
    assert told["context"]["intent"]["constraints"] == ["No external providers"]
    assert told["intent"]["status"] == "IN_PROGRESS"
    assert told["text"].startswith("<intent_context ")
    assert told["warnings"] == []


def test_a_terminal_is_told_nothing_that_moves_its_cursor(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(INTENTS_FILE, '- {id: A, name: "x\\x9b2Jy"}\n')
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    assert shell("intents", "select", "A", "--session", "s1").status == 0
    assert "  <name>x\\x9b2Jy</name>\n" in out.getvalue()


def test_a_warning_is_no_part_of_the_answer(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, "- {id: A, status: BLOCKED}\n")
    said = shell("intents", "select", "A", "--session", "s1")
    assert said.err == "intent-lsp: Intent A is BLOCKED, but may still be worked on.\n"
    assert "BLOCKED." not in said.out
    told = shell("intents", "select", "A", "--session", "s1", "--json")
    assert told.json["warnings"] == ["Intent A is BLOCKED, but may still be worked on."]


def test_a_subagent_has_an_intent_of_its_own(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    shell("intents", "select", "INT-002", "--session", "s1", "--agent", "sub")
    active = [
        shell("intents", "list", "--json", "--session", "s1", *words).json["activeIntentId"]
        for words in ([], ["--agent", "sub"], ["--agent", "other"])
    ]
    assert active == ["INT-001", "INT-002", "INT-001"]
    assert project.root.is_dir()


@pytest.mark.parametrize("words", [("select", "INT-001"), ("complete", "INT-001"), ("complete",)])
def test_no_session_is_invented(shell: Shell, project: Repository, words: tuple[str, ...]) -> None:
    problem = shell("intents", *words).problem
    assert "use --session S, or set INTENT_LSP_SESSION" in problem
    assert file_of(project) == INTENTS


@pytest.mark.parametrize(
    ("command", "intent_id", "told"),
    [
        (
            "select",
            "NONE",
            "Available: INT-001, INT-002; `intent-lsp intents list` shows all intents",
        ),
        ("select", "DONE", "Intent DONE is COMPLETED; choose an open intent, or set the status"),
        ("complete", "DONE", "Intent DONE is COMPLETED; "),
        ("complete", "NONE", "Intent NONE is not in "),
        (
            "select",
            "IGN",
            "Intent IGN is excluded by .intentignore; choose another intent, or take",
        ),
    ],
)
def test_what_cannot_be_worked_for_is_refused(
    shell: Shell, project: Repository, command: str, intent_id: str, told: str
) -> None:
    project.write(INTENTS_FILE, f"{INTENTS}  - {{id: DONE, status: DONE}}\n  - id: IGN\n")
    project.write(IGNORE_FILE, "IGN\n")
    before = file_of(project)
    assert told in shell("intents", command, intent_id, "--session", "s1").problem.replace(
        ", IGN", ""
    )
    assert file_of(project) == before


def test_the_active_intent_is_completed(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    said = shell("intents", "complete", "--session", "s1")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"INT-001 (Login) is now COMPLETED in {INTENTS_FILE}\n"
    assert file_of(project) == INTENTS.replace("status: PLANNED", "status: COMPLETED")
    assert shell("intents", "list", "--session", "s1", "--json").json["activeIntentId"] is None
    again = shell("intents", "complete", "--session", "s1").problem
    assert "session s1 has selected no intent; give the intent's id" in again


def test_an_intent_is_completed_by_its_id(shell: Shell, project: Repository) -> None:
    told = shell("intents", "complete", "INT-002", "--session", "s1", "--json").json
    assert (told["intent"]["id"], told["intent"]["status"]) == ("INT-002", "COMPLETED")
    assert project.root.is_dir()


OTHER = """\
intents:
  NEW-1: {title: First of theirs, scope: {paths: ["a/**"]}, status: active, related_files: [x]}
  INT-001: {title: Another login, scope: ["z/**"]}
  NEW-2:
    description: Second of theirs
    ownedScope: [b/**]
    constraints: {keep: it small}
    createdAt: 2026-01-01
    aliases: [OLD-2]
    spec_id: REQ-2
    updatedAt: 2026-02-01
"""


def test_the_intents_of_another_file_are_taken_over(shell: Shell, project: Repository) -> None:
    project.write("other.yaml", "\ufeff" + OTHER)
    said = shell("intents", "import", "other.yaml")
    assert said.status == 0
    assert said.out.splitlines() == [
        f"intents added to {INTENTS_FILE}: 2, skipped: 1",
        "  NEW-1 added: First of theirs, without its related_files",
        "  NEW-2 added: Second of theirs, without its aliases, specification_id and updated_at",
        "  INT-001 skipped: an intent has or had this id already",
    ]
    text = file_of(project)
    assert text.startswith(INTENTS)
    read = read_intents(text)
    assert [intent.id for intent in read.intents] == ["INT-001", "INT-002", "NEW-1", "NEW-2"]
    second = read.intents.get("NEW-2")
    assert second is not None
    assert second.constraints == ("keep: it small",)
    assert second.created_at == "2026-01-01"
    again = shell("intents", "import", "other.yaml", "--json").json
    assert again["added"] == []
    assert [each["id"] for each in again["skipped"]] == ["NEW-1", "INT-001", "NEW-2"]
    assert file_of(project) == text


def test_an_import_is_told_as_json(shell: Shell, project: Repository) -> None:
    project.write("src/other.yaml", OTHER)
    told = shell("intents", "import", "-C", "src", "other.yaml", "--json").json
    assert told["added"] == ["NEW-1", "NEW-2"]
    assert told["skipped"][0] == {
        "id": "INT-001",
        "reason": "an intent has or had this id already",
    }
    assert told["leftOut"][0] == {"id": "NEW-1", "keys": ["related_files"]}


def test_an_id_that_was_an_earlier_one_here_is_skipped(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, "- {id: A, aliases: [B]}\n")
    project.write("other.yaml", "- id: B\n- id: C\n")
    assert shell("intents", "import", "other.yaml", "--json").json["added"] == ["C"]


def test_a_file_that_takes_no_more_says_so_for_each(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, "active_intents: &all\n  - id: A\n")
    project.write("other.yaml", OTHER)
    said = shell("intents", "import", "other.yaml")
    assert said.status == 0
    assert said.out.splitlines()[0].startswith("intents added to ")
    assert "  NEW-2 skipped: `active_intents` has a YAML anchor" in said.out


def test_a_dry_run_skips_what_would_be_skipped(shell: Shell, project: Repository) -> None:
    before = "active_intents: &all\n  - id: A\n"
    project.write(INTENTS_FILE, before)
    project.write("other.yaml", OTHER)
    tried = shell("intents", "import", "other.yaml", "--dry-run", "--json").json
    assert file_of(project) == before
    assert tried == shell("intents", "import", "other.yaml", "--json").json
    assert {each["id"] for each in tried["skipped"]} == {"NEW-1", "INT-001", "NEW-2"}


def test_mistakes_in_the_other_file_are_named_by_their_place(
    shell: Shell, project: Repository
) -> None:
    project.write("other.yaml", "- name: nameless\n- id: C\n- id: C\n")
    said = shell("intents", "import", "other.yaml")
    assert said.status == 0
    assert "other.yaml:1:3: " in said.err
    assert "other.yaml:3:7: two intents have the id `C`" in said.err
    assert said.out.startswith("intents added to")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- [\n", "other.yaml:"),
        (b"\xff\xfe\x00", "other.yaml is not UTF-8 text"),
        (None, "other.yaml is not a file"),
    ],
)
def test_another_file_that_cannot_be_read_is_one_line(
    shell: Shell, project: Repository, content: str | bytes | None, told: str
) -> None:
    if content is not None:
        project.write("other.yaml", content)
    assert told in shell("intents", "import", "other.yaml").problem
    assert file_of(project) == INTENTS


def test_what_cannot_be_written_is_not_taken_over(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("other.yaml", OTHER)
    outside = project.root.parent / "outside.yaml"
    outside.write_text(INTENTS)
    (project.root / INTENTS_FILE).unlink()
    (project.root / INTENTS_FILE).symlink_to(outside)
    monkeypatch.chdir(project.root)
    assert "No intent was added in " in shell("intents", "import", "other.yaml").problem
    assert outside.read_text() == INTENTS
