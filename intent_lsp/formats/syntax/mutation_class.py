"""Classification of an edit by its two texts: refactoring, documentation, evolution and so on.

Specified in requirements section 9.

Invariant: a bug fix is never guessed. What cannot be shown to be a smaller change is an evolution
of the intent.
"""

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.records import AstFingerprint, MutationClass
from intent_lsp.formats.syntax.change import tree_change
from intent_lsp.formats.syntax.file_names import FileKind, kind_of
from intent_lsp.formats.syntax.fingerprint import file_fingerprint, tree_fingerprint
from intent_lsp.formats.syntax.languages import Late, in_time, language_of
from intent_lsp.formats.syntax.outline import OutlinedTree, TreeOf, outlined_tree
from intent_lsp.formats.syntax.renames import consistent


def inferred_change(
    path: str,
    before: bytes | None,
    after: bytes | None,
    late: Late = in_time,
    tree_of: TreeOf = outlined_tree,
) -> tuple[MutationClass, AstFingerprint | None]:
    """Return the class of an edit, and the fingerprint of the content after it (None: not parsed).

    `before` or `after` is None if the file did or does not exist. `tree_of` parses both; the
    caller's may use a cache.
    """
    if before is None or after is None:
        gone = after is None and before is not None
        kind = MutationClass.FILE_DELETION if gone else MutationClass.FILE_CREATION
        return kind, None if after is None else file_fingerprint(path, after, late, tree_of)
    of = kind_of(path, language_of(path))
    # Ask for the old tree first: it may be cached, and the new one could push it out.
    old = None if of is FileKind.PROSE else tree_of(path, before, late)
    new = tree_of(path, after, late)
    fingerprint = None if new is None else tree_fingerprint(new)
    if of is FileKind.PROSE:
        return MutationClass.DOCUMENTATION, fingerprint
    if of is FileKind.CONFIGURATION and new is None:
        return _of_settings(before, after), None
    return _of_trees(of, old, new, late), fingerprint


def _of_trees(
    of: FileKind, old: OutlinedTree | None, new: OutlinedTree | None, late: Late
) -> MutationClass:
    """Return the class of an edit by comparing the two trees."""
    settings = of is FileKind.CONFIGURATION
    otherwise = MutationClass.CONFIGURATION if settings else MutationClass.INTENT_EVOLUTION
    change = None if old is None or new is None else tree_change(old.tree, new.tree, late)
    if old is None or change is None or not change.alike:
        return otherwise
    if change.prose and not change.renamed and not change.moved:
        return MutationClass.DOCUMENTATION
    same = not settings and consistent(old.tree, change.renamed)
    return MutationClass.AST_REFACTOR if same else otherwise


def _of_settings(before: bytes, after: bytes) -> MutationClass:
    """Return the class of an edit of a configuration file without a grammar: comments or more."""
    old, new = _without_comments(before), _without_comments(after)
    same = before != after and old is not None and old == new
    return MutationClass.DOCUMENTATION if same else MutationClass.CONFIGURATION


def _without_comments(data: bytes) -> list[str] | None:
    """Return the non-blank lines that are not `#` comments, or None if the content is not text."""
    text = decode(data)
    if text is None:
        return None
    lines = (line.strip() for line in split_lines(text.text))
    return [line for line in lines if line and not line.startswith("#")]
