"""The intents file: its normal form, its other forms, and what is wrong with it."""

from collections.abc import Sequence

import pytest

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Position, Severity
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.scope.findings import PatternFinding
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import (
    IntentsFile,
    IntentsReader,
    glob_findings,
    read_intents,
)

NORMAL = """\
active_intents:
  - id: INT-001
    name: JWT authentication migration
    status: IN_PROGRESS
    owned_scope: ["src/auth/**", "src/middleware/jwt.ts"]
    constraints: ["Must not use external auth providers"]
    acceptance_criteria: ["Unit tests in tests/auth/ pass"]
    related_files: ["src/auth/middleware.ts"]
    recent_history: ["PRE_HOOK write_to_file"]
    aliases: [INT-000]
    specification_id: SPEC-9
    created_at: "2026-02-16T12:00:00Z"
    updated_at: "2026-02-16T12:00:00Z"
"""
INTENT = Intent(
    id=IntentId("INT-001"),
    name="JWT authentication migration",
    status=Status.IN_PROGRESS,
    owned_scope=("src/auth/**", "src/middleware/jwt.ts"),
    constraints=("Must not use external auth providers",),
    acceptance_criteria=("Unit tests in tests/auth/ pass",),
    related_files=("src/auth/middleware.ts",),
    recent_history=("PRE_HOOK write_to_file",),
    aliases=("INT-000",),
    specification="SPEC-9",
    created_at="2026-02-16T12:00:00Z",
    updated_at="2026-02-16T12:00:00Z",
)


