"""What the parts of an intents file mean and where they lead, held against a real work tree."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import force_setattr

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.pattern import NameComparison, Pattern, compile_pattern
from intent_lsp.core.scope.rows import literal_path
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.intents.structure.lookup import IntentsPart, globs_of, part_at
from intent_lsp.formats.markdown.editor_text import plain_of
from intent_lsp.governance.authoring import glob_matches
from intent_lsp.governance.authoring.authoring import FILES_AT_MOST, IntentsAuthoring
from intent_lsp.governance.authoring.glob_matches import KEPT_AT_MOST
from intent_lsp.governance.plan import tree_listing
from intent_lsp.governance.plan.tree_listing import LISTED_FOR, TreeListing
from intent_lsp.store.git.repository import Git
from tests.governance.editor import INTENTS, Editor
from tests.support.marked_text import cursor_in
from tests.support.repository import Repository


def read(marked: str) -> tuple[IntentsStructure, IntentsPart]:
    """Return the structure of a text with a cursor mark, and the part at the mark."""
    text, offset = cursor_in(marked)
    structure = read_structure(text)
    assert structure is not None
    part = part_at(structure, offset)
    assert part is not None
    return structure, part


def explained(editor: Editor, marked: str) -> str | None:
    """Return the hover at the mark as plain text, its lines joined by ` / `."""
    found = editor.authoring.explanations.of_part(*read(marked))
    return found and plain_of(found.title, found.paragraphs, found.glob).replace("\n", " / ")


ONE = "- {id: A, owned_scope: [%s]}\n- {id: B, name: Bee, owned_scope: [src/**, 'docs/**']}\n"


@pytest.mark.parametrize(
    ("glob", "said"),
    [
        ("src/|db.py", "src/db.py matches 1 file /   src/db.py / Other open intents own /   B"),
        ("s|rc/**", "src/** matches 2 files /   src/db.py /   src/auth/login.py / Other"),
        ("src/no|ne/**", "src/none/** matches no file"),
        ("'!src/au|th/**'", "!src/auth/** excludes 1 file /   src/auth/login.py"),
        ('"a|{b"', "a{b matches no file"),
        (f'"|{"x" * 5000}"', "This glob owns nothing: the pattern is longer than"),
    ],
)
def test_a_glob_is_held_against_the_work_tree(editor: Editor, glob: str, said: str) -> None:
    found = explained(editor, ONE % glob)
    assert found is not None
    assert said in found


def test_only_other_open_intents_are_owners(editor: Editor) -> None:
    text = """\
- {id: A, owned_scope: [s|rc/**]}
- {id: DONE, status: done, owned_scope: [src/**]}
- {id: NOT, owned_scope: [src/**, '!src/db.py', '!src/auth/**']}
- {id: PART, owned_scope: [src/**, '!src/db.py']}
"""
    assert explained(editor, text) == (
        "src/** matches 2 files /   src/db.py /   src/auth/login.py"
        " / Other open intents own /   PART: 1 file"
    )


def test_of_many_files_the_first_are_named(editor: Editor) -> None:
    for number in range(KEPT_AT_MOST + 5):
        editor_file = editor.root / f"many/{number:05}.txt"
        editor_file.parent.mkdir(exist_ok=True)
        editor_file.touch()
    marked = "- {id: A, owned_scope: [many|/**]}\n- {id: B, owned_scope: [many/**]}\n"
    found = explained(editor, marked)
    assert found is not None
    assert found.startswith("many/** matches 1,005 files /   many/00000.txt / ")
    assert "… and 995 more / Of the first 1,000 files, other open intents own" in found
    assert "B: 1,000 files" in found
    files = editor.authoring.destinations(*read(marked)).files
    assert len(files) == FILES_AT_MOST
    # What git still tracks and the disk has lost is no destination.
    (editor.root / "src/db.py").unlink()
    gone = "- {id: A, owned_scope: [s|rc/**]}\n"
    assert editor.authoring.destinations(*read(gone)).files == ("src/auth/login.py",)


def test_a_glob_leads_to_what_exists_beyond_the_files_that_were_deleted(
    repository: Repository, open_editor: Callable[..., Editor]
) -> None:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    for number in range(KEPT_AT_MOST + 2):
        repository.write(f"many/{number:05}.txt", "")
    repository.commit()
    for number in range(KEPT_AT_MOST + 1):
        (repository.root / f"many/{number:05}.txt").unlink()
    authoring = open_editor(repository.root).authoring
    found = authoring.destinations(*read("- {id: A, owned_scope: [many|/**]}\n"))
    assert found.files == (f"many/{KEPT_AT_MOST + 1:05}.txt",)


@pytest.mark.parametrize(
    ("glob", "links"),
    [("src/Db.py|", ["src/Db.py"]), ("./src/Db.py|", ["src/Db.py"]), ("SRC*/d|b.py", [])],
)
def test_a_path_is_spelled_as_written_or_listed_where_case_is_ignored(
    editor: Editor, glob: str, links: Sequence[str]
) -> None:
    (editor.root / "src/Db.py").write_text("x\n")
    stores = editor.governance.stores
    listing = TreeListing(stores, NameComparison(case_sensitive=False))
    authoring = IntentsAuthoring(stores, listing)
    structure, part = read(f"- {{id: A, owned_scope: ['{glob}']}}\n")
    assert "src/Db.py" in authoring.destinations(structure, part).files
    assert [link.path for link in authoring.links(structure)] == links


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("PLAN|NED", "PLANNED / Not begun."),
        ("done|", "done / Read as COMPLETED. / Done."),
        ("no|", "no: no status / Read as PLANNED. / Not begun."),
        ("archived|", "archived / Read as ARCHIVED. / Kept"),
    ],
)
def test_a_status_says_what_it_means(editor: Editor, word: str, said: str) -> None:
    found = explained(editor, f"- id: A\n  status: {word}\n")
    assert found is not None
    assert found.startswith(said)


