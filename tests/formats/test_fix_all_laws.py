"""Laws of *Fix all*: any dialect becomes the normal form, and nothing that was written is lost."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Position, Severity, Span, TextChange
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.formats.intents import fix_all
from intent_lsp.formats.intents.fix_all import FixAll, FixedText, fix_intents, fix_policy
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.schemas.json_schema import json_schema
from intent_lsp.formats.yaml.nodes import double_quoted, spelled_like
from tests.formats.test_yaml_laws import edited, files
from tests.support.intents_dialects import DIALECTS
from tests.support.yaml_values import values_of

QUOTES = st.sampled_from(["", "", "'", '"'])
TEXTS = st.sampled_from(["x", "two words", "no", "007", "it's", 'say "é😀"', "a: b", "# x", "1.5"])
GLOBS = st.sampled_from(["src/**", "a/b.py", "*.py", "{a,b}/**", "!gen/**", "[slug]/x", "d e/*"])
DATES = st.sampled_from(["2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01 10:00:00"])
PROSE = (("constraints",), ("acceptance_criteria", "acceptanceCriteria"))
COMMENT = re.compile(r"# c[0-9]+;")
UNREADABLE = (FileCode.OTHER_FORM, FileCode.YAML_UNQUOTED_GLOB)
CORRECTED = (FileCode.UNKNOWN_KEY, FileCode.UNKNOWN_STATUS)
UNFIXED = (
    "active_intents:\n  ? id\n  : name: x\n",
    "A: &a\n  owned_scope: [a/**]\nB: *a\n",
    "\ufeff- id: A\n  name: x\n- id: B\n",
)
"""Forms with a hint and no fix: an entry that is an alias, `?` before a key, a byte order mark that
is no longer at the start of the file."""


class Written:
    """Writes a file in some dialect; each of its comments has a number of its own."""

    def __init__(self, draw: st.DrawFn, *, often: bool) -> None:
        self.draw, self.often = draw, often
        self.comments = 0

    def chance(self, one_in: int = 2) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def note(self, before: str = " ") -> str:
        """Return a comment, or nothing."""
        if not self.chance(2 if self.often else 6):
            return ""
        self.comments += 1
        return f"{before}# c{self.comments};"

    def above(self, indent: str = "") -> list[str]:
        """Return a line with a comment, or none."""
        return [indent + note] if (note := self.note("")) else []

    def value(self, words: st.SearchStrategy[str] = TEXTS) -> str:
        return spelled_like(self.draw(QUOTES), self.draw(words))

    def key(self, *names: str) -> str:
        return spelled_like(self.of("", "", "'", '"'), self.of(*names))


class BlockEntry(Written):
    """Writes one entry in block form, as lines without indent."""

    def lines(self, number: int, *, keyed: bool) -> list[str]:
        groups = [
            self._named(number, keyed=keyed),
            self._single(self.key("name", "title", "description"), self.value()),
            self._scope(),
            *(self.prose(*names) for names in PROSE),
            self._single(self.key("status"), self.of("PLANNED", "active", "'Done'")),
            self._single(
                self.key("specification_id", "requirement_id", "reqId", "spec_id"), self.value()
            ),
            *(self._date(*names) for names in (("created_at", "createdAt"), ("updated_at",))),
            self.listed(self.key("related_files", "relatedFiles", "aliases")),
            self._single(self.key("note", "owner"), self.value()),
        ]
        kept = [groups[0], groups[2], *(group for group in groups[3:] if self.chance())]
        ordered = self.draw(st.permutations(kept))
        return [line for group in ordered for line in (*self.above(), *group)] or ["{}"]

    def _named(self, number: int, *, keyed: bool) -> list[str]:
        name = f"INT-{number}"
        if keyed and self.chance():
            return []
        names = ("id",) if keyed else ("id", "id", "intent_id", "intentId")
        also = [f"intent_id: {name}{self.note()}"] if self.chance(4) else []
        key = self.key("id") if also else self.key(*names)
        spelled = spelled_like(self.of("", '"'), name)
        return [f"{key}: {spelled}{self.note()}", *also]

    def _single(self, key: str, value: str) -> list[str]:
        return [f"{key}: {value}{self.note()}"]

    def _date(self, *names: str) -> list[str]:
        return self._single(self.key(*names), spelled_like(self.of("", "'"), self.draw(DATES)))

    def listed(self, key: str, words: st.SearchStrategy[str] = TEXTS) -> list[str]:
        items = self.draw(st.lists(words, min_size=1, max_size=3))
        globs = words is GLOBS
        spelled = [
            w if globs and self.chance() else spelled_like(self.draw(QUOTES), w) for w in items
        ]
        if self.chance():
            return [f"{key}: [{', '.join(spelled)}]{self.note()}"]
        lead = self.of("", "  ")
        lines = [[*self.above(lead), f"{lead}- {each}{self.note()}"] for each in spelled]
        return [f"{key}:{self.note()}", *(line for group in lines for line in group)]

    def _scope(self) -> list[str]:
        key = self.key("scope")
        match self.of("list", "list", "paths", "flow"):
            case "list":
                return self.listed(self.key("owned_scope", "ownedScope", "scope"), GLOBS)
            case "paths":
                inner = [f"  {line}" for line in self.listed("paths", GLOBS)]
                return [f"{key}:{self.note()}", *self.above("  "), *inner]
        globs = ", ".join(double_quoted(each) for each in self.draw(st.lists(GLOBS, min_size=1)))
        if self.chance():
            return [f"{key}: {{paths: [{globs}]}}{self.note()}"]
        return [
            f"{key}: {{{self.note()}",
            *self.above("  "),
            f"  paths: [{globs}]{self.of('', ',')}{self.note()}",
            f"  }}{self.note()}",
        ]

    def prose(self, *names: str) -> list[str]:
        key = self.key(*names)
        return self.draw(
            st.sampled_from(
                [
                    *(self.listed, self._text, self._below, self._block),
                    *(self._mapping, self._flow_pairs, self._items),
                ]
            )
        )(key)

    def _text(self, key: str) -> list[str]:
        if self.chance():
            return self._single(key, self.value())
        quote = self.of("", "'", '"')
        return [f"{key}: {quote}some text", f"  goes on{quote}{self.note()}"]

    def _below(self, key: str) -> list[str]:
        return [f"{key}:{self.note()}", *self.above(), "  some", "  text"]

    def _block(self, key: str) -> list[str]:
        header = self.of("|", ">", "|-", "|2")
        return [f"{key}: {header}{self.note()}", "  # no comment", "", "    more"]

    def _mapping(self, key: str) -> list[str]:
        pairs = [f"  {line}" for line in self._pairs()]
        return [f"{key}:{self.note()}", *self.above("  "), *pairs]

    def _items(self, key: str) -> list[str]:
        lead = self.of("", "  ")
        first, *others = self._pairs()
        return [f"{key}:", f"{lead}- {first}", *(f"{lead}  {line}" for line in others)]

    def _pairs(self) -> list[str]:
        lines: list[str] = []
        for number in range(self.draw(st.integers(1, 3))):
            key = self.of(f"k{number}", f"'k {number}'")
            match self.of("one", "one", "none", "lines", "list", "flow"):
                case "one":
                    lines += [f"{key}: {self.value()}{self.note()}"]
                case "none":
                    lines += [f"{key}:{self.note()}"]
                case "lines":
                    lines += [f"{key}:{self.note()}", "  some", "  text"]
                case "list":
                    lines += [f"{key}:", f"  - a{self.note()}", f"  - b{self.note()}"]
                case "flow":
                    lines += [f"{key}: [a,{self.note()}", f"    {self.value()}]{self.note()}"]
            lines += self.above()
        return lines

    def _flow_pairs(self, key: str) -> list[str]:
        if self.chance():
            return [f"{key}: {{a: {self.value()}, b: [x, y]}}{self.note()}"]
        return [
            f"{key}: {{{self.note()}",
            f"  a: {self.value()},{self.note()}",
            f"  b:{self.note()}",
            f"    c{self.note()}",
            f"  }}{self.note()}",
        ]


class FlowEntry(Written):
    """Writes one entry in braces, as lines without indent."""

    def lines(self, number: int, *, keyed: bool) -> list[str]:
        quote = self.of("", '"')
        named = [] if keyed and self.chance() else [("id", f"INT-{number}")]
        texts = [
            *named,
            (self.of("name", "title"), self.draw(TEXTS)),
            (self.of("constraints", "acceptanceCriteria"), self.draw(TEXTS)),
            (self.of("created_at", "updatedAt"), self.draw(DATES)),
        ]
        pairs = [f"{spelled_like(quote, key)}: {spelled_like(quote, text)}" for key, text in texts]
        globs = ", ".join(double_quoted(each) for each in self.draw(st.lists(GLOBS, max_size=3)))
        scope = f"{spelled_like(quote, 'scope')}: [{globs}]"
        if self.chance():
            scope = f"{spelled_like(quote, 'scope')}: {{{spelled_like(quote, 'paths')}: [{globs}]}}"
        pairs = self.draw(st.permutations([*pairs, scope]))
        if self.chance():
            return ["{" + ", ".join(pairs) + "}"]
        last = pairs[-1] + self.of("", ",")
        return [
            "{" + self.note(),
            *(f"  {pair},{self.note()}" for pair in pairs[:-1]),
            f"  {last}{self.note()}",
            "  }",
        ]


def entry_of(written: Written) -> BlockEntry | FlowEntry:
    kind = BlockEntry if written.chance(3) is False else FlowEntry
    entry = kind(written.draw, often=written.often)
    entry.comments = written.comments
    return entry


@st.composite
def dialects(draw: st.DrawFn) -> str:
    """Draw a text in some dialect."""
    written = Written(draw, often=draw(st.booleans()))
    root = written.of("active_intents", "intents", "activeIntents", "")
    by_id = written.chance()
    lines: list[str] = [*written.above()]
    outside = written.of("", "active_intent: INT-1", "version: 2", "activeIntentId: 'INT-0'")
    outside = outside if root or by_id else ""
    after = written.chance()
    lines += [outside] if outside and not after else []
    lines += [f"{root}:{written.note()}"] if root else []
    indent = written.of("", "  ") if root and not by_id else "  " if root else ""
    for number in range(draw(st.integers(1, 3))):
        entry = entry_of(written)
        body = entry.lines(number, keyed=by_id)
        written.comments = entry.comments
        lines += written.above(indent)
        lines += _placed(written, body, indent, number, by_id=by_id)
    lines += [outside] if outside and after else []
    end = written.of("\n", "\r\n")
    return end.join(lines) + written.of("", end)


def _placed(
    written: Written, body: Sequence[str], indent: str, number: int, *, by_id: bool
) -> list[str]:
    """Return an entry's lines as an item of a list, or below its id."""
    if not by_id:
        first, *others = body
        if first.startswith("#"):
            return [f"{indent}-", *(f"{indent}  {line}" if line else "" for line in body)]
        return [f"{indent}- {first}", *(f"{indent}  {line}" if line else "" for line in others)]
    key = spelled_like(written.of("", "'", '"'), f"INT-{number}")
    if body[0].startswith("{"):
        first, *others = body
        return [
            f"{indent}{key}: {first}",
            *(f"{indent}  {line}" if line else "" for line in others),
        ]
    wider = indent + " " * int(written.of("1", "2", "2", "4"))
    return [f"{indent}{key}:{written.note()}", *(f"{wider}{line}" if line else "" for line in body)]


