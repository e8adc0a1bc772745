"""What keeps an intents file from being read, each at its exact place."""

import pytest
import yaml

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Position
from intent_lsp.formats.intents.intents_file import IntentsFile, IntentsReader, read_intents
from intent_lsp.formats.yaml.compose import compose
from intent_lsp.formats.yaml.limits import MAX_BYTES, MAX_LINES, MAX_VALUES, YamlProblem

LINE = "active_intents:\n"


def refused_at(read: IntentsFile, code: FileCode) -> Position:
    assert not read.parsed
    assert (len(read.intents), len(read.places)) == (0, 0)
    (found,) = read.findings
    assert found.code is code, found
    return found.span.start


BROKEN = [
    ("a: [b\n", FileCode.YAML_SYNTAX, (1, 0)),
    ("😀: 'x\n", FileCode.YAML_SYNTAX, (1, 0)),
    ("a: 1\n\tb: 2\n", FileCode.YAML_SYNTAX, (1, 0)),
    ("é😀: \x07b", FileCode.YAML_SYNTAX, (0, 4)),
    ("a: \x00", FileCode.YAML_SYNTAX, (0, 3)),
    ("é: [\ud800]", FileCode.YAML_SYNTAX, (0, 4)),
    ("é: \x7f", FileCode.YAML_SYNTAX, (0, 3)),
    ("a: 1\n---\nb: 2\n", FileCode.YAML_SYNTAX, (1, 0)),
    (LINE + "- id: A\n---\n- id: B\n", FileCode.YAML_SYNTAX, (2, 0)),
    ("name: @me\n", FileCode.YAML_SYNTAX, (0, 6)),
    ("name: *nobody\n", FileCode.YAML_SYNTAX, (0, 6)),
    ("a: &a [*a]\n", FileCode.YAML_SYNTAX, (0, 7)),
    (LINE + "- id: A\n  owned_scope: [*.py]\n  x: *y\n", FileCode.YAML_SYNTAX, (3, 5)),
    (LINE + "  - id: A\n- id: B\n", FileCode.YAML_SYNTAX, (2, 0)),
    ("%YAML 2.0\n--- a", FileCode.YAML_SYNTAX, (0, 0)),
    ('a: "\\ud83d"', FileCode.YAML_SYNTAX, (0, 6)),
    (LINE + "- &b {id: A}\n- <<: *b\n", FileCode.YAML_LIMIT, (2, 2)),
    ("a: " + "[" * 100_000, FileCode.YAML_LIMIT, (0, 66)),
    ("{" * 100_000, FileCode.YAML_LIMIT, (0, 64)),
    ("- " * 50_000 + "x", FileCode.YAML_LIMIT, (0, 128)),
    ("".join(" " * n + "a:\n" for n in range(450)), FileCode.YAML_LIMIT, (64, 64)),
    (LINE + "- id: A\n  x: " + "[" * 62 + "]" * 62 + "\n", FileCode.YAML_LIMIT, (2, 66)),
    ("a: &x 1\nb: [" + "*x, " * 101 + "]", FileCode.YAML_LIMIT, (1, 4 + 400)),
    ("\n" * MAX_LINES + "x", FileCode.YAML_LIMIT, (MAX_LINES, 0)),
    ("\r\n" * MAX_LINES, FileCode.YAML_LIMIT, (MAX_LINES, 0)),
    ("a: [" + "1," * MAX_VALUES + "]", FileCode.YAML_LIMIT, (0, 2 + 2 * MAX_VALUES)),
    ("#" * (MAX_BYTES + 1), FileCode.YAML_LIMIT, (0, MAX_BYTES)),
    ("#" * (MAX_BYTES - 2) + "é\n" + "x", FileCode.YAML_LIMIT, (0, MAX_BYTES - 1)),
    ("#" * (MAX_BYTES - 1) + "é", FileCode.YAML_LIMIT, (0, MAX_BYTES - 1)),
    ("\ud800" + "#" * MAX_BYTES, FileCode.YAML_LIMIT, (0, MAX_BYTES - 2)),
]


