"""Finds out from a shell command's syntax tree what the command would do.

Invariant: `read_command` never raises, and its result is at least as severe as that of each command
in the text that would be run.
Invariant: a text that is nested too deep, too long or not parsable may change anything, and the
result says so.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace
from tree_sitter import Node

from intent_lsp.core.commands.arguments import Word
from intent_lsp.core.commands.classification import ShellText, weigh
from intent_lsp.core.commands.reading import (
    START,
    CommandKind,
    CommandReading,
    KnownPath,
    together,
    unknown,
)
from intent_lsp.core.commands.rows import CommandLists
from intent_lsp.formats.shell.redirects import following, inside, operands, redirected, with_nested
from intent_lsp.formats.shell.syntax import LOST_TEXT, is_literal, loses_text, parse, spelling
from intent_lsp.formats.shell.words import words_of

MAX_NESTING: Final = 60
"""The most levels of the syntax tree that are read, with those of commands given as text."""

_WITH_WORDS: Final = frozenset({"command", "redirected_statement", "for_statement"})
_NO_WORDS: Final = ("_redirect", "variable_assignment")
_APART: Final = frozenset({"subshell", "command_substitution", "process_substitution"})


def read_command(text: str, lists: CommandLists) -> CommandReading:
    """Return what a shell would do if it ran `text` (commands section 1).

    Never raises. The result says that anything may be changed if the text is empty or has only
    comments, has a syntax error, is longer than MAX_COMMAND_BYTES or is nested deeper than
    MAX_NESTING.
    """
    return _read(text, START, 0, lists)


def _read(text: str, place: KnownPath, level: int, lists: CommandLists) -> CommandReading:
    tree = parse(text)
    if tree.root is None:
        return unknown("", "The command is too long to be parsed")
    walk = _Walk(place, level, lists)
    walk.visit(tree.root)
    readings = walk.readings
    if tree.flawed:
        readings.append(unknown("", "Parts of the command cannot be parsed"))
    elif all(child.type == "comment" for child in tree.root.named_children):
        readings.append(unknown("", "The command is empty, or has only comments"))
    reading = together(readings)
    if reading.kind is not CommandKind.PLAIN:
        return reading
    plain = not reading.paths and is_literal(tree.root, text.encode("utf-8", "surrogateescape"))
    return reading if plain else replace(reading, kind=CommandKind.LOOKING)


class _Walk:
    """Walks a shell text's syntax tree, and collects in `readings` what its commands would do."""

    def __init__(self, place: KnownPath, level: int, lists: CommandLists) -> None:
        self.readings: list[CommandReading] = []
        self._lists = lists
        self._place = place
        self._level = level
        self._functions = set[str]()

    def visit(self, node: Node, tail: Sequence[Node] = ()) -> None:
        """Add to `readings` what a node of the syntax tree and the nodes below it would do.

        `tail` are the redirections that belong to the last command in the node.
        """
        if self._level >= MAX_NESTING:
            self._unknown("", "The command is nested too deeply, so what it changes is not known")
            return
        self._level += 1
        if node.type in _WITH_WORDS and loses_text(node):
            self._unknown("", LOST_TEXT)
        match node.type:
            case "command":
                self._command(node, tail)
            case "redirected_statement":
                self._redirected(node, tail)
            case "list":
                self._list(node, tail)
            case "pipeline":
                self._pipeline(node, tail)
            case _:
                words = self._before(tail)
                if words:
                    self._unknown("", f"`{words[0].text}` is an argument where bash allows none")
                self._other(node)
                self._after(tail)
        self._level -= 1

    def _other(self, node: Node) -> None:
        match node.type:
            case kind if kind in _APART:
                self._apart([node])
            case "function_definition":
                self._function(node)
            case "variable_assignment":
                if self._lists.chooses(spelling(node), known=True):
                    name = spelling(node).partition("=")[0]
                    self._unknown(name, f"the variable `{name}` may change which program runs")
                self._sequence(node)
            case _:
                self._sequence(node)

    def _sequence(self, node: Node) -> None:
        """Add to `readings` what the children of a syntax node would do, in order.

        After a `cd` the directory is unknown, because the `cd` may fail; one in the background
        changes nothing.
        """
        for child, after in zip(node.children, [*node.children[1:], None], strict=False):
            before = self._place
            self.visit(child)
            if after is not None and after.type == "&":
                # A command in the background is a process of its own, so its `cd` has no effect
                # here.
                self._place = before
            elif self._place != before:
                self._place = None

    def _apart(self, nodes: Iterable[Node]) -> None:
        """Add to `readings` what syntax nodes, each in a process of its own, would do.

        A `cd` in a node has no effect outside of it.
        """
        before = self._place
        for node in nodes:
            if node.type == "command_substitution" and "\\`" in spelling(node):
                self._unknown("", "Backquotes inside backquotes are not parsed")
            self._sequence(node)
            self._place = before

    def _list(self, node: Node, tail: Sequence[Node]) -> None:
        parts: list[Node] = []
        while node.type == "list":
            parts += reversed(node.children[1:])
            node = node.children[0]
        start, last = self._place, parts[0]
        for part in (node, *reversed(parts)):
            if part.is_named:
                self.visit(part, tail if part is last else ())
            elif part.type != "&&" and self._place != start:
                # After anything but `&&` it is not known whether the `cd` before it ran and
                # succeeded.
                self._place = None

    def _pipeline(self, node: Node, tail: Sequence[Node]) -> None:
        before = self._place
        for part in node.named_children:
            is_last = part.end_byte == node.named_children[-1].end_byte
            self.visit(part, tail if is_last else ())
            self._place = before

    def _redirected(self, node: Node, tail: Sequence[Node]) -> None:
        redirects = [*node.children_by_field_name("redirect"), *tail]
        bodies = node.children_by_field_name("body")
        for body in bodies:
            self.visit(body, redirects)
        if not bodies:
            self._simple((), redirects, "")
        for child in node.children:
            if child.type == "ERROR":
                self._sequence(child)

    def _function(self, node: Node) -> None:
        before = self._place
        self._sequence(node)
        self._functions |= {spelling(name) for name in node.children_by_field_name("name")}
        self._place = before

    def _command(self, node: Node, tail: Sequence[Node]) -> None:
        inner = [child for child in node.children if child.type.endswith("_redirect")]
        set_first = [child for child in node.children if child.type == "variable_assignment"]
        own = [child for child in node.children if not child.type.endswith(_NO_WORDS)]
        words = words_of([child for child in own if child.type not in {"ERROR", "comment"}])
        program = "" if not words or words[0].unknown else words[0].text
        self._nested([*own, *set_first], program)
        self._simple(words, [*inner, *tail], program)

    def _simple(self, words: Sequence[Word], tail: Sequence[Node], program: str) -> None:
        words = (*words, *self._before(tail, program))
        if not words or words[0].text not in self._functions:
            weighed = weigh(words, self._place, self._lists)
            self.readings.append(weighed.reading)
            for text in weighed.texts:
                self._text(text)
            self._place = weighed.place
        self._after(tail)

    def _text(self, text: ShellText) -> None:
        if text.word.unknown:
            self._unknown(text.site.program, text.word.unknown)
        elif text.word.text.strip():
            self.readings.append(_read(text.word.text, text.site.place, self._level, self._lists))

    def _before(self, nodes: Sequence[Node], program: str = "") -> tuple[Word, ...]:
        """Add to `readings` what redirections and the commands inside them would do.

        Return the words among the redirections that are operands of the command. `nodes` are the
        redirections, `program` is the command to which they belong, or "" if it is not known.
        """
        redirects = with_nested(nodes)
        self._nested(inside(redirects), program)
        self.readings += [redirected(each, program, self._place) for each in redirects]
        return words_of(operands(redirects))

    def _after(self, nodes: Sequence[Node]) -> None:
        """Add to `readings` what the commands behind `<<WORD`, on the same line, would do.

        The grammar attaches these commands to the redirections `nodes`.
        """
        piped, listed = following(with_nested(nodes))
        self._apart(piped)
        for node in listed:
            self.visit(node)

    def _nested(self, nodes: Iterable[Node], program: str) -> None:
        """Add to `readings` what substitutions in a command's nodes, such as `$(…)`, would do.

        These readings name `program`, and not the programs in the substitutions, unless `program`
        is "". A `cd` in a substitution has no effect outside of it.
        """
        before, start = self._place, len(self.readings)
        for node in nodes:
            self.visit(node)
            self._place = before
        if program:
            inside = self.readings[start:]
            self.readings[start:] = [replace(reading, program=program) for reading in inside]

    def _unknown(self, program: str, sentence: str) -> None:
        self.readings.append(unknown(program, sentence))