@st.composite
def flow_dialects(draw: st.DrawFn) -> str:
    """Draw a text in some dialect whose root is in brackets or braces, such as JSON."""
    written = Written(draw, often=draw(st.booleans()))
    by_id, root = written.chance(), written.of("active_intents", "intents", "activeIntents", "")
    quote = written.of("", '"')
    opening, closing = ("{", "}") if by_id else ("[", "]")
    lines = [opening + written.note()]
    count = draw(st.integers(1, 3))
    for number in range(count):
        entry = FlowEntry(draw, often=written.often)
        entry.comments = written.comments
        first, *others = entry.lines(number, keyed=by_id)
        written.comments = entry.comments
        key = f"{spelled_like(quote, f'INT-{number}')}:" if by_id else ""
        gap = written.of(" ", "") if not key or quote else " "
        lines += written.above("  ")
        if key and written.chance(4):
            lines += [f"  {key}{written.note()}", f"    {first}"]
        else:
            lines += [f"  {key}{gap}{first}"]
        lines += [f"  {line}" for line in others]
        lines[-1] += ("," if number < count - 1 else "") + written.note()
    lines += [f"  {closing}{written.note()}"]
    if root:
        lines[0] = f"{{{spelled_like(quote, root)}: {lines[0]}"
        other = f", {spelled_like(quote, 'active_intent')}: INT-0" if written.chance() else ""
        lines[-1] = f"  {closing}{other}}}{written.note()}"
    end = written.of("\n", "\r\n")
    return end.join(lines) + written.of("", end)


