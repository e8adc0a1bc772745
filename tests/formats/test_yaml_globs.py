"""Globs that people do not quote: found at their place, read, and never guessed beyond a line."""

import pytest

from intent_lsp.core.codes import FileCode
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.text_positions import TextPositions

HEAD = "active_intents:\n- id: A\n"

UNQUOTED = [
    "*.py",
    "**/*.py",
    "**",
    "!gen/**",
    "!",
    "{a,b}/**",
    "{a,b}",
    "[slug]/x",
    "[a, b]",
    "@scope/**",
    "%x",
    "`x`",
    "&x",
    "&x y",
    "*",
    "src/a: b",
    "a:",
    '"a"/b',
    "'a'/b",
    "- a",
    "? a",
    "|x",
    ">x/**",
    ",a",
    "]x",
    "!(a|b)/c",
    "*'s",
    "@a b/**",
    "!!src/**",
    "!!",
    "|0",
    "a\xa0: b",
]
FLOW_ONLY = [
    "|",
    ">-",
    "a:?b",
    "?a",
    ":a",
    "?(a|b)",
    "src/{a,b}/**",
    "src/[slug]/x",
    "a[0-9]",
    "+(a|b)[c]",
]
PLAIN = ["src/**", "a", "-a", "?a", ":a", "a#b", "C:x", "a b", "'*.py'", '"[x]"', "~x", "(a)"]


def unquoted(read: IntentsFile, text: str) -> list[str]:
    places = TextPositions(text)
    return [
        text[places.offset(found.span.start) : places.offset(found.span.end)]
        for found in read.findings
        if found.code is FileCode.YAML_UNQUOTED_GLOB
    ]


def check(text: str, globs: list[str], found: list[str]) -> None:
    read = read_intents(text)
    assert read.parsed, read.findings
    assert list(read.intents.items[0].owned_scope) == globs
    assert unquoted(read, text) == found
    changes = [
        change
        for finding in read.findings
        if finding.code is FileCode.YAML_UNQUOTED_GLOB
        for change in finding.fixes[0].changes
    ]
    again = read_intents(apply_changes(text, changes))
    assert (again.intents, unquoted(again, text)) == (read.intents, [])


@pytest.mark.parametrize("glob", UNQUOTED)
@pytest.mark.parametrize("key", ["  owned_scope:", "  ownedScope:", "  scope:\n    paths:"])
def test_in_a_block_list_the_rest_of_the_line_is_the_glob(key: str, glob: str) -> None:
    text = f"{HEAD}{key}\n      - a/**\n      - {glob}  # why\n      -   {glob}\n  status: DONE\n"
    check(text, ["a/**", glob, glob], [glob, glob])


@pytest.mark.parametrize("glob", [*FLOW_ONLY, *(it for it in UNQUOTED if it not in (",a", "]x"))])
def test_in_a_flow_list_what_stands_between_commas_is_the_glob(glob: str) -> None:
    check(f"{HEAD}  owned_scope: [a/**, {glob},b, {glob}]\n", ["a/**", glob, "b", glob], [glob] * 2)
    check(f"{HEAD}  owned_scope: [\n    {glob}, # c\n    b\n  ]\n", [glob, "b"], [glob])
    check(f"{HEAD}  owned_scope:\n    [{glob}]\n", [glob], [glob])
    check(f"- {{id: A, scope: {{paths: [{glob}]}}}}\n", [glob], [glob])


@pytest.mark.parametrize("glob", PLAIN)
def test_a_plain_or_quoted_value_is_left_alone(glob: str) -> None:
    value = glob.strip("'\"")
    check(f"{HEAD}  owned_scope:\n  - {glob} # c\n  - {glob}\n", [value, value], [])
    if glob not in FLOW_ONLY:
        check(f"{HEAD}  owned_scope: [{glob}, {glob}]\n", [value, value], [])


def test_block_text_tags_and_linked_anchors_are_yaml() -> None:
    text = (
        f"{HEAD}  owned_scope:\n  - |-\n    lit/**\n  - !!str tag\n  - &x linked\n  - *x\n"
        "  - two\n    lines\n  -\n    below\n  - 'quoted\n    more'\n"
    )
    check(text, ["lit/**", "tag", "linked", "linked", "two lines", "below", "quoted more"], [])
    check(f"{HEAD}  owned_scope: &all [a]\n  x: *all\n", ["a"], [])
    check(f"{HEAD}  owned_scope: [!!str a, &b b, *b]\n", ["a", "b", "b"], [])


