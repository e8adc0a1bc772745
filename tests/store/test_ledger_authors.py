"""Whose commit first holds a record."""

import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.ledger import authors as authors_module
from intent_lsp.store.ledger.authors import LedgerAuthors
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM
from tests.support.repository import create

BEGIN = datetime(2026, 11, 21, 12, tzinfo=UTC)
UNION = f"{LEDGER_FILE} merge=union\n"


def line(record_id: str) -> str:
    return f'{{"files":[],"id":"{record_id}","text":"say \\"id\\":\\"quoted\\""}}\n'


class Team:
    """Some people who commit a ledger to one branch or another, an hour after the other."""

    def __init__(self, root: Path) -> None:
        self.repository = create(root)
        self.hours = 0

    def commit(self, author: str, *names: str, message: str = "work") -> None:
        """Append records, if any, and commit them."""
        ledger = self.repository.root / LEDGER_FILE
        if names:
            before = ledger.read_text() if ledger.exists() else ""
            self.repository.write(LEDGER_FILE, before + "".join(map(line, names)))
        self.repository.git("add", "--all")
        self.git(author, "commit", "--quiet", "--allow-empty", "--message", message)

    def git(self, author: str, *arguments: str) -> None:
        self.hours += 1
        date = timestamp(self.now())
        settings = (f"user.name={author}", f"user.email={author.lower()}@team.example")
        named = [word for setting in settings for word in ("-c", setting)]
        with pytest.MonkeyPatch.context() as patch:
            for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
                patch.setenv(name, date)
            for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
                patch.setenv(name, author)
            for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
                patch.setenv(name, f"{author.lower()}@team.example")
            self.repository.git(*named, *arguments)

    def now(self) -> datetime:
        return BEGIN + timedelta(hours=self.hours)


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "team")


def made(*names: str, after: int = 0) -> Mapping[str, str]:
    """Say that records were made so many hours after the beginning."""
    return dict.fromkeys(names, timestamp(BEGIN + timedelta(hours=after)))


def authors(root: Path, *names: str, after: int = 0) -> Mapping[str, str]:
    return LedgerAuthors(root).of(made(*names, after=after))


def test_each_record_has_the_author_of_the_commit_that_first_holds_it(team: Team) -> None:
    team.commit("Ada", "one", "two")
    team.commit("Bob", "three")
    team.commit("Ada")
    told = authors(team.repository.root, "one", "two", "three", "four", "quoted")
    assert told == {"one": "Ada", "two": "Ada", "three": "Bob"}


def test_nobody_is_named_without_a_repository_or_a_commit(tmp_path: Path) -> None:
    assert authors(tmp_path, "one") == {}
    repository = create(tmp_path / "unborn")
    repository.write(LEDGER_FILE, line("one"))
    assert authors(repository.root, "one") == {}


def branch(team: Team) -> None:
    """Have Bob work on a branch that is to be merged, and Ada go on."""
    team.repository.write(".gitattributes", UNION)
    team.commit("Ada", "one")
    team.repository.git("checkout", "--quiet", "-b", "side")
    team.commit("Bob", "two")
    team.repository.git("checkout", "--quiet", "main")
    team.commit("Ada", "three")


def test_who_merges_a_branch_has_not_made_its_records(team: Team) -> None:
    branch(team)
    team.git("Cyd", "merge", "--quiet", "--no-edit", "side")
    told = authors(team.repository.root, "one", "two", "three")
    assert told == {"one": "Ada", "two": "Bob", "three": "Ada"}


def test_who_ends_a_merge_has_made_what_it_adds(team: Team) -> None:
    branch(team)
    team.git("Cyd", "merge", "--quiet", "--no-commit", "side")
    team.commit("Cyd", "four")
    assert authors(team.repository.root, "two", "four") == {"two": "Bob", "four": "Cyd"}


@pytest.mark.parametrize("room", [ARCHIVE_ROOM, SEGMENT_ROOM])
def test_who_moves_records_to_another_file_has_not_made_them(team: Team, room: str) -> None:
    team.commit("Ada", "one", "two")
    ledger = team.repository.root / LEDGER_FILE
    name = "agent_trace-2026-11-21.jsonl"
    team.repository.write(f"{room}/{name}", line("one"))
    ledger.write_text(line("two") + line("three"))
    team.commit("Bob")
    told = authors(team.repository.root, "one", "two", "three")
    assert told == {"one": "Ada", "two": "Ada", "three": "Bob"}


