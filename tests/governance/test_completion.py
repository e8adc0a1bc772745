"""Completion of control files where it needs the work tree, git or the whole text."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import FileCode
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.core.scope.findings import file_findings
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.authoring.completion import (
    NAMES_AT_MOST,
    Completion,
    ControlFileCompletion,
)
from intent_lsp.governance.governance import Governance
from tests.support.cursor_texts import accepted, labels, marked
from tests.support.repository import Repository, create

FILES = [
    "README.md",
    "src/main.ts",
    "src/auth/login.py",
    "src/auth/session.py",
    "src/auth/data.json",
    "src/auth/it's.py",
    "src/app/[slug]/page.tsx",
    "src/app/(group)/layout.tsx",
    "src/é/naïve.py",
    "with space/a b.txt",
    "build/kept.txt",
    "build/out.js",
    "src/debug.log",
    ".mcp.json",
    ".github/hooks/hook.json",
    ".github/workflows/ci.yml",
    "nested/.git/HEAD",
    "nested/file.txt",
    "other/.orchestration/active_intents.yaml",
    'quoted/say "x".md',
    "dollar/$HOME}.md",
    "😀/smile.py",
]
A = "active_intents:\n  - id: INT-001\n"
SCOPE = f"{A}    owned_scope:\n      - "
INLINE = f"{A}    owned_scope: ["
RELATED = f"{A}    related_files: ["


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of a project with files of many names."""
    repository = create(tmp_path_factory.mktemp("project"))
    repository.write(".gitignore", "build/\n*.log\n")
    repository.write(INTENTS_FILE, f"{A}    owned_scope: []\n")
    for name in FILES:
        repository.write(name, "ref: refs/heads/main\n" if name.endswith("HEAD") else "x\n")
    (repository.root / "src/link").symlink_to("auth")
    repository.git("add", "--force", "build/kept.txt")
    return repository.root


@pytest.fixture(scope="module")
def complete(root: Path) -> Iterator[Callable[..., Completion | None]]:
    """Return a function that completes a marked text of a control file in the project."""
    with Governance(root) as governance:

        def at(text: str, file: WorkspacePath = INTENTS_FILE) -> Completion | None:
            return ControlFileCompletion(governance.stores).at(file, *marked(text))

        yield at


Complete = Callable[..., Completion | None]


def offered(found: Completion | None) -> list[Proposal]:
    return [] if found is None else list(found.proposals)