@pytest.mark.parametrize(("text", "code", "place"), BROKEN, ids=range(len(BROKEN)))
def test_what_cannot_be_read_is_an_error_at_its_place(
    text: str, code: FileCode, place: tuple[int, int]
) -> None:
    assert refused_at(read_intents(text), code) == Position(*place)


@pytest.mark.parametrize(
    "text",
    [
        LINE + "- id: A\n  x: " + "[" * 61 + "]" * 61 + "\n",
        "x: &x 1\nactive_intents: []\nb: [" + "*x, " * 100 + "]",
        LINE + "- {id: A, owned_scope: ['a\u2028b', \"\x85\", '\u2029']}\n",
        LINE + "- id: A\n  owned_scope: [a]\n...\n",
        "%TAG ! !x\n---\nactive_intents: []\n",
        "#" * (MAX_BYTES - 1) + "\n",
        LINE + '- id: A\n  "<<": 1\n',
    ],
    ids=range(7),
)
def test_what_is_within_the_limits_is_read(text: str) -> None:
    assert read_intents(text).parsed


def test_an_unclosed_quote_tells_where_it_opened() -> None:
    (found,) = read_intents("a: 1\nb: 'x\n").findings
    assert found.related[0].span.start == Position(1, 3)


def test_the_first_intent_too_many_is_the_place() -> None:
    items = "".join(f"- id: I{n}\n" for n in range(10_001))
    place = refused_at(read_intents(LINE + items), FileCode.YAML_LIMIT)
    assert place == Position(10_001, 2)


def test_aliases_are_counted_over_all_items() -> None:
    def items(count: int) -> str:
        one = '- {{id: I{}, owned_scope: [s], "x":&a 1, y: [*a, *a]}}\n'
        return LINE + "".join(one.format(n) for n in range(count))

    reader = IntentsReader()
    assert reader.read(items(50)).parsed
    assert refused_at(reader.read(items(51)), FileCode.YAML_LIMIT) == Position(51, 44)


def test_breaks_that_only_yaml_knows_do_not_move_places() -> None:
    text = LINE + "- id: A\n  name: 'a\u2028b\x85c'\n  owned_scope: [a]\n  status: odd\n"
    (found,) = read_intents(text).findings
    assert found.span.start == Position(4, 10)


def test_the_parser_in_python_reads_and_refuses_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    text = "\ufeffa: [*x, 'é', &y {b: |\n  c\n }]"
    problem = compose(text)
    assert isinstance(problem, YamlProblem)
    assert (problem.code, problem.start) == (FileCode.YAML_SYNTAX, 5)
    for bad in ('a: "\\UFFFFFFFF"', "%YAML 9.1\n---\n", "{" * 80, "a: 1\n b: 2"):
        assert isinstance(compose(bad), YamlProblem)
    good = read_intents(LINE + "- id: 001\n  owned_scope: [*.py]\n")
    assert good.intents.items[0].owned_scope == ("*.py",)


def test_a_failure_without_a_place_stands_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def unmarked(text: str, **_: object) -> object:
        raise yaml.YAMLError(text)

    monkeypatch.setattr(yaml, "parse", unmarked)
    problem = compose("abc")
    assert isinstance(problem, YamlProblem)
    assert (problem.start, problem.end) == (0, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE + "\t- id: A\n", "a tab cannot indent in YAML; use spaces"),
        (LINE + "  -\tid: A\n", "a tab cannot indent in YAML; use spaces"),
        (LINE + "- name: @me\n", "text without quotes cannot begin with @; put it in quotes"),
        (LINE + "- name: `x`\n", "text without quotes cannot begin with `; put it in quotes"),
        ("\ufeff- name: @me\n", "text without quotes cannot begin with @; put it in quotes"),
    ],
)
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_a_character_that_begins_nothing_is_named_with_a_cure(
    monkeypatch: pytest.MonkeyPatch, loader: str, text: str, message: str
) -> None:
    monkeypatch.setattr(yaml, "CSafeLoader", getattr(yaml, loader))
    problem = compose(text)
    assert isinstance(problem, YamlProblem)
    assert problem.message == message
