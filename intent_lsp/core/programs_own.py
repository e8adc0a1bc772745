"""Our own program: what of it an agent may run by itself.

Invariant: what changes the plan is held to the control plane, like any other write of it.
"""

from typing import Final

from intent_lsp.core.program_rows import Program, hidden, planning, program, reading, reads

_ABOUT: Final = reading("--version --help -h", bare=True)
_READS: Final = reads(valued="-C --root --session --agent --limit --intent --tool --command")
_CHECKS: Final = reads(valued="-C --root --anchor --checkpoint --check --pub --key")
_REPORTS: Final = reads(
    valued="--intent --path --session --contributor --tool --verdict --since --until",
    writes="--html",
    enters="-C --root",
)
_EXPORTS: Final = reads(
    valued="--format --intent --path --session --contributor --tool --verdict --since --until",
    writes="--output",
    enters="-C --root",
)

_OWN: Final = Program(
    forms=(_ABOUT,),
    subcommands={
        "intents": Program(
            forms=(_ABOUT,),
            subcommands={
                **dict.fromkeys(("list", "show", "owners", "coverage", "select"), _READS),
                # What an agent may ask for by a request, too.
                "complete": _READS,
                **dict.fromkeys(("add", "import"), program(planning())),
            },
        ),
        "trace": Program(
            forms=(_ABOUT,),
            subcommands={
                **dict.fromkeys(("list", "show", "blame", "lines", "stats"), _READS),
                **dict.fromkeys(("verify", "seal"), _CHECKS),
                "report": _REPORTS,
                "export": _EXPORTS,
                **dict.fromkeys(
                    ("import", "recover"), program(hidden("appends records to the ledger"))
                ),
                "merge": program(hidden("writes one ledger over another")),
            },
        ),
        "explain": _READS,
        "init": program(planning()),
        "serve": program(hidden("answers whoever connects")),
    },
)

OWN: Final = dict.fromkeys(("intent-lsp", "intent_lsp"), _OWN)
"""Our program, and the module that is the same."""
