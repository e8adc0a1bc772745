"""What a shell command would do, read from its syntax tree.

Invariant: `read_command` is total, and severer than or as severe as every part of the text.
Invariant: what is nested too deep, too long or no shell at all is destructive, and says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from intent_lsp.core.command_forms import ShellText
from intent_lsp.core.command_rules import weigh
from intent_lsp.core.command_words import Word
from intent_lsp.core.commands import START, CommandReading, Place, together, unknown
from intent_lsp.core.git_commands import puts_back, removed_by
from intent_lsp.formats.shell_evaluated import Evaluated
from intent_lsp.formats.shell_redirects import read_tail, redirected
from intent_lsp.formats.shell_syntax import LOST_TEXT, loses_text, parse, spelling
from intent_lsp.formats.shell_words import words_of
from intent_lsp.formats.syntax_node import Node

MAX_NESTING: Final = 60
"""Levels of commands inside commands, texts inside texts included, that are read."""

_BRANCHES: Final = frozenset({"elif_clause", "else_clause", "case_item"})
_WITH_WORDS: Final = frozenset({"command", "redirected_statement", "for_statement"})
_NO_WORDS: Final = ("_redirect", "variable_assignment")
_LEAVES: Final = frozenset({"word", "string_content", "heredoc_content", "regex"})


def read_command(text: str) -> CommandReading:
    """Read what a shell would do with a text (requirements section 6).

    Never raises. A text that is empty, has an error, or is more than 256 KiB is destructive.
    """
    evaluated = Evaluated()
    reading = _read(text, START, 0, evaluated)
    return together([reading, *evaluated.readings()])


def _read(text: str, place: Place, level: int, evaluated: Evaluated) -> CommandReading:
    tree = parse(text)
    if tree.root is None:
        return unknown("", "The command is too long to be read")
    walk = _Walk(place, level, evaluated)
    walk.visit(tree.root)
    readings = walk.readings
    if tree.flawed:
        readings.append(unknown("", "The command is no shell text that can be parsed whole"))
    elif all(child.type == "comment" for child in tree.root.named_children):
        readings.append(unknown("", "The command is empty"))
    return together(readings)


class _Walk:
    """The walk over one text: what was read so far, and where the next command would work."""

    def __init__(self, place: Place, level: int, evaluated: Evaluated) -> None:
        self.readings: list[CommandReading] = []
        self._evaluated = evaluated
        self._place = place
        self._level = level
        self._functions: dict[str, Place] = {}

    def visit(self, node: Node, tail: Sequence[Node] = ()) -> None:
        """Read one node; `tail`: the redirections that belong to its last command."""
        if self._level >= MAX_NESTING:
            self._unknown("", "The command is nested too deep to be read")
            return
        self._level += 1
        self._evaluated.see(node)
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
                    self._unknown("", f"`{words[0].text}` stands where no operand can stand")
                self._other(node)
                self._after(tail)
        self._level -= 1

    def _other(self, node: Node) -> None:
        match node.type:
            case "subshell" | "command_substitution" | "process_substitution":
                self._apart([node])
            case "function_definition":
                self._function(node)
            case "if_statement" | "case_statement":
                self._branches(node)
            case "while_statement" | "for_statement" | "c_style_for_statement":
                self._loop(node)
            case kind if kind in _LEAVES and not node.children:
                self._leaf(node)
            case _:
                self._sequence(node)

    def _sequence(self, node: Node) -> None:
        children = node.children
        for at, child in enumerate(children):
            before = self._place
            self.visit(child)
            # What runs in the background has a directory of its own.
            if at + 1 < len(children) and children[at + 1].type == "&":
                self._place = before

    def _apart(self, nodes: Iterable[Node]) -> None:
        """Read what runs in a process of its own: its `cd` is not ours."""
        before = self._place
        for node in nodes:
            if node.type == "command_substitution" and "\\`" in spelling(node):
                self._unknown("", "Backquotes inside backquotes are not read")
            self._sequence(node)
            self._place = before

    def _list(self, node: Node, tail: Sequence[Node]) -> None:
        parts: list[Node] = []
        while node.type == "list":
            parts += reversed(node.children[1:])
            node = node.children[0]
        last, joint = parts[0], ""
        for part in (node, *reversed(parts)):
            if not part.is_named:
                joint = part.type
                continue
            before = self._place
            self.visit(part, tail if part is last else ())
            # After `a || cd b` nobody knows which of the two ran.
            if joint == "||" and self._place != before:
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

    def _branches(self, node: Node) -> None:
        start = self._place
        changed = False
        for child in node.children:
            if child.type in _BRANCHES:
                changed = changed or self._place != start
                self._place = start
            self.visit(child)
        if changed or self._place != start:
            self._place = None

    def _loop(self, node: Node) -> None:
        start = self._place
        self._sequence(node)
        if self._place != start:
            self._place = None
            self._unknown("cd", "A loop changes its directory with each turn")

    def _function(self, node: Node) -> None:
        start = self._place
        self._sequence(node)
        for name in node.children_by_field_name("name"):
            self._functions[spelling(name)] = start if self._place == start else None
        self._place = start

    def _leaf(self, node: Node) -> None:
        text = spelling(node)
        if "`" in text or "$(" in text:
            self._unknown("", f"`{text}` may run a command that was not read")

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
        if words and not words[0].unknown and words[0].text in self._functions:
            self._call(words[0].text)
        else:
            here, weighed = self._place, weigh(words, self._place)
            self.readings.append(_marked(weighed.reading) if puts_back(words) else weighed.reading)
            if here == "" and (removed := removed_by(words)):
                self.readings.append(replace(weighed.reading, paths=removed))
            for text in weighed.texts:
                self._text(text)
            self._place = weighed.place
        self._after(tail)

    def _call(self, name: str) -> None:
        there = self._functions[name]
        if there is None or there != self._place:
            self._unknown(name, f"`{name}` runs in another directory than it was read for")
            self._place = None if there is None else self._place

    def _text(self, text: ShellText) -> None:
        if text.word.unknown:
            self._unknown(text.site.program, text.word.unknown)
        elif text.word.text.strip():
            self.readings.append(
                _read(text.word.text, text.site.place, self._level, self._evaluated)
            )

    def _before(self, nodes: Sequence[Node], program: str = "") -> tuple[Word, ...]:
        """Read redirections, and give the operands that stand among them."""
        tail = read_tail(nodes)
        self._nested(tail.inside, program)
        for redirect in tail.redirects:
            self.readings.append(redirected(redirect, program, self._place))
        return words_of(tail.operands)

    def _after(self, nodes: Sequence[Node]) -> None:
        """Read what goes on behind the first line of a here-document."""
        tail = read_tail(nodes)
        for node in tail.piped:
            self._apart([node])
        for node in tail.listed:
            self.visit(node)

    def _nested(self, nodes: Iterable[Node], program: str) -> None:
        """Read what runs for the words of a program; who is told of it is the program."""
        before, start = self._place, len(self.readings)
        for node in nodes:
            self.visit(node)
        self._place = before
        if program:
            inside = self.readings[start:]
            self.readings[start:] = [replace(reading, program=program) for reading in inside]

    def _unknown(self, program: str, sentence: str) -> None:
        self.readings.append(unknown(program, sentence))


def _marked(reading: CommandReading) -> CommandReading:
    """Say of the paths of a command that it gives them the content that git has of them."""
    return replace(reading, paths=tuple(replace(path, restores=True) for path in reading.paths))
