"""Laws over generated intents files: their styles, orders, comments, quoting and line ends."""

from dataclasses import dataclass

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.intents import Intents, Status
from intent_lsp.formats.intents.edit import EditRefused, apply_changes, set_status
from intent_lsp.formats.intents.intents_file import IntentsReader, read_intents
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.compose import compose
from intent_lsp.formats.yaml.limits import refused
from intent_lsp.formats.yaml.nodes import double_quoted, spelled_like

STYLES = st.sampled_from(["", "'", '"'])
WORDS = st.sampled_from(
    ["a", "be", "Ünïcode 😀", "no", "it's", 'say "x"', "1.5", "a: b", "# x", "-"]
)
GLOBS = st.sampled_from(["src/**", "*.py", "{a,b}/**", "[slug]/x", "!gen/**", "a b", "@x/**", "%y"])
COMMENTS = st.sampled_from(["", "", "", " # said", " #"])
BETWEEN = st.sampled_from(["", "", "", "# alone", "", "      # indented"])


@dataclass(frozen=True)
class Layout:
    root: str
    indent: int
    line_end: str


LAYOUTS = st.builds(
    Layout,
    root=st.sampled_from(["active_intents", "active_intents", "intents", "activeIntents", ""]),
    indent=st.sampled_from([0, 2, 4]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)


@st.composite
def values(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> str:
    return spelled_like(draw(STYLES), draw(words))


@st.composite
def lists(draw: st.DrawFn, words: st.SearchStrategy[str], *, bare: bool) -> list[str]:
    items = draw(st.lists(words, max_size=3))
    spelled = [w if bare and draw(st.booleans()) else spelled_like(draw(STYLES), w) for w in items]
    if not items or draw(st.booleans()):
        return [" [" + ", ".join(spelled) + "]"]
    lead = "  " * draw(st.integers(0, 1))
    return ["", *(f"{lead}- {item}" for item in spelled)]


@st.composite
def entries(draw: st.DrawFn, number: int) -> list[str]:
    keys: list[list[str]] = []
    scalars = {
        "name": values(),
        "status": values(st.sampled_from(["PLANNED", "in_progress", "done", "odd", "DRAFT"])),
        "created_at": values(st.just("2026-01-01T00:00:00Z")),
        "updated_at": values(st.just("2026-01-01T00:00:00Z")),
        "note": values(),
    }
    for name, value in scalars.items():
        if draw(st.booleans()):
            keys.append([f"{name}: {draw(value)}{draw(COMMENTS)}"])
    for name, words, bare in (("owned_scope", GLOBS, True), ("constraints", WORDS, False)):
        if draw(st.booleans()):
            first, *rest = draw(lists(words, bare=bare))
            keys.append([f"{name}:{first}", *rest])
    intent_id = spelled_like(draw(STYLES), draw(st.sampled_from([f"INT-{number}", "INT-0"])))
    keys.append([f"id: {intent_id}"])
    if draw(st.booleans()):
        keys.append(["summary: |", "  - id: no", "", "  owned_scope: [*.py]"])
    lines = [line for key in draw(st.permutations(keys)) for line in key]
    return [f"- {lines[0]}", *(f"  {line}" if line else line for line in lines[1:])]


@st.composite
def files(draw: st.DrawFn) -> str:
    layout = draw(LAYOUTS)
    lines = [draw(BETWEEN).strip(), *([f"{layout.root}:"] if layout.root else [])]
    for number in range(draw(st.integers(1, 4))):
        entry = draw(entries(number))
        lines += [" " * layout.indent + line if line else line for line in entry]
        lines.append(draw(BETWEEN))
    if layout.root and draw(st.booleans()):
        lines.append("active_intent: INT-0")
    text = layout.line_end.join(lines)
    return text if draw(st.booleans()) else text + layout.line_end


FRAGMENTS = st.sampled_from(
    [
        *("x", " ", "\n", "\r", "\r\n", "\t", "'", '"', "[", "]", "{", "}", "*a", "&a ", "- ", "#"),
        *("- id: NEW\n", "  - id: NEW\n    owned_scope: [*.py]\n", "---\n", "\u2028", "\x85", ":"),
        *("\x00", "\ud800", "|\n", "scope:\n", "paths:\n", "%", "!", "<<: ", "intents:\n"),
        *("\n\n- - x", "\ufeff", '"a":&b 1', "[*b]"),
    ]
)


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    start = draw(st.integers(0, len(text)))
    gone = draw(st.sampled_from([0, 0, 1, 5, 60]))
    return text[:start] + draw(FRAGMENTS) + text[start + gone :]


@given(data=st.data(), text=files())
def test_any_sequence_of_texts_reads_as_each_text_alone(data: st.DataObject, text: str) -> None:
    reader = IntentsReader()
    for _ in range(6):
        read = reader.read(text)
        assert read == read_intents(text)
        event("parsed" if read.parsed else "not parsed")
        text = data.draw(edited(text))


@given(text=files(), data=st.data(), status=st.sampled_from(Status))
def test_setting_a_status_changes_the_status_and_its_date_and_nothing_else(
    text: str, data: st.DataObject, status: Status
) -> None:
    before = read_intents(text)
    assume(before.parsed and len(before.intents))
    intent = data.draw(st.sampled_from(before.intents.items))
    changes = set_status(text, intent.id, status, "2027-02-03T04:05:06Z")
    assert not isinstance(changes, EditRefused)
    after = apply_changes(text, changes)
    wanted = replace(intent, status=status)
    if intent.updated_at is not None and intent.status is not status:
        wanted = replace(wanted, updated_at="2027-02-03T04:05:06Z")
    expected = tuple(wanted if it.id == intent.id else it for it in before.intents)
    assert read_intents(after).intents == Intents(expected)
    assert len(changes) == (0 if intent.status is status else 1 + (intent.updated_at is not None))
    places = TextPositions(text)
    for change in changes:
        start, end = places.offset(change.span.start), places.offset(change.span.end)
        assert end - start <= len("2026-01-01T00:00:00Z") + 2
        assert ("\n" in change.new_text) == ("status:" in change.new_text)


@given(text=files())
def test_quoting_the_globs_leaves_no_unquoted_one_and_the_same_intents(text: str) -> None:
    read = read_intents(text)
    changes = [
        change
        for finding in read.findings
        if finding.code == "YAML_UNQUOTED_GLOB"
        for fix in finding.fixes
        for change in fix.changes
    ]
    after = read_intents(apply_changes(text, changes))
    assert after.intents == read.intents
    assert not any(finding.code == "YAML_UNQUOTED_GLOB" for finding in after.findings)


@given(text=st.text(alphabet=st.sampled_from("-:[]{}*&!'\"|>#,?% \n\r\tab<~\ufeff\u2028😀")))
def test_reading_is_total_and_every_place_is_within_the_text(text: str) -> None:
    end = TextPositions(text).position(len(text))
    for finding in read_intents(text).findings:
        assert finding.span.start <= finding.span.end <= end


@settings(max_examples=100)
@given(
    value=st.text(max_size=12),
    style=STYLES,
    form=st.sampled_from(["k: {}\n", "- {}", "[a, {}, b]", "{{k: {}}}"]),
)
def test_a_spelled_value_reads_back(value: str, style: str, form: str) -> None:
    assume(not any("\ud800" <= each <= "\udfff" for each in value))
    for spelled in (spelled_like(style, value), double_quoted(value)):
        text = form.format(spelled)
        assert refused(text) is None
        found = compose(text)
        assert repr(value) in repr(found)
