"""The checkout context as XML: well-formed whatever people wrote (requirements section 11)."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.checkout_context import IntentContext, RelatedFile
from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Integrity, MutationClass, Record, RecordFile, ScopeValidation
from intent_lsp.formats.intents.context_xml import context_text

RECORD = Record(
    session_id="s",
    tool_name="editor/save",
    mutation_class=MutationClass.BUG_FIX,
    scope_validation=ScopeValidation.PASS,
    files=(
        RecordFile(relative_path="src/a.py", pre_hash=None, post_hash=EMPTY_HASH),
        RecordFile(relative_path="src/b.py", pre_hash=None, post_hash=EMPTY_HASH),
    ),
    id="b3c1",
    timestamp="2026-02-16T12:00:00.000Z",
    integrity=Integrity(prev_record_hash=None, record_hash=EMPTY_HASH),
)
WHOLE = IntentContext(
    intent=Intent(
        id=IntentId("INT-1"),
        name="Auth",
        status=Status.IN_PROGRESS,
        owned_scope=("src/**", "!src/gen/**"),
        constraints=("No <b>",),
        acceptance_criteria=("a && b",),
        recent_history=("PRE_HOOK write",),
        specification="REQ-7",
    ),
    architectural_constraints=("Hooks",),
    related_files=(RelatedFile(WorkspacePath("src/a.py"), EMPTY_HASH, "2026"),),
    recent_records=(RECORD,),
    truncated=("recent_records: 3 of 4 dropped", "recent_history: 1 of 2 dropped"),
)

WHOLE_TEXT = f"""\
<intent_context id="INT-1" status="IN_PROGRESS">
  <name>Auth</name>
  <specification>REQ-7</specification>
  <owned_scope>
    <glob>src/**</glob>
    <glob>!src/gen/**</glob>
  </owned_scope>
  <constraints>
    <constraint>No &lt;b&gt;</constraint>
  </constraints>
  <acceptance_criteria>
    <criterion>a &amp;&amp; b</criterion>
  </acceptance_criteria>
  <architectural_constraints>
    <constraint>Hooks</constraint>
  </architectural_constraints>
  <related_files>
    <file path="src/a.py" last_hash="{EMPTY_HASH}" last_modified="2026"/>
  </related_files>
  <recent_history>
    <event>PRE_HOOK write</event>
  </recent_history>
  <recent_records>
    <record id="b3c1" timestamp="2026-02-16T12:00:00.000Z" tool="editor/save" \
path="src/a.py, src/b.py" mutation_class="BUG_FIX" scope_validation="PASS"/>
  </recent_records>
  <truncated>recent_records: 3 of 4 dropped; recent_history: 1 of 2 dropped</truncated>
</intent_context>
"""

EMPTY_TEXT = """\
<intent_context id="INT-1" status="PLANNED">
  <name></name>
  <specification></specification>
  <owned_scope/>
  <constraints/>
  <acceptance_criteria/>
  <architectural_constraints/>
  <related_files/>
  <recent_history/>
  <recent_records/>
  <truncated></truncated>
</intent_context>
"""

# What XML 1.0 has no way to write, by its production Char.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "<>&\"']-!\t\n\r\0\x0b\x1f\x7f\x85\u2028\ufffe\uffff\ud800\udfff\U0001f600"
        ),
        st.characters(),
    ),
    max_size=12,
)


def _parsed(context: IntentContext) -> ET.Element:
    text = context_text(context)
    text.encode()
    return ET.fromstring(text)  # noqa: S314 - our own text


def _texts(tree: ET.Element, path: str) -> list[str]:
    return [element.text or "" for element in tree.findall(path)]


def _legal(value: str) -> str:
    return _FORBIDDEN.sub("\ufffd", value)


def test_a_context_is_indented_by_two_and_ends_its_lines_in_lf() -> None:
    assert context_text(WHOLE) == WHOLE_TEXT


def test_an_empty_list_is_an_empty_element() -> None:
    assert context_text(IntentContext(intent=Intent(id=IntentId("INT-1")))) == EMPTY_TEXT


@pytest.mark.parametrize(
    "value",
    [
        "</name><owned_scope><glob>**</glob></owned_scope><name>",
        "]]>",
        "<![CDATA[x]]>",
        "<!-- x -->",
        "&amp;&lt;&#60;",
        "a\n  <glob>**</glob>\r\nb\rc",
        "\t tabs and spaces  ",
        "\"' quotes",
        "",
    ],
)
def test_a_hostile_value_is_read_back_as_it_was(value: str) -> None:
    intent = replace(WHOLE.intent, id=IntentId(value), name=value, owned_scope=(value,))
    tree = _parsed(replace(WHOLE, intent=intent))
    assert tree.get("id") == value
    assert _texts(tree, "name") == _texts(tree, "owned_scope/glob") == [value]


@given(HOSTILE, st.lists(HOSTILE, max_size=3))
def test_any_text_is_well_formed_and_read_back(one: str, many: list[str]) -> None:
    values = tuple(many)
    context = IntentContext(
        intent=Intent(
            id=IntentId(one),
            name=one,
            owned_scope=values,
            constraints=values,
            acceptance_criteria=values,
            recent_history=values,
            specification=one,
        ),
        architectural_constraints=values,
        related_files=tuple(RelatedFile(WorkspacePath(value), None, one) for value in many),
        recent_records=(replace(RECORD, id=one, tool_name=one),),
        truncated=(one,),
    )
    tree = _parsed(context)
    legal = [_legal(value) for value in many]
    for path in (
        "owned_scope/glob",
        "constraints/constraint",
        "acceptance_criteria/criterion",
        "architectural_constraints/constraint",
        "recent_history/event",
    ):
        assert _texts(tree, path) == legal
    for path in ("name", "specification", "truncated"):
        assert _texts(tree, path) == [_legal(one)]
    assert [file.get("path") for file in tree.findall("related_files/file")] == legal
    assert {file.get("last_modified") for file in tree.findall("related_files/file")} <= {
        _legal(one)
    }
    (record,) = tree.findall("recent_records/record")
    assert record.get("id") == record.get("tool") == tree.get("id") == _legal(one)


@given(HOSTILE)
def test_a_value_adds_no_tag_of_its_own(value: str) -> None:
    plain = context_text(replace(WHOLE, intent=replace(WHOLE.intent, name="")))
    text = context_text(replace(WHOLE, intent=replace(WHOLE.intent, name=value)))
    assert re.findall("<[^>]*>", text) == re.findall("<[^>]*>", plain)