def test_a_status_says_what_is_read_as_it(editor: Editor) -> None:
    found = explained(editor, "- id: A\n  status: COM|PLETED\n") or ""
    assert found.endswith("COMPLETED is also read from COMPLETE and DONE.")
    assert "also read" not in (explained(editor, "- id: A\n  status: BLOCK|ED\n") or "")


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("- i|d: A\n", "id / "),
        ("- intent|Id: A\n", "id / "),
        ("- {id: A, sco|pe: [a]}\n", "owned_scope / "),
        ("active_in|tents: []\n", "active_intents / "),
        ("activeInt|entId: A\nintents: []\n", "active_intent / Names an intent."),
    ],
)
def test_a_key_says_what_it_means(editor: Editor, marked: str, said: str) -> None:
    found = explained(editor, marked)
    assert found is not None
    assert found.startswith(said)
    assert len(found) > len(said) + 20


@pytest.mark.parametrize(
    ("line", "withheld"),
    [
        ("# yaml-language-server: $schema=x.json\n", True),
        ("\ufeff# yaml-language-server: $schema=x.json\r\n", True),
        ("# a\n  #yaml-language-server : x $schema=file:///x\n", True),
        ("# yaml-language-server\n", False),
        ("# see yaml-language-server: $schema=x\n", False),
        ("# yaml-language-server: $schema= x\n", False),
    ],
)
def test_keys_and_statuses_are_left_to_the_server_of_a_schema(
    editor: Editor, line: str, *, withheld: bool
) -> None:
    assert (explained(editor, f"{line}- {{i|d: A, status: done}}\n") is None) is withheld
    assert (explained(editor, f"{line}- {{id: A, status: do|ne}}\n") is None) is withheld
    assert explained(editor, f"{line}- {{id: |A, status: done}}\n") is not None


def test_every_known_key_has_a_meaning(editor: Editor) -> None:
    for key in ENTRY_KEYS.known:
        assert explained(editor, f"- {{id: A, |{key}: x}}\n" if key != "id" else "- |id: A\n")


def test_an_id_an_alias_and_a_pointer_show_the_intent(editor: Editor) -> None:
    text = """\
active_intent: OLD
active_intents:
  - {id: A, name: Ay, specification_id: REQ-1, acceptance_criteria: [x], aliases: [OLD],
     owned_scope: ['src/**']}
"""
    said = (
        "A — Ay / PLANNED · specification REQ-1 · 0 constraints · 1 acceptance criterion"
        " · formerly OLD / Owns /   src/** / A has no record."
    )
    for part in ("intent: OLD", "id: A", "[OLD]"):
        assert explained(editor, text.replace(part, f"{part[:-1]}|{part[-1]}")) == said
    assert explained(editor, "active_intent: nobod|y\nactive_intents: []\n") is None
    assert explained(editor, "- {id: A|}\n") == (
        "A / PLANNED · 0 constraints · 0 acceptance criteria / Has no glob, so owns no file."
        " / A has no record."
    )


