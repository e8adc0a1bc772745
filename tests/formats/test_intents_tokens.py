"""Semantic tokens of the intents file: what has one, of which kind, and where quotes put it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.core.intents import Status
from intent_lsp.core.scope.glob_parts import GlobPartKind
from intent_lsp.formats.intents.structure.entries import read_structure
from intent_lsp.formats.intents.structure.lookup import IntentsToken, PartKind, tokens_of
from intent_lsp.formats.yaml.compose import Composed, compose
from intent_lsp.formats.yaml.limits import refused
from intent_lsp.formats.yaml.nodes import (
    Scalar,
    SequenceNode,
    double_quoted,
    spelled_like,
    value_offsets,
)
from tests.support.hostile_text import texts as hostile_texts

_MARKS = {
    PartKind.KEY: "k",
    PartKind.ID: "i",
    PartKind.ALIAS: "r",
    PartKind.POINTER: "r",
    PartKind.STATUS: "s",
    GlobPartKind.NAME: "n",
    GlobPartKind.SEPARATOR: "/",
    GlobPartKind.WILDCARD: "w",
    GlobPartKind.BRACE: "b",
    GlobPartKind.EXCLUSION: "!",
}


def marked(text: str, kinds: str = "irsnwb/!") -> str:
    """Return a text with each token of these kinds as `<k|token>`."""
    structure = read_structure(text)
    assert structure is not None
    parts, at = [], 0
    for token in tokens_of(structure):
        kind = _MARKS[token.kind]
        if kind in kinds:
            word = text[token.start : token.end]
            parts += [text[at : token.start], f"<{kind}|{word}>"]
            at = token.end
    return "".join(parts) + text[at:]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("src/*.py", "<n|src></|/><w|*><n|.py>"),
        ('"src/**"', '"<n|src></|/><w|**>"'),
        ("'!a/{b,c}'", "'<!|!><n|a></|/><b|{><n|b><b|,><n|c><b|}>'"),
        ("'it''s/*'", "'<n|it''s></|/><w|*>'"),
        (r'"\x61\u00e9\U0001F642/*"', r'"<n|\x61\u00e9\U0001F642></|/><w|*>"'),
        (r'"a\\*/*"', r'"<n|a\\*></|/><w|*>"'),
        (r'"a\/b\t\"?"', r'"<n|a><' + r"/|\/>" + r'<n|b\t\"><w|?>"'),
        ("*.py", "<w|*><n|.py>"),
        ("{a,b}/**", "<b|{><n|a><b|,><n|b><b|}></|/><w|**>"),
        ("&x src/*", "<n|&x src></|/><w|*>"),
        ("!!str src/*", "!!str <n|src></|/><w|*>"),
        ("'🙂/é*'", "'<n|🙂></|/><n|é><w|*>'"),
        ('"#a/*"', '"#a/*"'),
        ("' a '", "' <n|a> '"),
        ('"a/\n     b"', '"<n|a/>\n     <n|b>"'),
        ("|-\n      a/*", "|-\n      a/*"),
        ("''", "''"),
    ],
)
def test_a_glob_is_divided_where_it_is_written(value: str, found: str) -> None:
    assert marked(f"- owned_scope:\n    - {value}\n") == f"- owned_scope:\n    - {found}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- id: A\n", "- id: <i|A>\n"),
        ("- {intentId: 'A b', status: done}\n", "- {intentId: '<i|A b>', status: <s|done>}\n"),
        ("- id: A\n  status: nonsense\n", "- id: <i|A>\n  status: nonsense\n"),
        ("- id: A\n  status: 'Draft'\n", "- id: <i|A>\n  status: '<s|Draft>'\n"),
        ("- id: A\n  aliases: [B, 'C']\n", "- id: <i|A>\n  aliases: [<r|B>, '<r|C>']\n"),
        (
            "active_intent: A\nintents:\n- id: A\n",
            "active_intent: <r|A>\nintents:\n- id: <i|A>\n",
        ),
        ("active_intent: B\nintents:\n- id: A\n", "active_intent: B\nintents:\n- id: <i|A>\n"),
        ("intents:\n  A:\n    status: active\n", "intents:\n  <i|A>:\n    status: <s|active>\n"),
        ("- name: no id\n", "- name: no id\n"),
        ("- id: A\n  related_files: [a/*]\n", "- id: <i|A>\n  related_files: [a/*]\n"),
        (
            "x: &x [a/*]\nintents:\n- owned_scope: *x\n",
            "x: &x [a/*]\nintents:\n- owned_scope: *x\n",
        ),
        (
            "x: &x a/*\nintents:\n- owned_scope: [*x, b]\n",
            "x: &x a/*\nintents:\n- owned_scope: [*x, <n|b>]\n",
        ),
        ("\ufeff- id: A\r\n  status: done\r\n", "\ufeff- id: <i|A>\r\n  status: <s|done>\r\n"),
        ("[]\n", "[]\n"),
    ],
)
def test_ids_statuses_and_references_have_tokens(text: str, found: str) -> None:
    assert marked(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "active_intents:\n- id: A\n  mine: 1\n  'ownedScope': []\n",
            "<k|active_intents>:\n- <k|id>: A\n  mine: 1\n  '<k|ownedScope>': []\n",
        ),
        (
            "other: 1\nactiveIntent: A\nintents: []\n",
            "other: 1\n<k|activeIntent>: A\n<k|intents>: []\n",
        ),
    ],
)
def test_known_keys_have_tokens_and_unknown_ones_none(text: str, found: str) -> None:
    assert marked(text, "k") == found


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("done", Status.COMPLETED),
        ("active", Status.IN_PROGRESS),
        ("archived", Status.ARCHIVED),
        ("BLOCKED", Status.BLOCKED),
    ],
)
def test_a_status_is_what_its_word_means(word: str, status: Status) -> None:
    structure = read_structure(f"- id: A\n  status: {word}\n")
    assert structure is not None
    assert [token.status for token in tokens_of(structure) if token.status] == [status]


_PIECES = st.sampled_from(
    [
        "- id: A\n",
        "  status: done\n",
        "  owned_scope: [a/*, '!b', \"c\\u00e9\"]\n",
        "  aliases: [B]\n",
        "  owned_scope:\n",
        "    - *.py\n",
        "    - 'x\n      y'\n",
        "intents:\n",
        "active_intent: A\n",
        "  A: {status: done}\n",
        "\n",
        "# x\n",
        "    - |\n      a\n",
        "  id: &a B\n",
        "    - *a\n",
    ]
)


@given(st.lists(_PIECES, max_size=8).map("".join) | hostile_texts())
@example("- &a\n  id: A\n- *a\n")
@example("? [a]\n: b\n")
def test_tokens_are_in_order_apart_and_on_one_line(text: str) -> None:
    structure = read_structure(text)
    tokens: tuple[IntentsToken, ...] = () if structure is None else tokens_of(structure)
    end = 0
    for token in tokens:
        assert end <= token.start < token.end <= len(text)
        assert not {"\n", "\r"} & set(text[token.start : token.end])
        end = token.end


@given(st.text(max_size=20), st.sampled_from(["'", '"']))
@example("\x00\x85\u2028\ud800é🙂\\\"'/", '"')
def test_every_character_of_a_value_on_one_line_is_found(value: str, style: str) -> None:
    source = double_quoted(value) if style == '"' else spelled_like("'", value)
    offsets = value_offsets(source, value)
    assert offsets is not None
    assert len(offsets) == len(value) + 1
    for at, char in enumerate(value):
        piece = source[offsets[at] : offsets[at + 1]]
        assert piece in (char, "''") or piece.startswith("\\")


@given(st.text(alphabet="a'\"\\ xuU014 /ntN\t", max_size=12))
def test_offsets_are_given_for_what_yaml_reads_and_nothing_else(inside: str) -> None:
    for quote in "'\"":
        text = f"- {quote}{inside}{quote}\n"
        made = None if refused(text) else compose(text)
        if not isinstance(made, Composed) or not isinstance(made.root, SequenceNode):
            continue
        (item,) = made.root.items
        if isinstance(item, Scalar) and item.style == quote:
            offsets = value_offsets(text[item.start : item.end], item.value)
            assert offsets is not None
