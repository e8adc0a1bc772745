"""Our files in an editor without our server: yaml-language-server reads the published schemas."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS, ROOT_TEXTS, STATUS_TEXTS
from intent_lsp.formats.key_texts.policy_keys import POLICY_TEXTS, PRIVACY_TEXTS
from intent_lsp.store.packaged_files import template
from tests.support.schema_files import FOLDER
from tests.support.yaml_language_server import YamlEditor, yaml_editor

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YamlEditor]:
    with yaml_editor(tmp_path_factory.mktemp("yaml")) as found:
        yield found


def modeline(schema: str) -> str:
    return f"# yaml-language-server: $schema={(FOLDER / f'{schema}.json').as_uri()}\n"


def opened(editor: YamlEditor, schema: str, text: str) -> tuple[str, int, int, list[str]]:
    """Open a text in which `|` marks a place; return its URI, the place, and the problems."""
    before, _, after = text.partition("|")
    lines = (modeline(schema) + before).split("\n")
    uri = editor.open(modeline(schema) + before + after)
    return uri, len(lines) - 1, len(lines[-1]), editor.problems(uri)


def proposed(editor: YamlEditor, schema: str, text: str) -> dict[str, str]:
    uri, line, character, _ = opened(editor, schema, text)
    return editor.completions(uri, line, character)


def test_the_missing_keys_of_an_intent_are_proposed_with_their_texts(editor: YamlEditor) -> None:
    said = proposed(editor, "intents", "active_intents:\n  - id: INT-1\n    name: x\n    |\n")
    wanted = {key: text.description for key, text in ENTRY_TEXTS.items()}
    del wanted["id"], wanted["name"]
    assert said == wanted


def test_the_key_at_the_root_is_proposed(editor: YamlEditor) -> None:
    said = proposed(editor, "intents", "|\n")
    assert said["active_intents"] == ROOT_TEXTS["active_intents"].description


def test_the_words_of_a_status_are_proposed_with_their_meaning(editor: YamlEditor) -> None:
    said = proposed(editor, "intents", "active_intents:\n  - id: INT-1\n    status: |\n")
    assert {word: said[word] for word in Status} == STATUS_TEXTS
    assert said.keys() - set(Status) <= {"null"}


def test_the_keys_of_the_policy_are_proposed_with_their_texts(editor: YamlEditor) -> None:
    said = proposed(editor, "policy", "sidecar:\n  |\n")
    assert said == {key: text.description for key, text in POLICY_TEXTS.items()}
    said = proposed(editor, "policy", "sidecar:\n  privacy:\n    |\n")
    assert said == {key: text.description for key, text in PRIVACY_TEXTS.items()}


def test_the_words_of_a_key_of_the_policy_are_proposed(editor: YamlEditor) -> None:
    said = proposed(editor, "policy", "sidecar:\n  hitl: |\n")
    assert said.items() >= POLICY_TEXTS["hitl"].words.items()


def test_a_hover_says_what_a_key_means(editor: YamlEditor) -> None:
    text = "active_intents:\n  - id: INT-1\n    constr|aints: []\n"
    uri, line, character, problems = opened(editor, "intents", text)
    assert problems == []
    said = editor.hover(uri, line, character)
    assert ENTRY_TEXTS["constraints"].title in said
    assert ENTRY_TEXTS["constraints"].description in said


@pytest.mark.parametrize(("schema", "path"), [("intents", INTENTS_FILE), ("policy", POLICY_FILE)])
def test_a_new_file_has_no_problem(editor: YamlEditor, schema: str, path: str) -> None:
    *_, problems = opened(editor, schema, template(path))
    assert problems == []


INTENT = "active_intents:\n  - id: INT-1\n    "


@pytest.mark.parametrize(
    ("schema", "text", "problem"),
    [
        ("intents", "active_intents:\n  - name: x\n", 'Missing property "id".'),
        ("intents", "intents: []\n", 'Missing property "active_intents".'),
        ("intents", INTENT + "scope: [a]\n", "Property scope is not allowed."),
        ("intents", INTENT + "status: odd\n", 'Value must be "PLANNED" | "IN_PROGRESS" |'),
        ("intents", INTENT + "owned_scope: a\n", "Incorrect type. Expected"),
        ("policy", "sidecar:\n  enforcment: warn\n", "Property enforcment is not allowed."),
        ("policy", "sidecar:\n  version: x\n", "Incorrect type. Expected"),
    ],
)
def test_what_breaks_the_schema_is_shown(
    editor: YamlEditor, schema: str, text: str, problem: str
) -> None:
    *_, problems = opened(editor, schema, text)
    assert [each[: len(problem)] for each in problems] == [problem]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("intents", INTENT + "status: done\n    created_at: 2026-01-01\n    name: 7\n"),
        ("intents", "active_intents:\n  - id: 001\n    owned_scope: [1, no, 'a']\n    name:\n"),
        ("policy", "sidecar:\n  fail_open: yes\n  require_read: 'no'\n  hitl: Out-of-Scope\n"),
    ],
)
def test_what_is_read_without_a_finding_is_no_problem(
    editor: YamlEditor, schema: str, text: str
) -> None:
    *_, problems = opened(editor, schema, text)
    assert problems == []


def test_a_relative_modeline_is_found_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    name = "intents.json"
    (tmp_path / "schemas" / name).write_text((FOLDER / name).read_text(encoding="utf-8"))
    text = "# yaml-language-server: $schema=../schemas/intents.json\nactive_intents:\n  - a: 1\n"
    with yaml_editor(tmp_path) as editor:
        uri = editor.open(text, INTENTS_FILE)
        assert editor.problems(uri) == ['Missing property "id".']