def test_collections_over_several_lines_are_wrong_types_not_globs() -> None:
    for item in ("- a: b\n    c: d", "- [a,\n    b]", "- - a\n    - b", "- 'a': b\n    c: d"):
        text = f"{HEAD}  owned_scope:\n  {item}\n  - ok\n"
        read = read_intents(text)
        assert read.intents.items[0].owned_scope == ("ok",)
        assert [found.code for found in read.findings] == [FileCode.WRONG_TYPE]


def test_a_single_glob_where_a_list_is_wanted_does_not_switch_governance_off() -> None:
    for glob in ("*.py", "**", "!x", "@a/**", "%x"):
        read = read_intents(f"{HEAD}  owned_scope: {glob}\n")
        codes = {found.code for found in read.findings}
        assert codes == {FileCode.YAML_UNQUOTED_GLOB, FileCode.WRONG_TYPE}


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}  owned_scope: [a]\n  note: |\n    owned_scope:\n      - *.py\n    scope: [*.x]\n",
        f"{HEAD}  owned_scope: [a]\n  note: 'x\n    owned_scope:\n      - *.py\n    '\n",
        f"{HEAD}  owned_scope: [a]\n  # scope: [*.py]\n  #  scope:\n  #    - *.py\n",
        f'{HEAD}  owned_scope: [a]\n  note: "{{scope: [*.py]}}"\n',
        f'{HEAD}  owned_scope: [a]\n  note: "\n    scope:\n      - *x" # " \n',
        f"{HEAD}  owned_scope: [a]\n  paths: [{{a: b}}]\n",
        f"{HEAD}  owned_scope: [a]\n  note: 'x\n    scope: [a, *b'\n  x: [']']\n",
        f"{HEAD}  owned_scope: [a]\n  note: |\n    scope: [[*a]\n- id: B\n  owned_scope: [a]\n",
        f"{HEAD}  owned_scope: [a]\n  note: |\n    scope: [a,\n\n- id: B\n  owned_scope: [a]\n",
        f"{HEAD}  owned_scope: [a]\n  x:\n    scope: {{}}\n    paths: [{{a: b}}]\n",
    ],
)
def test_what_merely_looks_like_a_list_of_globs_is_read_as_it_is(text: str) -> None:
    read = read_intents(text)
    assert (read.parsed, read.findings) == (True, ())


def test_many_lists_within_text_do_not_hide_the_one_that_masks_a_quote() -> None:
    fakes = "    scope: [*a]\n" * 60
    quote = "  x: 'y\n    scope: [a, *b'\n  z: ['']\n"
    text = f"{HEAD}  owned_scope: [*.py]\n  note: |\n{fakes}{quote}"
    check(text, ["*.py"], ["*.py"])


@pytest.mark.parametrize(
    ("scope", "glob"),
    [
        ("*.py", "*.py"),
        ("[slug]/x", "[slug]/x"),
        ("{a,b}/**  # why", "{a,b}/**"),
        ('"a"/b', '"a"/b'),
        ("a: b", "a: b"),
        ("- a", "- a"),
        ("|x", "|x"),
        ("!!src/**", "!!src/**"),
    ],
)
def test_a_single_glob_is_the_rest_of_the_line_of_its_key(scope: str, glob: str) -> None:
    text = f"{HEAD}  owned_scope: {scope}\n  status: DONE\n"
    read = read_intents(text)
    assert read.parsed
    assert unquoted(read, text) == [glob]
    policy = f"deny_mutations:\n  - path_glob: {scope}\n    reason: r\n"
    (rule,) = read_policy(policy).policy.deny_mutations
    assert (rule.path_glob, rule.reason) == (glob, "r")