def test_a_root_below_the_top_has_its_own_ledger(team: Team) -> None:
    for part, author in (("a", "Ada"), ("b", "Bob")):
        team.repository.write(f"{part}/{LEDGER_FILE}", line(f"one of {part}"))
        team.commit(author)
    told = authors(team.repository.root / "b", "one of a", "one of b")
    assert told == {"one of b": "Bob"}


def test_a_name_is_the_one_that_the_mailmap_gives(team: Team) -> None:
    team.repository.write(".mailmap", "Ada Lovelace <ada@team.example>\n")
    team.commit("Ada", "one")
    assert authors(team.repository.root, "one") == {"one": "Ada Lovelace"}


def test_commits_from_before_a_record_was_made_are_not_read(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        team.commit("Ada", f"{number}")
    read: list[object] = []
    plain = authors_module.blob_lines

    def counted(repository: object, blob_id: str) -> object:
        read.append(blob_id)
        return plain(repository, blob_id)

    monkeypatch.setattr(authors_module, "blob_lines", counted)
    assert authors(team.repository.root, "4", after=4) == {"4": "Ada"}
    assert len(read) == 2
    # Clocks differ, but not by hours.
    assert authors(team.repository.root, "4", after=6) == {}


def test_what_is_not_committed_is_looked_for_again_when_head_has_moved(team: Team) -> None:
    team.commit("Ada", "one")
    asked = LedgerAuthors(team.repository.root)
    assert asked.of(made("one", "two")) == {"one": "Ada"}
    assert asked.of(made("two")) == {}
    team.commit("Bob", "two")
    assert asked.of(made("one", "two")) == {"one": "Ada", "two": "Bob"}


def test_the_end_of_a_shallow_clone_has_not_made_what_it_holds(team: Team, tmp_path: Path) -> None:
    for number, author in enumerate(("Ada", "Bob", "Cyd")):
        team.commit(author, f"{number}")
    source = team.repository.root.as_uri()
    team.repository.git("clone", "--quiet", "--depth=2", source, str(tmp_path / "clone"))
    assert authors(tmp_path / "clone", "0", "1", "2") == {"2": "Cyd"}


def test_a_time_that_is_none_is_no_error(team: Team) -> None:
    team.commit("Ada", "one", "two")
    asked = LedgerAuthors(team.repository.root)
    assert asked.of({"one": "2026-11-21T20:27:60Z", **made("two")}) == {"two": "Ada"}


def test_no_more_is_read_than_the_limit(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        team.commit("Ada", f"{number}")
    monkeypatch.setattr(authors_module, "READ_AT_MOST", 0)
    asked = LedgerAuthors(team.repository.root)
    wanted = {**made("0", "none", after=1), **made("4", after=5), **made("3", after=4)}
    # Each question goes on where the one before had to stop.
    assert asked.of(wanted) == {"0": "Ada"}
    assert asked.of(wanted) == {"0": "Ada", "3": "Ada"}
    assert asked.of(wanted) == {"0": "Ada", "3": "Ada", "4": "Ada"}


def test_a_record_is_looked_for_in_so_many_commits(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        team.commit("Ada", f"{number}")
    monkeypatch.setattr(authors_module, "COMMITS_ASKED", 2)
    told = authors(team.repository.root, "0", "1", "2", "3")
    assert told == {"0": "Ada", "1": "Ada"}


@pytest.mark.parametrize("damage", ["blob", "head", "all"])
def test_a_damaged_repository_names_nobody(team: Team, damage: str) -> None:
    team.commit("Ada", "one")
    names: Sequence[str] = {
        "blob": (f"HEAD:{LEDGER_FILE}",),
        "head": ("HEAD",),
        "all": (),
    }[damage]
    objects = team.repository.root / ".git/objects"
    if not names:
        shutil.rmtree(objects)
    for name in names:
        found = team.repository.git("rev-parse", name).strip()
        (objects / found[:2] / found[2:]).unlink()
    assert authors(team.repository.root, "one") == {}
