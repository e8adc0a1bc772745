"""Edits by text: what they change, and what is refused before anything is written."""

import re
from typing import Any

import pytest

from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import hash_content
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.formats.params.calls import FileEditParams
from intent_lsp.formats.params.read import read_params

TEXT = "one\ntwo\none\n"


def params(*files: dict[str, Any]) -> FileEditParams:
    return read_params({"toolName": "apply_edit", "files": list(files)}, FileEditParams)


def rewritten(**edit: Any) -> str:
    (change,) = params({"path": "a.py", **edit}).changes()
    assert change.rewrite is not None
    return change.rewrite(TEXT)


def replaces(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_text": old, "new_text": new, **more}


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        ({"new_text": "x"}, "x"),
        ({"new_text": ""}, ""),
        ({"replacements": [replaces("two", "2")]}, "one\n2\none\n"),
        ({"replacements": [replaces("one", "1", replace_all=True)]}, "1\ntwo\n1\n"),
        ({"replacements": [replaces("two", "2"), replaces("2\none", "3")]}, "one\n3\n"),
    ],
)
def test_a_file_gets_the_text_that_the_edit_asks_for(edit: dict[str, Any], after: str) -> None:
    assert rewritten(**edit) == after


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("three", "a.py: the old_text of replacement 1 was not found; read the file again"),
        ("one", "a.py: the old_text of replacement 1 is in the file 2 times; add lines around it"),
    ],
)
def test_a_text_that_is_not_there_once_is_not_replaced(old: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        rewritten(replacements=[replaces(old, "x")])


def test_files_move_and_go_and_each_has_its_hash() -> None:
    hash_ = hash_content(b"x")
    asked = params(
        {"path": "a", "move_to": "b", "new_text": "x", "read_hash": hash_},
        {"path": "c", "delete": True, "read_hash": None},
        {"path": "d", "new_text": ""},
    )
    move, delete, write = asked.changes()
    assert (move.path, move.source, move.effect) == ("b", "a", Effect.MOVE)
    assert (delete.path, delete.effect, delete.rewrite) == ("c", Effect.DELETE, None)
    assert (write.path, write.effect) == ("d", Effect.WRITE)
    call = asked.call()
    assert call.paths == ("a", "b", "c", "d")
    assert call.read_hashes == {"a": hash_, "c": None}


@pytest.mark.parametrize(
    ("files", "field", "problem"),
    [
        ([], "files", "Expected `array` of length >= 1"),
        ([{"path": "a"}], "files[0]", "needs new_text, replacements, move_to or delete"),
        ([{"path": "", "new_text": "x"}], "files[0].path", "length >= 1"),
        (
            [{"path": "a", "new_text": "x", "replacements": [replaces("a", "b")]}],
            "files[0]",
            "give new_text or replacements, not both",
        ),
        ([{"path": "a", "delete": True, "move_to": "b"}], "files[0]", "delete cannot be combined"),
        (
            [{"path": "a", "replacements": [replaces("", "b")]}],
            "files[0].replacements[0].old_text",
            "length >= 1",
        ),
        (
            [{"path": "a", "new_text": "x"}, {"path": "b", "move_to": "a"}],
            "files[1]",
            "'a' is named twice",
        ),
    ],
)
def test_wrong_edits_are_named_by_their_field(
    files: list[dict[str, Any]], field: str, problem: str
) -> None:
    with pytest.raises(WrongParamsError, match=re.escape(problem)) as wrong:
        params(*files).changes()
    assert wrong.value.field == field


def test_a_wrong_hash_is_named_by_its_field() -> None:
    with pytest.raises(WrongParamsError, match="is not a SHA-256 hash") as wrong:
        params({"path": "a", "new_text": "x", "read_hash": "x"}).call()
    assert wrong.value.field == "files[0].read_hash"
