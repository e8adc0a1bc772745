"""Intents that the documents of spec-kit, OpenSpec and Kiro propose."""

import pytest

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.kiro import read_spec
from intent_lsp.formats.plans.openspec import change_of, read_change
from intent_lsp.formats.plans.proposed_intent import NamedPath, ProposedIntent, ReadPlan
from intent_lsp.formats.plans.spec_kit import read_feature
from tests.support import plan_samples as samples

FEATURE, CHANGE, SPEC = (
    "specs/004-borrow-book",
    "openspec/changes/add-reminder",
    ".kiro/specs/queue",
)


def only(read: ReadPlan) -> ProposedIntent:
    """Return the only intent of a plan without problems."""
    assert read.problems == ()
    (proposed,) = read.proposed
    return proposed


def texts(named: tuple[NamedPath, ...]) -> list[str]:
    return [path.text for path in named]


def test_a_feature_of_spec_kit_is_an_intent() -> None:
    found = only(read_feature(FEATURE, samples.FEATURE))
    assert found.specification == FEATURE
    assert found.name == "Borrow a book"
    assert found.status is Status.IN_PROGRESS
    assert found.document == f"{FEATURE}/spec.md"
    assert found.acceptance_criteria == (
        "FR-001: The library MUST lend a book to one reader at a time",
        "FR-003: Readers MUST see due dates ([NEEDS CLARIFICATION: in which zone?])",
        "SC-001: A loan takes under 10 seconds",
    )
    assert found.constraints == ("offline for a day, no new service",)
    assert found.named == (
        NamedPath("src/loans/__init__.py", stated=False),
        NamedPath("tests/loans/test_borrow.py", stated=True),
        NamedPath("src/loans/borrow.py", stated=True),
        NamedPath("src/readers/reader.py", stated=False),
    )
    assert found.ticked == f"{FEATURE}/tasks.md"
    assert found.created_at == "2026-03-01"


def test_a_feature_without_tasks_has_the_paths_of_its_plan() -> None:
    documents = {name: text for name, text in samples.FEATURE.items() if name != "tasks.md"}
    found = only(read_feature(FEATURE, documents))
    assert "src/loans/" in texts(found.named)
    assert (found.status, found.ticked) == (Status.PLANNED, None)


@pytest.mark.parametrize(
    ("tasks", "status"),
    [
        ("- [ ] T001 a\n- [ ] T002 b\n", Status.PLANNED),
        ("- [x] T001 a\n- [ ] T002 b\n", Status.IN_PROGRESS),
        ("- [x] T001 a\n- [X] T002 b\n", Status.COMPLETED),
        ("* [x] T001 a\n+ [x] T002 b\n", Status.COMPLETED),
        ("- [x] T001 a\n```\n- [ ] T002 b\n```\n", Status.COMPLETED),
        ("- [x] T001 a\n<!--\n- [ ] T002 b\n-->\n", Status.COMPLETED),
        ("- [x](https://example.com) is a link\n", Status.PLANNED),
        ("no tasks yet\n", Status.PLANNED),
        ("- [x] T001 a\r\n- [ ] T002 b\r\n", Status.IN_PROGRESS),
        ("- [x] T001 a\r- [ ] T002 b", Status.IN_PROGRESS),
    ],
)
def test_the_status_of_a_feature_is_that_of_its_tasks(tasks: str, status: Status) -> None:
    assert only(read_feature(FEATURE, {"tasks.md": tasks})).status is status


@pytest.mark.parametrize(
    ("word", "status"),
    [("Implemented", Status.COMPLETED), ("In Review", Status.IN_PROGRESS), ("?", Status.PLANNED)],
)
def test_without_tasks_the_status_is_the_one_that_the_feature_states(
    word: str, status: Status
) -> None:
    spec = samples.SPEC.replace("Draft", word)
    assert only(read_feature(FEATURE, {"spec.md": spec})).status is status


@pytest.mark.parametrize(
    ("title", "directory", "name"),
    [
        ("# Feature Specification: [FEATURE NAME]", "specs/004-borrow-book", "Borrow book"),
        ("# Feature Specification: **Fast** loans", "specs/004-x", "Fast loans"),
        ("# Loans #", "specs/004-x", "Loans"),
        ("## Summary", "specs/004-fast-loans", "Fast loans"),
        ("Loans\n=====", "specs/004-x", "Loans"),
        ("", "specs/20260301-101500-borrow_book", "Borrow book"),
        ("", "specs/ipv6-support", "Ipv6 support"),
    ],
)
def test_a_feature_is_named_by_its_title_or_its_directory(
    title: str, directory: str, name: str
) -> None:
    assert only(read_feature(directory, {"spec.md": f"{title}\n"})).name == name


@pytest.mark.parametrize(
    ("written", "created"),
    [("2026-03-01", "2026-03-01"), ("March 1, 2026", None), ("[DATE]", None)],
)
def test_only_a_date_is_the_date_of_a_feature(written: str, created: str | None) -> None:
    spec = f"# A\n\n**Feature Branch**: `1-a`\n**Created**: {written}\n**Status**: Done\n"
    found = only(read_feature(FEATURE, {"spec.md": spec}))
    assert (found.created_at, found.status) == (created, Status.COMPLETED)


