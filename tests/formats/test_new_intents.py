"""Several new intents at the end of the file, by one edit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.formats.intents.append_intents import add_intents
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.yaml import limits
from intent_lsp.formats.yaml.globs import unquoted_globs
from intent_lsp.store.packaged_files import template

NOW = "2027-01-01T00:00:00Z"
FORMS = [
    "",
    template("active_intents.yaml"),
    "active_intents:\n  - id: A   # first\n    name: One\n\n  - id: B\r\n\nother: 1\n",
    '- {id: A, owned_scope: ["a"]}',
    "intents:\n  A: {name: One}\n# the end\n",
    '{"active_intents": [{"id": "A"}], "more": [1]}\n',
]

_line = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=9)
_texts = st.lists(_line.map(lambda text: text.strip() or "x"), max_size=2).map(tuple)
_intents = st.builds(
    Intent,
    id=st.sampled_from(["A", "C", "D", "x y", "001", "no"]).map(IntentId),
    name=_line,
    status=st.sampled_from(Status),
    owned_scope=st.lists(_line.map(lambda text: text or "x"), max_size=2).map(tuple),
    constraints=_texts,
    acceptance_criteria=_texts,
    created_at=st.none() | st.just("2026-01-01"),
)


@pytest.mark.parametrize("text", FORMS)
@given(wanted=st.lists(_intents, max_size=4))
def test_what_is_added_reads_back_and_what_stood_stays(text: str, wanted: list[Intent]) -> None:
    before = read_intents(text).intents
    added = add_intents(text, wanted, NOW)
    after = apply_changes(text, added.changes)
    read = read_intents(after).intents.items
    assert read[: len(before)] == before.items
    new = {intent.id: intent for intent in read[len(before) :]}
    for intent in wanted:
        if intent.id in new and intent.id not in added.refused:
            assert new[intent.id].name == intent.name
            assert new[intent.id].owned_scope == intent.owned_scope
            assert new[intent.id].status is intent.status
            assert new[intent.id].created_at == (intent.created_at or NOW)
    assert {intent.id for intent in wanted} <= {*new, *added.refused}
    # One edit, which repeats nothing of what was there before and after it.
    assert len(added.changes) <= 1
    for change in added.changes:
        assert len(after) - len(text) <= len(change.new_text) <= len(after) - len(text) + 3


@pytest.mark.parametrize("text", FORMS)
@given(wanted=st.lists(_intents, max_size=4, unique_by=lambda intent: intent.id))
def test_all_at_once_is_what_one_after_the_other_makes(text: str, wanted: list[Intent]) -> None:
    after = text
    for intent in wanted:
        after = apply_changes(after, add_intents(after, [intent], NOW).changes)
    assert apply_changes(text, add_intents(text, wanted, NOW).changes) == after


def test_one_that_cannot_be_added_keeps_no_other_out() -> None:
    first, again, other = (
        Intent(id=IntentId(name), name=told)
        for name, told in (("C", "first"), ("C", "again"), ("D", "other"))
    )
    added = add_intents(
        "- {id: A, aliases: [B]}\n", (Intent(id=IntentId("B")), first, again, other), NOW
    )
    assert added.refused == {
        "B": "the file already has an intent B",
        "C": "the file already has an intent C",
    }
    (change,) = added.changes
    assert [line.split(",")[0] for line in change.new_text.splitlines()] == ["- {id: C", "- {id: D"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- [", "the file cannot be parsed (line 1: "),
        ("active_intents: &a [{id: A}]", "`active_intents` has a YAML anchor"),
        ("hello", "the YAML of the file is neither a mapping nor a list"),
    ],
)
def test_a_file_that_takes_none_says_why_of_each(text: str, why: str) -> None:
    wanted = [Intent(id=IntentId("C")), Intent(id=IntentId("D"))]
    added = add_intents(text, wanted, NOW)
    assert added.changes == ()
    assert [*added.refused] == ["C", "D"]
    assert all(reason.startswith(why) for reason in added.refused.values())


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("between", ["", "\n", "  \n"])
def test_new_intents_stand_apart_as_the_last_two_do(line_end: str, between: str) -> None:
    text = f"active_intents:\n  - id: A\n    name: One\n{between}  - id: B\n    name: Two\n"
    text = text.replace("\n", line_end)
    wanted = [Intent(id=IntentId(name), name="New") for name in ("C", "D")]
    after = apply_changes(text, add_intents(text, wanted, NOW).changes)
    blank = line_end if between else ""
    lines = (
        f"  - id: {name}\n    name: New\n    status: PLANNED\n    owned_scope: []\n"
        f'    created_at: "{NOW}"\n'
        for name in ("C", "D")
    )
    added = "".join(blank + each.replace("\n", line_end) for each in lines)
    assert after == text + added


def test_what_would_make_the_file_too_large_is_left_out_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAX_BYTES", 30_000)
    text = "active_intents:\n  - id: A\n"
    wanted = [Intent(id=IntentId(f"B-{at}"), name="New") for at in range(3_000)]
    reads: list[str] = []
    found = limits.refused

    def counted(text: str) -> limits.YamlProblem | None:
        reads.append(text)
        return found(text)

    monkeypatch.setattr(unquoted_globs, "refused", counted)
    added = add_intents(text, wanted, NOW)
    (reason,) = set(added.refused.values())
    assert reason.startswith("a file of more than ")
    assert len(reads) < 50
    after = apply_changes(text, added.changes)
    ids = [intent.id for intent in read_intents(after).intents]
    assert ids == ["A", *(each.id for each in wanted if each.id not in added.refused)]
    assert 30_000 - 200 < len(after) <= 30_000


def test_one_that_no_file_can_hold_is_left_out_of_many() -> None:
    wanted = [Intent(id=IntentId(f"B-{at}"), name="New") for at in range(3_000)]
    wanted[1_500] = Intent(id=IntentId("B-1500"), name="half: \ud800")
    added = add_intents("active_intents: []\n", wanted, NOW)
    assert [*added.refused] == ["B-1500"]
    assert len(read_intents(apply_changes("active_intents: []\n", added.changes)).intents) == 2_999
