"""What a YAML text has at a cursor, in block and flow form, whether or not it parses."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.formats.yaml.cursor import cursor_at
from intent_lsp.formats.yaml.cursor_place import YamlCursor
from tests.support.cursor_texts import marked

A = "active_intents:\n  - id: INT-001\n"
SCOPE = f"{A}    owned_scope:\n"


def shown(cursor: YamlCursor) -> str:
    """Describe a cursor: the path, how the word begins, the word with its quote, and `:` for a key.

    An item of a list is `-` in the path.
    """
    path = "/".join("-" if step is None else step for step in cursor.path)
    word = f"{cursor.word.quote}{cursor.word.typed}"
    return f"{path} {cursor.beginning.value} <{word}>{':' if cursor.is_key else ''}"


PLACES = {
    "|": " line <>",
    "a|": " line <a>",
    "active_intents:|": "active_intents colon <>",
    "active_intents: |": "active_intents colon <>",
    "a|: x": " line <a>:",
    "|a: x": " line <>:",
    '"a|": x': ' line <"a>:',
    f"{A}|": " line <>",
    f"{A}  |": "active_intents line <>",
    f"{A}    |": "active_intents/- line <>",
    f"{A}    sta|": "active_intents/- line <sta>",
    f"{A}    'sta|'": "active_intents/- line <'sta>",
    f"{A}    status: |": "active_intents/-/status colon <>",
    f"{A}    status: PL|": "active_intents/-/status colon <PL>",
    f"{A}    status:   PL|": "active_intents/-/status colon <PL>",
    f"{A}    status: PL|  # said": "active_intents/-/status colon <PL>",
    f"{A}    status: 'PL|'": "active_intents/-/status colon <'PL>",
    f"{A}    name: 'it''s|": "active_intents/-/name colon <'it''s>",
    f"{A}    owned_scope: ['it''s|": "active_intents/-/owned_scope/- flow item <'it''s>",
    f'{A}    status: "PL|': 'active_intents/-/status colon <"PL>',
    f"{A}    name: a, b|": "active_intents/-/name colon <a, b>",
    "active_intents:\n  - |": "active_intents/- dash <>",
    "active_intents:\n  - i|": "active_intents/- dash <i>",
    "active_intents:\n  - i|d: x": "active_intents/- dash <i>:",
    "active_intents:\n  -   |": "active_intents/- dash <>",
    "active_intents:\n- id: A\n  |": "active_intents/- line <>",
    "active_intents:\n- |": "active_intents/- dash <>",
    "- id: A\n  |": "- line <>",
    "- - |": "-/- dash <>",
    f"{SCOPE}      - |": "active_intents/-/owned_scope/- dash <>",
    f"{SCOPE}      - src/|": "active_intents/-/owned_scope/- dash <src/>",
    f'{SCOPE}      - "src/|"': 'active_intents/-/owned_scope/- dash <"src/>',
    f'{SCOPE}      - "src/|': 'active_intents/-/owned_scope/- dash <"src/>',
    f"{SCOPE}      - *|": "active_intents/-/owned_scope/- dash <*>",
    f"{SCOPE}      - !sr|": "active_intents/-/owned_scope/- dash <!sr>",
    f"{SCOPE}    - src|": "active_intents/-/owned_scope/- dash <src>",
    f"{SCOPE}      |": "active_intents/-/owned_scope line <>",
    f"{SCOPE}    - a\n    |": "active_intents/- line <>",
    f"{SCOPE}      - a\n\n      # said\n      - |": "active_intents/-/owned_scope/- dash <>",
    f"{SCOPE}      - a: b\n        |": "active_intents/-/owned_scope/- line <>",
    f'{SCOPE}      - "a\n      - "b|': 'active_intents/-/owned_scope/- dash <"b>',
    f"{A}    owned_scope: [|": "active_intents/-/owned_scope/- flow item <>",
    f"{A}    owned_scope: [|]": "active_intents/-/owned_scope/- flow item <>",
    f"{A}    owned_scope: [a, |]": "active_intents/-/owned_scope/- flow item <>",
    f"{A}    owned_scope: [a, b|]": "active_intents/-/owned_scope/- flow item <b>",
    f'{A}    owned_scope: ["a", "b|"]': 'active_intents/-/owned_scope/- flow item <"b>',
    f'{A}    owned_scope: ["b|\n    name: x': 'active_intents/-/owned_scope/- flow item <"b>',
    f"{A}    owned_scope: [src/{{a,b}}/|]": (
        "active_intents/-/owned_scope/- flow item <src/{a,b}/>"
    ),
    f"{A}    owned_scope: [\n      a,\n      |": "active_intents/-/owned_scope/- flow item <>",
    f"{A}    owned_scope: [\n      a,\n      b|\n    ]": (
        "active_intents/-/owned_scope/- flow item <b>"
    ),
    f'{A}    owned_scope: ["a",\n    "b|"]': 'active_intents/-/owned_scope/- flow item <"b>',
    f'{A}    owned_scope: ["a",\n    st|': "active_intents/- line <st>",
    f'{A}    owned_scope: ["a"\n    status: P|': "active_intents/-/status colon <P>",
    f'{A}    name: "open\n    status: P|': "active_intents/-/status colon <P>",
    "active_intents: [|]": "active_intents/- flow item <>",
    "active_intents: [{|}]": "active_intents/- flow key <>",
    "active_intents:\n  - {|}": "active_intents/- flow key <>",
    "active_intents:\n  - {id: A, st|}": "active_intents/- flow key <st>",
    "active_intents:\n  - {id: A, st|: x}": "active_intents/- flow key <st>:",
    "active_intents:\n  - {id: A, status: |}": "active_intents/-/status colon <>",
    "active_intents:\n  - {id: A, status: P|}": "active_intents/-/status colon <P>",
    "active_intents:\n  - {id: A, status:|}": "active_intents/-/status colon <>",
    "active_intents:\n  - {id: A,\n     st|": "active_intents/- flow key <st>",
    '{"active_intents": [{"id": "A", |}]}': "active_intents/- flow key <>",
    '{"active_intents": [{"id": "A", "st|"}]}': 'active_intents/- flow key <"st>',
    '{\n"active_intents": [\n{\n"id": "A",\n"st|\n': 'active_intents/- flow key <"st>',
    '{"active_intents": [{"status":"|"}]}': 'active_intents/-/status colon <">',
    '{"active_intents": [{"owned_scope": ["a", "b|"]}]}': (
        'active_intents/-/owned_scope/- flow item <"b>'
    ),
    "a: &x\n  |": "a line <>",
    "a: !!map\n  |": "a line <>",
    "a: # said\n  |": "a line <>",
    "\ufeffactive_intents:\n  - |": "active_intents/- dash <>",
    "\ufeffact|": " line <act>",
    "active_intents:\r\n  - id: A\r\n    |\r\n": "active_intents/- line <>",
    "a:\r  - |\r": "a/- dash <>",
    f"{A}    name: é😀|": "active_intents/-/name colon <é😀>",
}
NOTHING = [
    "# said|",
    "a: b # said|",
    "a: # said|",
    "- # said|",
    "a: [ # said|",
    f"{A}    # st|",
    "a: [b, # st|\n c]",
    "a: >\n  text|",
    "a: >-\n  text\n  more|",
    "- >\n  text|",
    'a: "b"|',
    'a: "b" |',
    "a: ['b' |]",
    "a: [{b: c} |]",
    "a: {b: c d, e: 'f'|}",
    "a: [b]|",
    "a: | b",
    "| a: b",
    '|"a"',
    "a: |[b]",
    '- |"a"',
    "a: [|'b']",
    f"{A}   |",
    f"{A}     |",
    "a: b\n  c|",
    'a: "b\n  c|',
    "- a\n  b|",
    f"{SCOPE}      - a\n     |",
    f"{SCOPE}      - a\n        b|",
]


@pytest.mark.parametrize(("text", "found"), PLACES.items())
def test_the_path_and_the_word_at_a_cursor_are_found(text: str, found: str) -> None:
    cursor = cursor_at(*marked(text))
    assert cursor is not None
    assert shown(cursor) == found


@pytest.mark.parametrize("text", NOTHING)
def test_there_is_nothing_to_write_in_comments_texts_and_behind_values(text: str) -> None:
    assert cursor_at(*marked(text)) is None


KEYS = {
    f"{A}    |": "id",
    f"{A}    |\n    name: x\n  - status: B": "id name",
    f"{A}    name: x\n\n    # said\n    |\n    status: y": "id name status",
    f"{A}    owned_scope:\n    - a\n    |\n    status: B": "id owned_scope status",
    f"{A}    scope:\n      paths: []\n    |": "id scope",
    "active_intents:\n  - |\n    id: A\n    name: x\n  - status: B": "id name",
    "active_intents:\n  - {id: A, |, name: b}": "id name",
    "active_intents:\n  - {id: A, owned_scope: [x], st|: b, constraints: {y: z}}": (
        "id owned_scope constraints"
    ),
    '{"active_intents": [{"id": "A", "st|": "b", "name": "c"}]}': "id name",
    "active_intents:\n  - {id: A, |\n  - id: B\n    name: x": "id",
    "a: 1\nb|: 2\nc: 3": "a c",
    "a: 1\n|": "a",
}


@pytest.mark.parametrize(("text", "keys"), KEYS.items())
def test_the_other_keys_of_the_mapping_are_found(text: str, keys: str) -> None:
    cursor = cursor_at(*marked(text))
    assert cursor is not None
    assert " ".join(key.name for key in cursor.keys) == keys


TEXTS = st.text(alphabet=" -:[]{}\"'#,abc|>&*!\t\r\n\ufeffé😀\\", max_size=120)


@given(text=TEXTS, line=st.integers(-1, 12), character=st.integers(-1, 40))
def test_no_text_and_no_place_raises(text: str, line: int, character: int) -> None:
    lines = split_lines(text)
    cursor = cursor_at(lines, Position(line, character))
    if cursor is not None:
        word = cursor.word
        assert 0 <= word.start <= word.cursor <= word.end
        assert cursor.column <= word.start


@pytest.mark.parametrize(
    "line",
    [
        "a" + " " * 200_000 + "|",
        "- " * 2_000 + "|",
        "[" * 20_000 + "|",
        "[a{" * 20_000 + "|",
        "'" * 100_000 + "|",
        '"' + "\\" * 100_001 + "|",
        "{a: [" * 10_000 + "|",
    ],
    ids=["blanks", "dashes", "brackets", "braces", "quotes", "escapes", "nesting"],
)
def test_a_long_line_is_read_without_repeating(line: str) -> None:
    cursor_at(*marked(f"a:\n{line}"))


@pytest.mark.parametrize("pair", ["k: []", "k: [", "k: {}", "- []", "k:"])
def test_a_deeply_nested_text_is_read_once_for_each_line(pair: str) -> None:
    lines = [" " * depth + pair + "\n" for depth in range(1400)]
    begun = time.process_time()
    cursor_at([*lines, " " * 1400], Position(1400, 1400))
    assert time.process_time() - begun < 1
