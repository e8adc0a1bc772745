"""Every line of an intent, asked of a real ledger."""

from collections.abc import Callable

import pytest

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE, WorkspacePath
from intent_lsp.core.records import RecordFile
from intent_lsp.governance.ledger import intent_lines
from intent_lsp.governance.ledger.blame import ALL_LINES, FileBlame
from intent_lsp.governance.ledger.intent_lines import WorkedFiles, explained, worked_files
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.rules import RulesCache
from tests.governance.test_blame import A, B, C, D, Root, at, changed
from tests.support.ledgers import edit
from tests.support.repository import Repository

__all__ = ["at"]

INTENTS = """\
active_intents:
  - {id: INT-001, status: IN_PROGRESS, owned_scope: ["**"], aliases: [OLD-1, INT-002]}
  - {id: INT-002, status: COMPLETED, owned_scope: ["**"]}
"""
BINARY = b"\xff\xfe\x00\n\n"

Meant = Callable[[WorkspacePath], bool]


def record(at: Root, intent_id: str | None, *files: RecordFile) -> None:
    at.ledger.append(edit(files=files, intent_id=intent_id))


def worked(
    at: Root, intent_id: str = "INT-001", meant: Meant = lambda _: True, *, intents: str = INTENTS
) -> WorkedFiles | CheckoutRefusal:
    (at.root / INTENTS_FILE).write_text(intents)
    return worked_files(at.root, at.ledger.index, RulesCache(at.root).current(), intent_id, meant)


def paths(at: Root, intent_id: str = "INT-001", meant: Meant = lambda _: True) -> list[str]:
    found = worked(at, intent_id, meant)
    assert isinstance(found, WorkedFiles)
    return list(found.paths)


def lines(at: Root, intent_id: str = "INT-001") -> list[str]:
    """Tell the lines in short: `src/a.py:1-2`."""
    asked = worked(at, intent_id)
    assert isinstance(asked, WorkedFiles)
    blaming = FileBlame(at.root, at.ledger.index)
    files = [explained(blaming, path, asked.names) for path in asked.paths]
    return [
        f"{file.path}:{run.start_line}-{run.end_line}"
        for file in files
        if file is not None
        for run in file.runs
    ]


def test_lines_are_those_of_the_intents_records_in_the_files_worked_on_last(at: Root) -> None:
    record(at, "INT-001", changed(None, A, "a"), changed(None, B, "b"))
    record(at, "INT-002", changed(A, A + B, "a"))
    record(at, "INT-001", changed(A + B, A + B + C + D, "a"))
    record(at, None, changed(None, C, "c"))
    for path, text in {"a": A + B + C + D, "b": B, "c": C}.items():
        at.write(text, path)
    assert lines(at) == ["a:1-1", "a:3-4", "b:1-1"]
    record(at, "INT-001", changed(B, B + D, "b"))
    at.write(B + D, "b")
    assert lines(at) == ["b:1-1", "b:2-2", "a:1-1", "a:3-4"]


def test_earlier_ids_count_unless_another_intent_has_them(at: Root) -> None:
    record(at, "OLD-1", changed(None, A))
    record(at, "INT-002", changed(A, A + B))
    record(at, "INT-001", changed(A + B, A + B + C))
    at.write(A + B + C)
    assert lines(at) == lines(at, "OLD-1") == ["src/a.py:1-1", "src/a.py:3-3"]
    # It is closed, and its lines are there still.
    assert lines(at, "INT-002") == ["src/a.py:2-2"]
    for named in ("INT-001", "OLD-1"):
        found = worked(at, named)
        assert isinstance(found, WorkedFiles)
        assert found.intent_id == "INT-001"


def test_an_intent_that_is_gone_is_known_by_its_records(at: Root) -> None:
    record(at, "GONE", changed(None, A))
    at.write(A)
    assert lines(at, "GONE") == ["src/a.py:1-1"]


@pytest.mark.parametrize(
    ("intents", "code"),
    [(INTENTS, RequestCode.INTENT_NOT_FOUND), ("active_intents: [", RequestCode.NOT_GOVERNED)],
)
def test_an_intent_that_nobody_knows_is_refused(at: Root, intents: str, code: RequestCode) -> None:
    found = worked(at, "INT-404", intents=intents)
    assert isinstance(found, CheckoutRefusal)
    assert found.code is code