@pytest.mark.parametrize("glob", ["*.py", "**/*.lock", "[ab]*.py", "{a,b}/**", "!x", "@a/b"])
def test_a_single_glob_may_be_on_the_line_below_its_key(glob: str) -> None:
    text = f"{HEAD}  owned_scope:\n    {glob}  # why\n  status: DONE\n"
    read = read_intents(text)
    assert read.parsed
    assert unquoted(read, text) == [glob]
    policy = f"deny_mutations:\n  - path_glob:\n      {glob}\n    reason: r\n"
    (rule,) = read_policy(policy).policy.deny_mutations
    assert (rule.path_glob, rule.reason) == (glob, "r")


@pytest.mark.parametrize("value", ["&all\n  - a", "!!seq\n  - a", "!list\n  - a", "[a,\n    b]"])
def test_a_list_below_its_key_may_have_an_anchor_or_a_tag(value: str) -> None:
    read = read_intents(f"{HEAD}  owned_scope:\n    {value}\n")
    assert read.parsed
    assert "a" in read.intents.items[0].owned_scope


@pytest.mark.parametrize("glob", ["*.py", "[ab]*.py", "{a,b}/**", "!x", "@a/b", "a:?b", "!!x"])
def test_a_single_glob_in_braces_ends_at_the_comma_or_the_brace(glob: str) -> None:
    rules = f"deny_mutations: [{{path_glob: {glob}, reason: r}}, {{path_glob: {glob}}}]\n"
    assert [rule.path_glob for rule in read_policy(rules).policy.deny_mutations] == [glob, glob]
    text = f"- {{id: A, owned_scope: {glob}, name: n}}\n"
    read = read_intents(text)
    assert (read.intents.items[0].name, unquoted(read, text)) == ("n", [glob])


@pytest.mark.parametrize("value", ["[a]", "{a: b}", "[a, b]", "{paths: [a]}", '["a]", "b"]'])
def test_a_whole_collection_is_no_single_glob(value: str) -> None:
    read = read_policy(f"deny_mutations:\n  - path_glob: {value}\n  - path_glob: b\n")
    assert [rule.path_glob for rule in read.policy.deny_mutations] == ["b"]
    assert FileCode.WRONG_TYPE in {found.code for found in read.findings}


def test_tabs_may_stand_between_a_dash_and_its_glob() -> None:
    lists = "".join(f"- id: I{at}\n  owned_scope:\n  -\t*.py\n  - \t'b'\n" for at in range(40))
    read = read_intents(lists)
    assert read.parsed
    assert {intent.owned_scope for intent in read.intents} == {("*.py", "b")}
    for line_end in ("\r\n", "\r"):
        text = f"{HEAD}  owned_scope:\n  -\ta/**\t# why\n  -\t \tb\n".replace("\n", line_end)
        check(text, ["a/**", "b"], [])


@pytest.mark.parametrize("before", ["&a ", "&a !!str ", "&a\t!!str  ", "!!str &a "])
def test_a_tab_may_stand_before_an_anchor_or_a_tag(before: str) -> None:
    note = "  constraints:\n  - |\n    -\t&a x\n"
    read = read_intents(f"{HEAD}{note}  owned_scope:\n  -\t{before}src/x\n  -\t*a\n")
    assert read.parsed
    assert read.intents.items[0].constraints == ("-\t&a x",)
    assert read.intents.items[0].owned_scope == ("src/x", "src/x")


def test_a_tab_behind_a_dash_in_other_text_stays() -> None:
    note = "  constraints:\n  - |\n    scope:\n    -\tx\n"
    read = read_intents(f"{HEAD}{note}  owned_scope:\n  -\ta\n")
    assert read.intents.items[0].constraints == ("scope:\n-\tx",)
    assert read.intents.items[0].owned_scope == ("a",)


@pytest.mark.parametrize("text", ["-\tid: A\n  name: b\n", "\t- id: A\n", "- id: A\n\tname: b\n"])
def test_a_tab_that_would_be_an_indent_stays_an_error(text: str) -> None:
    assert not read_intents(text).parsed


@pytest.mark.parametrize(
    "scope",
    [
        "[*.py, {a",
        "['a\n    b'c, d]",
        "[*.py, 'a",
        "[*.py, a}, b]",
        "[{a\n  b}/c]",
        "[*.py",
        "\n  - {a,b",
        "{a",
    ],
)
def test_what_is_open_at_the_end_of_its_line_stays_an_error(scope: str) -> None:
    assert not read_intents(f"{HEAD}  owned_scope: {scope}\n").parsed