TOP = [
    ".github/",
    "build/",
    "dollar/",
    "quoted/",
    "src/",
    "with space/",
    "😀/",
    ".gitignore",
    "README.md",
    "*.md",
]
POLICY_TOP = [*TOP[:-1], "**/*.md"]
AUTH = ["**", "data.json", "it's.py", "login.py", "session.py", "**/*.py", "**/*.json"]
SRC = ["**", "app/", "auth/", "é/", "main.ts", "**/*.ts"]
PATHS = {
    f"{SCOPE}|": TOP,
    f'{SCOPE}"|"': TOP,
    f"{SCOPE}'|'": TOP,
    f"{INLINE}|]": TOP,
    f'{INLINE}"|"]': TOP,
    f'{INLINE}"a", "|"]': TOP,
    f'{INLINE}"|': TOP,
    f"{A}    owned_scope:\n      |": TOP,
    f"{A}    owned_scope: |": TOP,
    f"{A}    scope:\n      paths: [|]": TOP,
    f"{A}    ownedScope: [|]": TOP,
    f'{SCOPE}"/|"': TOP,
    f'{SCOPE}"./|"': TOP,
    f'{SCOPE}"!|"': POLICY_TOP,
    f'{SCOPE}"src/|"': SRC,
    f'{SCOPE}"src/|': SRC,
    f"{SCOPE}src/|": SRC,
    f"{SCOPE}src/au|": SRC,
    f'{SCOPE}"!src/|"': SRC,
    f'{SCOPE}"./src/|"': SRC,
    f'{SCOPE}"/src/|"': SRC,
    f'{SCOPE}"src//|"': SRC,
    f'{SCOPE}"src/auth/|"': AUTH,
    f'{INLINE}"src/auth/|"]': AUTH,
    f"{INLINE}src/auth/|]": AUTH,
    f"{INLINE}'src/auth/|']": AUTH,
    f'{SCOPE}"src/auth/lo|"': AUTH,
    f'{SCOPE}"src/auth/|login.py"': AUTH,
    f'{SCOPE}"src/é/|"': ["**", "naïve.py", "**/*.py"],
    f'{SCOPE}"src/\\u00e9/|"': ["**", "naïve.py", "**/*.py"],
    f"{SCOPE}'src/app/\\[slug\\]/|'": ["**", "page.tsx", "**/*.tsx"],
    f'{SCOPE}"src/app/\\\\[slug\\\\]/|"': ["**", "page.tsx", "**/*.tsx"],
    f'{SCOPE}"src/**/|"': ["*.ts"],
    f'{SCOPE}"src/auth/**/|"': ["*.py", "*.json"],
    f'{SCOPE}"src/*/|"': ["**", "**/*.ts"],
    f'{SCOPE}"src/{{auth,app}}/|"': ["**", "**/*.ts"],
    f'{SCOPE}"../|"': [],
    f'{SCOPE}"src/../|"': [],
    f'{SCOPE}"absent/|"': ["**"],
    f'{SCOPE}"README.md/|"': ["**"],
    f'{SCOPE}"src/link/|"': ["**"],
    f'{SCOPE}"nested/|"': ["**"],
    f'{SCOPE}"other/|"': ["**"],
    f'{SCOPE}"nested/.git/|"': ["**"],
    f'{SCOPE}"\\ud83d\\ude00/|"': ["**", "smile.py", "**/*.py"],
    f'{SCOPE}"\\U0001f600/|"': ["**", "smile.py", "**/*.py"],
    f'{SCOPE}"build/|"': ["**", "kept.txt", "**/*.txt"],
    f'{SCOPE}".github/|"': ["workflows/"],
    f"{RELATED}|]": [name for name in TOP if "*" not in name],
    f'{RELATED}"src/auth/|"]': [name for name in AUTH if "*" not in name],
    f'{RELATED}"src/app/|"]': ["(group)/", "[slug]/"],
    f'{RELATED}"src/app/[slug]/|"]': ["page.tsx"],
    f'{RELATED}"../|"]': [],
    f'{RELATED}"/|"]': [],
    f'{RELATED}"/src/|"]': [],
    f'{RELATED}"./|"]': [name for name in TOP if "*" not in name],
    f"{RELATED}'nested/|']": [],
    f'{A}    name: "src/|"': [],
    f"{A}    constraints: [src/|]": [],
    f"{A}    # src/|": [],
}
POLICY_PATHS = {
    "sidecar:\n  generated: [|]": POLICY_TOP,
    'sidecar:\n  generated: ["!src/|"]': SRC,
    "sidecar:\n  spec_iteration_globs:\n    - src/|": SRC,
    "sidecar:\n  deny_mutations:\n    - path_glob: src/|": SRC,
    'sidecar:\n  deny_mutations: [{path_glob: "src/|"}]': SRC,
    "sidecar:\n  lessons:\n    violations: |": [name for name in TOP if "*" not in name],
    "sidecar:\n  lessons: {verification: src/|}": [name for name in SRC if "*" not in name],
}


@pytest.mark.parametrize(("text", "found"), PATHS.items())
def test_a_glob_is_completed_by_the_names_of_one_directory(
    complete: Complete, text: str, found: list[str]
) -> None:
    assert labels(offered(complete(text))) == found


@pytest.mark.parametrize(("text", "found"), POLICY_PATHS.items())
def test_globs_and_files_of_the_policy_are_completed(
    complete: Complete, text: str, found: list[str]
) -> None:
    assert labels(offered(complete(text, POLICY_FILE))) == found


