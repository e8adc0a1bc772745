"""Classification of one simple command by its program's rows in the command lists.

Specified in commands section 1.

Invariant: `weigh` returns a result for every call. If no row fits a call, the result says that the
call may change anything, unless the call changes the directory or only asks about the program.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.commands.arguments import (
    Arguments,
    Word,
    all_arguments,
    filled,
    joined,
    leading_arguments,
)
from intent_lsp.core.commands.git import puts_back, removed_by
from intent_lsp.core.commands.program_call import (
    ProgramCall,
    asks_for_help,
    fits,
    named_program,
    only_plain,
    with_subcommand,
    working_place,
)
from intent_lsp.core.commands.reading import (
    NOTHING,
    START,
    CommandKind,
    CommandReading,
    Effect,
    KnownPath,
    TouchedPath,
    entered,
    together,
    unknown,
)
from intent_lsp.core.commands.rows import CommandLists, Operands, ProgramRow, RowKind, Runs
from intent_lsp.core.commands.targets import Site, target, targets

MAX_WRAPPERS: Final = 16
"""The most programs that run one another, as in `sudo env rm`. A command in more is not read."""

_ABOUT: Final = frozenset({"--version", "-version", "-V", "-v", "--help", "--info"})
"""Options with which, as the first of options alone, a program only prints about itself."""

_MOVING: Final = frozenset({"cd", "chdir", "pushd", "popd"})
_LOOKING: Final = CommandReading(kind=CommandKind.LOOKING)
_VARIABLE: Final = "`{program}` sets a variable that may change which program runs"


class ShellText(Struct, frozen=True):
    """A word that a program runs as shell text. `site` is the program and its working directory."""

    word: Word
    site: Site


class Weighed(Struct, frozen=True, kw_only=True):
    """The classification of a simple command. `place` is the working directory after it.

    `texts` are the words that it runs as shell text. `reading` is what it does apart from these.
    """

    reading: CommandReading = NOTHING
    texts: tuple[ShellText, ...] = ()
    place: KnownPath


def weigh(words: Sequence[Word], place: KnownPath, lists: CommandLists, depth: int = 0) -> Weighed:
    """Classify one simple command, without its redirections and assignments, run in `place`.

    `depth` programs run this one, as in `sudo env rm`; if over MAX_WRAPPERS, it counts as unknown.
    """
    if not words:
        return Weighed(place=place)
    first = words[0]
    if first.unknown or depth > MAX_WRAPPERS:
        deep = f"`{first.text}` is run through too many other programs, so it is not judged"
        return Weighed(reading=unknown(first.text, first.unknown or deep), place=place)
    if first.text in _MOVING:
        return _moved(words, place)
    name, doubt = named_program(first.text, lists)
    call = ProgramCall(name=name, words=words[1:], place=place, plain=first.text == name)
    weighed = _weigh_call(innermost := with_subcommand(call, lists), lists, depth)
    read = together([weighed.reading, *doubt])
    # Options such as `git -C` change the directory of the program, not that of the shell.
    after = place if weighed.place == innermost.place else None
    return replace(weighed, reading=_of_git(read, call) if name == "git" else read, place=after)


def _of_git(reading: CommandReading, call: ProgramCall) -> CommandReading:
    """Return `reading`, the reading of a git call, marked as git's and with git's own effects.

    The paths in `reading` are marked as restored if the call restores files (`puts_back`). The path
    that the call may remove (`removed_by`) is added. After a `cd`, the kind is at least LOOKING:
    the repository there may run other programs.
    """
    kind = reading.kind if call.place == START else max(reading.kind, CommandKind.LOOKING)
    paths = reading.paths
    if puts_back(call.words):
        paths = tuple(replace(path, restores=True) for path in paths)
    paths += removed_by(call.words, call.place)
    return replace(reading, kind=kind, paths=paths, git=True)


def _moved(words: Sequence[Word], place: KnownPath) -> Weighed:
    """Classify a change of directory (`cd`, `pushd` and the like) that is run in `place`.

    Without an operand, `cd` goes to `~`, and `pushd` and `popd` to an unknown directory. An operand
    that is unknown or empty, or begins with `-` or `+`, leads to an unknown directory too.
    """
    operands = [word for word in words[1:] if word.text not in {"--", "-P", "-L"}]
    there: KnownPath = None
    if not operands:
        there = "~" if words[0].text in {"cd", "chdir"} else None
    elif not operands[0].unknown and not operands[0].text.startswith(("-", "+")):
        there = entered(place, operands[0].text) if operands[0].text else None
    plain = words[0].text == "cd" and all(word.literal for word in words)
    kind = CommandKind.PLAIN if plain else CommandKind.LOOKING
    return Weighed(reading=CommandReading(kind=kind, program=words[0].text), place=there)


def _weigh_call(call: ProgramCall, lists: CommandLists, depth: int) -> Weighed:
    """Classify a call by its rows. One that only asks for help, such as `x --help`, is LOOKING."""
    weighed = _weigh_by_rows(call, lists, depth)
    if asks_for_help(call, lists) and not weighed.reading.paths and not weighed.texts:
        about = replace(_LOOKING, program=call.name)
        return replace(weighed, reading=together([*call.before, about]))
    return weighed


def _weigh_by_rows(call: ProgramCall, lists: CommandLists, depth: int) -> Weighed:
    """Classify a call by the first of its program's rows that fits the call, else as unknown.

    If no row fits, but all words are options and the first is in _ABOUT, the call is LOOKING.
    """
    for row in lists.rows.get(call.name, ()):
        wraps = row.kind is RowKind.RUNS and row.runs is not Runs.SEARCH
        arguments = (leading_arguments if wraps else all_arguments)(call.words, row)
        if not fits(row, arguments, lists):
            continue
        inside = replace(call, place=working_place(call, row, arguments))
        if row.kind is RowKind.RUNS:
            return _weigh_inner(call, inside, row, arguments, lists, depth)
        texts = tuple(ShellText(word, inside.site) for word in arguments.values(row.texts))
        reading = together([*call.before, *_by_row(inside, row, arguments)])
        return Weighed(reading=reading, texts=texts, place=call.place)
    if call.words and call.words[0].text in _ABOUT and _all_options(call.words):
        about = replace(_LOOKING, program=call.name)
        return Weighed(reading=together([*call.before, about]), place=call.place)
    return Weighed(reading=unknown(call.name, _not_known(call, lists)), place=call.place)


def _all_options(words: Sequence[Word]) -> bool:
    """Whether every word is known and begins with `-`, as an option does."""
    return all(not word.unknown and word.text.startswith("-") for word in words)


def _not_known(call: ProgramCall, lists: CommandLists) -> str:
    """Return the sentence that says why a call that fits no row may change files."""
    program = call.name
    if program not in lists.rows and program not in lists.above:
        return f"`{program}` may change files: it is not in the list of programs that only read"
    operands = (word.text for word in call.words if not word.text.startswith("-"))
    command = f"{program} {next(operands, '')}".strip()
    return f"`{command}` may change files: it is not in the list of commands that only read"


def _by_row(call: ProgramCall, row: ProgramRow, arguments: Arguments) -> Iterator[CommandReading]:
    """Yield what a call does by the row that fits it, without the commands that it runs in turn."""
    reads, program = row.kind is not RowKind.WRITES, call.name
    if reads:
        kind = CommandKind.PLAIN if _is_plain(call, row, arguments) else CommandKind.LOOKING
        yield CommandReading(kind=kind, program=program, verifying=row.kind is RowKind.VERIFIES)
    written = [target(word, Effect.WRITE, call.site) for word in arguments.values(row.writes)]
    written += targets(row, arguments, call.site)
    if row.touches:
        written.append(CommandReading(paths=(TouchedPath(row.touches, Effect.WRITE),)))
    yield from (replace(each, kind=max(each.kind, CommandKind.LOOKING)) for each in written)
    if row.more:
        yield unknown(program, f"`{program}` {row.more}")
    elif not reads and not written:
        yield unknown(program, f"`{program}` changes files that the command does not name")


def _is_plain(call: ProgramCall, row: ProgramRow, arguments: Arguments) -> bool:
    """Whether a call that `row` fits is PLAIN: its own text shows that it only reads.

    It does only if the shell expands no word, no operand is written, the program is called by its
    plain name, and `only_plain` holds for its options.
    """
    literal = all(word.literal and not _may_run(word) for word in call.words)
    named = not row.first or call.words[0].is_one_of(row.first)
    reads = row.operands is Operands.NONE
    return call.plain and literal and named and reads and only_plain(row, arguments, call.words)


def _may_run(word: Word) -> bool:
    """Whether a word has a `[`, and a `$` or backquote: shells may run `a[$(…)]` as a number."""
    return "[" in word.text and not {"$", "`"}.isdisjoint(word.text)


def _weigh_inner(  # noqa: PLR0913, PLR0917 - what a call was read as, and what its inner one is read by
    outer: ProgramCall,
    inside: ProgramCall,
    row: ProgramRow,
    arguments: Arguments,
    lists: CommandLists,
    depth: int,
) -> Weighed:
    """Classify a program that runs another command, together with that command.

    `outer` is the call of the program, and `row` the row that fits it. `inside` is the same call in
    the directory of its options, as in `env -C a`. If the other command is operands, as in
    `env cd a`, and changes the directory, the directory afterwards is unknown.
    """
    options = [*outer.before, *_by_row(inside, replace(row, kind=RowKind.READS), arguments)]
    words: Sequence[Word] = arguments.operands[row.skip :]
    match row.runs:
        case Runs.TEXT | Runs.JOINED:
            text = words[0] if row.runs is Runs.TEXT else joined(words)
            run = (ShellText(text, inside.site),)
            return Weighed(reading=together(options), texts=run, place=outer.place)
        case Runs.SEARCH:
            inner = _weigh_searched(inside, row, lists, depth)
        case Runs.WORDS:
            set_first = _assignments(words) if row.assignments else 0
            if any(lists.chooses(w.text, known=not w.unknown) for w in words[:set_first]):
                options.append(unknown(outer.name, _VARIABLE.format(program=outer.name)))
            words = _with_input(words[set_first:], row, arguments, outer.name)
            inner = weigh(words, inside.place, lists, depth + 1)
    place = outer.place if inner.place == inside.place else None
    texts = tuple(ShellText(word, inside.site) for word in arguments.values(row.texts))
    reading = together([*options, _LOOKING, inner.reading])
    return Weighed(reading=reading, texts=(*inner.texts, *texts), place=place)


def _assignments(words: Sequence[Word]) -> int:
    """Return how many words at the start are assignments of a variable, `NAME=value`."""
    for count, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        if not equals or not name.isidentifier():
            return count
    return len(words)


def _with_input(
    words: Sequence[Word], row: ProgramRow, arguments: Arguments, label: str
) -> Sequence[Word]:
    """Return the inner command's words, unknown where `xargs` or the like completes them.

    `row` and `arguments` are those of the outer program, `label` is its name for messages. If the
    row has no `appends`, the words are returned unchanged. Else each word with the placeholder of
    an option in `fills` (`xargs -I {}`) becomes unknown; without one, an unknown word is added.
    """
    if not row.appends:
        return words
    if not arguments.has(row.fills):
        why = f"`{label}` reads its arguments from its input, so they are not known"
        return (*words, Word("…", why, literal=False))
    tokens = [word.text for word in arguments.values(row.fills)] or ["{}"]
    return tuple(filled(word, tokens[-1], label) for word in words)


def _weigh_searched(call: ProgramCall, row: ProgramRow, lists: CommandLists, depth: int) -> Weighed:
    """Classify a search such as `find`, together with the commands that it runs on its results."""
    own: list[Word] = []
    inner = []
    words = list(call.words)
    while words:
        word = words.pop(0)
        if word.text not in row.starts:
            own.append(word)
            continue
        ends = [at for at, end in enumerate(words) if end.text in {";", "+"}]
        end = ends[0] if ends else len(words)
        place = None if word.text.endswith("dir") else call.place
        run = [filled(part, "{", call.name) for part in words[:end]]
        if not any("{" in part.text for part in run):
            run.append(
                Word(
                    "{}",
                    f"`{call.name}` runs the command on files that it finds, so they are not known",
                    literal=False,
                )
            )
        inner.append(weigh(run, place, lists, depth + 1))
        words = words[end + 1 :]
    alone = _weigh_call(replace(call, words=own, before=()), lists, depth)
    readings = [alone.reading, *(each.reading for each in inner)]
    texts = tuple(text for each in inner for text in each.texts)
    return replace(alone, reading=together(readings), texts=texts)
