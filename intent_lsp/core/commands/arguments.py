"""The words of a command without their quotes, split into options and operands.

How to split them is in the row that the command lists have for the program.

Invariant: a word without `unknown` reaches the program as `text`, with three exceptions. The shell
expands a home directory (`~`, `~name`). For `<(…)`, whose text is `/dev/fd/`, it passes a path
below that directory. A quoted `~` at the start of a word is written `./~` in the text.
Invariant: no word is lost, save an empty operand before `--`: each becomes an option, an option's
value, an operand, or the `--`.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from intent_lsp.core.commands.rows import Options, ProgramRow, RowKind, Style


class Word(Struct, frozen=True):
    """One word of a command, without its quotes. Unknown parts are as typed.

    `unknown` is a sentence that says why the word is not known before the command runs; it is empty
    if the word is known. `literal`: the shell expands nothing in the word, not even a brace or a
    tilde. If the word is unknown only because it is a glob, `pattern` is that glob, with its quoted
    special characters in brackets; else it is empty.
    """

    text: str
    unknown: str = ""
    literal: bool = True
    pattern: str = ""

    def after(self, count: int) -> "Word":
        """Return the word without its first `count` characters, and without its `pattern`."""
        return Word(self.text[count:], self.unknown, self.literal)

    def is_one_of(self, names: frozenset[str]) -> bool:
        """Whether the word is known and is one of `names`."""
        return not self.unknown and self.text in names


_SHORTEST_BEGINNING = len("--x")
"""The length of the shortest abbreviation of a long option that is completed to its full name."""


class Option(Struct, frozen=True):
    """One option of a call. `name` is as the program's row in the command lists writes it.

    An option that the row does not have keeps the name that was typed. `value` is None if the
    option has no value.
    """

    name: str
    value: Word | None = None


class Arguments(Struct, frozen=True, kw_only=True):
    """The options and operands of one call of a program.

    `dashed` are the operands after `--`, or None if there is no `--`. `operands` includes them.
    `leading_arguments` does not fill `dashed`: there it is empty or None.
    """

    options: tuple[Option, ...] = ()
    operands: tuple[Word, ...] = ()
    dashed: tuple[Word, ...] | None = None

    def values(self, names: Options) -> tuple[Word, ...]:
        """Return the values given to the options with these names, in order."""
        return tuple(
            option.value
            for option in self.options
            if option.name in names and option.value is not None
        )

    def has(self, names: Options) -> bool:
        """Whether one of the options `names` is given.

        The name `-X=GET` means the option `-X` with the value `GET`.
        """
        return not names.isdisjoint(self.given)

    @property
    def given(self) -> frozenset[str]:
        """The name of each option that is given, and `name=value` for each that has a value."""
        names = {option.name for option in self.options}
        with_values = {f"{each.name}={each.value.text}" for each in self.options if each.value}
        return frozenset(names | with_values)


def joined(words: Iterable[Word]) -> Word:
    """Join words with spaces into one word, which is unknown if any of them is.

    It counts as literal, and has no pattern.
    """
    parts = tuple(words)
    unknown = next((part.unknown for part in parts if part.unknown), "")
    return Word(" ".join(part.text for part in parts), unknown)


def filled(word: Word, token: str, program: str) -> Word:
    """Return the word, marked as unknown if it contains `token`.

    `program` replaces `token` by a text that is not known beforehand, as `xargs` does with `{}`. If
    `token` is empty, the word is returned unchanged.
    """
    if not token or token not in word.text:
        return word
    return Word(
        word.text,
        f"`{program}` fills in `{word.text}` when it runs, so the file is not known before",
        literal=False,
    )


def all_arguments(words: Sequence[Word], row: ProgramRow) -> Arguments:
    """Split words into options and operands, which may alternate. After `--`, all are operands.

    `row` describes the program's options. If `row.passes` is set, the words after `--` are options
    of another program, so each of them is an option as well as an operand. An empty operand before
    `--` is dropped.
    """
    options: list[Option] = []
    operands: list[Word] = []
    at, dashed = 0, None
    while at < len(words) and dashed is None:
        word = words[at]
        at += 1
        if word.text == "--":
            dashed = tuple(words[at:])
        elif _is_option(word, row) or (at == 1 and row.style is Style.TAR):
            found, taken = _options(word, words[at:], row)
            options += found
            at += taken
        elif word.text or word.unknown:
            operands.append(word)
    if row.passes:
        options += [Option(word.text) for word in dashed or ()]
    return Arguments(options=tuple(options), operands=(*operands, *(dashed or ())), dashed=dashed)


def leading_arguments(words: Sequence[Word], row: ProgramRow) -> Arguments:
    """Split words into the options before the first operand, and all words from that operand on.

    `row` describes the program's options. An option whose value names a program (`module`) ends the
    options too. That value is then the first operand.
    """
    options: list[Option] = []
    at = 0
    while at < len(words) and _is_option(words[at], row):
        if words[at].text == "--":
            return Arguments(options=tuple(options), operands=tuple(words[at + 1 :]), dashed=())
        found, taken = _options(words[at], words[at + 1 :], row)
        options += found
        at += 1 + taken
        if found[-1].name in row.module and found[-1].value is not None:
            return Arguments(options=tuple(options), operands=(found[-1].value, *words[at:]))
    return Arguments(options=tuple(options), operands=tuple(words[at:]))


def options_in(words: Sequence[Word], row: ProgramRow) -> Iterator[Option]:
    """Yield the options in each word that looks like one, even after `--` or an operand.

    A value in the next word is not read. In the style WHOLE (whole names after one or two dashes),
    also yield `--`, since it need not end the options of such a program.
    """
    for word in words:
        if word.text == "--" and row.style is Style.WHOLE:
            yield Option(word.text)
        elif word.text != "--" and _is_option(word, row):
            yield from _options(word, (), row)[0]


def _is_option(word: Word, row: ProgramRow) -> bool:
    if row.style is Style.KEYED:
        return "=" in word.text
    return len(word.text) > 1 and word.text.startswith("-")


def _options(word: Word, following: Sequence[Word], row: ProgramRow) -> tuple[list[Option], int]:
    """Return the options in one word, and how many of the `following` words are their values."""
    if row.style is Style.TAR and not word.text.startswith("-"):
        return _undashed(word, following, row)
    long = word.text.startswith("--") or row.style in {Style.WHOLE, Style.KEYED}
    head, equals, _ = word.text.partition("=")
    if not long and head not in row.named:
        return _cluster(word, following, row)
    names = _full_names(head, row)
    if equals:
        return [Option(name, word.after(len(head) + 1)) for name in names], 0
    if following and not row.taking.isdisjoint(names):
        return [Option(name, following[0]) for name in names], 1
    return [Option(name) for name in names], 0


def _full_names(head: str, row: ProgramRow) -> list[str]:
    """Return the option names in `row` that the typed option `head` may mean.

    In the style WHOLE (whole names after one or two dashes), the name may have one dash more or
    less than `head`. In other styles, an abbreviation of at least _SHORTEST_BEGINNING characters
    stands for all names that begin with it, unless the row is of the kind VERIFIES. If no name
    fits, return only `head`.
    """
    whole = row.style is Style.WHOLE
    spellings = [head, "-" + head, head.removeprefix("-")] if whole else [head]
    known = [name for name in spellings if name in row.named]
    whole = whole or row.kind is RowKind.VERIFIES
    if known or whole or len(head) < _SHORTEST_BEGINNING:
        return known[:1] or [head]
    return sorted(name for name in row.named if name.startswith(head)) or [head]


def _cluster(word: Word, following: Sequence[Word], row: ProgramRow) -> tuple[list[Option], int]:
    """Parse a word of single-letter options, such as `-abc` or `-ofile`.

    Return the options, and how many of the `following` words are their values (0 or 1).
    """
    found: list[Option] = []
    for at, letter in enumerate(word.text[1:], start=2):
        name, rest = f"-{letter}", word.after(at)
        if name in row.attached:
            return [*found, Option(name, rest if rest.text else None)], 0
        if name in row.taking and rest.text:
            return [*found, Option(name, rest)], 0
        if name in row.taking and following:
            return [*found, Option(name, following[0])], 1
        found.append(Option(name))
    return found, 0


def _undashed(word: Word, following: Sequence[Word], row: ProgramRow) -> tuple[list[Option], int]:
    """Parse options in tar's oldest form, such as `xzf a.tgz`. Values follow in the letters' order.

    Return the options, and how many of the `following` words are their values.
    """
    found, taken = [], 0
    for letter in word.text:
        name = f"-{letter}"
        takes = name in row.taking and taken < len(following)
        found.append(Option(name, following[taken] if takes else None))
        taken += takes
    return found, taken
