"""Our own program: what of it an agent may run by itself.

Invariant: what changes the plan is held to the control plane, like any other write of it.
"""

from typing import Final

from intent_lsp.core.program_rows import Program, hidden, planning, program, reading, reads

_ABOUT: Final = reading("--version --help -h", bare=True)
_READS: Final = reads(valued="-C --root --session --agent --limit --intent --tool --command")

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
            forms=(_ABOUT,), subcommands=dict.fromkeys(("list", "show", "verify"), _READS)
        ),
        "explain": _READS,
        "init": program(planning()),
        "serve": program(hidden("answers whoever connects")),
    },
)

OWN: Final = dict.fromkeys(("intent-lsp", "intent_lsp"), _OWN)
"""Our program, and the module that is the same."""