def test_without_git_a_glob_has_no_count_but_a_file_is_found(
    repository: Repository, open_editor: Callable[..., Editor]
) -> None:
    (repository.root / ".git").rename(repository.root.parent / "not-git")
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write("src/db.py", "x\n")
    authoring = open_editor(repository.root).authoring
    structure, part = read("- {id: A, owned_scope: [src/d|b.py, src/**]}\n")
    assert authoring.explanations.of_part(structure, part) is None
    assert [authoring.count(glob.text) for glob in globs_of(structure)] == [None, None]
    assert authoring.destinations(structure, part).files == ("src/db.py",)
    assert [link.path for link in authoring.links(structure)] == ["src/db.py"]


def test_where_git_does_not_answer_the_files_are_unknown(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    authoring, stores = editor.authoring, editor.governance.stores
    times = [stores.clock()]
    force_setattr(stores, "clock", lambda: times[0])
    marked = "- {id: A, owned_scope: [s|rc/**]}\n"
    with monkeypatch.context() as patched:
        patched.setattr(Git, "_run", lambda *_: None)
        assert authoring.count("src/**") is None
        assert explained(editor, marked) == (
            "src/** / Which files this glob matches is unknown: git does not list the files."
        )
        assert authoring.destinations(*read(marked)).files == ()
    # It answers again, and somebody has set the clock back.
    times[0] -= LISTED_FOR + timedelta(seconds=1)
    editor.governance.listing.renew()
    assert counted(authoring.count("src/**")) == "2 files"


def test_counts_follow_the_work_tree(editor: Editor) -> None:
    authoring, stores = editor.authoring, editor.governance.stores
    times = [stores.clock()]
    force_setattr(stores, "clock", lambda: times[0])
    assert counted(authoring.count("new/**")) == "no file"
    (editor.root / "new").mkdir()
    (editor.root / "new/a.txt").touch()
    editor.governance.listing.renew()
    assert counted(authoring.count("new/**")) == "no file"
    times[0] += LISTED_FOR + timedelta(seconds=1)
    # A count is an answer of the moment; who asks for it has the list renewed.
    assert counted(authoring.count("new/**")) == "no file"
    editor.governance.listing.renew()
    assert counted(authoring.count("new/**")) == "1 file"


def test_a_tree_that_is_built_while_the_files_are_listed_again_is_kept(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing, stores = editor.governance.listing, editor.governance.stores
    times = [stores.clock()]
    force_setattr(stores, "clock", lambda: times[0])
    listing.renew()

    def building(paths: Sequence[WorkspacePath], reading: NameComparison) -> FileTree:
        times[0] += LISTED_FOR + timedelta(seconds=1)
        listing.renew()
        return FileTree(paths, reading)

    monkeypatch.setattr(tree_listing, "FileTree", building)
    first = listing.tree()
    assert first is not None
    assert not listing.is_old()
    # The files are the same, and so are the matches that are cached by the tree.
    assert listing.tree() is first


def test_a_file_with_many_globs_is_not_matched_anew(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glob_matches, "REMEMBERED", 8)
    asked: list[str] = []
    matching = FileTree.matching

    def counting(tree: FileTree, pattern: Pattern) -> Iterator[WorkspacePath]:
        asked.append(pattern.text)
        return matching(tree, pattern)

    monkeypatch.setattr(FileTree, "matching", counting)
    authoring = editor.authoring
    for _ in range(3):
        for number in range(10):
            assert authoring.count(f"{number}/**") is not None
    assert len(asked) <= 10 + 3 + 3


def counted(found: Any) -> str:
    assert found is not None
    return str(found.words)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("- owned_scope: [src/db.py, ./src/db.py, src/none.py, src]\n", ["src/db.py"] * 2),
        ("- owned_scope: ['!src/db.py', 'src/\\db.py', 'src/{db,x}.py']\n", ["src/db.py"] * 2),
        ("- related_files: [src/db.py, ../x, /etc/passwd, 'src/*.py', 'a\\tb']\n", ["src/db.py"]),
        (f'- related_files: [{"n" * 300}, "\\0"]\n', []),
        ("active_intents: []\n", []),
    ],
)
def test_links_lead_to_files_that_exist(editor: Editor, text: str, paths: Sequence[str]) -> None:
    structure = read_structure(text)
    assert structure is not None
    assert [link.path for link in editor.authoring.links(structure)] == paths


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("a/b.py", "a/b.py"),
        ("/a", "a"),
        ("a\\*b", "a*b"),
        ("[a]", None),
        ("{a}", None),
        ("{a,b}", None),
        ("a/**", None),
        ("a/", None),
        ("", None),
        ("@(a|b)", None),
    ],
)
def test_a_glob_without_wildcards_is_a_path(glob: str, path: str | None) -> None:
    pattern = compile_pattern(glob)
    found = literal_path(pattern.rows[0]) if len(pattern.rows) == 1 else None
    assert found is None or pattern.matches(found)
    assert path is None or found == path
