"""Plans found in a root, compared with its intents, and written as they were shown."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.plans.proposed_intent import PlanKind
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.imports.plan_import import PlanProposal, propose, specifications
from intent_lsp.governance.imports.plan_sources import (
    MAX_DIRECTORIES,
    MAX_DOCUMENT,
    PlanSource,
    directory_of,
    kind_of_file,
    read_source,
    sources_below,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from tests.support import plan_samples as samples
from tests.support.governed_repository import govern
from tests.support.repository import Repository

FEATURE, CHANGE, SPEC = (
    "specs/004-borrow-book",
    "openspec/changes/add-reminder",
    ".kiro/specs/queue",
)
ARCHIVED = "openspec/changes/archive/2026-05-06-add-reminder"


@pytest.fixture
def project(repository: Repository) -> Repository:
    return govern(repository)


def write(project: Repository, directory: str, documents: Mapping[str, str]) -> None:
    for name, text in documents.items():
        project.write(f"{directory}/{name}", text)


def write_all(project: Repository) -> None:
    """Write a plan of each kind, an archived change, and documents that are no plans."""
    write(project, FEATURE, samples.FEATURE)
    write(project, CHANGE, samples.CHANGE)
    write(project, ARCHIVED, samples.CHANGE)
    write(project, SPEC, samples.KIRO)
    project.write("openspec/specs/mail/spec.md", "# Mail\n")
    project.write("specs/notes/spec.md", "# no number\n")


def proposed(governance: Governance, *sources: PlanSource) -> PlanProposal:
    found = propose(governance, [each for it in sources for each in read_source(it).proposed])
    assert isinstance(found, PlanProposal)
    return found


def found_in(project: Repository, path: str = "", kind: PlanKind | None = None) -> list[str]:
    return [
        f"{source.kind.value}:{each}"
        for source in sources_below(project.root, path, (), kind)
        for each in source.paths
    ]


def test_all_plans_of_a_root_are_found(project: Repository) -> None:
    write_all(project)
    project.write("specs/004-empty/image.svg", "")
    assert found_in(project) == [f"spec-kit:{FEATURE}", f"openspec:{CHANGE}", f"kiro:{SPEC}"]


@pytest.mark.parametrize(
    ("path", "kind", "found"),
    [
        ("specs", None, [f"spec-kit:{FEATURE}"]),
        (FEATURE, None, [f"spec-kit:{FEATURE}"]),
        ("specs/notes", None, []),
        ("specs/notes", PlanKind.SPEC_KIT, ["spec-kit:specs/notes"]),
        ("specs", PlanKind.SPEC_KIT, [f"spec-kit:{FEATURE}", "spec-kit:specs/notes"]),
        ("openspec", None, [f"openspec:{CHANGE}"]),
        ("openspec/changes", None, [f"openspec:{CHANGE}"]),
        ("openspec/changes/archive", None, [f"openspec:{ARCHIVED}"]),
        (ARCHIVED, None, [f"openspec:{ARCHIVED}"]),
        ("openspec/specs", None, []),
        (".kiro", None, [f"kiro:{SPEC}"]),
        (".kiro/specs", None, [f"kiro:{SPEC}"]),
        (SPEC, None, [f"kiro:{SPEC}"]),
        ("", PlanKind.KIRO, [f"kiro:{SPEC}"]),
        ("src", None, []),
        ("nowhere", None, []),
    ],
)
def test_plans_are_recognised_by_their_directory(
    project: Repository, path: str, kind: PlanKind | None, found: list[str]
) -> None:
    write_all(project)
    assert found_in(project, path, kind) == found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("todo.md", PlanKind.TASK_LIST),
        ("a/TODO.MARKDOWN", PlanKind.TASK_LIST),
        ("a.csv", PlanKind.TABLE),
        ("a.TSV", PlanKind.TABLE),
        ("a.yaml", PlanKind.INTENTS),
        ("plan", PlanKind.INTENTS),
    ],
)
def test_a_file_is_recognised_by_its_name(path: str, kind: PlanKind) -> None:
    assert kind_of_file(path) is kind


def test_documents_elsewhere_in_a_root_are_no_plans_of_it(project: Repository) -> None:
    for path in ("docs/requirements.md", "specs/api/requirements.md", "rfc/proposal.md"):
        project.write(path, "# Words\n")
    project.write("changes/next/proposal.md", "# Words\n")
    assert found_in(project) == []
    assert found_in(project, "docs") == ["kiro:docs"]
    assert found_in(project, "changes") == ["openspec:changes/next"]


def test_a_document_belongs_to_its_directory(project: Repository) -> None:
    write(project, FEATURE, samples.FEATURE)
    write(project, SPEC, samples.KIRO)
    project.write("docs/tasks.md", "- [ ] a\n")
    write(project, ".kiro/specs/001-numbered", samples.KIRO)
    assert found_in(project, ".kiro/specs") == ["kiro:.kiro/specs/001-numbered", f"kiro:{SPEC}"]
    assert directory_of(project.root, f"{FEATURE}/tasks.md") == (PlanKind.SPEC_KIT, FEATURE)
    assert directory_of(project.root, f"{SPEC}/tasks.md") == (PlanKind.KIRO, SPEC)
    assert directory_of(project.root, "docs/tasks.md") is None


def test_a_feature_is_proposed_and_written_as_shown(project: Repository) -> None:
    write(project, FEATURE, samples.FEATURE)
    project.write("src/readers/reader.py", "")
    with Governance(project.root) as governance:
        made = proposed(governance, *sources_below(project.root, "", ()))
        assert (project.root / INTENTS_FILE).read_bytes() == made.before
        assert governance.planning.write_shown(made.text, made.changes) is None
    assert (project.root / INTENTS_FILE).read_bytes() == made.after
    assert made.after.startswith(made.before)
    intent = read_intents(made.after.decode()).intents.items[-1]
    assert intent == made.added[0]
    assert (intent.id, intent.specification, intent.status) == (
        "INT-003",
        FEATURE,
        Status.IN_PROGRESS,
    )
    assert intent.owned_scope == (
        "tests/loans/test_borrow.py",
        "src/loans/borrow.py",
        "src/readers/reader.py",
        f"{FEATURE}/tasks.md",
    )
    assert made.documents == {"INT-003": f"{FEATURE}/spec.md:1"}


def test_what_was_imported_is_not_imported_again(project: Repository) -> None:
    write(project, FEATURE, samples.FEATURE)
    with Governance(project.root) as governance:
        first = proposed(governance, *sources_below(project.root, "", ()))
        governance.planning.write_shown(first.text, first.changes)
        again = proposed(governance, *sources_below(project.root, "", ()))
        assert (again.added, again.changes, again.after) == ((), (), again.before)
        assert [(each.intent_id, each.differences) for each in again.known] == [("INT-003", ())]
        project.write(f"{FEATURE}/tasks.md", samples.TASKS.replace("[ ]", "[x]"))
        project.write(f"{FEATURE}/spec.md", samples.SPEC.replace("Borrow a book", "Lend a book"))
        (known,) = proposed(governance, *sources_below(project.root, "", ())).known
        assert {each.key: (each.here, each.there) for each in known.differences} == {
            "name": ("Borrow a book", "Lend a book"),
            "status": ("IN_PROGRESS", "COMPLETED"),
        }


def test_an_archived_change_is_found_once_it_is_known(project: Repository) -> None:
    write(project, CHANGE, samples.CHANGE)
    with Governance(project.root) as governance:
        first = proposed(governance, *sources_below(project.root, "", ()))
        governance.planning.write_shown(first.text, first.changes)
        (project.root / ARCHIVED).parent.mkdir(parents=True)
        (project.root / CHANGE).rename(project.root / ARCHIVED)
        known = specifications(governance)
        assert known == {CHANGE}
        (source,) = sources_below(project.root, "", known)
        assert source.paths == (ARCHIVED,)
        (found,) = proposed(governance, source).known
        assert [(each.key, each.there) for each in found.differences if each.key == "status"] == [
            ("status", "COMPLETED")
        ]


def test_an_intent_whose_id_is_that_of_the_tracker_is_known(project: Repository) -> None:
    project.write("a.csv", "Key,Title\nINT-001,First\nX-1,Second\n")
    with Governance(project.root) as governance:
        made = proposed(governance, PlanSource(PlanKind.TABLE, project.root, ("a.csv",)))
    assert [each.specification for each in made.known] == ["INT-001"]
    assert [(each.id, each.specification) for each in made.added] == [("INT-003", "X-1")]


def test_an_intent_that_was_renamed_is_known_by_its_old_id(project: Repository) -> None:
    old = "active_intents:\n- {id: LOGIN, aliases: [A-1]}\n- {id: B, specification_id: A-2}\n"
    project.write(INTENTS_FILE, f"{old}- {{id: C, specification_id: A-2}}\n- {{id: A-2}}\n")
    project.write("a.csv", "Key,Title\nA-1,First\nA-2,Second\nA-3,Third\n")
    with Governance(project.root) as governance:
        made = proposed(governance, PlanSource(PlanKind.TABLE, project.root, ("a.csv",)))
    assert [(each.intent_id, each.specification) for each in made.known] == [
        ("LOGIN", "A-1"),
        ("B", "A-2"),
    ]
    assert [each.specification for each in made.added] == ["A-3"]


def test_nothing_is_written_if_the_file_has_changed(project: Repository) -> None:
    write(project, FEATURE, samples.FEATURE)
    with Governance(project.root) as governance:
        made = proposed(governance, *sources_below(project.root, "", ()))
        text = made.text + "# somebody else\n"
        project.write(INTENTS_FILE, text)
        refused = governance.planning.write_shown(made.text, made.changes)
    assert isinstance(refused, CheckoutRefusal)
    assert refused.code is RequestCode.INTENTS_FILE_UNWRITTEN
    assert "the file has changed since the edit was shown" in refused.message
    assert (project.root / INTENTS_FILE).read_text() == text


def test_an_intents_file_that_does_not_parse_takes_nothing(project: Repository) -> None:
    project.write(INTENTS_FILE, "- [")
    with Governance(project.root) as governance:
        refused = propose(governance, ())
    assert isinstance(refused, CheckoutRefusal)
    assert refused.code is RequestCode.NOT_GOVERNED


def test_the_bytes_of_the_intents_file_stay(project: Repository) -> None:
    before = b"\xef\xbb\xbfactive_intents: # ours\r\n- id: A\r\n  owned_scope:\r\n  - a.py\r\n"
    project.write(INTENTS_FILE, before)
    write(project, FEATURE, samples.FEATURE)
    with Governance(project.root) as governance:
        made = proposed(governance, *sources_below(project.root, "", ()))
    assert made.after.startswith(before)
    assert b"\n" not in made.after.replace(b"\r\n", b"")
    assert b"  owned_scope:\r\n  - " in made.after.removeprefix(before)


def unread(project: Repository, path: str) -> str:
    """Return the only problem of a task list."""
    (problem,) = read_source(PlanSource(PlanKind.TASK_LIST, project.root, (path,))).problems
    assert problem.cure
    return f"{problem.place}: {problem.problem}"


def test_what_cannot_be_read_is_a_problem(project: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- [ ] not ours\n")
    (project.root / "link.md").symlink_to(outside)
    (project.root / "loop.md").symlink_to("loop.md")
    project.write("bytes.md", b"\xff\xfe\x00")
    project.write("large.md", b"a" * (MAX_DOCUMENT + 1))
    assert unread(project, "link.md").startswith("link.md: it is a link that leads nowhere, or out")
    assert unread(project, "loop.md").startswith("loop.md: it is a link that leads nowhere")
    assert unread(project, "bytes.md") == "bytes.md: it is not UTF-8 text"
    assert unread(project, "large.md") == "large.md: it has more than 1 MiB"


def test_a_link_within_the_root_is_followed_and_a_directory_out_of_it_is_not(
    project: Repository, tmp_path: Path
) -> None:
    project.write("docs/todo.md", "- [ ] ours\n")
    (project.root / "todo.md").symlink_to("docs/todo.md")
    read = read_source(PlanSource(PlanKind.TASK_LIST, project.root, ("todo.md",)))
    assert [each.name for each in read.proposed] == ["ours"]
    outside = tmp_path / "outside" / "001-theirs"
    outside.mkdir(parents=True)
    (outside / "spec.md").write_text(samples.SPEC)
    (project.root / "specs").mkdir()
    (project.root / "specs/001-theirs").symlink_to(outside)
    assert found_in(project) == []
    assert found_in(project, "specs/001-theirs") == []


def test_a_table_in_another_encoding_with_a_mark_is_read(project: Repository) -> None:
    project.write("a.csv", "Key;Title\nA-1;\u00dcber\n".encode("utf-16"))
    read = read_source(PlanSource(PlanKind.TABLE, project.root, ("a.csv",)))
    assert [each.name for each in read.proposed] == ["\u00dcber"]


def test_plans_beyond_the_limit_are_a_problem(project: Repository) -> None:
    paths = tuple(f"specs/{number:03}-x" for number in range(MAX_DIRECTORIES + 2))
    (problem,) = read_source(PlanSource(PlanKind.SPEC_KIT, project.root, paths)).problems
    assert problem.document == paths[MAX_DIRECTORIES]
    assert problem.problem == "2 plans left out, beginning with this one"


def test_documents_of_a_plan_are_no_scope_but_its_tasks_are(project: Repository) -> None:
    named = f"`{FEATURE}/a.md`, `contracts/b.yaml`, `.specify/memory/constitution.md`, `src/a.py`"
    for path in (
        f"{FEATURE}/a.md",
        f"{FEATURE}/contracts/b.yaml",
        ".specify/memory/constitution.md",
    ):
        project.write(path, "")
    for document, scope in (
        ("tasks.md", ("src/a.py", f"{FEATURE}/tasks.md")),
        ("plan.md", ("src/a.py",)),
    ):
        project.write(f"{FEATURE}/{document}", f"- [ ] T001 See {named}\n")
        with Governance(project.root) as governance:
            made = proposed(governance, *sources_below(project.root, "", ()))
        assert made.added[0].owned_scope == scope
        (project.root / FEATURE / document).unlink()
