"""Intents that task lists in Markdown and tables of trackers propose."""

import pytest

from intent_lsp.core.intents import Status
from intent_lsp.formats.plans.proposed_intent import PlanProblem
from intent_lsp.formats.plans.statuses import status_of_word
from intent_lsp.formats.plans.task_list import read_task_list
from intent_lsp.formats.plans.tracker_export import (
    MAX_ROWS,
    DelimitedRow,
    markdown_of_wiki,
    read_table,
)
from intent_lsp.formats.plans.tracker_table import read_tracker_table
from tests.support import plan_samples as samples

LIST = """\
# Library

Some words.

- [ ] Write the **manual**

## Loans

- [x] LIB-12: Lend a book
  - [x] one reader at a time
  - a due date, in `src/loans/`
1. [ ] Extend a loan
   - [x] ask the queue
   wrapped text
- not a task

## Loans, again

- [/] Extend a loan
- [ ] Extend a loan
"""


def test_each_outermost_task_is_an_intent() -> None:
    read = read_task_list("docs/todo.md", LIST)
    assert read.problems == ()
    assert [(each.name, each.status, each.line) for each in read.proposed] == [
        ("Write the manual", Status.PLANNED, 5),
        ("Loans: Lend a book", Status.COMPLETED, 9),
        ("Loans: Extend a loan", Status.IN_PROGRESS, 12),
        ("Loans, again: Extend a loan", Status.IN_PROGRESS, 19),
        ("Loans, again: Extend a loan", Status.PLANNED, 20),
    ]
    assert [each.specification for each in read.proposed] == [
        "docs/todo.md#write-the-manual",
        "docs/todo.md#LIB-12",
        "docs/todo.md#loans/extend-a-loan",
        "docs/todo.md#loans-again/extend-a-loan",
        "docs/todo.md#loans-again/extend-a-loan-2",
    ]
    lend = read.proposed[1]
    assert lend.acceptance_criteria == ("one reader at a time", "a due date, in `src/loans/`")
    assert [path.text for path in lend.named] == ["src/loans/"]
    assert read.proposed[2].acceptance_criteria == ("ask the queue wrapped text",)


@pytest.mark.parametrize(
    ("item", "key", "name"),
    [
        ("T012 [P] Lend", "T012", "[P] Lend"),
        ("1.2 Lend", "1.2", "Lend"),
        ("#7 Lend", "7", "Lend"),
        ("**LIB-7** - Lend", "LIB-7", "Lend"),
        ("[LIB-7](https://example.com/LIB-7) Lend", "lib-7-lend", "LIB-7 Lend"),
        ("(LIB-7) Lend", "LIB-7", "Lend"),
        ("Lend 2 books!", "lend-2-books", "Lend 2 books!"),
        ("\u00dcber B\u00fccher", "\u00fcber-b\u00fccher", "\u00dcber B\u00fccher"),
        ("!!!", "task", "!!!"),
        ("LIB-7", "LIB-7", "LIB-7"),
    ],
)
def test_a_task_is_known_by_its_own_id_or_its_words(item: str, key: str, name: str) -> None:
    (found,) = read_task_list("a.md", f"- [ ] {item}\n").proposed
    assert (found.specification, found.name) == (f"a.md#{key}", name)


def test_the_key_of_a_second_task_is_not_that_of_another() -> None:
    read = read_task_list("a.md", "- [ ] a\n- [ ] a\n- [ ] a-2\n- [ ] a\n")
    keys = [each.specification for each in read.proposed]
    assert keys[0] == "a.md#a"
    assert len(set(keys)) == 4


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("no task\n", "a.md", "no task is in it"),
        ("", "a.md", "no task is in it"),
        ("- [ ] a\n- [?] b\n", "a.md:2", "the checkbox [?] is not known"),
        ("- [ ] a\n<!-- b\n- [ ] c\n", "a.md:2", "the comment that begins here is never closed"),
        ("- [ ] a\n````\n```\n", "a.md:2", "the code block that begins here is never closed"),
    ],
)
def test_what_a_task_list_lacks_is_a_problem(text: str, place: str, told: str) -> None:
    (problem,) = read_task_list("a.md", text).problems
    assert problem.place == place
    assert told in problem.problem
    assert problem.cure


def test_front_matter_is_no_task() -> None:
    read = read_task_list("a.md", "---\ntitle: x\n- [ ] no\n---\n- [ ] yes\n")
    assert [(each.name, each.line) for each in read.proposed] == [("yes", 5)]