EDITS = [
    (f"{SCOPE}|", "src/", f'{SCOPE}"src/|"'),
    (f"{SCOPE}sr|", "src/", f"{SCOPE}src/|"),
    (f"{SCOPE}src/au|", "auth/", f"{SCOPE}src/auth/|"),
    (f'{SCOPE}"src/au|"', "auth/", f'{SCOPE}"src/auth/|"'),
    (f'{SCOPE}"src/au|', "auth/", f'{SCOPE}"src/auth/|"'),
    (f'{SCOPE}"src/auth/|', "login.py", f'{SCOPE}"src/auth/login.py"|'),
    (f'{SCOPE}"src/auth/|"', "**", f'{SCOPE}"src/auth/**|"'),
    (f"{SCOPE}src/auth/|", "**/*.py", f'{SCOPE}"src/auth/**/*.py"|'),
    (f"{SCOPE}|", "*.md", f'{SCOPE}"*.md"|'),
    (f"{SCOPE}*|", "*.md", f'{SCOPE}"*.md"|'),
    (f"{SCOPE}!sr|", "src/", f'{SCOPE}"!src/|"'),
    (f'{SCOPE}"!sr|"', "src/", f'{SCOPE}"!src/|"'),
    (f"{A}    owned_scope:\n      |", "src/", f'{A}    owned_scope:\n      - "src/|"'),
    (f"{A}    owned_scope: |", "src/", f'{A}    owned_scope: ["src/|"]'),
    (f"{A}    owned_scope:|", "README.md", f'{A}    owned_scope: ["README.md"]|'),
    (f"{INLINE}|]", "src/", f'{INLINE}"src/|"]'),
    (f"{INLINE}src/|]", "app/", f"{INLINE}src/app/|]"),
    (f"{SCOPE}src/app/|", "[slug]/", f'{SCOPE}"src/app/\\\\[slug\\\\]/|"'),
    (f"{SCOPE}'src/app/|'", "[slug]/", f"{SCOPE}'src/app/\\[slug\\]/|'"),
    (f'{SCOPE}"src/app/|"', "(group)/", f'{SCOPE}"src/app/\\\\(group\\\\)/|"'),
    (f"{SCOPE}'src/auth/|'", "it's.py", f"{SCOPE}'src/auth/it''s.py|'"),
    (f"{SCOPE}src/auth/|", "it's.py", f'{SCOPE}"src/auth/it\'s.py"|'),
    (f'{SCOPE}"quoted/|"', 'say "x".md', f'{SCOPE}"quoted/say \\"x\\".md|"'),
    (f'{SCOPE}"dollar/|"', "$HOME}.md", f'{SCOPE}"dollar/$HOME\\\\}}.md|"'),
    (f"{SCOPE}with|", "with space/", f"{SCOPE}with space/|"),
    (f'{RELATED}"src/app/|"]', "[slug]/", f'{RELATED}"src/app/[slug]/|"]'),
]


@pytest.mark.parametrize(("text", "label", "after"), EDITS)
def test_a_segment_is_written_in_the_quotes_and_escapes_that_it_needs(
    complete: Complete, text: str, label: str, after: str
) -> None:
    chosen = {each.label: each for each in offered(complete(text))}
    assert accepted(text, chosen[label]) == after


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f"{SCOPE}|", "src/", f"{SCOPE}src/|"),
        (f'{SCOPE}"sr|"', "src/", f'{SCOPE}"src/|"'),
        (f'{SCOPE}"sr|', "src/", f'{SCOPE}"src/|'),
        (f"{A}    owned_scope: |", "src/", f"{A}    owned_scope: [src/]|"),
    ],
)
def test_an_editor_without_snippets_goes_on_behind_a_directory(
    complete: Complete, text: str, label: str, after: str
) -> None:
    chosen = {each.label: each for each in offered(complete(text))}
    assert accepted(text, chosen[label], snippets=False) == after


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f'{SCOPE}"src/a|pp/x"', "auth/", f'{SCOPE}"src/auth/|x"'),
        (f'{SCOPE}"src/auth/lo|gout.py"', "login.py", f'{SCOPE}"src/auth/login.py|"'),
        (f"{INLINE}src/a|pp, b]", "auth/", f"{INLINE}src/auth/|, b]"),
    ],
)
def test_only_the_segment_is_replaced_on_demand(
    complete: Complete, text: str, label: str, after: str
) -> None:
    chosen = {each.label: each for each in offered(complete(text))}
    assert accepted(text, chosen[label], replace=True) == after


def codes(text: str) -> set[str]:
    """Return the codes of all findings on an intents file, those on whole scopes included."""
    read = read_intents(text)
    return {found.code for found in (*read.findings, *file_findings(read.intents))}


@pytest.mark.parametrize("text", dict.fromkeys([*PATHS, *(text for text, _, _ in EDITS)]))
def test_what_is_accepted_reads_as_the_glob_and_has_no_new_finding(
    complete: Complete, text: str
) -> None:
    before = codes(text.replace("|", "x"))
    for proposal in offered(complete(text)):
        made = accepted(text, proposal, replace=True).replace("|", "")
        # A directory is a step on the way: of `.github/` only a part is control plane.
        step = {FileCode.SCOPE_CONTROL_PLANE} if proposal.label == ".github/" else set()
        assert codes(made) <= before | step, made


@pytest.mark.parametrize(
    ("text", "new_id"),
    [
        ("active_intents:\n  - |", "INT-001"),
        (f"{A}  - |", "INT-002"),
        (f"{A}    aliases: [INT-009]\n  - |", "INT-010"),
        (f"{A}  - id: INT-005\n    name: x\n  - id: |", "INT-006"),
        (f"{A}  - id: INT-00|", "INT-002"),
        (f"#  - id: INT-007\n{A}  - |", "INT-002"),
        (f"{A}    name: see INT-050\n  - |", "INT-002"),
        (f"{A}    name: 'open\n  - id: INT-005\n    name: [\n  - |", "INT-006"),
        ('{"active_intents": [{"id": "INT-004"}, {"id": "|', "INT-005"),
    ],
)
def test_the_next_free_id_is_the_one_that_a_created_intent_would_get(
    complete: Complete, text: str, new_id: str
) -> None:
    assert any(new_id in label for label in labels(offered(complete(text))))
    assert "INT-001" not in labels(offered(complete(text))) or new_id == "INT-001"


