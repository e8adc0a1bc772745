"""Where lines come from, in words that are no markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from intent_lsp.core.approvals import Approval, ApprovalChannel, ApprovalChoice, Grant
from intent_lsp.core.blame.attribution import BlameRun, Confidence
from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.records import (
    AGENT,
    HUMAN,
    UNKNOWN_CONTRIBUTOR,
    Contributor,
    EntityType,
    Integrity,
    MutationClass,
    Record,
    ScopeValidation,
)
from intent_lsp.formats.markdown.provenance import (
    LONGEST,
    command_link,
    hint_words,
    hover_markdown,
    hover_plain,
    lens_words,
    reasons,
)
from tests.support.ledgers import edit

CLAUDE = Contributor(EntityType.AI, "anthropic/claude-opus-4-5")
INTENT = Intent(id=IntentId("INT-001"), name="Build the login", status=Status.IN_PROGRESS)


def record(time: str = "2026-11-21T20:27:33.123Z", **changes: object) -> Record:
    return Record.of(
        edit(**changes),
        id="e08759df-b2f0-45a6-8e2b-65c3cb1b4151",
        timestamp=time,
        integrity=Integrity(prev_record_hash=None, record_hash=hash_content(b"x")),
    )


def run(
    of: Record | None,
    contributor: Contributor = HUMAN,
    confidence: Confidence = Confidence.EXACT,
) -> BlameRun:
    return BlameRun(
        start_line=1, end_line=2, record=of, contributor=contributor, confidence=confidence
    )


def test_a_hover_tells_intent_who_when_tool_class_verdict_confidence_and_record() -> None:
    told = run(record(tool_name="write_to_file", inferred=False), CLAUDE)
    assert hover_plain(told, INTENT) == (
        "INT-001 — Build the login — IN_PROGRESS\n"
        "anthropic/claude-opus-4-5 · 2026-11-21 20:27 UTC · write_to_file · INTENT_EVOLUTION"
        " · PASS · exact · record e08759df"
    )
    assert hover_markdown(told, INTENT).startswith("**INT-001** — Build the login — IN_PROG")


@pytest.mark.parametrize(
    ("changes", "contributor", "confidence", "words"),
    [
        ({}, HUMAN, Confidence.EXACT, "a person · "),
        ({}, AGENT, Confidence.EXACT, "an agent · "),
        ({}, UNKNOWN_CONTRIBUTOR, Confidence.EXACT, "unknown · "),
        ({}, Contributor(EntityType.MIXED, "gpt"), Confidence.EXACT, "gpt and a person · "),
        ({}, HUMAN, Confidence.NORMALIZED, " · later only the text's white space was changed · "),
        ({}, HUMAN, Confidence.MOVED, " · the text was moved here later · "),
        ({"inferred": True}, HUMAN, Confidence.EXACT, " · INTENT_EVOLUTION (inferred) · "),
        ({"inferred": False}, HUMAN, Confidence.EXACT, " · INTENT_EVOLUTION · "),
        (
            {"scope_validation": ScopeValidation.FAIL},
            HUMAN,
            Confidence.EXACT,
            " · FAIL: a rule did not allow the edit · ",
        ),
        (
            {"mutation_class": MutationClass.BUG_FIX},
            HUMAN,
            Confidence.EXACT,
            " · BUG_FIX",
        ),
    ],
)
def test_each_fact_has_its_words(
    changes: dict[str, object], contributor: Contributor, confidence: Confidence, words: str
) -> None:
    assert words in hover_plain(run(record(**changes), contributor, confidence), INTENT)


@pytest.mark.parametrize(
    ("entity", "name", "is_you", "words"),
    [
        (EntityType.HUMAN, "Ada", False, "Ada"),
        (EntityType.HUMAN, None, True, "you"),
        (EntityType.MIXED, "Ada", False, "gpt and Ada"),
        (EntityType.MIXED, None, True, "gpt and you"),
        (EntityType.HUMAN, "Ada\n[x](y)", False, "Ada [x](y)"),
    ],
)
def test_a_person_is_named_as_far_as_it_is_known(
    entity: EntityType, name: str | None, *, is_you: bool, words: str
) -> None:
    told = replace(run(record(), Contributor(entity, "gpt")), author=name, is_you=is_you)
    assert hint_words(told, INTENT) == f"Build the login, {words}, 2026-11-21"
    assert f"\n{words} · " in hover_plain(told, INTENT)


def test_an_intent_that_is_gone_or_was_none_is_said_to_be() -> None:
    assert hover_plain(run(record()), None).startswith("INT-001 — not found in the intents file\n")
    assert hover_plain(run(record(intent_id=None)), None).startswith("no intent\n")
    assert hint_words(run(record(intent_id=None)), None) == "no intent, a person, 2026-11-21"
    assert hint_words(run(record()), None) == "INT-001, a person, 2026-11-21"


def test_what_nobody_explains_has_no_words() -> None:
    nobody = run(None, confidence=Confidence.UNATTRIBUTED)
    assert [tell(nobody, INTENT) for tell in (hover_plain, hover_markdown)] == ["", ""]
    assert (hint_words(nobody, None), lens_words([nobody], None)) == ("", "")
    assert lens_words([], None) == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        ({"scope_validation": ScopeValidation.FAIL}, []),
        ({"scope_validation": ScopeValidation.FAIL, "intent_id": None}, ["no intent was selected"]),
        (
            {"approval": Approval(choice=ApprovalChoice.ONCE, session_id="s")},
            ["a person approved the edit"],
        ),
        (
            {
                "approval": Approval(
                    choice=ApprovalChoice.ONCE, session_id="s", channel=ApprovalChannel.ELICITATION
                )
            },
            ["the agent's client approved the edit"],
        ),
        (
            {"grant": Grant(patterns=("a",), reason="a\nb", granted_by="s", expires_at=None)},
            ["a b"],
        ),
        ({"success": False, "error": "no\x1b room"}, ["the call failed: no  room"]),
        (
            {"concurrent_modification": True, "compared": False},
            [
                "somebody else changed one of the edit's files meanwhile",
                "the work tree could not be compared: the command may have changed more files",
            ],
        ),
    ],
)
def test_the_reasons_of_a_record_are_told_on_one_line(
    changes: dict[str, object], told: list[str]
) -> None:
    assert list(reasons(record(**changes))) == told


def test_a_lens_tells_the_last_and_how_many_intents() -> None:
    old, new = record(), record("2026-11-22T08:00:00.000Z", intent_id="INT-002")
    assert lens_words([run(old, CLAUDE), run(None)], INTENT) == (
        "Build the login, anthropic/claude-opus-4-5, 2026-11-21"
    )
    assert (
        lens_words([run(new), run(old, CLAUDE)], None) == "INT-002, a person, 2026-11-22, 2 intents"
    )


def test_a_record_is_a_link_where_the_client_has_a_command_for_it() -> None:
    told = hover_markdown(run(record()), INTENT, command_link("own.show", record().id))
    assert told.endswith(
        "[record e08759df](command:own.show?%5B%22e08759df-b2f0-45a6-8e2b-65c3cb1b4151%22%5D)"
    )


@given(st.text(max_size=LONGEST), st.text(min_size=1, max_size=40))
def test_a_value_is_never_markup_and_stays_on_its_line(name: str, tool: str) -> None:
    intent = Intent(id=IntentId("INT-001"), name=name)
    told = run(record(tool_name=tool))
    assert hover_plain(told, intent).count("\n") == 1
    tokens = MarkdownIt("commonmark").parse(hover_markdown(told, intent))
    assert [token.type for token in tokens] == [
        *("paragraph_open", "inline", "paragraph_close"),
        *("paragraph_open", "inline", "paragraph_close"),
    ]
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close"}


def test_a_very_long_name_is_cut() -> None:
    told = hover_plain(run(record()), Intent(id=IntentId("INT-001"), name="n" * 5_000))
    assert "n" * (LONGEST - 1) + "… — " in told
