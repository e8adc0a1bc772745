"""Formatting of the intents file: white space in order, and nothing else changed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.formats.intents.edit import EditRefused, apply_changes
from intent_lsp.formats.intents.formatting import format_intents, format_lines, same_nodes
from intent_lsp.formats.intents.intents_file import ComposedIntents, compose_intents, read_intents
from intent_lsp.formats.yaml.globs.unquoted_globs import plain_yaml
from intent_lsp.formats.yaml.layout.layout import comments_of
from tests.support.hostile_text import texts as hostile_texts
from tests.support.intents_dialects import DIALECTS


def formatted(text: str) -> str:
    changes = format_intents(text)
    assert not isinstance(changes, EditRefused), changes.reason
    return apply_changes(text, changes)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Spaces around the signs of a line.
        ("- id:   A\n", "- id: A\n"),
        ("-   id: A\n    name: x\n", "- id: A\n  name: x\n"),
        ("- id : A\n", "- id: A\n"),
        ("- id:\tA\n", "- id: A\n"),
        ("- id: A   \n  name: x\t\n", "- id: A\n  name: x\n"),
        ("- id: A    # a\n", "- id: A # a\n"),
        ("- id: A\t#a\n", "- id: A # a\n"),
        ("#!x\n#:x\n##x\n#x  y  \n- id: A\n", "#!x\n#:x\n##x\n# x  y\n- id: A\n"),
        ("-   - a\n    -   b\n", "- - a\n  - b\n"),
        ("- aliases:\n    -\ta\n    - \t b\n", "- aliases:\n    - a\n    - b\n"),
        ("- owned_scope:\n    -\t*.py\n", "- owned_scope:\n    - *.py\n"),
        ("- n: |\n    -\ta\n  x:\n    -\tb\n", "- n: |\n    -\ta\n  x:\n    - b\n"),
        ("- &a   id: A\n  x:  *a\n", "- &a id: A\n  x: *a\n"),
        ("- id: &a   A\n  x: {*a :  b}\n", "- id: &a A\n  x: {*a : b}\n"),
        # Flow collections.
        ("- {id: A,name: x ,  status : done}\n", "- {id: A, name: x, status: done}\n"),
        ("- aliases: [a,b ,c,   'd']\n", "- aliases: [a, b, c, 'd']\n"),
        ("- aliases: [  a  ]\n", "- aliases: [ a ]\n"),
        ("- aliases: [ a, b, ]\n", "- aliases: [ a, b, ]\n"),
        ('- x: {"a":1}\n', '- x: {"a": 1}\n'),
        (
            "- aliases: [a,\n b,\n       # c\n  d\n  ]\n",
            "- aliases: [a,\n    b,\n    # c\n    d\n  ]\n",
        ),
        ("- owned_scope: [*.py,{a,b}/*,  src/**]\n", "- owned_scope: [*.py, {a,b}/*, src/**]\n"),
        # Indentation.
        ("a:\n    b:\n        c: 1\n", "a:\n  b:\n    c: 1\n"),
        ("intents:\n    - id: A\n      name: x\n", "intents:\n  - id: A\n    name: x\n"),
        ("intents:\n- id: A\n  aliases:\n  - a\n", "intents:\n- id: A\n  aliases:\n  - a\n"),
        (
            "intents:\n- id: A\n  aliases:\n  - a\n  constraints:\n     - b\n",
            "intents:\n- id: A\n  aliases:\n  - a\n  constraints:\n  - b\n",
        ),
        (
            "intents:\n  - id: A\n    aliases:\n    - a\n    constraints:\n     - b\n",
            "intents:\n  - id: A\n    aliases:\n      - a\n    constraints:\n      - b\n",
        ),
        ("   - id: A\n   - id: B\n", "- id: A\n- id: B\n"),
        ("-\n     id: A\n     name:\n            x\n", "-\n  id: A\n  name:\n    x\n"),
        ("a:\n    &x\n    b: 1\n", "a:\n  &x\n  b: 1\n"),
        ("---   \na: 1\n...  \n", "---\na: 1\n...\n"),
        # Values of several lines move with their item, and change in nothing else.
        ("-   n: 'a  \n\n      b   c'\n", "- n: 'a  \n\n    b   c'\n"),
        ("-   n: a\n      b   c  # d\n", "- n: a\n    b   c # d\n"),
        ("- n: |\n        a  \n\n          b\n", "- n: |\n    a  \n\n      b\n"),
        ("- n: >2-\n     a\n", "- n: >2-\n     a\n"),
        ("-     n: |2\n           a\n", "- n: |2\n       a\n"),
        ("a:\n- |\n      x\n   # c\n", "a:\n- |\n  x\n# c\n"),
        ("- n: |\n   a\n     \n   b\n", "- n: |\n    a\n      \n    b\n"),
        ("x: |\n  a", "x: |\n  a"),
        # Comments stay with their items.
        (
            "intents:\n   - id: A\n     # of A\n   # before B\n   - id: B\n",
            "intents:\n  - id: A\n    # of A\n  # before B\n  - id: B\n",
        ),
        ("a:\n # c\n     - b\n", "a:\n  # c\n  - b\n"),
        (
            "a:\n    - b\n      # of b\n    # of the list\n  # c\n",
            "a:\n  - b\n    # of b\n  # of the list\n# c\n",
        ),
        ("   # a\n- id: A\n", "# a\n- id: A\n"),
        ("- id: A\n     # end", "- id: A\n  # end\n"),
        ("a: # x\n    b: 1\n", "a: # x\n  b: 1\n"),
        # Blank lines and the end.
        ("\n\n- id: A\n\n\n \n- id: B\n\n\n", "- id: A\n\n- id: B\n"),
        ("# a\n\n\n# b\n\n\n- id: A", "# a\n\n# b\n\n- id: A\n"),
        ("- id: A\r\n\r\n\r\n- id:  B", "- id: A\r\n\r\n- id: B\r\n"),
        ("- id: A\r- id:  B", "- id: A\r- id: B\r"),
        ("\ufeff- id:  A\n", "\ufeff- id: A\n"),
        ("\ufeff\n  - id:  A\n", "\ufeff- id: A\n"),
        ("", ""),
        ("\n\n", "\n\n"),
        ("#a", "# a\n"),
        ("[]\n", "[]\n"),
    ],
)
def test_white_space_is_set_in_order(text: str, found: str) -> None:
    assert formatted(text) == found
    assert format_intents(found) == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- id: [\n", "it does not parse: 2:1: "),
        ("a: 1\nb:\t- x\n", "it does not parse: 2:"),
        ("- id: A\n--- \n- id: B\n", "it does not parse: 2:1: "),
        ("? a\n: b\n", "or a key behind `?`"),
        ("a: 1 # x\u2028b: 2\n", "a line break that only YAML takes for one"),
        ("  --- \n", "would change a value"),
    ],
)
def test_what_cannot_be_formatted_is_refused_with_the_reason(text: str, why: str) -> None:
    found = format_intents(text)
    assert isinstance(found, EditRefused)
    assert why in found.reason


def test_edits_are_small_and_each_on_its_line() -> None:
    text = "active_intents:\n  - id:  A\n    name: x\n\n\n    status:   done  \n"
    changes = format_intents(text)
    assert not isinstance(changes, EditRefused)
    assert [(c.span.start.line, c.span.start.character, c.new_text) for c in changes] == [
        (1, 7, " "),
        (4, 0, ""),
        (5, 11, " "),
        (5, 18, ""),
    ]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (range(1), "- id: A\n  name:  x\n"),
        (range(1, 2), "- id:  A\n  name: x\n"),
        (range(9), "- id: A\n  name: x\n"),
        (range(5, 9), "- id:  A\n  name:  x\n"),
    ],
)
def test_a_range_has_the_edits_that_begin_in_it(lines: range, found: str) -> None:
    text = "- id:  A\n  name:  x\n"
    changes = format_lines(text, lines)
    assert not isinstance(changes, EditRefused)
    assert apply_changes(text, changes) == found


def test_a_range_whose_edits_alone_would_break_the_text_is_refused() -> None:
    text = "a:\n    b: 1\n    c: 2\n"
    refused = format_lines(text, range(1, 2))
    assert isinstance(refused, EditRefused)
    assert refused.reason.endswith("format the whole file")
    changes = format_lines(text, range(1, 3))
    assert not isinstance(changes, EditRefused)
    assert apply_changes(text, changes) == "a:\n  b: 1\n  c: 2\n"


def nodes(text: str) -> ComposedIntents:
    made = compose_intents(text)
    assert isinstance(made, ComposedIntents)
    return made


def comments(text: str) -> tuple[str, ...]:
    return comments_of(plain_yaml(text, nodes(text).composed).removeprefix("\ufeff"))


_PIECES = st.sampled_from(
    [
        "active_intents:\n",
        "- id: A\n",
        "-   id: B\n",
        "  name:   x\n",
        "  é : done # c\n",
        "#c\n",
        "      # e\n",
        "\n",
        "  \n",
        "  - y\n",
        "  -\ty\n",
        "    - 'z\n  w'\n",
        "  notes: |\n",
        "      text  \n",
        "        more\n",
        "  l: |2+\n",
        "  owned_scope: [ a,b ,\n",
        "   c ]\n",
        "    *.py ]\n",
        "  m: {a: 1,b : [x,\n",
        "# in\n",
        "]}\n",
        "  scope:\n",
        "  - *.py   # g\n",
        "   - {a,b}/*\n",
        "a: &x 1\n",
        "b: *x\n",
        "   goes on\n",
        "---\n",
        "\t\n",
        '  q: "a\\\n    b"\r\n',
        "- - - a\n",
        "  -\n",
        "    k:   \n",
        "- ",
        "key:",
        "  ",
        "# x",
        "\ufeff",
    ]
)


@given(st.lists(_PIECES, max_size=10).map("".join) | hostile_texts())
@example("a:\n- |\n      x\n   # c\n")
@example("  l: |2\n  k: >-\n")
@example("- l: |\n     a\n   ")
@example("- l: |+\n     a\n\n\n- b:  c\n")
def test_a_formatted_text_has_the_same_values_and_comments_and_stays_as_it_is(text: str) -> None:
    changes = format_intents(text)
    if isinstance(changes, EditRefused):
        return
    found = apply_changes(text, changes)
    assert "".join(found.split()) == "".join(text.split())
    assert same_nodes(nodes(text).composed.root, nodes(found).composed.root)
    assert comments(found) == comments(text)
    assert read_intents(found).intents == read_intents(text).intents
    assert format_intents(found) == ()


_INDENT = st.integers(1, 5).map(" ".__mul__)
_SPACE = st.integers(1, 3).map(" ".__mul__)


@given(_INDENT, _INDENT, _SPACE, st.sampled_from("[-"), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_layout_of_one_file_becomes_the_same(
    outer: str, inner: str, space: str, sign: str, end: str
) -> None:
    flow = sign == "["
    deep = f"{outer} {space}{inner}"
    listed = f"{space}[a/*,{space}'b']" if flow else f"\n{deep}-{space}a/*\n{deep}-{space}'b'"
    text = (
        f"active_intents:{space}# all\n{outer}-{space}id:{space}A\n{outer} {space}# of A\n"
        f"{outer} {space}name:{space}|\n{deep}text\n{outer} {space}owned_scope:{listed}\n"
    )
    listed = " [a/*, 'b']" if flow else "\n      - a/*\n      - 'b'"
    wanted = (
        "active_intents: # all\n  - id: A\n    # of A\n    name: |\n      text\n"
        f"    owned_scope:{listed}\n"
    )
    assert formatted(text.replace("\n", end)) == wanted.replace("\n", end)


@pytest.mark.parametrize("text", DIALECTS, ids=range(len(DIALECTS)))
def test_every_dialect_reads_as_before(text: str) -> None:
    if "? " in text:
        assert isinstance(format_intents(text), EditRefused)
        return
    found = formatted(text)
    assert read_intents(found).intents == read_intents(text).intents
    assert format_intents(found) == ()


@pytest.mark.parametrize("gap", ["\t", " \t", "\t ", "  \t\t "])
def test_a_tab_behind_a_dash_becomes_a_blank(gap: str) -> None:
    for mark in ("", "\ufeff"):
        text = f"{mark}- id: A\n  owned_scope:\n  -{gap}*.py  \n  -{gap}'b'\n"
        changes = format_intents(text)
        assert not isinstance(changes, EditRefused)
        made = apply_changes(text, changes)
        assert made == f"{mark}- id: A\n  owned_scope:\n  - *.py\n  - 'b'\n"
        assert format_intents(made) == ()