def test_only_a_part_of_a_large_directory_is_proposed_and_more_when_more_is_typed(
    repository: Repository,
) -> None:
    repository.write(INTENTS_FILE, "active_intents: []\n")
    for number in range(NAMES_AT_MOST + 50):
        repository.write(f"many/file{number:03}.py", "")
    repository.write("many/the_last.py", "")
    with Governance(repository.root) as governance:
        completion = ControlFileCompletion(governance.stores)
        first = completion.at(INTENTS_FILE, *marked(f'{SCOPE}"many/|"'))
        assert first is not None
        assert not first.whole
        assert len([each for each in first.proposals if "*" not in each.label]) == NAMES_AT_MOST
        typed = completion.at(INTENTS_FILE, *marked(f'{SCOPE}"many/THE|"'))
        assert typed is not None
        assert labels(typed.proposals) == ["**", "the_last.py", "**/*.py"]
        few = completion.at(INTENTS_FILE, *marked(f'{SCOPE}"|"'))
        assert few is not None
        assert few.whole


def test_extensions_are_those_of_names_also_in_a_large_directory(repository: Repository) -> None:
    repository.write(INTENTS_FILE, "active_intents: []\n")
    for number in range(NAMES_AT_MOST + 50):
        repository.write(f".tools/file{number:03}.py", "")
    repository.write(".tools/.env", "")
    with Governance(repository.root) as governance:
        completion = ControlFileCompletion(governance.stores)
        found = completion.at(INTENTS_FILE, *marked(f'{SCOPE}".tools/|"'))
        wildcards = [label for label in labels(offered(found)) if "*" in label]
        assert wildcards == ["**", "**/*.py"]


def test_nothing_is_proposed_in_a_text_that_is_too_large_to_be_read(complete: Complete) -> None:
    comment = "# " + "é" * (MAX_BYTES // 2) + "\n"
    assert complete(f"{comment[:-99]}\n{A}    |") is not None
    assert complete(f"{comment}{A}    |") is None


def test_no_other_directory_is_read(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write(INTENTS_FILE, "active_intents: []\n")
    repository.write("src/deep/er/file.py", "")
    listed: list[str] = []
    scandir = os.scandir

    def noted(path: str) -> Iterator[os.DirEntry[str]]:
        listed.append(os.path.relpath(path, repository.root))
        return scandir(path)

    with Governance(repository.root) as governance, monkeypatch.context() as patch:
        patch.setattr(os, "scandir", noted)
        ControlFileCompletion(governance.stores).at(INTENTS_FILE, *marked(f'{SCOPE}"src/|"'))
    assert listed[:1] == ["src"]
    assert not [each for each in listed if "deep" in each]


def test_without_git_nothing_counts_as_ignored(tmp_path: Path) -> None:
    (tmp_path / ".orchestration").mkdir()
    (tmp_path / INTENTS_FILE).write_text("active_intents: []\n")
    (tmp_path / "build").mkdir()
    with Governance(tmp_path) as governance:
        found = ControlFileCompletion(governance.stores).at(INTENTS_FILE, *marked(f'{SCOPE}"|"'))
    assert labels(offered(found)) == ["build/"]


def test_in_a_subdirectory_of_a_repository_its_ignore_rules_hold(repository: Repository) -> None:
    repository.write(".gitignore", "/project/out/\n")
    repository.write(f"project/{INTENTS_FILE}", "active_intents: []\n")
    repository.write("project/out/x.js", "")
    repository.write("project/src/x.js", "")
    with Governance(repository.root / "project") as governance:
        found = ControlFileCompletion(governance.stores).at(INTENTS_FILE, *marked(f'{SCOPE}"|"'))
    assert labels(offered(found)) == ["src/"]


@given(typed=st.text(alphabet="src/auth*!{}[]()\\'.# ", max_size=12), quote=st.sampled_from("'\" "))
def test_no_glob_raises(complete: Complete, typed: str, quote: str) -> None:
    text = f"{SCOPE}{quote.strip()}{typed}|"
    for proposal in offered(complete(text)):
        assert proposal.written.start >= len("      - ")
