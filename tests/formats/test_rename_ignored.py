"""Renaming an intent in `.intentignore`: lines that are its id, and what is excluded afterwards."""

import time

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.ignore_file import read_ignored
from intent_lsp.formats.intents.rename_intent import excluding_line, ids_ignored, rename_ignored


def intents_of(*ids: str) -> Intents:
    return Intents(tuple(Intent(id=IntentId(each)) for each in ids))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("A\n", "A", "B", "B\n"),
        ("/A", "A", "B", "/B"),
        ("x\nA  \r\n!/A\r\nA # c\n", "A", "B", "x\nB  \r\n!/B\r\nA # c\n"),
        ("# A\nA*\n[A]\nAA\n a\n", "A", "B", "# A\nA*\n[A]\nAA\n a\n"),
        ("X\\*1\n", "X*1", "a[b]", "a\\[b]\n"),
        ("\\#A\n", "#A", "!B ", "\\!B\\ \n"),
        ("#A\n", "#A", "B", "#A\n"),
        ("ä 🙂\n", "ä 🙂", "ö 🙂", "ö 🙂\n"),
        ("a/b\n", "a/b", "c/d", "c/d\n"),
        ("A\\\\\n", "A\\", "B\\", "B\\\\\n"),
        ("", "A", "B", ""),
    ],
)
def test_lines_that_are_the_id_get_the_new_one(text: str, old: str, new: str, after: str) -> None:
    edit = rename_ignored(text, intents_of(old, "other"), old, new)
    assert apply_changes(text, edit.changes) == after
    assert edit.excluded == bool(read_ignored(text).matching(old))
    for span, name in ids_ignored(text, [old]):
        assert name == old
        assert span.start.line == span.end.line


@pytest.mark.parametrize(
    ("text", "new", "warning"),
    [
        ("A\n", "B", None),
        ("A*\n", "A2", None),
        ("A*\n", "B", ".intentignore excluded A by `A*`, and does not exclude B"),
        ("B*\n", "B2", "B2 is excluded by `B*` in .intentignore, so it cannot be selected"),
        ("A\n!A\n", "B", None),
        ("A\n!B\n", "B", ".intentignore excluded A by `A`, and does not exclude B"),
        # The line excludes another intent, too, so that it stays.
        ("A\n", "A-1", ".intentignore excluded A by `A`, and does not exclude A-1"),
    ],
)
def test_a_change_of_what_is_excluded_is_said(text: str, new: str, warning: str | None) -> None:
    edit = rename_ignored(text, intents_of("A", "A/part" if new == "A-1" else "C"), "A", new)
    if warning is None:
        assert edit.warning is None
    else:
        assert edit.warning is not None
        assert edit.warning.startswith(warning)


IDS = st.text(st.sampled_from("ab*?[]\\#! /"), min_size=1, max_size=4).filter(
    lambda text: text.strip("/ ") and "//" not in text
)


@given(text=st.text(st.sampled_from("ab*!/\\ #\n"), max_size=12), ids=st.lists(IDS, min_size=3))
@example(text="a\n", ids=["a", "b", "a/b"])
def test_no_other_intent_is_touched(text: str, ids: list[str]) -> None:
    old, new, *others = ids
    edit = rename_ignored(text, intents_of(*ids), old, new)
    before, after = read_ignored(text), read_ignored(apply_changes(text, edit.changes))
    for other in others:
        if other != old:
            assert bool(before.matching(other)) == bool(after.matching(other))
    changed = bool(before.matching(old)) != bool(after.matching(new))
    assert (edit.warning is not None) == changed
    event("changed" if edit.changes else "kept")


def test_a_long_line_takes_no_time_to_speak_of() -> None:
    begun = time.process_time()
    assert list(ids_ignored(f"A{' ' * 20_000}*\n", ["A"])) == []
    assert time.process_time() - begun < 0.5


@given(intent_id=IDS.filter(lambda text: not text.startswith("/") and not text.endswith("/")))
def test_a_line_for_an_id_excludes_it(intent_id: str) -> None:
    assert read_ignored(f"{excluding_line(intent_id)}\n").matching(intent_id)
