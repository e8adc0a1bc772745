"""The edits that turn one text into another, line by line (requirements sections 7 and 8).

Invariant: if a diff can be computed, equal lines are not touched, so that cursors stay in place.
"""

from collections.abc import Sequence

from lsprotocol import types as lsp

from intent_lsp.core.line_diff import Hunk
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder, hunk_change
from intent_lsp.formats.diff import line_hunks


def turning_edits(
    lines: Sequence[str], wanted: Sequence[str], spelling: LspEncoder
) -> list[lsp.TextEdit]:
    """Return the LSP edits that turn the text `lines` into the text `wanted`.

    If no diff can be computed, one edit replaces everything. All ranges are positions in `lines`,
    as LSP requires. `spelling` encodes the edits.
    """
    hunks = line_hunks(wanted, lines)
    if hunks is None:
        whole = Hunk(old_start=0, old_count=len(wanted), new_start=0, new_count=len(lines))
        hunks = (whole,)
    return [spelling.edit(hunk_change(hunk, wanted), lines) for hunk in hunks]
