"""What a shell evaluates that looks like plain text: arithmetic, names of variables, prompts.

Invariant: a variable that one command both sets to more than a number and has evaluated is told,
in whatever order and at whatever depth it does the two.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from intent_lsp.core.command_variables import chosen_programs, named_variable
from intent_lsp.core.commands import CommandReading, unknown
from intent_lsp.formats.shell_numbers import holds_a_number, prints_a_number
from intent_lsp.formats.shell_syntax import spelling
from intent_lsp.formats.shell_words import words_of
from intent_lsp.formats.syntax_node import Node

_COMPARING: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_ASKING: Final = frozenset({"-v", "-R"})
_BRACKETED: Final = frozenset(
    {"arithmetic_expansion", "compound_statement", "c_style_for_statement", "subscript"}
)
_SETTING: Final = frozenset({"read", "mapfile", "readarray", "printf", "getopts", "wait", "let"})
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_COUNT: Final = re.compile(r"\$\{#\w+(?:\[[@*]\])?\}")
# Text that is quoted from the shell, and will not be from what evaluates it.
_ALIVE: Final = re.compile(r"'[^']*[\[$`]|\\[$`\[]|\$'")
_GIVEN: Final = re.compile(r"\$\{?[0-9@*]")
_RUNNING: Final = re.compile(r"\[(?!-?[0-9]+\]|[@*]\])|\$\(|`|\$\{")


class Evaluated:
    """What one command, with every text inside it, sets and has evaluated so far."""

    def __init__(self) -> None:
        self._set: dict[str, None] = {}
        self._used: dict[str, None] = {}
        self._told: list[CommandReading] = []

    def readings(self) -> Iterator[CommandReading]:
        """Give what is not known for it, once all of the command has been seen."""
        yield from self._told
        for name in self._used:
            if name in self._set:
                yield unknown("", f"`{name}` is set and evaluated by the command, and may run more")

    def see(self, node: Node) -> None:
        """Take note of one node; those below it are seen for themselves."""
        match node.type:
            case kind if kind in _BRACKETED:
                self._arithmetic(_between_brackets(node))
            case "test_command":
                self._test(node)
            case "expansion":
                self._expansion(node)
            case "variable_assignment":
                self._assignment(node)
            case "for_statement":
                self._loop(node)
            case "declaration_command" | "unset_command":
                self._declaration(node)
            case "command":
                self._command(node)
            case _:
                pass

    def _arithmetic(self, nodes: Sequence[Node]) -> None:
        text = " ".join(spelling(node) for node in nodes).replace("\\\n", "")
        if _ALIVE.search(text) or _GIVEN.search(text):
            self._tell(f"`{text}` is evaluated, and may hold a command")
        for node in _below(nodes):
            if node.type == "command_substitution" and not prints_a_number(node):
                self._tell(f"what `{spelling(node)}` prints is evaluated")
        self._used.update(dict.fromkeys(_NAME.findall(_COUNT.sub("", text))))

    def _test(self, node: Node) -> None:
        doubled = node.children[0].type == "[["
        if not doubled and ">" in spelling(node):
            self._tell("`>` between single brackets writes a file", "[")
        compares = False
        for each in _below([node]):
            signs = {spelling(sign) for sign in each.children if sign.type == "test_operator"}
            compares = compares or not signs.isdisjoint(_COMPARING)
            if each.type == "unary_expression" and not signs.isdisjoint(_ASKING):
                self._names(each.children[1:], "[")
        if doubled and compares:
            self._arithmetic(node.children)

    def _expansion(self, node: Node) -> None:
        signs = [child.type for child in node.children]
        if "@" in signs and spelling(node).endswith("@P}"):
            self._tell(f"`{spelling(node)}` is evaluated as a prompt")
        if signs[1:2] == ["!"] and "@" not in signs and "*" not in signs:
            self._used.update((spelling(each), None) for each in _variables(node))
        if ":" in signs:
            self._arithmetic(node.children[signs.index(":") + 1 : -1])
        if not {":=", "="}.isdisjoint(signs):
            self._sets((spelling(each) for each in _variables(node)), "")

    def _assignment(self, node: Node, program: str = "") -> None:
        values = node.children_by_field_name("value")
        for name in map(spelling, _variables(node)):
            value = "".join(map(spelling, values)).strip("'\"")
            self._told.append(chosen_programs(name, program, value))
            if not all(holds_a_number(value) for value in values):
                self._set[name] = None

    def _loop(self, node: Node) -> None:
        names = [spelling(name) for name in node.children_by_field_name("variable")]
        for name in names:
            self._told.append(chosen_programs(name, ""))
        values = node.children_by_field_name("value")
        if not values or not all(holds_a_number(value) for value in values):
            self._set.update(dict.fromkeys(names))

    def _declaration(self, node: Node) -> None:
        program, counts = node.children[0].type, False
        skipped = {"variable_assignment", "variable_name"}
        own = [child for child in node.named_children if child.type not in skipped]
        for word in words_of(own):
            options = word.text[1:] if word.text.startswith(("-", "+")) else ""
            if "n" in options and program in {"declare", "typeset", "local"}:
                self._tell(f"`{program} {word.text}` gives a variable a second name")
            counts = counts or "i" in options
            if word.unknown or _RUNNING.search(word.text):
                self._tell(f"`{word.text}` is evaluated by `{program}`", program)
            found = _ASSIGNMENT.match(word.text)
            self._sets([found[1]] if found else [], program)
        if counts:
            self._used.update(dict.fromkeys(_NAME.findall(spelling(node))))

    def _command(self, node: Node) -> None:
        texts = [spelling(child).strip("'\"") for child in node.children]
        names = [spelling(name) for name in node.children_by_field_name("name")]
        for child in node.children:
            if child.type == "variable_assignment":
                self._assignment(child, *names)
        self._set.update(
            (found[1], None)
            for text in texts
            if (found := _ASSIGNMENT.match(text)) and not text[found.end() :].isdecimal()
        )
        if not _SETTING.isdisjoint(texts):
            self._set.update((text, None) for text in texts if _NAME.fullmatch(text))
        if "let" in texts[:2]:
            self._arithmetic(node.children[1:])

    def _names(self, nodes: Sequence[Node], program: str) -> None:
        self._told += (named_variable(word, program) for word in words_of(nodes))

    def _sets(self, names: Iterable[str], program: str) -> None:
        for name in names:
            self._set[name] = None
            self._told.append(chosen_programs(name, program))

    def _tell(self, sentence: str, program: str = "") -> None:
        self._told.append(unknown(program, sentence))


def _between_brackets(node: Node) -> Sequence[Node]:
    """Give what stands between the brackets of arithmetic; of other groups nothing."""
    signs = [child.type for child in node.children]
    starts = [at for at, sign in enumerate(signs) if sign in {"$((", "((", "$[", "["}]
    ends = [at for at, sign in enumerate(signs) if sign in {"))", "]"}]
    return node.children[starts[0] + 1 : ends[-1]] if starts and ends else ()


def _variables(node: Node) -> Iterator[Node]:
    """Give the first variable of an expansion, which it is about."""
    yield from islice((each for each in _below([node]) if each.type == "variable_name"), 1)


def _below(nodes: Iterable[Node]) -> Iterator[Node]:
    """Give nodes and all that is below them, in the order of the text."""
    waiting = [*reversed([*nodes])]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)