@cache
def validator(name: str) -> Any:
    return Draft202012Validator(json_schema(name))


def problems(name: str, text: str) -> list[str]:
    return [
        error.message for value in values_of(text) for error in validator(name).iter_errors(value)
    ]


def bare(intents: Intents) -> list[Intent]:
    """Return intents without what no glob means: white space and slashes around it."""
    return [
        replace(it, owned_scope=tuple(glob.strip().lstrip("/") for glob in it.owned_scope))
        for it in intents
    ]


def checked(text: str) -> str:
    """Return the fixed text, after checks that hold for any text."""
    before = read_intents(text)
    fixed = fix_intents(text)
    after = read_intents(fixed.text)
    assert after.parsed == before.parsed
    assert fix_intents(fixed.text) == FixedText(fixed.text, 0)
    assert (fixed.count == 0) == (fixed.text == text)
    if fixed.count:
        assert len(after.findings) < len(before.findings)
    if not any(found.code in CORRECTED for found in before.findings):
        assert bare(after.intents) == bare(before.intents)
    return fixed.text


@given(st.one_of(dialects(), flow_dialects()))
def test_any_dialect_becomes_the_normal_form_and_loses_nothing(text: str) -> None:
    before = read_intents(text)
    assert before.parsed
    fixed = checked(text)
    after = read_intents(fixed)
    assert after.intents == before.intents
    assert [found for found in after.findings if found.code in UNREADABLE] == []
    assert problems("intents", fixed) == []
    assert sorted(COMMENT.findall(fixed)) == sorted(COMMENT.findall(text))
    if "\r\n" in text:
        assert "\n" not in fixed.replace("\r\n", "")
    else:
        assert "\r" not in fixed
    event("fixed" if fixed != text else "nothing to fix")


