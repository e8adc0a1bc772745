"""A patch names its files, whichever form it has and however it is spelled."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.commands.reading import Effect
from intent_lsp.formats.patch.headers import PatchedFile
from intent_lsp.formats.patch.reader import PatchReading, read_patch
from tests.support.repository import Repository

NOTHING = "the patch names no file"
CASES = Path(__file__).parent / "data" / "patches.txt"


def spelled(file: PatchedFile) -> str:
    """Write a file as the cases do: an effect, a path, where it was, `?` for a doubtful one."""
    before = f" from {file.previous}" if file.previous is not None else ""
    return f"{file.effect} {file.path}{before}{' ?' if file.doubtful else ''}"


def sure(reading: PatchReading) -> list[tuple[str, Effect, str | None]]:
    return [(file.path, file.effect, file.previous) for file in reading.files if not file.doubtful]


def read_cases() -> list[Any]:
    found = []
    for story in CASES.read_text().split("\n=== ")[1:]:
        title, _, rest = story.partition("\n")
        rest = rest.replace("<TAB>", "\t").replace("<SPACE>", " ")
        told, _, text = rest.partition("\n---8<---\n")
        expected = told.split("\n")
        found.append(pytest.param(expected, text, id=title.replace(" ", "_")))
    return found


@pytest.mark.parametrize(("expected", "text"), read_cases())
def test_the_case_names_these_files(expected: list[str], text: str) -> None:
    reading = read_patch(text)
    found = [spelled(file) for file in reading.files]
    assert [*found, *(f"! {problem}" for problem in reading.problems)] == expected


@pytest.mark.parametrize(("expected", "text"), read_cases())
def test_line_ends_and_prose_around_change_nothing(expected: list[str], text: str) -> None:
    plain = read_patch(text)
    assert read_patch(text.replace("\n", "\r\n")) == plain
    assert read_patch("Here it is, as asked:\n\n" + text).files == plain.files
    assert len(plain.files) == sum(not line.startswith("!") for line in expected)


HOSTILE = [
    "*** Begin Patch", "*** Update File: a", " *** Update File: b", "*** Move to: c",
    "*** End Patch", "*** Add File:", "*** a/x", "***************", "*** 1,2 ****",
    "--- 1,2 ----", "--- a/x", "+++ b/y", "--- /dev/null",
    "+++ /dev/null", "+++ ", "@@ -1 +1 @@", "@@ -1,9 +1,9 @@", "@@",
    "diff --git a/x b/x", "diff --git a b c", 'diff --git "a/\\303" b/x', "rename from x",
    "rename to y", "copy from x", "copy to z", "deleted file mode 100644", "new file mode 100644",
    "Index: x", "=" * 67, "GIT binary patch", '--- "a/\\q"', "@@ -1," + "9" * 5000 + " +1 @@",
    "-x", "+x", " x", "", "\t", "\0", "\ud800",
]  # fmt: skip
LINES = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))


@given(st.one_of(st.text(), st.lists(LINES, max_size=14).map("\n".join)))
def test_any_text_is_read_and_says_so_where_it_names_nothing(text: str) -> None:
    reading = read_patch(text)
    assert (NOTHING in reading.problems) == (not reading.files)
    assert len(set(reading.files)) == len(reading.files)
    assert all(file.path for file in reading.files)
    certain = {path for path, _, _ in sure(reading)}
    assert not certain & {file.path for file in reading.files if file.doubtful}


@pytest.mark.parametrize(
    "text",
    [
        " " * 200_000 + "x",
        "--- a/" + " " * 200_000 + "x\n+++ b/x",
        "diff --git " + "a/ " * 60_000,
        '--- "' + "\\303" * 50_000 + "\n+++ b/x",
        "*** " * 50_000,
        "--- a\n+++ b\n" * 5_000,
        "@@ -1,99999 +1,99999 @@\n" + "--- a\n" * 50_000,
    ],
)
def test_a_hostile_text_is_read_in_one_go(text: str) -> None:
    assert read_patch(text) == read_patch(text)


# --- Laws: texts made of files name these files ---

NAMES = st.lists(
    st.text(st.sampled_from('ab.é"\\\t -*+@'), min_size=1, max_size=6).filter(
        lambda part: part.strip(". ") and part.strip() == part
    ),
    min_size=1,
    max_size=3,
).map("/".join)
BODY = st.lists(
    st.sampled_from(["x", "", "-- a/other", "++ b/other", "@@ -1 +1 @@", "*** Delete File: other"]),
    max_size=4,
)
CHANGES = st.lists(
    st.tuples(st.sampled_from(Effect), NAMES, NAMES, BODY, BODY),
    max_size=5,
    unique_by=(lambda change: change[1], lambda change: change[2]),
).filter(lambda all_: not {each[1] for each in all_} & {each[2] for each in all_})
Change = tuple[Effect, str, str, list[str], list[str]]


def quoted(name: str) -> str:
    if not set(name) & set('"\\\t') and name.isascii():
        return name
    octal = "".join(chr(b) if b < 128 else f"\\{b:03o}" for b in _escaped(name).encode())
    return f'"{octal}"'


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def git_diff(change: Change) -> str:
    effect, name, new, removed, added = change
    after = new if effect is Effect.MOVE else name
    if effect is Effect.CREATE:
        removed = []
    if effect is Effect.DELETE:
        added = []
    lines = [f"diff --git {quoted(f'a/{name}')} {quoted(f'b/{after}')}"]
    if effect is Effect.MOVE:
        lines += ["similarity index 90%", f"rename from {quoted(name)}", f"rename to {quoted(new)}"]
    if effect in (Effect.CREATE, Effect.DELETE):
        lines += ["new file mode 100644" if effect is Effect.CREATE else "deleted file mode 100644"]
    lines += ["index 0000000..1111111"]
    if removed or added:
        old = "/dev/null" if effect is Effect.CREATE else quoted(f"a/{name}")
        now = "/dev/null" if effect is Effect.DELETE else quoted(f"b/{after}")
        tab = "\t" if " " in name or " " in after else ""
        lines += [f"--- {old}{tab}", f"+++ {now}{tab}"]
        lines += [f"@@ -1,{len(removed)} +1,{len(added)} @@ def f():"]
        lines += [*(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    return "\n".join(lines) + "\n"


def envelope(change: Change) -> str:
    effect, name, new, removed, added = change
    body = [*(f" {line}" for line in removed), *(f"+{line}" for line in added)]
    match effect:
        case Effect.CREATE:
            return "\n".join([f"*** Add File: {name}", *(f"+{line}" for line in added)]) + "\n"
        case Effect.DELETE:
            return f"*** Delete File: {name}\n"
        case Effect.WRITE:
            return "\n".join([f"*** Update File: {name}", "@@", *body]) + "\n"
        case Effect.MOVE:
            return "\n".join([f"*** Update File: {name}", f"*** Move to: {new}", "@@", *body, ""])


def named(changes: Iterable[Change]) -> list[tuple[str, Effect, str | None]]:
    return [
        (new, effect, name) if effect is Effect.MOVE else (name, effect, None)
        for effect, name, new, _, _ in changes
    ]


@given(CHANGES)
def test_a_git_diff_names_exactly_its_files(changes: list[Change]) -> None:
    reading = read_patch("".join(map(git_diff, changes)))
    assert sure(reading) == named(changes)
    assert all(not file.doubtful for file in reading.files)


AROUND = ["{}", "apply_patch <<'EOF'\n*** Begin Patch\n{}*** End Patch\nEOF\n"]


@given(CHANGES, st.sampled_from(AROUND), st.sampled_from(["", "  ", "\t"]))
def test_an_envelope_names_exactly_its_files(
    changes: list[Change],
    around: str,
    indent: str,
) -> None:
    text = around.format("".join(map(envelope, changes)))
    reading = read_patch("".join(indent + line for line in text.splitlines(keepends=True)))
    assert sure(reading) == named(changes)
    assert all(not file.doubtful for file in reading.files)


@given(CHANGES, CHANGES)
def test_one_text_may_hold_both_forms(first: list[Change], second: list[Change]) -> None:
    text = f"*** Begin Patch\n{''.join(map(envelope, first))}*** End Patch\n"
    reading = read_patch(text + "".join(map(git_diff, second)))
    assert set(sure(reading)) == {*named(first), *named(second)}


# --- git itself ---

ODD = [
    "plain.txt",
    "na ïve.txt",
    'q"uote\\.c',
    "tab\there",
    "dir/a b/c",
    "b/x",
    "a/x",
    "ü/-- x",
    "n\nl",
]
EFFECTS = {"M": Effect.WRITE, "A": Effect.CREATE, "D": Effect.DELETE}


def _content(chance: random.Random) -> str:
    lines = ["x", "-- a/plain.txt", "++ b/plain.txt", "@@ -1 +1 @@", "", "*** Add File: y"]
    return "".join(f"{chance.choice(lines)} {chance.random()}\n" for _ in range(12))


def _change(chance: random.Random, repository: Repository, number: int) -> None:
    present = sorted(repository.git("ls-files", "-z").split("\0")[:-1])
    name = chance.choice(present)
    path = repository.root / name
    match chance.choice(["edit", "edit", "delete", "rename", "create", "binary", "mode", "new"]):
        case "edit":
            path.write_text(path.read_text(errors="replace") + "more\n-- z\n")
        case "delete":
            repository.git("rm", "--quiet", "-f", "--", name)
        case "rename":
            target = f"{chance.choice(ODD)}{number}"
            repository.write(target, path.read_bytes() + chance.choice([b"", b"tail\n"]))
            repository.git("rm", "--quiet", "-f", "--", name)
        case "create":
            repository.write(f"{chance.choice(ODD)} {number}", _content(chance))
        case "binary":
            repository.write(f"{number}.bin", chance.randbytes(40) + b"\0")
        case "mode":
            path.chmod(path.stat().st_mode ^ 0o100)
        case _:
            repository.write(f"{chance.choice(ODD)}{number}.empty", "")


def _status(text: str) -> set[tuple[str, Effect, str | None]]:
    fields = iter(text.split("\0")[:-1])
    found: set[tuple[str, Effect, str | None]] = set()
    for status in fields:
        if status.startswith("R"):
            before = next(fields)
            found.add((next(fields), Effect.MOVE, before))
        else:
            found.add((next(fields), EFFECTS[status], None))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_what_git_says_that_it_changed_is_what_its_diff_names(
    repository: Repository, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 -- a story, no secret
    for name in ODD:
        repository.write(name, _content(chance))
    repository.commit()
    for number in range(10):
        _change(chance, repository, number)
        repository.git("add", "--all")
    told = _status(repository.git("diff", "-M", "--name-status", "-z", "HEAD"))
    assert told
    for options in ([], ["--binary"], ["-U0"], ["--patch-with-stat"], ["--diff-algorithm=minimal"]):
        for setting in ("core.quotePath=true", "core.quotePath=false"):
            text = repository.git("-c", setting, "diff", "-M", *options, "HEAD")
            assert set(sure(read_patch(text))) == told
    for options in (["--no-prefix"], ["--src-prefix=i/", "--dst-prefix=w/"]):
        reading = read_patch(repository.git("diff", "-M", *options, "HEAD"))
        files = {file.path for file in reading.files} | {file.previous for file in reading.files}
        assert {path for path, _, _ in told} <= files
        assert {before for _, _, before in told if before} <= files
