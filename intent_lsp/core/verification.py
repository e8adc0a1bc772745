"""The outcome of a verification: what was found, and what it proves (ledger section 2)."""

from dataclasses import dataclass

from intent_lsp.core.chain import Head
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The first finding of its kind: `file` is relative to the root, `line` counts from 1."""

    code: LedgerCode
    severity: Severity
    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found. `ok`: every hash recomputes and every link joins.

    `records` counts the records that can be read, `segments` the files they are in; `proved` and
    `conditional` are the sentences of the closing statement.
    """

    ok: bool
    records: int
    segments: int
    heads: tuple[Head, ...]
    problems: tuple[Problem, ...]
    proved: str
    conditional: str