@pytest.mark.parametrize("text", DIALECTS)
def test_each_recreated_form_becomes_the_normal_form(text: str) -> None:
    fixed = checked(text)
    left = [found for found in read_intents(fixed).findings if found.code in UNREADABLE]
    assert (left == []) == (text not in UNFIXED)
    if not left and read_intents(text).intents.items:
        assert problems("intents", fixed) == []


@given(
    data=st.data(), text=st.one_of(dialects(), flow_dialects(), files(), st.sampled_from(DIALECTS))
)
def test_half_typed_texts_mean_the_same_afterwards(data: st.DataObject, text: str) -> None:
    for _ in range(3):
        text = data.draw(edited(text))
        event("fixed" if checked(text) != text else "as it was")


@given(st.text(alphabet=st.sampled_from("-:[]{}*&!'\"|>#,?% \n\r\tabid<~\ufeff\u2028😀")))
def test_fixing_is_total(text: str) -> None:
    checked(text)
    fixed = fix_policy(text)
    assert fix_policy(fixed.text) == FixedText(fixed.text, 0)


@st.composite
def policies(draw: st.DrawFn) -> str:
    """Draw a policy with keys in either spelling, bare globs and constraints in every form."""
    entry = BlockEntry(draw, often=draw(st.booleans()))
    constraints = entry.prose("architectural_constraints", "architecturalConstraints")
    globs = entry.listed(entry.key("generated"), GLOBS)
    tools = entry.listed(entry.key("blocked_tools", "blockedTools"))
    deny = [f"{entry.key('deny_mutations', 'denyMutations')}: [{{pathGlob: '/gen/**'}}]"]
    other = [f"{entry.key('fail_open', 'failOpen')}: no{entry.note()}", "enforcement: Block"]
    groups = draw(st.permutations([constraints, globs, tools, deny, other]))
    lines = [f"  {line}" if line else "" for group in groups for line in group]
    end = entry.of("\n", "\r\n")
    return end.join(["sidecar:", *lines, ""])


