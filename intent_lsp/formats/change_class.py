"""What kind of change a file's edit was, as far as its two texts tell (requirements section 9).

Invariant: a bug fix is never guessed; what is not known to be less is an evolution of the intent.
"""

from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.records import AstFingerprint, MutationClass
from intent_lsp.formats.file_names import FileKind, kind_of
from intent_lsp.formats.languages import Late, SyntaxTree, in_time, language_of, parse_for_record
from intent_lsp.formats.renames import consistent
from intent_lsp.formats.tree_change import TreeChange, tree_change
from intent_lsp.formats.tree_fingerprint import tree_fingerprint


def inferred_class(
    path: str, before: bytes | None, after: bytes | None, late: Late = in_time
) -> MutationClass:
    """Infer the class of an edit of a file from its content; None: there was or is no file."""
    return inferred_change(path, before, after, late)[0]


def inferred_change(
    path: str, before: bytes | None, after: bytes | None, late: Late = in_time
) -> tuple[MutationClass, AstFingerprint | None]:
    """Infer the class of an edit, and give the fingerprint of what it left; None: not parsed."""
    language = language_of(path)
    new = None if language is None or after is None else parse_for_record(language, after, late)
    fingerprint = None if new is None else tree_fingerprint(new)
    if before is None or after is None:
        gone = after is None and before is not None
        return MutationClass.FILE_DELETION if gone else MutationClass.FILE_CREATION, fingerprint
    kind = kind_of(path, language)
    if kind is FileKind.PROSE:
        return MutationClass.DOCUMENTATION, fingerprint
    if kind is FileKind.CONFIGURATION and (language is None or new is None):
        return _of_settings(before, after), fingerprint
    old = None if language is None or new is None else parse_for_record(language, before, late)
    change = None if old is None or new is None else tree_change(old, new)
    if kind is FileKind.CONFIGURATION:
        prose = change is not None and _only_prose(change)
        return MutationClass.DOCUMENTATION if prose else MutationClass.CONFIGURATION, fingerprint
    if old is None or change is None:
        return MutationClass.INTENT_EVOLUTION, fingerprint
    return _of_code(old, change), fingerprint


def _of_code(old: SyntaxTree, change: TreeChange) -> MutationClass:
    if _only_prose(change):
        return MutationClass.DOCUMENTATION
    if change.alike and consistent(old, change.renamed):
        return MutationClass.AST_REFACTOR
    return MutationClass.INTENT_EVOLUTION


def _only_prose(change: TreeChange) -> bool:
    return change.alike and change.prose and not change.renamed and not change.moved


def _of_settings(before: bytes, after: bytes) -> MutationClass:
    """Tell what changed in a file of settings that no grammar reads: comments or more."""
    old, new = _without_comments(before), _without_comments(after)
    same = before != after and old is not None and old == new
    return MutationClass.DOCUMENTATION if same else MutationClass.CONFIGURATION


def _without_comments(data: bytes) -> list[str] | None:
    text = decode(data)
    if text is None:
        return None
    lines = (line.strip() for line in split_lines(text.text))
    return [line for line in lines if line and not line.startswith("#")]
