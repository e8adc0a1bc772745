"""An edit of a file as the lines of a unified diff."""

from collections.abc import Iterator

from intent_lsp.formats.diff import DiffMark, unified


def edit_lines(old_name: str, new_name: str, old: bytes, new: bytes) -> Iterator[str]:
    """Yield the lines of a unified diff of a file, with its names before and after the edit.

    If the contents are no texts, or too large to be compared, a line that says so takes the place
    of the changes.
    """
    yield f"--- {old_name}"
    yield f"+++ {new_name}"
    found = unified(old, new)
    if found is None:
        yield f"{DiffMark.REMARK.value} The texts are too large to be compared."
        return
    for line in found:
        yield f"{line.mark.value}{line.text}"
