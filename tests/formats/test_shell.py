"""Shell commands become a verdict, the paths they would write, and what cannot be known."""

import itertools
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.core.commands import (
    CommandKind,
    CommandReading,
    Effect,
    TouchedPath,
    entered,
    together,
)
from intent_lsp.formats.shell import MAX_NESTING, read_command
from intent_lsp.formats.shell_syntax import LOST_TEXT, MAX_COMMAND_BYTES
from intent_lsp.formats.shell_words import MAX_ALTERNATIVES

SIGNS = {Effect.WRITE: "=", Effect.CREATE: "+", Effect.DELETE: "-", Effect.MOVE: ">"}
SEVERITY = [CommandKind.READ_ONLY, CommandKind.VERIFICATION, CommandKind.DESTRUCTIVE]
TABLE = [
    [field.strip() for field in line.split(" | ", 3)]
    for line in (Path(__file__).parent / "data" / "commands.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
COMMANDS = [row[3].replace("⏎", "\n") for row in TABLE]


def shown(reading: CommandReading) -> tuple[str, set[str], str]:
    paths = {SIGNS[touched.effect] + touched.path for touched in reading.paths}
    return reading.kind.value, paths, "?" if reading.unknown else ""


@pytest.mark.parametrize(("kind", "paths", "unknown", "command"), TABLE)
def test_a_command_has_its_verdict_and_its_paths(
    kind: str, paths: str, unknown: str, command: str
) -> None:
    expected = set(paths.split(", ")) - {""}
    assert shown(read_command(command.replace("⏎", "\n"))) == (kind, expected, unknown)


def test_the_table_is_large_and_has_no_row_twice() -> None:
    assert len(TABLE) >= 300
    assert len({row[3] for row in TABLE}) == len(TABLE)


@pytest.mark.parametrize(
    ("command", "program", "sentence"),
    [
        ('rm "$FILE"', "rm", "`$FILE` is known only to the shell"),
        ("rm *.pyc", "rm", "`*.pyc` is a pattern that the shell fills in"),
        ("foo x", "foo", "`foo` is not a program known to only read"),
        ("ls && foo x", "foo", "`foo` is not a program known to only read"),
        ("$CMD x", "$CMD", "`$CMD` is known only to the shell"),
        ("git frobnicate", "git", "`git frobnicate` is not known to only read"),
        ("git merge x", "git merge", "`git merge` decides which files change"),
        ("find . -exec rm {} +", "rm", "`{}` is filled in by `find`"),
        ("find . -exec rm +", "rm", "`find` fills in what it finds"),
        ("ls | xargs rm", "rm", "`xargs` takes operands from its input"),
        ("xargs -I% mv % d/", "mv", "`%` is filled in by `xargs`"),
        ("python -m antigravity", "python", "`antigravity` is not a module known to only read"),
        ("rm $'\\x61'", "rm", "`\\x61` is written in numbers"),
        ("cp d/.. e/", "cp", "what is below `d/..` goes to `e/`"),
        ("black src", "black", "`black` changes files below `src`"),
        ("", "", "The command is empty"),
        ("ls \\ x", "", LOST_TEXT),
        ("ls > \\ x", "ls", LOST_TEXT),
        ("ls (", "", "The command is no shell text that can be parsed whole"),
        ("ls > a <<E x\n`rm y`\nE", "ls", "A here-document has a command between backquotes"),
        ("(ls) 2>&1 x", "", "`x` stands where no operand can stand"),
        ("echo `ls \\`pwd\\``", "echo", "Backquotes inside backquotes are not read"),
        ("pytest `auth`", "pytest", "`auth` is not a program known to only read"),
        ("ls > $(auth)", "ls", "`auth` is not a program known to only read"),
        ("$(auth) x", "auth", "`auth` is not a program known to only read"),
        ("pytest -q tests; rm $x", "rm", "`$x` is known only to the shell"),
        ("PATH=/x ls", "ls", "`PATH` may decide which program runs"),
        ("bin/ls", "bin/ls", "`bin/ls` is not where programs are kept: it may be any other"),
        ("printf -v 'a[x]' 1", "printf", "`a[x]` is evaluated by `printf`"),
        ("read $x", "read", "`$x` is known only to the shell, and names a variable of `read`"),
        ("declare -n x=y", "", "`declare -n` gives a variable a second name"),
        ("x=$y; ((x))", "", "`x` is set and evaluated by the command, and may run more"),
        ("((`cat f`))", "", "what ``cat f`` prints is evaluated"),
        (
            "ln -s ../docs d; touch d/a",
            "ln",
            "`d/a` is written through a link that the same command makes",
        ),
    ],
)
def test_what_is_unknown_says_why(command: str, program: str, sentence: str) -> None:
    reading = read_command(command)
    assert sentence in reading.unknown
    assert reading.kind is CommandKind.DESTRUCTIVE
    assert reading.program == program


def test_what_moves_or_is_copied_tells_where_it_came_from() -> None:
    assert read_command("cd d && mv a b").paths == (
        TouchedPath("d/a", Effect.DELETE),
        TouchedPath("d/b", Effect.MOVE, "d/a"),
    )
    assert read_command("cp x/a y/b z").paths == (
        TouchedPath("z/a", Effect.WRITE, "x/a"),
        TouchedPath("z/b", Effect.WRITE, "y/b"),
    )


def test_a_long_word_does_not_make_a_long_sentence() -> None:
    assert [len(text) for text in read_command(f'rm "${"x" * 5000}"').unknown] == [201]


def test_too_many_alternatives_are_unknown() -> None:
    word = "{a,b}" * 5
    assert len(read_command(f"rm {word}").paths) == 32
    many = read_command(f"rm {word}{word}")
    assert many.paths == ()
    assert many.unknown == (f"`{word}{word}` stands for too many words",)
    assert MAX_ALTERNATIVES == 64


def test_what_is_too_long_is_not_read() -> None:
    text = "ls " + "a" * MAX_COMMAND_BYTES
    assert read_command(text).unknown == ("The command is too long to be read",)


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
def test_hostile_texts_are_destructive(text: str) -> None:
    reading = read_command(text)
    assert reading.kind is CommandKind.DESTRUCTIVE
    assert reading.unknown


@pytest.mark.parametrize("joint", [" && ", " | ", "; ", " || "])
def test_long_lists_are_read_to_their_end(joint: str) -> None:
    reading = read_command(joint.join(["ls"] * 2_000 + ["rm x"]))
    assert shown(reading) == ("destructive", {"-x"}, "")


def test_a_name_that_is_not_utf8_stays_what_it_is() -> None:
    assert read_command("rm a\udcff").paths[0].path == "a\udcff"


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
    reading = read_command(text)
    assert not reading.paths or reading.kind is CommandKind.DESTRUCTIVE
    assert not reading.unknown or reading.kind is CommandKind.DESTRUCTIVE
    assert all(touched.path for touched in reading.paths)
    if reading.kind is CommandKind.DESTRUCTIVE:
        assert reading.paths or reading.unknown


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
        and "no shell text" not in "".join(read_command(command).unknown)
        and not command.endswith(("&", ";"))
    ]
)
reading_only = whole.filter(lambda text: read_command(text).kind is CommandKind.READ_ONLY)
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


