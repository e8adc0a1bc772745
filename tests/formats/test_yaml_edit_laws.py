"""Laws of the server's own edits over generated files: what stays, what is read, what is done."""

import re
from collections.abc import Sequence

import pytest
import yaml
from hypothesis import assume, event, example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.formats.intents.append_intent import add_intent
from intent_lsp.formats.intents.edit import (
    EditRefused,
    add_globs,
    apply_changes,
    set_history,
    set_status,
)
from intent_lsp.formats.intents.entry_text import intent_meant
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.list_edit import text_spelled
from intent_lsp.formats.yaml.nodes import spelled_like
from tests.formats.test_yaml_laws import COMMENTS, GLOBS, LAYOUTS, STYLES, WORDS, edited, files

NOW = "2027-02-03T04:05:06Z"
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXTS = st.one_of(WORDS, GLOBS, ANY)
OUTSIDE = st.sampled_from(["a: &x 1\n", "active_intent: A\n", "# c\tc\n", "", ""])


@st.composite
def written(draw: st.DrawFn, key: str, words: st.SearchStrategy[str]) -> str:
    """Give a list below a key: in each form, with comments beside and between its items."""
    style = draw(STYLES)
    items = [spelled_like(style, word) for word in draw(st.lists(words, max_size=4))]
    form = draw(st.sampled_from(["block", "flow", "lines", "closed", "tail"]))
    if not items:
        return draw(st.sampled_from([f"{key}:", f"{key}: []", f"{key}: [ ]", f"{key}: ~"]))
    if form == "block":
        lead = " " * draw(st.sampled_from([0, 2, 4])) + draw(st.sampled_from(["- ", "-  "]))
        lines = [f"{lead}{item}{draw(COMMENTS)}" for item in items]
        between = [draw(st.sampled_from(["", "", "    # between", "\n"])) for _ in items]
        listed = [part for pair in zip(lines, between, strict=True) for part in pair if part]
        return "\n".join([f"{key}:{draw(COMMENTS)}", *listed])
    if form == "flow":
        return f"{key}: [{draw(st.sampled_from([', ', ',', ' , '])).join(items)}]{draw(COMMENTS)}"
    if form == "closed":
        return f"{key}: [" + ",\n    ".join(items) + "]"
    last = "," if form == "tail" else ""
    lines = [f"    {item},{draw(COMMENTS)}" for item in items[:-1]]
    return "\n".join([f"{key}: [", *lines, f"    {items[-1]}{last}{draw(COMMENTS)}", "  ]"])


@st.composite
def one_entry(draw: st.DrawFn, key: str, words: st.SearchStrategy[str]) -> str:
    """Give a file with an intent A that has a list below a key."""
    layout = draw(LAYOUTS)
    keys = [draw(written(key, words)), "id: A", "updated_at: '1'", "z: 1 # c"]
    keys = draw(st.permutations(keys))
    lines = "\n".join(keys).split("\n")
    shifted = [f"- {lines[0]}", *(f"  {line}" if line else "" for line in lines[1:])]
    pad = " " * layout.indent
    body = "\n".join([f"{layout.root}:"] * bool(layout.root) + [pad + line for line in shifted])
    before = draw(OUTSIDE) if layout.root else ""
    return (before + body + draw(st.sampled_from(["", "\n"]))).replace("\n", layout.line_end)


def removed(text: str, changes: Sequence[TextChange]) -> list[str]:
    places = TextPositions(text)
    return [text[places.offset(it.span.start) : places.offset(it.span.end)] for it in changes]


def comments(text: str) -> int:
    return len(re.findall(r"(?:^|\s)#(?: said| between| c\tc| c)?$", text, re.MULTILINE))