def test_an_intent_without_records_or_lines_has_none(at: Root) -> None:
    assert lines(at) == []
    record(at, "INT-001", changed(None, A))
    assert paths(at) == []
    at.write(B)
    assert (paths(at), lines(at)) == (["src/a.py"], [])


def test_a_renamed_file_is_asked_by_its_name_of_today(at: Root) -> None:
    record(at, "INT-001", changed(None, A + B, "a"))
    record(at, None, changed(A + B, A + B, "b", "a"))
    record(at, "INT-002", changed(A + B, A + B, "c", "b"))
    at.write(A + B, "c")
    assert lines(at) == ["c:1-2"]
    # Worked on again under the new name: it is one file.
    record(at, "INT-001", changed(A + B, A + B + C, "c"))
    at.write(A + B + C, "c")
    assert lines(at) == ["c:1-2", "c:3-3"]


def test_a_file_that_leads_nowhere_is_left_out(at: Root) -> None:
    record(at, "INT-001", changed(None, A, "deleted"), changed(None, B, "round"))
    record(at, "INT-001", changed(A, None, "deleted"))
    record(at, "INT-001", changed(B, B, "about", "round"))
    record(at, "INT-001", changed(B, B, "round", "about"))
    record(at, "INT-001", changed(B, B, "about", "round"))
    record(at, "INT-001", changed(A, B, "this", "that"), changed(B, A, "that", "this"))
    record(at, "INT-001", changed(None, C, "../secret"), changed(None, D, "src"))
    (at.root.parent / "secret").write_text(C)
    (at.root / "src").mkdir()
    assert lines(at) == []


def test_what_is_no_text_is_one_run(at: Root) -> None:
    record(at, "INT-001", changed(None, BINARY))
    at.write(BINARY)
    assert lines(at) == ["src/a.py:1-2"]


def test_files_that_are_not_meant_are_not_asked(at: Root) -> None:
    for path in ("a", "b"):
        record(at, "INT-001", changed(None, A, path))
        at.write(A, path)
    assert paths(at) == ["b", "a"]
    assert paths(at, meant=lambda path: path == "a") == ["a"]


@pytest.mark.parametrize(
    ("there", "gone", "at_most", "asked", "truncated"),
    [
        (2, 0, {"FILES_AT_MOST": 2}, 2, False),
        (3, 0, {"FILES_AT_MOST": 2}, 2, True),
        (1, 2, {"PATHS_FOLLOWED": 3}, 1, False),
        (1, 3, {"PATHS_FOLLOWED": 3}, 1, True),
        (2, 0, {"RECORDS_AT_MOST": 2}, 2, False),
        (3, 0, {"RECORDS_AT_MOST": 2}, 2, True),
    ],
)
def test_what_is_left_out_for_its_number_is_said(  # noqa: PLR0913 - a row of the table
    at: Root,
    monkeypatch: pytest.MonkeyPatch,
    *,
    there: int,
    gone: int,
    at_most: dict[str, int],
    asked: int,
    truncated: bool,
) -> None:
    for name, limit in at_most.items():
        monkeypatch.setattr(intent_lines, name, limit)
    for number in range(there):
        record(at, "INT-001", changed(None, A, f"there{number}"))
        at.write(A, f"there{number}")
    record(at, "INT-002")
    if gone:
        record(at, "INT-001", *(changed(None, A, f"gone{number}") for number in range(gone)))
    found = worked(at)
    assert isinstance(found, WorkedFiles)
    newest = [f"there{number}" for number in reversed(range(there))]
    assert (list(found.paths), found.truncated) == (newest[:asked], truncated)


@pytest.mark.parametrize(
    ("name", "limit", "truncated"),
    [
        ("RECORDS_ELSEWHERE", 3, False),
        ("RECORDS_ELSEWHERE", 2, True),
        ("FILES_HASHED", 2, False),
        ("FILES_HASHED", 1, True),
    ],
)
def test_other_files_that_a_limit_leaves_out_are_told(
    at: Root, monkeypatch: pytest.MonkeyPatch, name: str, limit: int, *, truncated: bool
) -> None:
    record(at, "INT-002", changed(None, C, "old"))
    record(at, "INT-002", changed(None, D, "new"))
    record(at, "INT-001", changed(None, A, "a"))
    at.write(A, "a")
    at.write(A + C, "old")
    at.write(D, "new")
    monkeypatch.setattr(intent_lines, name, limit)
    found = worked(at)
    assert isinstance(found, WorkedFiles)
    assert (list(found.paths), found.truncated) == (["a"] + ["old"] * (not truncated), truncated)


