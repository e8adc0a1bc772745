"""`intent-lsp trace show`, with the lines that a record changed."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.content import content_of, hash_if_there
from intent_lsp.core.records import RecordFile
from intent_lsp.formats.diff import file_ranges
from intent_lsp.store.state.blob_cache import BlobCache
from tests.doors.cli.conftest import Shell, Terminal
from tests.support.ledgers import edit, ledger_at

OLD = "".join(f"line {number}\n" for number in range(1, 7)).encode()
NEW = OLD.replace(b"line 2\n", b"line two\n\tline II\n").replace(b"line 6\n", b"")
PLAIN = edit().files[0]


def changed(
    before: bytes | None, after: bytes | None, path: str = "src/a.py", **told: object
) -> RecordFile:
    talk = replace(
        PLAIN.conversations[0], ranges=file_ranges(content_of(before), content_of(after))
    )
    file = replace(
        PLAIN,
        relative_path=path,
        pre_hash=hash_if_there(before),
        post_hash=hash_if_there(after),
        conversations=(talk,),
    )
    return replace(file, **told)  # type: ignore[arg-type]  # a test's shorthand


def shown(shell: Shell, root: Path, *files: RecordFile, words: tuple[str, ...] = ()) -> list[str]:
    """Record an edit of files, show it, and give the lines of the diff."""
    ledger = ledger_at(root)
    record = ledger.append(edit(files=files))
    ledger.close()
    said = shell("trace", "show", record.id, *words)
    assert (said.status, said.err) == (0, "")
    _, _, diff = said.out.partition("\n\n")
    return diff.splitlines()


def keep(root: Path, *contents: bytes) -> None:
    for data in contents:
        BlobCache(root).put(data)


DIFF = [
    "--- src/a.py",
    "+++ src/a.py",
    "@@ -1,6 +1,6 @@",
    " line 1",
    "-line 2",
    "+line two",
    "+   line II",
    " line 3",
    " line 4",
    " line 5",
    "-line 6",
]


def test_both_sides_are_compared_where_both_are_kept(shell: Shell, root: Path) -> None:
    keep(root, OLD, NEW)
    assert shown(shell, root, changed(OLD, NEW)) == DIFF


def test_the_file_as_it_is_now_is_a_side(shell: Shell, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "a.py").write_bytes(NEW)
    keep(root, OLD)
    assert shown(shell, root, changed(OLD, NEW)) == DIFF


def test_lines_can_be_left_out(shell: Shell, root: Path) -> None:
    keep(root, OLD, NEW)
    assert shown(shell, root, changed(OLD, NEW), words=("--no-diff",)) == []


def test_one_side_is_shown_by_its_ranges(shell: Shell, root: Path) -> None:
    keep(root, NEW)
    assert shown(shell, root, changed(OLD, NEW)) == [
        "--- src/a.py",
        "+++ src/a.py",
        "@@ -2,1 +2,2 @@",
        "\\ 1 line that stood here before: the text was not kept",
        "+line two",
        "+   line II",
        "@@ -6,1 +6,0 @@",
        "\\ 1 line that stood here before: the text was not kept",
    ]


def test_the_other_side_too(shell: Shell, root: Path) -> None:
    keep(root, OLD)
    assert shown(shell, root, changed(OLD, NEW)) == [
        "--- src/a.py",
        "+++ src/a.py",
        "@@ -2,1 +2,2 @@",
        "\\ 2 lines that came in their place: the text was not kept",
        "-line 2",
        "@@ -6,1 +6,0 @@",
        "-line 6",
    ]


@pytest.mark.parametrize(
    ("file", "kept", "lines"),
    [
        (changed(None, b"a\nb"), [b"a\nb"], ["--- /dev/null", "+++ src/a.py", "@@ -0,0 +1,2 @@"]),
        (changed(b"a\n", None), [b"a\n"], ["--- src/a.py", "+++ /dev/null", "@@ -1,1 +0,0 @@"]),
        (
            changed(b"a\n", b"b\n", previous_path="src/old.py"),
            [],
            [
                "--- src/old.py",
                "+++ src/a.py",
                "\\ not shown, because the contents before and after the edit were not kept",
            ],
        ),
        (
            changed(b"a\0\xff", b"b\0\xff"),
            [b"a\0\xff", b"b\0\xff"],
            [
                "--- src/a.py",
                "+++ src/a.py",
                "\\ not compared, because the file is not text or too large",
            ],
        ),
        (
            changed(b"a\0\xff", b"b\0\xff"),
            [b"a\0\xff"],
            [
                "--- src/a.py",
                "+++ src/a.py",
                "\\ not compared, because the file is not text or too large",
            ],
        ),
        (
            changed(b"\xff", b"b\n"),
            [b"b\n"],
            [
                "--- src/a.py",
                "+++ src/a.py",
                "\\ not compared, because the file is not text or too large",
            ],
        ),
        (changed(b"a\n", b"a\n", previous_path="src/old.py"), [b"a\n"], []),
    ],
)
def test_what_is_not_there_or_not_kept_is_said(
    shell: Shell, root: Path, file: RecordFile, kept: list[bytes], lines: list[str]
) -> None:
    keep(root, *kept)
    assert shown(shell, root, file)[: len(lines) or None] == lines


def test_each_file_has_its_own_diff(shell: Shell, root: Path) -> None:
    keep(root, b"a\n", b"b\n")
    files = changed(b"a\n", b"b\n", "one"), changed(b"b\n", b"a\n", "two")
    told = ["@@ -1,1 +1,1 @@"]
    assert shown(shell, root, *files) == [
        *["--- one", "+++ one", *told, "-a", "+b", ""],
        *["--- two", "+++ two", *told, "-b", "+a"],
    ]


def test_a_hostile_line_is_spelled_out(shell: Shell, root: Path) -> None:
    keep(root, b"", "\x1b[2J\u202e \n".encode())
    assert shown(shell, root, changed(b"", "\x1b[2J\u202e \n".encode()))[-1] == (
        "+\\x1b[2J\\u202e "
    )


def test_a_terminal_has_colours(shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    keep(root, OLD, NEW)
    ledger = ledger_at(root)
    record = ledger.append(edit(files=(changed(OLD, NEW),)))
    ledger.close()
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    shell("trace", "show", record.id)
    assert "\x1b[31m-line 2 " in out.getvalue()
    assert "\x1b[32m+line two " in out.getvalue()