def test_an_export_of_jira_is_read() -> None:
    read = read_tracker_table("jira.csv", samples.JIRA)
    lend, drop, tidy = read.proposed
    assert (lend.specification, lend.name, lend.status) == (
        "LIB-1",
        "Lend books",
        Status.IN_PROGRESS,
    )
    assert lend.acceptance_criteria == ("one reader at a time", "a due date")
    assert [path.text for path in lend.named] == ["src/loans/borrow.py"]
    assert (drop.status, drop.line) == (Status.ABANDONED, 5)
    assert tidy.status is Status.PLANNED
    assert read.problems == ()


def test_an_export_of_linear_is_read() -> None:
    queue, old = read_tracker_table("linear.csv", samples.LINEAR).proposed
    assert (queue.specification, queue.name) == ("LIB-7", "=Queue")
    assert queue.acceptance_criteria == ("first come",)
    assert queue.created_at == "2026-05-06T07:08:09.000Z"
    assert old.status is Status.ABANDONED


def test_an_export_of_azure_devops_is_read() -> None:
    fix, sort = read_tracker_table("data.csv", samples.AZURE).proposed
    assert (fix.specification, fix.status) == ("272", Status.IN_PROGRESS)
    assert fix.acceptance_criteria == ("It beeps Once",)
    assert sort.status is Status.ABANDONED


def test_an_export_of_a_tree_of_azure_devops_is_read() -> None:
    text = "ID,Work Item Type,Title 1,Title 2,State\n1,Epic,Loans,,New\n2,Story,,Lend,Closed\n"
    read = read_tracker_table("tree.csv", text)
    assert [(each.name, each.status) for each in read.proposed] == [
        ("Loans", Status.PLANNED),
        ("Lend", Status.COMPLETED),
    ]


def test_an_export_of_a_project_of_github_is_read() -> None:
    read = read_tracker_table("project.tsv", samples.GITHUB_PROJECT)
    assert [(each.specification, each.status) for each in read.proposed] == [
        ("library/app#12", Status.IN_PROGRESS),
        ("library/web#12", Status.COMPLETED),
        ("project.tsv#only-a-note", Status.PLANNED),
    ]


def test_issues_of_github_and_gitlab_are_known_by_their_address() -> None:
    read = read_tracker_table("issues.csv", samples.GITHUB_ISSUES)
    assert [(each.specification, each.status) for each in read.proposed] == [
        ("library/app#3", Status.PLANNED),
        ("library/app#4", Status.ABANDONED),
        ("library/app#5", Status.COMPLETED),
    ]
    (lend,) = read_tracker_table("gitlab.csv", samples.GITLAB).proposed
    assert lend.specification == "library/group/app#8"


@pytest.mark.parametrize(
    "text",
    [
        "Key;Title;State\nA-1;Lend;open\n",
        "sep=;\nKey;Title;State\nA-1;Lend;open\n",
        "\ufeffKey,Title,State\nA-1,Lend,open\n",
        '"Key","Title","State"\r\n"A-1","Lend","open"\r\n',
        "\n\nKey\tTitle\tState\nA-1\tLend\topen\n",
        "Key|Title|State\nA-1|Lend|open",
        "KEY , title,STATE\nA-1,Lend,open\n,,\n\n",
        'Key;"Title, long";Title;State\nA-1;;Lend;open\n',
    ],
)
def test_every_form_of_delimited_text_is_read(text: str) -> None:
    read = read_tracker_table("a.csv", text)
    assert read.problems == ()
    assert [(each.specification, each.name, each.status) for each in read.proposed] == [
        ("A-1", "Lend", Status.PLANNED)
    ]


def test_a_cell_may_have_line_ends_and_quotes() -> None:
    table = read_table("a.csv", 'a,b\n"1\n2","say ""x"""\n3,4\n')
    assert table == [
        DelimitedRow(1, ("a", "b")),
        DelimitedRow(2, ("1\n2", 'say "x"')),
        DelimitedRow(4, ("3", "4")),
    ]


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("", "a.csv", "the table is empty"),
        ("\n \n", "a.csv", "the table is empty"),
        ("sep=;\n", "a.csv", "the table is empty"),
        ('Key,Title\nA-1,Lend\nA-2,"open\n', "a.csv:3", "cannot be read: unexpected end of data"),
        ('Key,Title\nA-1,"x"y\n', "a.csv:2", "cannot be read: ',' expected after '\"'"),
        ("Key,Title\nA-1," + "x" * 200_000 + "\n", "a.csv:2", "larger than field limit"),
        ("Key,Owner\nA-1,ann\n", "a.csv:1", "no column has the title; the columns are: Key, Owner"),
        ("Key,Title\nA-1,\n", "a.csv:2", "the row has no title"),
        ("Key,Title\nA-1,Lend\nA-1,Read\n", "a.csv:3", "A-1 is in line 2 already"),
        ("Key,Title,State\nA-1,Lend,Maybe\n", "a.csv:2", "the state 'Maybe' is not known"),
    ],
)
def test_a_malformed_table_is_a_problem_at_its_line(text: str, place: str, told: str) -> None:
    (problem,) = read_tracker_table("a.csv", text).problems
    assert problem.place == place
    assert told in problem.problem
    assert problem.cure


