"""The message of a violation as Markdown (protocol section 4.2)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode, HostCode, ShownCode
from intent_lsp.formats.markdown.editor_text import (
    LinkedText,
    ViolationText,
    violation_markdown,
)

FILE = "file:///w/.orchestration/active_intents.yaml"
BILLING = LinkedText("INT-002 (Billing)", f"{FILE}#L12")
NEW = "create an intent for this file, or revert the lines"
COMPARE = "compare with the version on disk"
THERE = "in its own workspace, or replace the link by a file"
NOT_MEANT = "and revert the file if you do not want the change"
BOOKS = LinkedText("INT-003", f"{FILE}#L20")


OUT = ViolationText(
    code=GateCode.SCOPE_VIOLATION,
    message="a.py is outside the scope of INT-001 (Login).",
    intent_id="INT-001",
    scope=("src/auth/**",),
    scope_uri=f"{FILE}#L5",
    owners=(),
)


def markdown_of(**changes: Any) -> str:
    return violation_markdown(replace(OUT, **changes))


def test_out_of_scope_it_has_the_scope_the_owner_and_the_way_out() -> None:
    assert markdown_of(owners=(BILLING, BOOKS)).split("\n\n") == [
        "a.py is outside the scope of INT-001 (Login).",
        f"[Scope of INT-001]({FILE}#L5): `src/auth/**`",
        f"Owned by [INT-002 (Billing)]({FILE}#L12), [INT-003]({FILE}#L20)",
        "Way out: select an owner, expand the scope of INT-001, or revert the lines.",
    ]
    assert markdown_of(scope_uri=None, scope=()).split("\n\n")[1:] == [
        "Scope of INT-001: nothing",
        "Way out: expand the scope of INT-001, or revert the lines.",
    ]


@pytest.mark.parametrize(
    ("code", "owners", "way"),
    [
        (GateCode.NO_ACTIVE_INTENT, (), f"select an intent, {NEW}"),
        (GateCode.INTENT_NOT_FOUND, (BILLING,), f"select an owner, {NEW}"),
        (GateCode.INTENT_CLOSED, (BILLING, BOOKS), f"select an owner, {NEW}"),
        (GateCode.INTENT_IGNORED, (), f"select an intent, {NEW}"),
        (GateCode.STALE_FILE, (), f"{COMPARE}, and take it or save yours over it"),
        (GateCode.OUTSIDE_WORKSPACE, (), f"edit the target {THERE}"),
        (GateCode.PATH_DENIED, (), "leave the file alone; a person may edit it"),
        (ShownCode.CONTROL_PLANE_EDIT, (), "revert the file"),
        (HostCode.REFUSAL_IGNORED, (), f"run `intent-lsp doctor`, {NOT_MEANT}"),
    ],
)
def test_each_code_has_its_way_out(code: str, owners: tuple[LinkedText, ...], way: str) -> None:
    said = markdown_of(code=code, message="Said.", owners=owners).split("\n\n")
    assert said[0] == "Said."
    assert said[-1] == f"Way out: {way}."
    # The scope is the reason for one code alone.
    assert not any("Scope of" in part for part in said)
    assert sum(part.startswith("Owned by") for part in said) == bool(owners)


@pytest.mark.parametrize("code", [ShownCode.MORE_VIOLATIONS, HostCode.GATE_BLIND])
def test_what_has_no_way_out_of_its_own_is_the_sentence_alone(code: str) -> None:
    assert markdown_of(code=code, message="12 more violations in this file are not shown.") == (
        "12 more violations in this file are not shown."
    )


def test_of_a_long_scope_ten_globs_are_shown() -> None:
    globs = tuple(f"src/{number}/**" for number in range(12))
    (scope,) = (part for part in markdown_of(scope=globs).split("\n\n") if "Scope of" in part)
    assert scope.endswith("`src/9/**` and 2 more")
    assert "src/10" not in scope


_MARKDOWN = MarkdownIt("commonmark")
_MARKDOWN.validateLink = lambda _: True  # It would show a link to a file as text.

HOSTILE = st.text(
    alphabet=st.characters(blacklist_categories=("Cs",)), max_size=30
) | st.sampled_from(
    [
        "](http://x)",
        "<script>",
        "`` ` ``",
        "a\nb\r\n# c",
        "**bold**",
        "\u202e\x1b[31m",
        "![x](y)",
        "\\",
    ]
)


@given(message=HOSTILE, name=HOSTILE, glob=HOSTILE)
def test_no_value_acts_as_markup_or_adds_a_line(message: str, name: str, glob: str) -> None:
    owner = LinkedText(name, BILLING.uri)
    said = markdown_of(message=message, owners=(owner,), scope=(glob,))
    parts = said.split("\n\n")
    # A message of blanks is an empty paragraph.
    assert len(parts) == 4
    assert "\n" not in "".join(parts)
    assert "\r" not in said
    message_kinds, _, owner_kinds, _ = map(_kinds, parts)
    assert message_kinds <= {"text", "text_special"}
    assert owner_kinds == {"text", "link_open", "link_close"} | owner_kinds & {"text_special"}
    assert said.count(f"]({owner.uri})") == 1


def _kinds(part: str) -> set[str]:
    """Return the kinds of what Markdown shows of one paragraph."""
    inline = (token for token in _MARKDOWN.parse(part) if token.type == "inline")
    return {child.type for token in inline for child in token.children or ()}
