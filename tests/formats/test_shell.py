"""Shell commands become a class, the paths they would write, and what cannot be known."""

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.core.commands.reading import (
    CommandKind,
    CommandReading,
    Effect,
    TouchedPath,
    entered,
    together,
)
from intent_lsp.formats.shell.reader import MAX_NESTING, read_command
from intent_lsp.formats.shell.syntax import LOST_TEXT, MAX_COMMAND_BYTES
from intent_lsp.formats.shell.words import MAX_ALTERNATIVES
from intent_lsp.store.packaged_files import command_lists

SIGNS = {Effect.WRITE: "=", Effect.CREATE: "+", Effect.DELETE: "-", Effect.MOVE: ">"}
LISTS = command_lists()
DATA = Path(__file__).parent / "data" / "commands.txt"


def rows() -> Iterator[tuple[str, ...]]:
    """Give the rows of the table, each behind the heading that it stands under."""
    heading = ""
    for line in DATA.read_text("utf-8").splitlines():
        heading = line[3:] if line.startswith("## ") else heading
        if line and not line.startswith("#"):
            yield heading, *(field.strip() for field in line.split(" | ", 4))


TABLE = tuple(rows())
COMMANDS = [row[-1].replace("⏎", "\n") for row in TABLE]
LOST = "Not refused by name any more: "


def read(text: str) -> CommandReading:
    return read_command(text, LISTS)


def shown(reading: CommandReading) -> tuple[str, set[str], str]:
    paths = {SIGNS[touched.effect] + touched.path for touched in reading.paths}
    return reading.kind.name.lower(), paths, "?" if reading.unknown else ""


@pytest.mark.parametrize(("kind", "paths", "unknown", "command"), [(r[1], *r[3:]) for r in TABLE])
def test_a_command_has_its_class_and_its_paths(
    kind: str, paths: str, unknown: str, command: str
) -> None:
    expected = set(paths.split(", ")) - {""}
    assert shown(read(command.replace("⏎", "\n"))) == (kind, expected, unknown)


def test_the_table_is_large_and_has_no_row_twice() -> None:
    assert len(TABLE) >= 990
    assert len({row[-1] for row in TABLE}) == len(TABLE)


def test_no_more_is_exempt_than_when_texts_were_read_whole() -> None:
    assert {was for _, kind, was, *_ in TABLE if kind == "plain"} == {"exempt"}


def test_what_is_not_refused_by_name_any_more_has_a_reason() -> None:
    lost = [heading for heading, _, was, *_ in TABLE if " " in was]
    assert 0 < len(lost) < 10
    assert all(heading.startswith(LOST) and len(heading) > len(LOST) for heading in lost)


@pytest.mark.parametrize(
    ("command", "program", "sentence"),
    [
        ('rm "$FILE"', "rm", "`$FILE` gets its value only when the command runs"),
        (
            "foo x",
            "foo",
            "`foo` may change files: it is not in the list of programs that only read",
        ),
        (
            "ls && foo x",
            "foo",
            "`foo` may change files: it is not in the list of programs that only read",
        ),
        ("$CMD x", "$CMD", "`$CMD` gets its value only when the command runs"),
        (
            "git frobnicate",
            "git",
            "`git frobnicate` may change files: it is not in the list of commands that only read",
        ),
        (
            "git merge x",
            "git",
            "`git merge` may change files: it is not in the list of commands that only read",
        ),
        (
            "find . -exec rm {} +",
            "rm",
            "`find` fills in `{}` when it runs, so the file is not known before",
        ),
        (
            "find . -exec rm +",
            "rm",
            "`find` runs the command on files that it finds, so they are not known",
        ),
        (
            "ls | xargs rm",
            "rm",
            "`xargs` reads its arguments from its input, so they are not known",
        ),
        (
            "xargs -I% mv % d/",
            "mv",
            "`xargs` fills in `%` when it runs, so the file is not known before",
        ),
        (
            "python -m foo",
            "foo",
            "`foo` may change files: it is not in the list of programs that only read",
        ),
        ("rm $'\\x61'", "rm", "`\\x61` has escapes that are not parsed"),
        ("cp d/.. e/", "cp", "all files below `d/..` are written into `e/`"),
        ("black src", "black", "`black` may change any file below `src`"),
        ("", "", "The command is empty, or has only comments"),
        ("ls \\ x", "", LOST_TEXT),
        ("ls > \\ x", "ls", LOST_TEXT),
        ("ls (", "", "Parts of the command cannot be parsed"),
        (
            "ls > a <<E x\n`rm y`\nE",
            "ls",
            "A here-document has a backquote, so it may run a command that is not parsed",
        ),
        ("(ls) 2>&1 x", "", "`x` is an argument where bash allows none"),
        ("echo `ls \\`pwd\\``", "echo", "Backquotes inside backquotes are not parsed"),
        (
            "pytest `auth`",
            "pytest",
            "`auth` may change files: it is not in the list of programs that only read",
        ),
        (
            "ls > $(auth)",
            "ls",
            "`auth` may change files: it is not in the list of programs that only read",
        ),
        (
            "$(auth) x",
            "auth",
            "`auth` may change files: it is not in the list of programs that only read",
        ),
        ("pytest -q tests; rm $x", "rm", "`$x` gets its value only when the command runs"),
        ("PATH=/x ls", "ls", "the variable `PATH` may change which program runs"),
        (
            "bin/ls",
            "bin/ls",
            (
                "`bin/ls` may not be the program that its name says: it is not in a directory of"
                " the system"
            ),
        ),
    ],
)
def test_what_is_unknown_says_why(command: str, program: str, sentence: str) -> None:
    reading = read(command)
    assert sentence in reading.unknown
    assert reading.kind is CommandKind.CHANGING
    assert reading.program == program