def entry(*lines: str) -> str:
    """Give a file of one intent with a scope and these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return f'active_intents:\n  - id: A\n    owned_scope: ["a/**"]\n{body}'


def only(read: IntentsFile, code: FileCode) -> Finding:
    """Give the one finding, which has this code."""
    (found,) = read.findings
    assert found.code is code, found
    return found


def shown(text: str, found: Finding) -> str:
    lines = text.splitlines(keepends=True)
    start, end = found.span.start, found.span.end
    assert start.line == end.line
    return lines[start.line][start.character : end.character]


def fixed(text: str, found: Finding) -> str:
    (fix,) = found.fixes
    return apply_changes(text, fix.changes)


def test_the_normal_form_reads_without_a_finding() -> None:
    read = read_intents(NORMAL)
    assert (read.intents.items, read.findings, read.parsed) == ((INTENT,), (), True)
    places = read.places[IntentId("INT-001")]
    assert places.entry.start == Position(1, 4)
    assert places.id.start == Position(1, 8)
    assert places.name is not None
    assert places.name.end == Position(2, 38)
    assert places.status is not None
    assert places.owned_scope is not None
    assert [glob.start for glob in places.globs] == [Position(4, 18), Position(4, 33)]
    assert list(read.places) == ["INT-001"]
    assert len(read.places) == 1


@pytest.mark.parametrize(
    "text",
    ["", "\n", "# only\n# comments", "active_intents: []", "active_intents:\n", "---\n", "~"],
)
def test_a_file_without_intents_governs_with_none(text: str) -> None:
    read = read_intents(text)
    assert (read.parsed, len(read.intents), read.findings) == (True, 0, ())


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_reads_the_same(line_end: str) -> None:
    read = read_intents(NORMAL.replace("\n", line_end))
    assert (read.intents.items, read.findings) == ((INTENT,), ())
    assert read.places == read_intents(NORMAL).places


def test_a_second_byte_order_mark_and_emoji_leave_places_exact() -> None:
    text = '\ufeffactive_intents: [{id: "😀", owned_scope: ["é/**"], status: odd}]'
    found = only(read_intents(text), FileCode.UNKNOWN_STATUS)
    assert shown(text, found) == "odd"


# The left text is read as the right one is, has one hint, and its fix gives the right one.
FORMS = [
    (
        "intents:\n  - id: A\n    owned_scope: [a]\n",
        "active_intents:\n  - id: A\n    owned_scope: [a]\n",
    ),
    ("- id: A\n  owned_scope: [a]\n", "active_intents:\n- id: A\n  owned_scope: [a]\n"),
    ("[{id: A, owned_scope: [a]}]", "active_intents: [{id: A, owned_scope: [a]}]"),
    ("A:\r\n  owned_scope: [a]\r\n", "active_intents:\r\n- id: A\r\n  owned_scope: [a]\r\n"),
    (
        "active_intents:\n  '1':\n    owned_scope: [a]\n  B:\n    owned_scope: [b]\n",
        "active_intents:\n  - id: '1'\n    owned_scope: [a]\n  - id: B\n    owned_scope: [b]\n",
    ),
    (
        "active_intents:\n  A: &x\n    owned_scope: [a]\n",
        "active_intents:\n  - &x\n    id: A\n    owned_scope: [a]\n",
    ),
    (
        "active_intents:\n  A: !!map\n    owned_scope: [a]\n",
        "active_intents:\n  - !!map\n    id: A\n    owned_scope: [a]\n",
    ),
    (
        "active_intents:\n- intentId: A\n  owned_scope: [a]",
        "active_intents:\n- id: A\n  owned_scope: [a]",
    ),
    (entry("aliases: [~]"), entry('aliases: ["~"]')),
    (entry("related_files: [x, null]"), entry('related_files: [x, "null"]')),
    (entry("title: T"), entry("name: T")),
    (entry('"description": T'), entry('"name": T')),
    (entry("reqId: S"), entry("specification_id: S")),
    (entry("relatedFiles: [x]"), entry("related_files: [x]")),
    (entry("constraints: one"), entry('constraints: ["one"]')),
    (entry("constraints: 'one'"), entry("constraints: ['one']")),
    (
        entry("acceptance_criteria:", "  perf: 10 ms", "  safe:"),
        entry("acceptance_criteria:", '  - "perf: 10 ms"', '  - "safe"'),
    ),
    (entry("constraints: {a: b, c: d}"), entry('constraints: ["a: b", "c: d"]')),
    (entry("constraints:", "- must: not"), entry("constraints:", '- "must: not"')),
    (entry("created_at: 2026-01-01"), entry('created_at: "2026-01-01"')),
    (
        "active_intents:\n- id: A\n  scope: [a]\n",
        "active_intents:\n- id: A\n  owned_scope: [a]\n",
    ),
    (
        "active_intents:\n- id: A\n  scope: {paths: [a]}\n",
        "active_intents:\n- id: A\n  owned_scope: [a]\n",
    ),
    (
        "active_intents:\n- id: A\n  scope:\n    paths:\n      - a\n",
        "active_intents:\n- id: A\n  owned_scope:\n      - a\n",
    ),
    ("A: {owned_scope: [a]}", "active_intents:\n- {id: A, owned_scope: [a]}"),
    (
        "A:\n   owned_scope: [a]\n",
        "active_intents:\n-  id: A\n   owned_scope: [a]\n",
    ),
    (
        "A: # c\n owned_scope: [a]\n",
        "active_intents:\n- # c\n id: A\n owned_scope: [a]\n",
    ),
    (
        "A: &x\n  owned_scope: [a]\n",
        "active_intents:\n- &x\n  id: A\n  owned_scope: [a]\n",
    ),
    (
        "--- \n A:\n   owned_scope: [a]\n",
        "--- \n active_intents:\n - id: A\n   owned_scope: [a]\n",
    ),
    (
        "A:\n  id: A\n  owned_scope: [a]\nactive_intent: A\nB:\n  owned_scope: [b]\nv: 1\n",
        (
            "active_intent: A\nactive_intents:\n- id: A\n  owned_scope: [a]\n- id: B\n"
            "  owned_scope: [b]\nv: 1\n"
        ),
    ),
    (
        '{"A": {"owned_scope": ["a"]}, "v": 1}',
        '{"active_intents": [{"id": "A", "owned_scope": ["a"]}], "v": 1}',
    ),
    (
        '[\n  {"id": "A", "owned_scope": ["a"]}\n]\n',
        '{"active_intents": [\n  {"id": "A", "owned_scope": ["a"]}\n]}\n',
    ),
    (
        entry("constraints:", "  perf: [1, # c", "    2]"),
        entry("constraints:", "  # c", '  - "perf: [1, 2]"'),
    ),
    (entry("constraints:", "  perf: a", "    b"), entry("constraints:", '  - "perf: a b"')),
    (
        entry("constraints: {a: b, # c", "  c: d}"),
        entry('constraints: ["a: b", # c', '  "c: d"]'),
    ),
    (entry("constraints: |", "  text"), entry("constraints:", "- |", "  text")),
    (entry("constraints: a", "  b"), entry("constraints:", "- a", "  b")),
    (entry("constraints:", "  a", "  b"), entry("constraints:", "- a", "  b")),
    (
        entry("constraints: a", "  b")
        .replace("  - id", "  - note: &n x\n    id")
        .replace("a\n      b", "*n"),
        entry("constraints: [*n]").replace("  - id", "  - note: &n x\n    id"),
    ),
    (
        entry("constraints:", "- {a: b, c: d}"),
        entry("constraints:", '- "a: b"', '- "c: d"'),
    ),
    (
        entry("constraints:", "- a: b # 1", "  c:", "    d"),
        entry("constraints:", '- "a: b" # 1', '- "c: d"'),
    ),
    (entry("constraints: [{a: b, c: d}]"), entry('constraints: ["a: b", "c: d"]')),
    (
        "active_intents:\n- id: A\n  scope: # s\n    # t\n    paths: # u\n      - a\n",
        "active_intents:\n- id: A\n  owned_scope: # s\n    # t\n    # u\n      - a\n",
    ),
]


def test_an_empty_mapping_becomes_an_empty_list() -> None:
    text = "active_intents: {} # none"
    (fix,) = only(read_intents(text), FileCode.OTHER_FORM).fixes
    assert apply_changes(text, fix.changes) == "active_intents: [] # none"
    assert only(read_intents("active_intents: { # none\n}"), FileCode.OTHER_FORM).fixes == ()


@pytest.mark.parametrize(("other", "normal"), FORMS)
def test_another_form_reads_alike_and_its_fix_gives_the_normal_one(other: str, normal: str) -> None:
    read, wanted = read_intents(other), read_intents(normal)
    assert wanted.findings == ()
    assert len(wanted.intents)
    assert read.intents == wanted.intents
    found = only(read, FileCode.OTHER_FORM)
    assert found.severity is Severity.HINT
    assert fixed(other, found) == normal


@pytest.mark.parametrize(
    "text",
    [
        "A: &a\n  owned_scope: [a]\nB: *a\n",
        "A:\n  id: B\n  owned_scope: [a]\n",
        "? A\n: owned_scope: [a]\n",
        "{A: {owned_scope: [a]}, version: 1, B: {owned_scope: [b]}}",
        "!!seq\n- id: A\n  owned_scope: [a]\n",
        entry("constraints: !!map", "  a: b"),
        "active_intents:\n- id: A\n  scope: {paths: [a], other: 1}\n",
        "active_intents:\n- id: A\n  scope: &s {paths: [a]}\n",
    ],
)
def test_a_form_whose_fix_is_no_simple_replacement_has_a_hint_alone(text: str) -> None:
    found = only(read_intents(text), FileCode.OTHER_FORM)
    assert (found.severity, found.fixes) == (Severity.HINT, ())


def test_pairs_become_sentences_whatever_their_values_are() -> None:
    lines = ("  perf: {p99:   10}", "  safe: yes", "  empty:", "  open: 'as in:'")
    text = entry("constraints:", *lines)
    (intent,) = read_intents(text).intents
    assert intent.constraints == ("perf: {p99: 10}", "safe: yes", "empty", "open: as in:")


@pytest.mark.parametrize(
    ("spelled", "status"),
    [
        ("planned", Status.PLANNED),
        ("Pending", Status.PLANNED),
        ("DRAFT", Status.PLANNED),
        ("active", Status.IN_PROGRESS),
        ("Complete", Status.COMPLETED),
        ("DONE", Status.COMPLETED),
        ("'blocked'", Status.BLOCKED),
        ("abandoned", Status.ABANDONED),
        ("ARCHIVED", Status.ARCHIVED),
        ("", Status.PLANNED),
        ("~", Status.PLANNED),
    ],
)
def test_a_status_reads_in_any_case_and_in_older_words(spelled: str, status: Status) -> None:
    read = read_intents(entry(f"status: {spelled}"))
    assert (read.intents.items[0].status, read.findings) == (status, ())


def test_source_text_counts_whatever_yaml_makes_of_it() -> None:
    text = "active_intents:\n- {id: 001, owned_scope: [no, 1.0, 0x1F, null], updated_at: '2026'}\n"
    (intent,) = read_intents(text).intents
    assert (intent.id, intent.owned_scope) == ("001", ("no", "1.0", "0x1F", "null"))
    assert intent.updated_at == "2026"


# code, severity, the text of its place, and what the fix makes of that place
FLAWS = [
    (entry("status: in-progres"), FileCode.UNKNOWN_STATUS, "in-progres", "IN_PROGRESS"),
    (entry("status: 'half done'"), FileCode.UNKNOWN_STATUS, "'half done'", None),
    (entry("status: [x]"), FileCode.WRONG_TYPE, "[x]", None),
    (entry("staus: DONE"), FileCode.UNKNOWN_KEY, "staus", "status"),
    (
        entry("Acceptance-Criteria: []"),
        FileCode.UNKNOWN_KEY,
        "Acceptance-Criteria",
        "acceptance_criteria",
    ),
    (entry("name: a", "name: b"), FileCode.YAML_DUPLICATE_KEY, "name", None),
    ("active_intents:\n- id: A\n  scope: {}\n", FileCode.WRONG_TYPE, "{}", None),
    (entry("scope: [b]"), FileCode.YAML_DUPLICATE_KEY, "scope", None),
    (entry("related_files: x"), FileCode.WRONG_TYPE, "x", '["x"]'),
    (entry("related_files: [[x]]"), FileCode.WRONG_TYPE, "[x]", None),
    (entry("constraints: [[x]]"), FileCode.WRONG_TYPE, "[x]", None),
    (entry("name: {a: b}"), FileCode.WRONG_TYPE, "{a: b}", None),
    ("active_intents:\n- id: A\n  owned_scope: src\n", FileCode.WRONG_TYPE, "src", '["src"]'),
    ("active_intents:\n- id: A\n  scope: {path: [a]}\n", FileCode.UNKNOWN_KEY, "path", "paths"),
    ("active_intents:\n- id: A\n  owned_scope: []\n", FileCode.EMPTY_SCOPE, "[]", None),
    ("active_intents:\n- id: A\n  owned_scope:\n", FileCode.EMPTY_SCOPE, "owned_scope", None),
    ("active_intents:\n- id: A\n", FileCode.EMPTY_SCOPE, "A", None),
    (
        "active_intents:\n- owned_scope: [a]\n",
        FileCode.MISSING_ID,
        "owned_scope",
        "id: INT-001\n  ",
    ),
    ("active_intents:\n- id: ~\n  name: x\n", FileCode.MISSING_ID, "~", "INT-001"),
    ("active_intents:\n- {}\n", FileCode.MISSING_ID, "{}", None),
    ("active_intents:\n- id: [a]\n", FileCode.WRONG_TYPE, "[a]", None),
    ('active_intents:\n- id: "a\\nb"\n', FileCode.BAD_VALUE, '"a\\nb"', None),
    (f"active_intents:\n- id: {'x' * 257}\n", FileCode.BAD_VALUE, "x" * 257, None),
    ("active_intents:\n- INT-1\n", FileCode.WRONG_TYPE, "INT-1", None),
    ("active_intents: INT-1\n", FileCode.WRONG_TYPE, "INT-1", None),
    ("active_intents: {A: 1}\n", FileCode.WRONG_TYPE, "1", None),
    ("just text", FileCode.WRONG_TYPE, "just text", None),
    ("version: 1\n", FileCode.WRONG_TYPE, "version", None),
    ("active_intents: []\nintents: []\n", FileCode.YAML_DUPLICATE_KEY, "intents", None),
]


@pytest.mark.parametrize(("text", "code", "place", "change"), FLAWS)
def test_a_flaw_stands_at_its_place_and_the_file_is_read(
    text: str, code: FileCode, place: str, change: str | None
) -> None:
    read = read_intents(text)
    assert read.parsed
    found = next(it for it in read.findings if it.code is code)
    assert shown(text, found) == place
    if change is None:
        assert not found.fixes
    else:
        assert found.fixes[0].changes[0].new_text == change
        assert not any(it.code is code for it in read_intents(fixed(text, found)).findings)


@pytest.mark.parametrize("scope", ["{}", "{path: [a]}"])
def test_a_scope_without_paths_is_one_mistake(scope: str) -> None:
    read = read_intents(f"active_intents:\n- id: A\n  scope: {scope}\n")
    assert FileCode.EMPTY_SCOPE not in [found.code for found in read.findings]
    text = "active_intents:\n- id: A\n  scope: {paths: []}\n"
    assert FileCode.EMPTY_SCOPE in [found.code for found in read_intents(text).findings]


def test_one_bad_intent_does_not_disable_the_good_ones() -> None:
    bad = "- name: x\n- 5\n-\n"
    text = f"active_intents:\n- id: A\n  owned_scope: [a]\n{bad}- id: B\n  owned_scope: [b]\n"
    read = read_intents(text)
    assert [intent.id for intent in read.intents] == ["A", "B"]
    codes = [finding.code for finding in read.findings]
    assert codes == [FileCode.MISSING_ID, FileCode.WRONG_TYPE, FileCode.WRONG_TYPE]


def test_the_second_intent_with_an_id_points_to_the_first() -> None:
    text = entry() + "  - {id: A, owned_scope: [b]}\n"
    read = read_intents(text)
    assert [intent.owned_scope for intent in read.intents] == [("a/**",)]
    found = only(read, FileCode.DUPLICATE_ID)
    assert (found.span.start, found.related[0].span.start) == (Position(3, 9), Position(1, 8))


def test_quiet_keys_and_pointers_have_no_finding() -> None:
    text = (
        "active_intent_id: A\nactive_intent: A\n"
        + entry("name: N", "title: T", "description: D", "intent_id: A", "notes: {x: y}")
        + "version: 2\n? [complex]\n: key\n"
    )
    read = read_intents(text)
    assert (read.findings, read.intents.items[0].name) == ((), "N")


def test_exclusions_alone_own_nothing_and_say_so() -> None:
    text = (
        'active_intents:\n- id: A\n  owned_scope: ["!a/**"]\n- id: B\n  owned_scope: ["!(a)/**"]\n'
    )
    empty = [it for it in read_intents(text).findings if it.code is FileCode.EMPTY_SCOPE]
    assert [it.span.start.line for it in empty] == [2]


def test_aliases_across_items_are_followed() -> None:
    text = (
        "active_intents:\n- id: A\n  owned_scope: &s [a, &g b]\n  name: &n N\n"
        "- id: B\n  name: *n\n  owned_scope: *s\n- id: C\n  owned_scope: [*g]\n"
    )
    read = read_intents(text)
    assert read.findings == ()
    assert [intent.owned_scope for intent in read.intents] == [("a", "b"), ("a", "b"), ("b",)]
    assert read.intents.items[1].name == "N"


def test_what_is_odd_about_a_glob_stands_at_the_glob_with_its_fix() -> None:
    def find(pattern: str) -> Sequence[PatternFinding]:
        if pattern != "**.ts":
            return ()
        return (
            PatternFinding(
                code=FileCode.GLOB_HINT,
                severity=Severity.HINT,
                message="did you mean `**/*.ts`?",
                replacement="**/*.ts",
            ),
        )

    text = "active_intents:\n- id: A\n  owned_scope: [a, '**.ts']\n"
    found = only(IntentsReader(find).read(text), FileCode.GLOB_HINT)
    assert shown(text, found) == "'**.ts'"
    assert "'**/*.ts'" in fixed(text, found)
    bare = "active_intents:\n- id: A\n  owned_scope: [a, **.ts]\n"
    codes = {it.code: it.fixes for it in IntentsReader(find).read(bare).findings}
    assert codes[FileCode.GLOB_HINT] == ()
    assert codes[FileCode.YAML_UNQUOTED_GLOB][0].title == "Quote it"


def test_globs_are_judged_by_the_matcher_unless_told_otherwise() -> None:
    read = read_intents("active_intents:\n- id: A\n  owned_scope: ['../x']\n")
    assert only(read, FileCode.DEAD_GLOB)


def many(count: int) -> str:
    parts = (
        f"  - id: INT-{n}\n    name: 'Intent {n}'\n    created_at: 2026-01-01\n"
        f"    owned_scope:\n      - src/{n}/**\n      - *.x{n}\n"
        for n in range(count)
    )
    return "# head\nactive_intents:\n" + "".join(parts) + "# tail\nactive_intent: INT-0\n"


def test_what_is_wrong_with_a_glob_is_found_once_while_it_stands_in_the_file() -> None:
    asked: list[str] = []

    def find(glob: str) -> Sequence[PatternFinding]:
        asked.append(glob)
        return glob_findings(glob)

    reader = IntentsReader(find)
    reader.read(many(50))
    assert len(asked) == len(set(asked)) == 100
    changed = many(50).replace("src/25/**", "../25")
    read = reader.read(changed)
    assert asked[100:] == ["../25"]
    assert read == read_intents(changed)
    assert FileCode.DEAD_GLOB in {found.code for found in read.findings}
    # What stood in the file before a text that cannot be read is known still.
    reader.read("a: [")
    assert reader.read(changed) == read
    assert len(asked) == 101


def test_an_intent_stands_at_its_place_after_one_above_has_grown() -> None:
    reader = IntentsReader()
    reader.read(many(1000))
    changed = many(1000).replace("'Intent 500'", "Five\n    # hundred\n    status: DONE")
    read = reader.read(changed)
    assert read == read_intents(changed)
    assert read.places[IntentId("INT-999")].id.start.line == 2 + 999 * 6 + 2
    assert reader.read(changed) is read


def test_the_first_of_two_entries_in_a_mapping_by_id_counts() -> None:
    read = read_intents("A: {owned_scope: [a]}\nA: {owned_scope: [b]}\n")
    assert [intent.owned_scope for intent in read.intents] == [("a",)]
    assert FileCode.YAML_DUPLICATE_KEY in {found.code for found in read.findings}


def test_constraints_that_say_nothing_are_none() -> None:
    read = read_intents(entry("constraints:", "acceptance_criteria: ~"))
    assert (read.findings, read.intents.items[0].constraints) == ((), ())


def test_what_lines_cannot_tell_apart_is_read_as_a_whole() -> None:
    text = 'active_intents:\n- id: "A\n- id: B"\n  owned_scope: [a]\n'
    (intent,) = read_intents(text).intents
    assert intent.id == "A - id: B"
    flow = "active_intents: [{id: A, owned_scope: [a]}, {id: B, owned_scope: [b]}]"
    assert [it.id for it in read_intents(flow).intents] == ["A", "B"]
    breaks = "active_intents:\n- id: A\n  owned_scope: [a]\r- id: B\n  owned_scope: [b]\n"
    assert [it.id for it in read_intents(breaks).intents] == ["A", "B"]
    hidden = 'note: "x\nactive_intents:\n- id: A\n"\nactive_intents: []\n'
    assert len(read_intents(hidden).intents) == 0


def test_a_key_behind_the_list_names_the_one_before_it_at_its_place() -> None:
    text = "\nactive_intents:\n  - id: A\n    name: one\n    owned_scope: []\nintents:\n"
    (found,) = [each for each in read_intents(text).findings if each.related]
    assert found.code is FileCode.YAML_DUPLICATE_KEY
    assert (found.span.start.line, found.related[0].span.start.line) == (5, 1)