@given(
    text=st.one_of(files(), one_entry("owned_scope", GLOBS), one_entry("scope", GLOBS)),
    data=st.data(),
    patterns=st.lists(TEXTS, max_size=4),
)
def test_adding_globs_takes_nothing_away_but_the_date(
    text: str, data: st.DataObject, patterns: list[str]
) -> None:
    before = read_intents(text)
    assume(before.parsed and len(before.intents))
    intent = data.draw(st.sampled_from(before.intents.items))
    changes = add_globs(text, intent.id, patterns, NOW)
    assert not isinstance(changes, EditRefused), changes
    missing = [each for each in dict.fromkeys(patterns) if each not in intent.owned_scope]
    wanted = replace(intent, owned_scope=(*intent.owned_scope, *missing))
    if missing and intent.updated_at is not None:
        wanted = replace(wanted, updated_at=NOW)
    after = apply_changes(text, changes)
    expected = tuple(wanted if it.id == intent.id else it for it in before.intents)
    assert read_intents(after).intents == Intents(expected)
    gone = [each.strip() for each in removed(text, changes)]
    dates = {"2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"', "'2026-01-01T00:00:00Z'", "'1'"}
    assert all(each in ("", "~") or each in dates for each in gone)
    assert add_globs(after, intent.id, patterns, NOW) == ()
    event("nothing was missing" if not missing else "added")


@given(text=one_entry("recent_history", WORDS), data=st.data(), fresh=st.lists(TEXTS, max_size=3))
def test_a_history_moves_on_and_keeps_what_stays_as_it_stands(
    text: str, data: st.DataObject, fresh: list[str]
) -> None:
    before = read_intents(text)
    assert before.parsed
    (intent,) = before.intents
    old = intent.recent_history
    told = (*fresh, *old[: data.draw(st.integers(0, len(old)))])
    changes = set_history(text, "A", told)
    assert not isinstance(changes, EditRefused), changes
    after = apply_changes(text, changes)
    assert read_intents(after).intents == Intents((replace(intent, recent_history=told),))
    assert set_history(after, "A", told) == ()
    assert "updated_at: '1'" in after
    assert "z: 1 # c" in after
    if len(told) == len(fresh) + len(old):
        assert all(each.strip() in ("", "~") for each in removed(text, changes))
        assert comments(after) == comments(text)
    if told and not fresh:
        assert all(not each.new_text for each in changes)
    assert sum(bool(each.new_text) for each in changes) <= 1


@given(text=files(), data=st.data(), tellings=st.lists(st.lists(TEXTS, max_size=4), max_size=3))
def test_a_history_can_be_told_again_and_again(
    text: str, data: st.DataObject, tellings: list[list[str]]
) -> None:
    before = read_intents(text)
    assume(before.parsed and len(before.intents))
    intent = data.draw(st.sampled_from(before.intents.items))
    for told in tellings:
        changes = set_history(text, intent.id, told)
        assert not isinstance(changes, EditRefused), changes
        text = apply_changes(text, changes)
        found = read_intents(text).intents.get(intent.id)
        assert found == replace(intent, recent_history=tuple(told))


@st.composite
def new_intents(draw: st.DrawFn) -> Intent:
    lists = st.lists(TEXTS, max_size=3).map(tuple)
    return Intent(
        id=IntentId(draw(st.sampled_from(["INT-9", "no", "ü: #", "'\"", "*x"]))),
        name=draw(TEXTS),
        status=draw(st.sampled_from(Status)),
        owned_scope=draw(lists),
        constraints=draw(lists),
        acceptance_criteria=draw(lists),
        created_at=draw(TEXTS),
    )


@given(text=st.one_of(files(), one_entry("owned_scope", GLOBS)), new=new_intents())
def test_adding_an_intent_takes_nothing_away(text: str, new: Intent) -> None:
    before = read_intents(text)
    assume(before.parsed)
    changes = add_intent(text, new)
    assert not isinstance(changes, EditRefused), changes
    assert set(removed(text, changes)) == {""}
    after = apply_changes(text, changes)
    assert read_intents(after).intents == Intents((*before.intents, intent_meant(new)))
    assert isinstance(add_intent(after, new), EditRefused)


@given(data=st.data(), text=st.one_of(files(), one_entry("scope", GLOBS)), new=new_intents())
def test_edits_are_total_and_every_one_given_reads_as_it_should(
    data: st.DataObject, text: str, new: Intent
) -> None:
    for _ in range(3):
        text = data.draw(edited(text))
        before = read_intents(text).intents
        added = add_intent(text, new)
        if not isinstance(added, EditRefused):
            after = read_intents(apply_changes(text, added)).intents
            assert after.items == (*before, intent_meant(new))
        for intent in before.items[:2]:
            for changes in (
                set_status(text, intent.id, Status.ARCHIVED, NOW),
                add_globs(text, intent.id, ["new/**"], NOW),
                set_history(text, intent.id, ["new"]),
            ):
                event("refused" if isinstance(changes, EditRefused) else "given")
                if not isinstance(changes, EditRefused):
                    after = read_intents(apply_changes(text, changes)).intents
                    assert [it.id for it in after] == [it.id for it in before]


NO_TEXT = ["no", "Off", "y", "1", "1.5", ".5", ".inf", "0x1F", "1e3", "2026-01-01", "12:30", "null"]


@given(value=st.one_of(TEXTS, st.sampled_from(NO_TEXT)), style=STYLES)
@example(value="src/**/*.py", style="")
def test_every_reader_takes_what_is_spelled_for_text(value: str, style: str) -> None:
    spelled = text_spelled(style, value)
    assert yaml.safe_load(f"- {spelled}\n- [{spelled}, {{k: {spelled}}}]") == [
        value,
        [value, {"k": value}],
    ]


@pytest.mark.parametrize("value", [*NO_TEXT, "*a", "a *b", "{a}", ".", "..", ""])
def test_what_other_readers_take_for_something_else_is_quoted(value: str) -> None:
    assert text_spelled("", value).startswith('"')


@pytest.mark.parametrize("value", ["src/**", "a*b", ".github/*", "./x", "POST_HOOK write OK"])
def test_what_all_readers_take_for_text_may_stay_plain(value: str) -> None:
    assert text_spelled("", value) == value
