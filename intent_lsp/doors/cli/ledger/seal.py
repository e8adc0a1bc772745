"""The command `trace seal`: makes a checkpoint of the ledger, or checks one."""

from collections.abc import Mapping, Sequence
from typing import Final

from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import Checkpoint, LedgerProblem, Verification, unchanged
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.ledger.anchors import SIGN_EXTRA, file_bytes, given_checkpoints
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.ledger.signed_note import (
    Rejected,
    format_key,
    format_note,
    note_text,
    origin_line,
    trailer,
)
from intent_lsp.formats.result_json import verification_json
from intent_lsp.governance.ledger.reader import (
    Unsealed,
    anchors_of,
    contradiction,
    seal_ledger,
    tracing,
)

_BROKEN: Final = (
    "the ledger has the records that the checkpoint names, but is broken;"
    " `intent-lsp trace verify` shows where"
)


@command(
    argument("--key FILE", "sign with this Ed25519 key (PEM, PKCS#8): write a note"),
    argument(
        "--check LINE",
        "compare a checkpoint with the ledger: the line itself, a file with such lines or"
        " with a signed note, or - for standard input",
    ),
    argument(
        "--pub FILE", "with --check: the public key of a signed note, PEM or `<name>+<id>+<key>`"
    ),
    examples=(
        "intent-lsp trace seal",
        "intent-lsp trace seal --key key.pem",
        "intent-lsp trace seal --check ledger.note --pub pub.pem",
        "git log --format=%B | intent-lsp trace seal --check -",
    ),
    json="write {origin, count, heads, line, note?, key?}, or what --check found",
)
def trace_seal(call: Call) -> Exit | None:
    """Print a new checkpoint, or with --check compare the given checkpoints with the ledger.

    Write a checkpoint: the ledger's name (the hash of its first record), the number of its
    records, and the hash of the newest record. Whoever can write the ledger can also
    rewrite it from the start. A checkpoint reveals such a rewriting if it is kept where they
    cannot write: in the message of a pushed commit, in a ticket, on paper. --check compares a
    checkpoint with the ledger; the exit status is 1 if records that the checkpoint counts
    are gone or changed, or if the ledger is broken. A broken ledger gets no checkpoint.
    With --key the checkpoint is signed, as a note (c2sp.org/signed-note) that --check --pub
    takes.

    git commit --trailer "$(intent-lsp trace seal)"

    Return Exit.VIOLATIONS (1) if the ledger is broken or contradicts a checkpoint. Otherwise return
    Exit.FINE (0) with --check, and None without --check. Raise WrongUsageError if options do not go
    together, if what they give cannot be used, or if an intact ledger has no record yet or too many
    heads for a checkpoint.
    """
    options = call.options
    if options.check is not None:
        if options.key is not None:
            raise WrongUsageError(
                "--key signs a new checkpoint, --check checks an old one",
                cure="give only one of them",
            )
        return _check(call)
    if options.pub is not None:
        raise WrongUsageError(
            "--pub is only for checking a signed note", cure="give the note with --check FILE"
        )
    return _seal(call)


def _seal(call: Call) -> Exit | None:
    with tracing(call.root()) as trace:
        made = seal_ledger(trace.ledger)
    if isinstance(made, Unsealed):
        return _refuse(call.page, made)
    told: dict[str, object] = {
        "origin": made.origin,
        "count": made.count,
        "heads": list(made.heads),
        "line": trailer(made),
    }
    if call.options.key is not None:
        told |= _signed(made, call.options.key, call.options.root)
    if call.options.json:
        call.page.json(told)
    elif "note" in told:
        call.page.text(str(told["note"]))
        call.page.remark(
            "intent-lsp: signed; to check the note later, save this public key in a file for"
            f" `--check NOTE --pub FILE`: {told['key']}"
        )
    else:
        call.page.line(trailer(made))
    return None


def _signed(made: Checkpoint, spelled: str, start: str) -> Mapping[str, object]:
    try:
        # Imported late: cryptography is an optional extra, needed only for signatures.
        from intent_lsp.formats.ledger.signed_note_keys import read_signing_key  # noqa: PLC0415
    except ImportError as missing:
        raise WrongUsageError("--key needs the package cryptography", cure=SIGN_EXTRA) from missing
    key = read_signing_key(file_bytes(spelled, start))
    if isinstance(key, Rejected):
        raise WrongUsageError(f"--key: {spelled}: {key.problem}", cure=key.cure)
    name = origin_line(made)
    return {
        "note": format_note(key.sign(name, note_text(made))),
        "key": format_key(key.public(name)),
    }


def _refuse(page: Output, made: Unsealed) -> Exit:
    problem = made.problem
    if problem is None:
        raise WrongUsageError(f"no checkpoint was made: {made.reason}")
    page.remark(
        f"intent-lsp: no checkpoint was made: {made.reason}: {_placed(problem)};"
        " see `intent-lsp trace verify`"
    )
    return Exit.VIOLATIONS


def _check(call: Call) -> Exit:
    options = call.options
    given = given_checkpoints(options.check, options.pub, options.root)
    with tracing(call.root()) as trace:
        found = trace.verify([anchor for each in given for anchor in anchors_of(each)])
        wrong = [_wrong(each, found) or contradiction(trace.ledger, each, found) for each in given]
    ok = found.ok and not any(wrong)
    if options.json:
        told = [
            {"line": trailer(each), "holds": problem is None, "problem": problem}
            for each, problem in zip(given, wrong, strict=True)
        ]
        whole = verification_json(found) | {"ok": ok, "checkpoints": told}
        call.page.json(whole)
    else:
        _tell(call.page, found, given, wrong)
    return Exit.FINE if ok else Exit.VIOLATIONS


def _wrong(given: Checkpoint, found: Verification) -> str | None:
    """Return a clause that names a head of a checkpoint that the ledger lacks, or None.

    `found` is the result of verifying the ledger with the checkpoint's anchors.
    """
    missing = {anchor.hash for anchor in found.anchors if anchor.records is None}
    gone = [head for head in given.heads if head in missing]
    return f"record {gone[0]} is in no file of the ledger" if gone else None


def _tell(
    page: Output, found: Verification, given: Sequence[Checkpoint], wrong: Sequence[str | None]
) -> None:
    for each, problem in zip(given, wrong, strict=True):
        if problem is None and found.ok:
            page.line(f"holds: {unchanged(each.count, found.records)}")
        else:
            page.line(f"does NOT hold: {problem or _BROKEN}")
    for broken in found.problems:
        if broken.severity is Severity.ERROR:
            page.remark(f"intent-lsp: {_placed(broken)}")


def _placed(problem: LedgerProblem) -> str:
    return f"{problem.file}:{problem.line}: {problem.code.value}: {problem.message}"
