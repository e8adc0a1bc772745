"""Laws of the readers of plans, for generated documents."""

from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.core.codes import FileCode
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.formats.intents.append_intents import add_intents
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.plans.kiro import read_spec
from intent_lsp.formats.plans.named_paths import TreeNames, globs_of
from intent_lsp.formats.plans.openspec import read_change
from intent_lsp.formats.plans.proposed_intent import (
    MAX_SENTENCE,
    MAX_SENTENCES,
    ProposedIntent,
    ReadPlan,
)
from intent_lsp.formats.plans.spec_kit import read_feature
from intent_lsp.formats.plans.task_list import read_task_list
from intent_lsp.formats.plans.tracker_table import read_tracker_table
from tests.support import plan_samples as samples

DOCUMENTS = (
    *samples.FEATURE.values(),
    *samples.CHANGE.values(),
    *samples.KIRO.values(),
    samples.BUGFIX,
)
TABLES = (samples.JIRA, samples.LINEAR, samples.AZURE, samples.GITHUB_PROJECT, samples.GITLAB)
NOISE = ("\n", "\r\n", "\r", "\t", "`", "```", "<!--", "-->", "---", "- [ ] ", "- [x]", "# ", "===")
TREE = TreeNames(lambda _: False, lambda path: path == "src", lambda _: None)

READERS: tuple[Callable[[str], ReadPlan], ...] = (
    lambda text: read_feature("specs/1-a", {"spec.md": text, "plan.md": text, "tasks.md": text}),
    lambda text: read_change(
        "c", {"proposal.md": text, "design.md": text, "specs/a/spec.md": text}
    ),
    lambda text: read_spec("k", {"requirements.md": text, "bugfix.md": text, "tasks.md": text}),
    lambda text: read_task_list("a.md", text),
    lambda text: read_tracker_table("a.csv", text),
)

pieces = st.one_of(
    st.text(max_size=20),
    st.sampled_from(NOISE),
    st.sampled_from([line for text in DOCUMENTS for line in text.splitlines(keepends=True)]),
    st.sampled_from([line for text in TABLES for line in text.splitlines(keepends=True)]),
)
texts = st.lists(pieces, max_size=30).map("".join)


def as_intents(proposed: tuple[ProposedIntent, ...]) -> list[Intent]:
    return [
        Intent(
            id=IntentId(f"INT-{number:03}"),
            name=each.name,
            status=each.status,
            owned_scope=globs_of(each.named, TREE).globs,
            constraints=each.constraints,
            acceptance_criteria=each.acceptance_criteria,
            specification=each.specification,
            created_at=each.created_at,
        )
        for number, each in enumerate(proposed, 1)
    ]


@given(texts, st.sampled_from(READERS))
@example("- [ ] \ud800", READERS[3])
@example("# \x1b", READERS[0])
@example("Title\n\ud800\x00\n", READERS[4])
def test_any_text_is_read_and_what_it_proposes_can_be_written(
    text: str, reader: Callable[[str], ReadPlan]
) -> None:
    read = reader(text)
    assert all(problem.problem and problem.cure for problem in read.problems)
    assert len({each.specification for each in read.proposed}) == len(read.proposed)
    for each in read.proposed:
        told = (each.name, *each.constraints, *each.acceptance_criteria)
        assert all(0 < len(text) <= MAX_SENTENCE and text == text.strip() for text in told)
        assert len(each.acceptance_criteria) <= MAX_SENTENCES
        assert not any(glob.startswith("**") for glob in globs_of(each.named, TREE).globs)
    intents = as_intents(read.proposed)
    edit = add_intents("active_intents: []\n", intents, "2026-01-01")
    assert edit.refused == {}
    after = read_intents(apply_changes("active_intents: []\n", edit.changes))
    assert [each.specification for each in after.intents] == [it.specification for it in intents]
    codes = {finding.code for finding in after.findings}
    assert codes <= {FileCode.EMPTY_SCOPE, FileCode.GLOB_HINT, FileCode.DEAD_GLOB}


@given(texts)
def test_the_line_of_a_task_is_where_it_stands(text: str) -> None:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for each in read_task_list("a.md", text).proposed:
        assert "[" in lines[each.line - 1]
