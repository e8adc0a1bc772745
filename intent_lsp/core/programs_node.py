"""The package managers of JavaScript and the tasks that they run.

Invariant: what installs, removes or publishes is destructive; a task verifies only by its name.
"""

from dataclasses import replace
from typing import Final

from intent_lsp.core.program_rows import (
    Operands,
    Program,
    Wraps,
    hidden,
    program,
    reading,
    reads,
    verifies,
    verifying,
    words,
    writing,
)
from intent_lsp.core.programs_verifying import TASKS

INSTALLS: Final = program(hidden("changes what is installed, and the files that list it"))
SCRIPT: Final = "runs a script of the project"
ABOUT: Final = reading("--version -v -V --help -h", bare=True)
_REWRITES: Final = hidden(
    "may change files",
    "--fix --write -w -u --update --updateSnapshot --update-snapshots --snapshot-update"
    " --allow-dirty",
)

TASK: Final = replace(verifies(_REWRITES), passes=True)
_RUN: Final = replace(
    program(_REWRITES, verifying(first=TASKS), reading(bare=True), hidden(SCRIPT)), passes=True
)
RUNS: Final = Program(
    forms=(ABOUT,),
    valued=words("-p --package --with --python --group --extra --env-file --project -n --name"),
    enters=words("--directory --cwd"),
    texts=frozenset(("--call",)),
    wraps=Wraps(),
)
_NODE_READS: Final = dict.fromkeys(
    [
        "ls",
        "list",
        "ll",
        "view",
        "info",
        "show",
        "outdated",
        "why",
        "explain",
        "search",
        "root",
        "bin",
        "prefix",
        "whoami",
        "ping",
        "fund",
        "doctor",
        "help",
        "licenses",
    ],
    reads(),
)
_NODE_INSTALLS: Final = dict.fromkeys(
    [
        "install",
        "i",
        "ci",
        "add",
        "remove",
        "rm",
        "uninstall",
        "un",
        "update",
        "up",
        "upgrade",
        "link",
        "unlink",
        "dedupe",
        "prune",
        "publish",
        "pack",
        "init",
        "create",
        "rebuild",
        "version",
        "cache",
        "set-script",
        "audit",
        "login",
        "logout",
        "dlx-install",
        "import",
        "patch",
        "set",
        "config",
        "plugin",
        "policies",
        "store",
        "deploy",
        "start",
        "build",
        "dev",
        "serve",
    ],
    INSTALLS,
)
_NODE_TASKS: Final = {**dict.fromkeys(TASKS.split(), TASK), "run": _RUN, "exec": RUNS}

NODE: Final = {
    "npm": Program(
        forms=(ABOUT,),
        enters=frozenset(("--prefix", "-C")),
        valued=words("-w --workspace --loglevel"),
        subcommands={
            **_NODE_READS,
            **_NODE_INSTALLS,
            "run": _RUN,
            "run-script": _RUN,
            "exec": RUNS,
            **dict.fromkeys(("test", "t", "tst"), TASK),
        },
    ),
    "yarn": Program(
        forms=(ABOUT,),
        enters=frozenset(("--cwd",)),
        subcommands={**_NODE_READS, **_NODE_INSTALLS, **_NODE_TASKS, "dlx": RUNS},
        wraps=Wraps(),
    ),
    "pnpm": Program(
        forms=(ABOUT,),
        enters=frozenset(("-C", "--dir")),
        valued=words("-F --filter"),
        subcommands={**_NODE_READS, **_NODE_INSTALLS, **_NODE_TASKS, "dlx": RUNS},
        wraps=Wraps(),
    ),
    **dict.fromkeys(("npx", "bunx", "pnpx"), RUNS),
    "bun": Program(
        forms=(ABOUT, hidden(SCRIPT)),
        subcommands={**_NODE_INSTALLS, "test": TASK, "run": _RUN, "x": RUNS},
    ),
    "deno": Program(
        forms=(ABOUT, hidden(SCRIPT)),
        subcommands={
            **dict.fromkeys(("test", "check"), TASK),
            "lint": TASK,
            "fmt": program(verifying("--check"), writing(Operands.BELOW)),
            **dict.fromkeys(("info", "doc"), reads()),
        },
    ),
}
"""Each of them, by its name."""