def test_what_moves_or_is_copied_tells_where_it_came_from() -> None:
    assert read("cd d && mv a b").paths == (
        TouchedPath("d/a", Effect.DELETE),
        TouchedPath("d/b", Effect.MOVE, "d/a"),
    )
    assert read("cp x/a y/b z").paths == (
        TouchedPath("z/a", Effect.WRITE, "x/a"),
        TouchedPath("z/b", Effect.WRITE, "y/b"),
    )


def test_a_long_word_does_not_make_a_long_sentence() -> None:
    assert [len(text) for text in read(f'rm "${"x" * 5000}"').unknown] == [200]


def test_too_many_alternatives_are_unknown() -> None:
    word = "{a,b}" * 5
    assert len(read(f"rm {word}").paths) == 32
    many = read(f"rm {word}{word}")
    assert many.paths == ()
    assert many.unknown == (f"`{word}{word}` expands to too many words",)
    assert MAX_ALTERNATIVES == 64


def test_what_is_too_long_is_not_read() -> None:
    text = "ls " + "a" * MAX_COMMAND_BYTES
    assert read(text).unknown == ("The command is too long to be parsed",)


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 10_000, "$(" * 5_000, "`" * 10_000, '"$(' * 3_000, "{ " * 5_000, "<" * 2_000),
        *("if " * 3_000, "'" * 9_999, "a <<E " * 500, "\0rm x", "rm \0", "eval " * 500 + "rm x"),
        *("! " * 5_000 + "ls", "rm '\ud800'", "{" * 3_000 + "a,b" + "}" * 3_000),
        *("sudo " * 100 + "ls", "( " * MAX_NESTING + "ls" + " )" * MAX_NESTING),
        "ls | xargs " * 100 + "rm",
    ],
    ids=lambda text: ascii(text[:8]),
)
def test_hostile_texts_may_change_anything(text: str) -> None:
    reading = read(text)
    assert reading.kind is CommandKind.CHANGING
    assert reading.unknown


@pytest.mark.parametrize("joint", [" && ", " | ", "; ", " || "])
def test_long_lists_are_read_to_their_end(joint: str) -> None:
    reading = read(joint.join(["ls"] * 2_000 + ["rm x"]))
    assert shown(reading) == ("looking", {"-x"}, "")


def test_a_name_that_is_not_utf8_stays_what_it_is() -> None:
    assert read("rm a\udcff").paths[0].path == "a\udcff"


pieces = st.sampled_from(
    [
        *("rm", "ls", "cd d", "x", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{ ", "; }"),
        *("`", "$(", '"', "'", "\\", "<<E", "E", ">", "<", ">&", "2>", "$x", "${x", "}", "[["),
        *("]]", "if ", "then ", "fi", "for i in ", "do ", "done", "case ", "in ", "esac", "f()"),
        *(
            "sudo ",
            "xargs ",
            "find . -exec ",
            "\0",
            "\ud800",
            "é",
            "#",
            "!",
            "=",
            "a=",
            "*",
            "{a,b}",
        ),
    ]
)
texts = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=25).map("".join))


