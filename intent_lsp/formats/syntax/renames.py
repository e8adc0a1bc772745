"""Whether names were changed everywhere they are known, and nothing else with them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.bindings import (
    Bindings,
    binds,
    is_identifier,
    is_member,
    known_everywhere,
)
from intent_lsp.formats.syntax.languages import SyntaxTree

MAX_PLACES: Final = 2_000
"""Places of names above which a change is too large to be called a renaming."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """One place where a name stands for another; `node` and `scope` are of the old text."""

    node: Node
    scope: Bindings
    old: bytes
    new: bytes


def consistent(tree: SyntaxTree, renamed: Sequence[Renamed]) -> bool:
    """Find out whether the code means the same after all of these renamings.

    `tree` is the old text's. A name must be made known in a place that was renamed, must be gone
    from where it was known, and the new one must not have been known there.
    """
    if len(renamed) > MAX_PLACES:
        return False
    groups: dict[tuple[bytes, bytes], list[Renamed]] = defaultdict(list)
    for each in renamed:
        groups[each.old, each.new].append(each)
    return all(_renames(tree, group) for group in groups.values())


def _renames(tree: SyntaxTree, group: Sequence[Renamed]) -> bool:
    """Check the places of one name that became one other."""
    scopes = {_scope(each) for each in group if binds(tree, each.node)}
    places = {each.node.start_byte for each in group}
    if not all(any(_within(place, scope) for scope in scopes) for place in places):
        return False
    members = any(is_member(each.node) for each in group)
    old, new = group[0].old, group[0].new
    for scope in scopes:
        left = [
            place for place in _places(tree, old, scope, members=members) if place not in places
        ]
        taken = next(_places(tree, new, scope, members=members), None)
        if left or taken is not None:
            return False
    return True


def _scope(each: Renamed) -> Bindings:
    scope = each.scope
    while known_everywhere(each.node) and scope.outer is not None:
        scope = scope.outer
    return scope


def _within(place: int, scope: Bindings) -> bool:
    return scope.start <= place < scope.end


def _places(tree: SyntaxTree, name: bytes, scope: Bindings, *, members: bool) -> Iterator[int]:
    """Give the places in a scope where a name stands as an identifier."""
    before = rb"(?<![\w$])" if name[:1].isalnum() or name[:1] == b"_" else b""
    word = re.compile(before + re.escape(name) + rb"(?![\w$])")
    for count, found in enumerate(word.finditer(tree.source, scope.start, scope.end)):
        node = tree.root.descendant_for_byte_range(found.start(), found.end())
        # What cannot be looked at any more is taken for the name: then it is no renaming.
        if count > MAX_PLACES or (node is not None and _stands(tree, node, name, members=members)):
            yield found.start()


def _stands(tree: SyntaxTree, node: Node, name: bytes, *, members: bool) -> bool:
    return is_identifier(node) and tree.text(node) == name and (members or not is_member(node))
