"""What is proposed when a quote is typed: the closing quote, and paths inside of both."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.codes import FileCode
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.formats.intents.completion.globs import (
    Listed,
    names_proposed,
    segment_at,
    wildcards_proposed,
)
from intent_lsp.formats.intents.completion.place import place_at
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.completion.proposals import Offers, proposals
from intent_lsp.formats.intents.intents_file import read_intents
from tests.support.cursor_texts import accepted, labels, marked

OFFERS = Offers(new_id=lambda: "INT-007", now="2026-02-16T12:00:00.000Z", tools=("Bash",))
LISTED = Listed(directories=["src"], files=["it's.py", "a.md"])
NAMES = ["*.py", "*.md", "src/", "it's.py", "a.md"]
A = "active_intents:\n  - id: INT-001\n"
SCOPE = f"{A}    owned_scope:\n      - "
INLINE = f"{A}    owned_scope: ["


def offered(text: str, file: WorkspacePath = INTENTS_FILE) -> list[Proposal]:
    """Return what is proposed at the mark, where every directory has the names of LISTED."""
    lines, position = marked(text)
    place = place_at(file, lines, position)
    if place is None:
        return []
    found = proposals(place, lines, OFFERS)
    segment = segment_at(place)
    if segment is not None:
        found += wildcards_proposed(place, segment, LISTED.files)
        found += names_proposed(place, segment, LISTED)
    return found


def completed(text: str, label: str, file: WorkspacePath = INTENTS_FILE, **how: bool) -> str:
    """Return a marked text after the proposal with this label was accepted."""
    return accepted(text, {each.label: each for each in offered(text, file)}[label], **how)


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        # The editor has not closed the quote.
        ("{s}{q}|", "src/", "{s}{q}src/|{q}"),
        ("{s}{q}|", "a.md", "{s}{q}a.md{q}|"),
        ("{s}{q}|\n", "a.md", "{s}{q}a.md{q}|\n"),
        ("{s}{q}|\n      - {q}b{q}\n", "a.md", "{s}{q}a.md{q}|\n      - {q}b{q}\n"),
        ("{s}{q}|  # why", "src/", "{s}{q}src/|{q}  # why"),
        ("{s}{q}src/|", "a.md", "{s}{q}src/a.md{q}|"),
        ("{f}{q}|]", "src/", "{f}{q}src/|{q}]"),
        ("{f}{q}|", "src/", "{f}{q}src/|{q}"),
        ("{f}{q}b{q}, {q}|]", "a.md", "{f}{q}b{q}, {q}a.md{q}|]"),
        ("{f}{q}|, {q}b{q}]", "a.md", "{f}{q}a.md{q}|, {q}b{q}]"),
        ("{f}{q}a{q}, {q}|, {q}b{q}]", "src/", "{f}{q}a{q}, {q}src/|{q}, {q}b{q}]"),
        ("{f}{q}src/|, {q}b{q}] # c", "a.md", "{f}{q}src/a.md{q}|, {q}b{q}] # c"),
        ("{f}{q}|, b]", "a.md", "{f}{q}a.md{q}|, b]"),
        ("{f}\n        {q}|\n      ]\n", "a.md", "{f}\n        {q}a.md{q}|\n      ]\n"),
        ("{f}\n        {q}|,\n        b\n      ]\n", "src/", None),
        # The editor has closed it.
        ("{s}{q}|{q}", "src/", "{s}{q}src/|{q}"),
        ("{s}{q}|{q}  # why", "a.md", "{s}{q}a.md|{q}  # why"),
        ("{f}{q}|{q}]", "a.md", "{f}{q}a.md|{q}]"),
        ("{f}{q}|{q}, {q}b{q}]", "src/", "{f}{q}src/|{q}, {q}b{q}]"),
        # A list is missing around it.
        ("{a}    owned_scope: {q}|", "src/", "{a}    owned_scope: [{q}src/|{q}]"),
        ("{a}    owned_scope: {q}|{q}", "a.md", "{a}    owned_scope: [{q}a.md{q}]|"),
        ("{a}    owned_scope: {q}src/|{q}", "a.md", "{a}    owned_scope: [{q}src/a.md{q}]|"),
        ("{a}    owned_scope: {q}src/|", "src/", "{a}    owned_scope: [{q}src/src/|{q}]"),
        ("{a}    owned_scope:\n      {q}|{q}", "src/", "{s}{q}src/|{q}"),
    ],
)
def test_paths_are_proposed_inside_of_both_quotes(
    quote: str, before: str, name: str, after: str | None
) -> None:
    words = {"q": quote, "s": SCOPE, "f": INLINE, "a": A}
    text = before.format(**words)
    wanted = before.replace("|", "src/|{q}") if after is None else after
    assert [label for label in labels(offered(text)) if label in ("src/", "a.md")]
    assert completed(text, name) == wanted.format(**words)


@pytest.mark.parametrize(
    ("before", "label", "after"),
    [
        # A quote was typed in front of a glob; the editor has not closed it.
        (f'{SCOPE}"|src/**', '"src/**"', f'{SCOPE}"src/**"|'),
        (f"{SCOPE}'|src/**", "'src/**'", f"{SCOPE}'src/**'|"),
        (f'{SCOPE}"|*.py  # why', '"*.py"', f'{SCOPE}"*.py"|  # why'),
        (f'{SCOPE}"|*.py\n      - b\n', '"*.py"', f'{SCOPE}"*.py"|\n      - b\n'),
        (f'{SCOPE}"|{{a,b}}/**', '"{a,b}/**"', f'{SCOPE}"{{a,b}}/**"|'),
        (f'{SCOPE}"|src/\\[x\\]/a', '"src/\\[x\\]/a"', f'{SCOPE}"src/\\\\[x\\\\]/a"|'),
        (f'{SCOPE}"|say "x"', '"say "x""', f'{SCOPE}"say \\"x\\""|'),
        (f"{SCOPE}'|it's/**", "'it's/**'", f"{SCOPE}'it''s/**'|"),
        (f'{SCOPE}"|a b/**', '"a b/**"', f'{SCOPE}"a b/**"|'),
        (f'{INLINE}"|*.py]', '"*.py"', f'{INLINE}"*.py"|]'),
        (f'{INLINE}"|*.py, b]', '"*.py"', f'{INLINE}"*.py"|, b]'),
        (f'{INLINE}"|*.py, "b"]', '"*.py"', f'{INLINE}"*.py"|, "b"]'),
        (f'{INLINE}"a", "|{{b,c}}/d, "e"]', '"{b,c}/d"', f'{INLINE}"a", "{{b,c}}/d"|, "e"]'),
        (f'{INLINE}\n      "|*.py,\n      b]', '"*.py"', f'{INLINE}\n      "*.py"|,\n      b]'),
        (
            f'{INLINE}\n      "|{{b,c}}/d\n    ]',
            '"{b,c}/d"',
            f'{INLINE}\n      "{{b,c}}/d"|\n    ]',
        ),
        # The editor has closed it at once.
        (f'{SCOPE}"|"src/**', '"src/**"', f'{SCOPE}"src/**"|'),
        (f"{SCOPE}'|'*.py  # why", "'*.py'", f"{SCOPE}'*.py'|  # why"),
        (f'{INLINE}"|"*.py, "b"]', '"*.py"', f'{INLINE}"*.py"|, "b"]'),
        (f"{INLINE}'|'*.py]", "'*.py'", f"{INLINE}'*.py'|]"),
        # Something was typed behind the quote before.
        (f'{SCOPE}"!|src/**', '"!src/**"', f'{SCOPE}"!src/**"|'),
        (f'{SCOPE}"src/|*.py', '"src/*.py"', f'{SCOPE}"src/*.py"|'),
        (f'{INLINE}"src/|*.py, "b"]', '"src/*.py"', f'{INLINE}"src/*.py"|, "b"]'),
        # The closing quote was typed alone.
        (f'{SCOPE}*.py"|', '"*.py"', f'{SCOPE}"*.py"|'),
        (f"{SCOPE}src/\\[x\\]'|", "'src/\\[x\\]'", f"{SCOPE}'src/\\[x\\]'|"),
        (f'{INLINE}*.py"|]', '"*.py"', f'{INLINE}"*.py"|]'),
        # A list is missing around it.
        (f'{A}    owned_scope: "|*.py', '"*.py"', f'{A}    owned_scope: ["*.py"]|'),
        (f'{A}    owned_scope: "|"*.py', '"*.py"', f'{A}    owned_scope: ["*.py"]|'),
        # Not only globs.
        (
            f'{A}    name: "|Login: by token',
            '"Login: by token"',
            f'{A}    name: "Login: by token"|',
        ),
        (f'{A}    status: "|PLANNED', '"PLANNED"', f'{A}    status: "PLANNED"|'),
    ],
)
def test_a_quote_before_a_value_is_closed_behind_it(before: str, label: str, after: str) -> None:
    found = offered(before)
    assert label in labels(found)
    for replace in (False, True):
        for snippets in (False, True):
            made = accepted(
                before, found[labels(found).index(label)], snippets=snippets, replace=replace
            )
            assert made == after


@pytest.mark.parametrize(
    "text",
    [
        f'{SCOPE}"src/**"|',
        f'{SCOPE}"src/**|"',
        f'{SCOPE}"|src/**"',
        f"{SCOPE}src/**|",
        f'{SCOPE}"|"',
        f'{SCOPE}"|',
        f'{INLINE}"|"]',
        f'{INLINE}"|", "b"]',
        f'{INLINE}"a|", "b"]',
        f'{SCOPE}"two|\n        lines"\n',
        f'{SCOPE}"a" "|b',
        f"{SCOPE}it's|",
    ],
)
def test_no_second_quote_is_proposed_where_none_is_missing(text: str) -> None:
    ranks = [each.rank for each in offered(text)]
    assert "0" not in ranks


def test_only_the_closing_quote_is_proposed_in_front_of_a_value() -> None:
    assert labels(offered(f'{SCOPE}"|src/**')) == ['"src/**"']
    assert labels(offered(f'{A}    status: "|"PLANNED')) == ['"PLANNED"']


def test_a_name_in_the_middle_of_an_open_quote_leaves_it_open() -> None:
    assert completed(f'{SCOPE}"src/|**', "a.md") == f'{SCOPE}"src/a.md|**'
    assert completed(f'{A}    status: "PL|ANNED', "BLOCKED") == f'{A}    status: "BLOCKED"|'


def test_globs_of_the_policy_are_completed_in_quotes() -> None:
    rule = "sidecar:\n  deny_mutations:\n    - path_glob: "
    assert completed(f'{rule}"|', "src/", POLICY_FILE) == f'{rule}"src/|"'
    assert completed(f'{rule}"|**/*.lock', '"**/*.lock"', POLICY_FILE) == f'{rule}"**/*.lock"|'
    flow = 'deny_mutations: [{path_glob: "'
    assert completed(f"{flow}|*.py}}]", '"*.py"', POLICY_FILE) == f'{flow}*.py"|}}]'


plain_globs = st.text(st.sampled_from("ab*?!{}[](),/.-: '\"\\é😀"), min_size=1, max_size=8).filter(
    lambda text: text == text.strip() and text[0] not in "'\"#"
)


@given(
    plain_globs,
    st.sampled_from("'\""),
    st.sampled_from(("open", "closed")),
    st.sampled_from(("flow", "block", "block # c")),
)
def test_a_quote_typed_in_front_of_any_glob_makes_it_that_glob(
    glob: str, quote: str, pair: str, form: str
) -> None:
    # Behind the quotes of a key is a colon, and a quote behind a back-slash closes nothing.
    assume((pair == "open" or glob[0] != ":") and f"\\{quote}" not in glob)
    assume(form != "flow" or not re.search(r"[\[\]{},()]", glob))
    assume(quote not in glob or (pair == "open" and glob.count(quote) % 2 == 0))
    behind = (quote if pair == "closed" else "") + glob
    text = f"{SCOPE}{quote}|{behind}{form.removeprefix('block')}\n"
    if form == "flow":
        text = f"{INLINE}{quote}|{behind}, b]"
    (found,) = (each for each in offered(text) if each.rank == "0")
    made = accepted(text, found).replace("|", "", 1)
    read = read_intents(made)
    assert read.parsed, made
    assert read.intents.items[0].owned_scope == ((glob, "b") if form == "flow" else (glob,))
    assert all(each.code is not FileCode.YAML_UNQUOTED_GLOB for each in read.findings)