@pytest.mark.parametrize(("limit", "truncated"), [(10, False), (0, True)])
def test_files_without_records_that_a_limit_leaves_out_are_told(
    at: Root, monkeypatch: pytest.MonkeyPatch, limit: int, *, truncated: bool
) -> None:
    at.write(A, "same")
    repository = Repository(at.root)
    repository.git("init", "-q")
    repository.git("add", "same")
    repository.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    record(at, "INT-001", changed(None, A, "a"))
    monkeypatch.setattr(intent_lines, "FILES_HASHED", limit)
    found = worked(at)
    assert isinstance(found, WorkedFiles)
    assert (list(found.paths), found.truncated) == ([] if truncated else ["same"], truncated)


def test_a_file_whose_record_is_not_among_those_asked_for_is_named_once(
    at: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(at.root)
    repository.git("init", "-q")
    for path in ("a", "b"):
        record(at, "INT-001", changed(None, A, path))
        at.write(A, path)
    record(at, "INT-002", changed(None, C, "c"))
    at.write(C + A, "c")
    monkeypatch.setattr(intent_lines, "PATHS_ASKED", 1)
    found = worked(at)
    assert isinstance(found, WorkedFiles)
    assert sorted(found.paths) == ["a", "b", "c"]


def test_a_ledger_that_cannot_be_read_is_an_error(at: Root) -> None:
    (at.root / LEDGER_FILE).mkdir()
    with pytest.raises(LedgerUnavailableError):
        worked(at)


LONG = A + B + C + D
OTHER = "a line that is quite another one\n"


@pytest.mark.parametrize(
    ("story", "files"),
    [
        pytest.param(
            [("INT-002", (LONG, LONG, "b", "a")), ("INT-002", (None, OTHER, "a"))],
            {"b": LONG, "a": OTHER},
            id="its old name is another file's",
        ),
        pytest.param(
            [
                ("INT-002", (LONG, LONG, "b", "a")),
                ("INT-002", (None, OTHER, "a")),
                ("INT-002", (OTHER, None, "a")),
            ],
            {"b": LONG},
            id="and that one is gone",
        ),
        pytest.param(
            [
                ("INT-002", (LONG, LONG, "b", "a")),
                ("INT-002", (None, OTHER, "a")),
                ("INT-002", (OTHER, OTHER, "c", "a")),
            ],
            {"b": LONG, "c": OTHER},
            id="and that one was renamed",
        ),
        pytest.param([], {"b": LONG}, id="moved unseen"),
        pytest.param([], {"b": LONG + OTHER}, id="moved and edited unseen"),
        pytest.param(
            [("INT-002", (LONG, LONG + OTHER, "b"))], {"b": LONG + OTHER}, id="then saved"
        ),
        pytest.param(
            [("INT-002", (None, OTHER, "b"))],
            {"a": A, "b": OTHER + B + C + D},
            id="a part went to another file unseen",
        ),
    ],
)
def test_every_line_that_blame_gives_an_intent_is_among_its_lines(
    at: Root, story: list[tuple[str, tuple[str, ...]]], files: dict[str, str]
) -> None:
    repository = Repository(at.root)
    repository.git("init", "-q")
    record(at, "INT-001", changed(None, LONG, "a"))
    for intent, edit_ in story:
        record(at, intent, changed(*edit_))
    for path, text in files.items():
        at.write(text, path)
    at.keep(LONG, OTHER)
    told = []
    for path in files:
        blamed = FileBlame(at.root, at.ledger.index).blame(WorkspacePath(path))
        assert blamed is not None
        told += [
            f"{path}:{run.start_line}-{run.end_line}"
            for run in blamed.runs(*ALL_LINES)
            if run.record is not None and run.record.intent_id == "INT-001"
        ]
    assert sorted(lines(at)) == sorted(told) != []