@given(reading_only, names)
def test_a_redirection_makes_a_reader_destructive(command: str, name: str) -> None:
    reading = read_command(f"( {command} ) > {shlex.quote(name)}")
    assert shown(reading) == ("destructive", {f"={name}"}, "")


@given(whole, whole, st.sampled_from([" && ", "; ", " | ", " || ", "\n"]))
def test_two_commands_are_as_severe_as_each_and_touch_all_that_each_does(
    one: str, other: str, joint: str
) -> None:
    alone = [read_command(one), read_command(other)]
    both = read_command(f"{one}{joint}{other}")
    assert SEVERITY.index(both.kind) >= max(SEVERITY.index(each.kind) for each in alone)
    assert set(both.paths) >= {path for each in alone for path in each.paths}
    assert both.unknown or not any(each.unknown for each in alone)


@given(names)
def test_a_name_means_the_same_in_every_quotes(name: str) -> None:
    double = '"' + "".join(f"\\{sign}" if sign in '"\\$`' else sign for sign in name) + '"'
    bare = "".join(f"\\{sign}" for sign in name)
    dollar = "$'" + "".join(f"\\{sign}" if sign in "'\\" else sign for sign in name) + "'"
    found = [read_command(f"rm {word}") for word in (shlex.quote(name), double, bare, dollar)]
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
def test_a_wrapper_changes_neither_verdict_nor_paths(command: str, wrappers: list[str]) -> None:
    wrapped = read_command(" ".join([*wrappers, command]))
    bare = read_command(command)
    assert (wrapped.kind, wrapped.paths) == (bare.kind, bare.paths)
    assert bool(wrapped.unknown) == bool(bare.unknown)


@given(simple)
def test_a_text_read_again_means_what_it_says(command: str) -> None:
    for shell in ("bash -c", "eval", "sh -ec", "env -S", "su -c", "watch"):
        again = read_command(f"{shell} {shlex.quote(command)}")
        if shell != "su -c":
            assert (again.kind, again.paths) == (
                read_command(command).kind,
                read_command(command).paths,
            )
        assert set(again.paths) >= set(read_command(command).paths)


def test_parts_together_lose_nothing() -> None:
    kinds = [CommandReading(kind=kind, program=kind.value) for kind in SEVERITY]
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
