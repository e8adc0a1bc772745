"""Laws of globs without quotes: any printable text in a list of globs is read as it was meant."""

import re

from hypothesis import assume, example, given
from hypothesis import strategies as st

from intent_lsp.core.codes import FileCode
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.formats.intents.policy_file import read_policy

SPECIAL = "*?!{}[](),|&@%`'\"#:->~^$+=./\\<x \t\xa0\u3000\u00e9\U0001f600"
PIECES = ("**/", "*.py", "- ", ": ", "? ", "!!", "!!str", "src/", "''", '""', "---", "...", "<<")
NEIGHBOURS = {"a/**": "a/**", "'b c'": "b c", '"d"': "d", "*.md": "*.md", "{e,f}/g": "{e,f}/g"}
QUOTED = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+\"""")
TAG = re.compile(r"!!(?:str|null|bool|int|float|timestamp|binary|seq|map|omap|pairs|set)\b")
BLOCK_TEXT = re.compile(r"[|>](?:[-+][1-9]?|[1-9][-+]?)?")

printable = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn"))
globs = (
    st.lists(
        st.one_of(st.sampled_from(SPECIAL), st.sampled_from(PIECES), printable),
        min_size=1,
        max_size=8,
    )
    .map("".join)
    .map(lambda text: text.strip(" \t"))
    .filter(lambda text: bool(text) and "\ufeff" not in text)
)
line_ends = st.sampled_from(("\n", "\r\n", "\r"))
neighbours = st.sampled_from(tuple(NEIGHBOURS))
comments = st.sampled_from(("", "  # why", "\t# it's: [x", " \t"))
gaps = st.sampled_from((" ", "   ", "\t", " \t "))


def uncommented(line: str) -> str:
    return re.split(r"[ \t]#", line, maxsplit=1)[0].rstrip(" \t")


def left_to_yaml(body: str) -> bool:
    """Return whether an item is YAML on purpose, or open at its end, by requirements section 3.4.

    A `#` directly behind a closing quote begins a comment to the parser.
    """
    quoted = QUOTED.match(body)
    if body[0] in "\"'":
        return quoted is None or not body[quoted.end() :] or body[quoted.end()] == "#"
    return bool(TAG.match(body) or BLOCK_TEXT.fullmatch(body))


def opened(body: str) -> bool:
    """Return whether brackets at the beginning of an item are not closed, or too many are."""
    depth = sum((each in "{[(") - (each in ")]}") for each in body)
    return body[0] in "{[" and depth != 0


def whole_in_flow(body: str) -> bool:
    """Return whether a text is one item between commas, with its quotes and brackets closed."""
    depth, quoted = 0, QUOTED.match(body)
    for at in range(quoted.end() if quoted else 0, len(body)):
        here = body[at]
        if (depth == 0 and here in ",]") or (here == "#" and at and body[at - 1] in " \t"):
            return False
        depth += (here in "{[(") - (here in ")]}")
        if depth < 0:
            return False
    return depth == 0


def scope_of(read: IntentsFile, text: str) -> tuple[str, ...]:
    assert read.parsed, (read.findings, text)
    return read.intents.items[0].owned_scope


def quoted_again(read: IntentsFile, text: str) -> None:
    """Assert that the fixes *Quote it* leave the globs as they are, and no finding of them."""
    fixes = [it.fixes[0] for it in read.findings if it.code is FileCode.YAML_UNQUOTED_GLOB]
    changes = sorted((each for fix in fixes for each in fix.changes), key=lambda it: it.span)
    after = read_intents(apply_changes(text, changes))
    assert after.intents == read.intents
    assert all(each.code is not FileCode.YAML_UNQUOTED_GLOB for each in after.findings)


@given(globs, comments, gaps, st.tuples(neighbours, neighbours | st.just("")), line_ends)
@example("!!src/**", "", " ", ("a/**", "*.md"), "\n")
@example("*a\u3000", "", " ", ("a/**", ""), "\n")
@example("x", "", "\t", ("a/**", ""), "\r\n")
@example("\xa0", "", "\t", ("a/**", "'b c'"), "\r\n")
@example("|0", "", " ", ("a/**", "*.md"), "\n")
def test_any_printable_glob_is_read_in_a_block_list(
    glob: str, comment: str, gap: str, around: tuple[str, str], line_end: str
) -> None:
    body = uncommented(glob + comment)
    assume(body and body[0] != "#" and not left_to_yaml(body) and not opened(body))
    # Behind a tab, what looks like a mapping may be one.
    assume("\t" not in gap or re.match(r"([\"']?)[\w-]+\1 *:(?=[ \t]|\Z)", body) is None)
    before, after = around
    items = [before, glob + comment, *([after] if after else [])]
    lines = ["active_intents:", "- id: A", "  owned_scope:", *(f"  -{gap}{it}" for it in items)]
    # Without a neighbour below it, the glob is the end of the text.
    text = line_end.join([*lines, "  status: DONE", ""] if after else lines)
    read = read_intents(text)
    meant = (NEIGHBOURS[before], body, *([NEIGHBOURS[after]] if after else []))
    assert scope_of(read, text) == meant
    quoted_again(read, text)


FLOW_FORMS = (
    "  owned_scope: [{0}, {1}, {2}]",
    "  owned_scope: [{0},{1} ,{2}] # why",
    "  owned_scope: [\t{0}\t,\t{1}\t,\t{2}\t]",
    "  owned_scope: [{n}    {0}, # it's{n}    {1},{n}{n}    {2}{n}  ]",
    "  owned_scope: [{n}\t{0},{n}\t{1},{n}\t{2}{n}  ]",
    "  owned_scope:{n}    [{0}, {1}, {2}]",
    "  scope: {{paths: [{0}, {1}, {2}]}}",
)


@given(globs, st.tuples(neighbours, neighbours), line_ends, st.sampled_from(FLOW_FORMS))
@example("|", ("a/**", "*.md"), "\n", FLOW_FORMS[0])
@example("a:?b", ("a/**", "*.md"), "\n", FLOW_FORMS[0])
@example("!!x", ("a/**", "*.md"), "\r", FLOW_FORMS[4])
@example("(]*", ("a/**", "*.md"), "\n", FLOW_FORMS[0])
def test_any_printable_glob_is_read_in_a_flow_list(
    glob: str, around: tuple[str, str], line_end: str, form: str
) -> None:
    assume(glob[0] != "#" and whole_in_flow(glob) and TAG.match(glob) is None)
    assume(glob[0] not in "\"'" or (QUOTED.match(glob) and not QUOTED.fullmatch(glob)))
    scope = form.format(around[0], glob, around[1], n=line_end)
    text = line_end.join(["active_intents:", "- id: A", scope, "  status: DONE", ""])
    read = read_intents(text)
    assert scope_of(read, text) == (NEIGHBOURS[around[0]], glob, NEIGHBOURS[around[1]])
    quoted_again(read, text)


@given(globs, comments, line_ends)
@example("{a,b}/**", "", "\n")
@example("[ab]*.py", "  # why", "\n")
@example('"a"/b', "", "\r\n")
def test_any_printable_glob_of_a_rule_is_read(glob: str, comment: str, line_end: str) -> None:
    body = uncommented(glob + comment)
    assume(body and body[0] != "#" and not left_to_yaml(body) and body not in ("~", "null"))
    assume(body[0] not in "[{" or re.fullmatch(r"(\[\w+\]|\{\w+,\w+\})[/*.\w]+", body))
    assume(re.fullmatch(r"&[\w-]+", body) is None)
    rule = f"  - path_glob: {glob}{comment}"
    text = line_end.join(["sidecar:", "  deny_mutations:", rule, "    reason: r", ""])
    read = read_policy(text)
    assert read.parsed, (read.findings, text)
    (found,) = read.policy.deny_mutations
    assert (found.path_glob, found.reason) == (body, "r")


@given(st.text(max_size=200))
def test_any_text_below_a_key_of_globs_is_read_or_refused(rest: str) -> None:
    for head in ("- id: A\n  owned_scope:", "- id: A\n  owned_scope:\n  - ", "- {owned_scope: ["):
        read_intents(head + rest)
    read_policy("deny_mutations: [{path_glob: " + rest)
