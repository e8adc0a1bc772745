"""A large file has as complete a record as a small one."""

import pytest

from intent_lsp.core.content import content_of
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.syntax.outline import file_fingerprint
from intent_lsp.governance.judging import edit_events
from tests.governance.editor import Editor

PATH = "src/auth/large.py"
WORDS = "what it says of itself, and what for; " * 3
TEXT = "".join(
    f"def f{n}(a):\n    return a + {n}\n\n\nC{n} = '{WORDS}'\n\n\n" for n in range(1_000, 1_800)
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parsing take its time: what becomes of it when it is too slow is tested elsewhere."""
    monkeypatch.setattr(edit_events, "PARSING_SECONDS", 60.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return a + 1500\n", "return a - 1500\n", MutationClass.INTENT_EVOLUTION),
        ("def f1500(a)", "def f1500(b)", MutationClass.INTENT_EVOLUTION),
        ("return a + 1500\n", "return a + 1500  # said\n", MutationClass.DOCUMENTATION),
        ("return a + 1500\n", "return (a + 1500)\n", MutationClass.AST_REFACTOR),
    ],
)
def test_a_large_file_has_a_class_and_a_fingerprint(
    editor: Editor, old: str, new: str, expected: MutationClass
) -> None:
    editor.select("INT-001")
    assert len(TEXT) > 100_000
    editor.save(PATH, TEXT)
    after = TEXT.replace(old, new)
    record = editor.save(PATH, after).record
    assert record is not None
    assert record.mutation_class is expected
    assert (
        record.files[0].ast_fingerprint
        == file_fingerprint(PATH, content_of(after.encode()))
        is not None
    )


def test_its_tree_is_kept_for_the_next_save(editor: Editor) -> None:
    editor.select("INT-001")
    editor.save(PATH, TEXT)
    known = editor.governance.stores.trees.tree(PATH, content_of(TEXT.encode()), lambda: True)
    assert known is not None