@given(texts)
@example("")
@example("00<")
def test_every_text_has_a_reading(text: str) -> None:
    reading = read(text)
    assert not reading.paths or reading.kind is not CommandKind.PLAIN
    assert bool(reading.unknown) == (reading.kind is CommandKind.CHANGING)
    assert all(touched.path for touched in reading.paths)


names = st.text("abcxyz.- é_'\"\\$*~#;&|(){}", min_size=1, max_size=12).filter(
    lambda name: name not in {".", ".."} and not name.startswith(("-", "~", " "))
)
# Commands that neither enter a directory nor end in something that takes over what follows.
whole = st.sampled_from(
    [
        command
        for command in COMMANDS
        if "\n" not in command
        and "#" not in command
        and not {"cd", "pushd", "popd", "exec", "coproc", "trap", "f()"}
        & set(re.split(r"[\s;&|]+", command))
        and "no shell text" not in "".join(read(command).unknown)
        and not command.endswith(("&", ";"))
    ]
)
looking = whole.filter(
    lambda text: read(text).kind is not CommandKind.CHANGING and not read(text).paths
)
simple = st.sampled_from(
    [
        "ls -l",
        "rm a b",
        "pytest -q",
        "mv a b",
        "sed -i s/a/b/ f",
        "git rm x",
        "foo",
        "rm '$x'",
        "cp a d/",
    ]
)


@given(looking, names)
def test_a_redirection_is_a_path_of_what_it_stands_behind(command: str, name: str) -> None:
    reading = read(f"( {command} ) > {shlex.quote(name)}")
    assert shown(reading) == ("looking", {f"={name}"}, "")


@given(whole, whole, st.sampled_from([" && ", "; ", " | ", " || ", "\n"]))
def test_two_commands_are_as_severe_as_each_and_touch_all_that_each_does(
    one: str, other: str, joint: str
) -> None:
    alone = [read(one), read(other)]
    both = read(f"{one}{joint}{other}")
    assert both.kind >= max(each.kind for each in alone)
    assert set(both.paths) >= {path for each in alone for path in each.paths}
    assert both.unknown or not any(each.unknown for each in alone)


@given(names)
def test_a_name_means_the_same_in_every_quotes(name: str) -> None:
    double = '"' + "".join(f"\\{sign}" if sign in '"\\$`' else sign for sign in name) + '"'
    bare = "".join(f"\\{sign}" for sign in name)
    dollar = "$'" + "".join(f"\\{sign}" if sign in "'\\" else sign for sign in name) + "'"
    found = [read(f"rm {word}") for word in (shlex.quote(name), double, bare, dollar)]
    assert [reading.paths for reading in found] == [(TouchedPath(name, Effect.DELETE),)] * 4


@given(
    simple,
    st.lists(
        st.sampled_from(
            ["sudo -u root", "env X=1", "nice -n 5", "timeout 5", "nohup", "command", "time -p"]
        ),
        max_size=4,
    ),
)
def test_a_wrapper_changes_neither_class_nor_paths(command: str, wrappers: list[str]) -> None:
    wrapped = read(" ".join([*wrappers, command]))
    bare = read(command)
    assert wrapped.paths == bare.paths
    assert max(wrapped.kind, CommandKind.LOOKING) == max(bare.kind, CommandKind.LOOKING)
    assert bool(wrapped.unknown) == bool(bare.unknown)


@given(simple)
def test_a_text_read_again_means_what_it_says(command: str) -> None:
    for shell in ("bash -c", "eval", "sh -ec", "env -S", "su -c", "watch"):
        again = read(f"{shell} {shlex.quote(command)}")
        if shell != "su -c":
            assert again.paths == read(command).paths
            assert again.kind == max(read(command).kind, CommandKind.LOOKING)
        assert set(again.paths) >= set(read(command).paths)


def test_parts_together_lose_nothing() -> None:
    kinds = [CommandReading(kind=kind, program=kind.name) for kind in CommandKind]
    for parts in itertools.permutations(kinds):
        assert together(parts) == kinds[-1]
    assert together([]) == CommandReading()


@pytest.mark.parametrize(
    ("place", "name", "path"),
    [
        ("", "a", "a"),
        ("d", "a", "d/a"),
        ("d/", "a", "d/a"),
        ("/", "a", "/a"),
        ("d", "/a", "/a"),
        ("d", "~/a", "~/a"),
        (None, "/a", "/a"),
        (None, "a", None),
    ],
)
def test_a_path_is_behind_the_directory_it_is_named_in(
    place: str | None, name: str, path: str | None
) -> None:
    assert entered(place, name) == path