def test_a_table_of_too_many_rows_is_a_problem() -> None:
    found = read_table("a.csv", "a,b\n" + "1,2\n" * (MAX_ROWS + 1))
    assert isinstance(found, PlanProblem)
    assert "more than 10,000 rows" in found.problem
    assert isinstance(read_table("a.csv", "a,b\n" + "1,2\n" * MAX_ROWS), list)


def test_a_row_that_is_left_out_has_one_problem() -> None:
    table = "ID,Title,Status\nA-1,Lend,Done\nA-1,Lend,Odd\nA-2,,Odd\nA-3,Return,Odd\n"
    problems = read_tracker_table("a.csv", table).problems
    assert [(each.line, each.problem.rpartition(", so ")[2]) for each in problems] == [
        (3, "this row is left out"),
        (4, "it is left out"),
        (5, "the intent is PLANNED"),
    ]


def test_a_column_may_name_the_paths() -> None:
    (found,) = read_tracker_table("a.csv", "Title,Paths\nLend,src/a.py; docs/\n").proposed
    assert [(path.text, path.stated) for path in found.named] == [
        ("src/a.py", True),
        ("docs/", True),
    ]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("To Do", Status.PLANNED),
        ("TODO", Status.PLANNED),
        ("\U0001f4cb Backlog", Status.PLANNED),
        ("", Status.PLANNED),
        ("in_progress", Status.IN_PROGRESS),
        ("In Review", Status.IN_PROGRESS),
        ("On hold", Status.BLOCKED),
        ("Resolved", Status.COMPLETED),
        ("CLOSED", Status.COMPLETED),
        ("Won't do", Status.ABANDONED),
        ("Won\u2019t Fix", Status.ABANDONED),
        ("Cancelled", Status.ABANDONED),
        ("Archived", Status.ARCHIVED),
        ("Abgeschlossen", None),
    ],
)
def test_a_state_of_a_tracker_is_a_status(word: str, status: Status | None) -> None:
    assert status_of_word(word) is status


def test_a_checkbox_without_words_is_no_task() -> None:
    read = read_task_list(
        "todo.md", "# Now\n\n## Soon\n- [ ] Lend\n- [ ]\n- [ ] \n- [ ]\n  - [ ] Return\n"
    )
    assert [(each.name, each.acceptance_criteria) for each in read.proposed] == [
        ("Soon: Lend", ()),
        ("Task in line 7", ("Return",)),
    ]
    (problem,) = read_task_list("todo.md", "- [ ]\n").problems
    assert problem.problem == "no task is in it"


JIRA = """\
Summary,Issue key,Status,Description,Custom field (Acceptance Criteria)
Lend,LIB-1,To Do,"h2. Why

Change {{src/loans/lend.py}} and {code}src/loans/queue.py{code} as in
{code:python}
import src/loans/old.py
{code}

h3. Acceptance Criteria

* lent once
** to one reader
# returned","# in {{src/a.py}}
# quickly
"
"""


def test_the_wiki_markup_of_jira_is_read() -> None:
    (lend,) = read_tracker_table("jira.csv", JIRA).proposed
    assert lend.acceptance_criteria == (
        "in `src/a.py`",
        "quickly",
        "lent once",
        "to one reader",
        "returned",
    )
    assert [path.text for path in lend.named if path.stated] == [
        "src/a.py",
        "src/loans/lend.py",
        "src/loans/queue.py",
    ]
    assert "src/loans/old.py" not in [path.text for path in lend.named]


def test_markdown_of_other_trackers_stays() -> None:
    table = JIRA.replace("Issue key", "ID").replace("h3. ", "### ")
    (lend,) = read_tracker_table("other.csv", table).proposed
    assert lend.acceptance_criteria == ("lent once ** to one reader",)


@pytest.mark.parametrize(
    ("wiki", "markdown"),
    [
        ("", ""),
        ("h1. A\nh7. B", "# A\nh7. B"),
        ("* a\n** b\n*# c\n- d", "- a\n  - b\n  1. c\n- d"),
        ("*bold* and a - b # c", "*bold* and a - b # c"),
        ("{{a}} {{}} {{b", "`a` {{}} {{b"),
        ("{code}a{code} {noformat}b{noformat}", "`a` `b`"),
        ("{code:java}\n* a\n\nb\n{code}\n* c", "\n```\n* a\n\nb\n```\n\n- c"),
        ("{code}a{code} {code} * b", "`a`  * b"),
    ],
)
def test_wiki_markup_becomes_markdown(wiki: str, markdown: str) -> None:
    assert markdown_of_wiki(wiki) == markdown