@given(policies())
def test_a_policy_becomes_the_normal_form_and_loses_nothing(text: str) -> None:
    before = read_policy(text)
    assert before.parsed
    fixed = fix_policy(text)
    after = read_policy(fixed.text)
    (rule,) = before.policy.deny_mutations
    normal = (replace(rule, path_glob=rule.path_glob.removeprefix("/")),)
    assert after.policy == replace(before.policy, deny_mutations=normal)
    assert after.findings == ()
    assert problems("policy", fixed.text) == []
    assert sorted(COMMENT.findall(fixed.text)) == sorted(COMMENT.findall(text))
    assert fix_policy(fixed.text) == FixedText(fixed.text, 0)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("Owned-Scope: [x]\n  status: in progress", "owned_scope: [x]\n  status: IN_PROGRESS"),
        ("ownedscope: [x]\n  owned-scope: [y]", "ownedscope: [x]\n  owned-scope: [y]"),
        ("owned_scop: [x]\n  status: DON", "owned_scop: [x]\n  status: DON"),
        ("owned_scope: x\n  name: [a]", "owned_scope: x\n  name: [a]"),
        ("owned_scope: [' /x/** ', './y']", "owned_scope: ['x/**', './y']"),
        ("owned_scope: [/etc/*, a/**, a/b]", "owned_scope: [/etc/*, a/**, a/b]"),
        ("owned_scope: [x]\n  name: a\n  name: b", "owned_scope: [x]\n  name: a\n  name: b"),
    ],
)
def test_a_mistake_is_corrected_only_if_nobody_could_mean_otherwise(text: str, fixed: str) -> None:
    whole = "active_intents:\n- id: A\n  {}\n"
    assert checked(whole.format(text)) == whole.format(fixed)


def test_what_is_no_yaml_stays_as_it_is() -> None:
    for text in ("intents: [", "a: 1\n<<: 2\nintents: []\n", "intents: []\n---\n"):
        assert fix_intents(text) == FixedText(text, 0)


def test_what_cannot_be_corrected_takes_no_readings_from_other_fixes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each `Status` reads as an unknown status once its key is corrected: as many findings."""
    monkeypatch.setattr(fix_all, "_MOST_READINGS", 3)
    entry = "- id: A{}\n  title: x\n  Status: soon\n  owned_scope: ['a{}/**']\n"
    text = "active_intents:\n" + "".join(entry.format(number, number) for number in range(9))
    assert fix_intents(text) == FixedText(text.replace("title", "name"), 9)


class Letters(Struct, frozen=True):
    """A text of letters as a file: each `x` has a fix to `y`, each `!` one to `?`."""

    text: str
    parsed: bool = True

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                code=FileCode.OTHER_FORM,
                severity=Severity.HINT,
                message="a letter",
                span=(span := Span(Position(0, at), Position(0, at + 1))),
                fixes=(
                    Fix("Fix it", (TextChange(span, {"x": "y", "!": "?"}[letter]),), safe=True),
                ),
            )
            for at, letter in enumerate(self.text)
            if letter in "x!"
        )


@given(st.text("ax!", max_size=60))
def test_a_fix_that_does_harm_is_left_out_and_the_others_are_made(text: str) -> None:
    read_count = 0

    def read(text: str) -> Letters:
        nonlocal read_count
        read_count += 1
        return Letters(text)

    fixed = FixAll(read, lambda letters: letters.text.count("!")).fixed(text)
    assert read_count < 100
    if text.count("!") < 4:
        assert fixed.text == text.replace("x", "y")
        assert fixed.count == text.count("x")
    assert fixed.text.count("!") == text.count("!")