def test_a_change_of_openspec_is_an_intent() -> None:
    found = only(read_change(CHANGE, samples.CHANGE))
    assert found.specification == CHANGE
    assert found.name == "Add reminder"
    assert found.status is Status.IN_PROGRESS
    assert found.acceptance_criteria == (
        "Reminder: The system SHALL remind a reader two days before the due date.",
        "Removed: Paper letters",
        "Renamed: Late fee is now Overdue fee",
    )
    assert found.constraints == ("Not a goal: Text messages", "Not a goal: A new queue")
    assert texts(found.named) == [
        "src/mail/reminder.py",
        "tests/mail/test_reminder.py",
        "src/mail/",
    ]
    assert found.created_at == "2026-04-05"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("# Change: Remind readers", "Remind readers"),
        ("# Proposal: Remind readers", "Remind readers"),
        ("# Remind `readers`", "Remind `readers`"),
        ("# Breaking change: remind readers", "Breaking change: remind readers"),
        ("# Proposal", "Add reminder"),
        ("# Why", "Add reminder"),
        ("", "Add reminder"),
    ],
)
def test_a_change_is_named_by_its_title_or_its_directory(title: str, name: str) -> None:
    assert only(read_change(CHANGE, {"proposal.md": f"{title}\n\n## Why\n\nx\n"})).name == name


def test_an_archived_change_is_completed_and_known_as_before() -> None:
    directory = "openspec/changes/archive/2026-05-06-add-reminder"
    found = only(read_change(directory, samples.CHANGE))
    assert (found.specification, found.status) == (CHANGE, Status.COMPLETED)
    assert change_of(CHANGE) == CHANGE
    assert change_of("lib/" + directory) == "lib/" + CHANGE
    undated = "openspec/changes/archive/notes-2026-05-06-add"
    assert change_of(undated) == "openspec/changes/notes-2026-05-06-add"


def test_what_is_out_of_scope_constrains_a_change() -> None:
    proposal = "# Proposal: A\n\n## Scope\nOut of scope:\n- Colours\n\nIn scope:\n- Sizes\n"
    found = only(read_change(CHANGE, {"proposal.md": proposal}))
    assert found.constraints == ("Not a goal: Colours",)


def test_a_requirement_without_a_text_is_its_name() -> None:
    delta = "## MODIFIED Requirements\n### Requirement: Queue\n#### Scenario: a\n- WHEN b\n"
    found = only(read_change(CHANGE, {"proposal.md": "", "specs/q/spec.md": delta}))
    assert found.acceptance_criteria == ("Queue",)


def test_a_spec_of_kiro_is_an_intent() -> None:
    found = only(read_spec(SPEC, samples.KIRO))
    assert found.specification == SPEC
    assert found.name == "Queue"
    assert found.status is Status.IN_PROGRESS
    assert found.acceptance_criteria == (
        "1.1: WHEN a reader reserves a book THEN the system SHALL put the reader in its queue",
        "1.2: IF the book is on the shelf THEN the system SHALL: offer to lend it",
        "1.3: The queue is shown",
        "2.1: WHILE a queue exists, THE system SHALL refuse to extend a loan",
    )
    assert found.constraints == ()
    assert texts(found.named) == [
        "src/queue/model.py",
        "tests/queue/test_model.py",
        "src/web/queue.ts",
        "src/queue/queue.py",
    ]


def test_what_the_fix_of_a_bug_must_keep_constrains_it() -> None:
    found = only(read_spec(".kiro/specs/holiday-fee", {"bugfix.md": samples.BUGFIX}))
    assert found.name == "Holiday fee"
    assert found.acceptance_criteria == (
        "2.1: WHEN a loan ends on a holiday THEN the system SHALL charge no fee",
    )
    assert found.constraints == (
        "3.1: WHEN a loan ends on a weekday THEN the system SHALL CONTINUE TO charge the fee",
    )


@pytest.mark.parametrize(
    ("tasks", "status"),
    [
        ("- [ ] 1. a\n- [ ]* 2. b\n", Status.PLANNED),
        ("- [x] 1. a\n- [ ]* 2. b\n", Status.COMPLETED),
        ("- [ ]* 2. b\n", Status.PLANNED),
        ("- [-] 1. a\n- [ ] 2. b\n", Status.IN_PROGRESS),
        ("- [-] 1. a\n", Status.IN_PROGRESS),
        ("- [~] 1. a\n", Status.IN_PROGRESS),
        ("\t- [x] 1.1 a\n\t- [ ] 1.2 b\n", Status.IN_PROGRESS),
    ],
)
def test_the_status_of_a_spec_of_kiro_is_that_of_its_required_tasks(
    tasks: str, status: Status
) -> None:
    assert only(read_spec(SPEC, {"tasks.md": tasks})).status is status


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("# Requirements Document", "Queue"),
        ("# Requirements: Reserve books", "Reserve books"),
        ("# Requirements Document - Reserve books", "Reserve books"),
        ("# Reserve books", "Reserve books"),
        ("# Reserve spec - books", "Reserve spec - books"),
    ],
)
def test_a_spec_of_kiro_is_named_by_its_title_or_its_directory(title: str, name: str) -> None:
    assert only(read_spec(SPEC, {"requirements.md": f"{title}\n"})).name == name


def test_a_directory_without_documents_proposes_nothing() -> None:
    for read in (read_feature, read_change, read_spec):
        assert read("x", {}) == ReadPlan()


def test_a_code_block_that_is_never_closed_is_a_problem_with_its_line() -> None:
    read = read_feature(FEATURE, {"tasks.md": "- [x] T001 a\n\n~~~\n- [ ] T002 b\n"})
    (problem,) = read.problems
    assert problem.place == f"{FEATURE}/tasks.md:3"
    assert "never closed" in problem.problem
    assert problem.cure == "close it with ~~~"
    assert read.proposed[0].status is Status.COMPLETED


def test_of_many_sentences_the_last_counts_the_rest() -> None:
    spec = "".join(f"- **FR-{number:03}**: do {number}\n" for number in range(1, 131))
    found = only(read_feature(FEATURE, {"spec.md": spec}))
    assert len(found.acceptance_criteria) == 100
    assert found.acceptance_criteria[-1] == "And 31 more, which the plan lists"
