"""Package managers and the tool chains of languages, subcommand by subcommand.

Invariant: what installs, removes or publishes is destructive, and nobody sees what it writes.
"""

from dataclasses import replace
from typing import Final

from intent_lsp.core.program_rows import (
    Program,
    Style,
    Wraps,
    hidden,
    program,
    reading,
    reads,
    verifies,
    verifying,
    words,
)
from intent_lsp.core.programs_node import ABOUT, INSTALLS, RUNS, SCRIPT, TASK

_BUILD: Final = verifies(
    hidden("changes sources", "--fix"),
    valued="-p --package --features --target --manifest-path -j --jobs --bin --example --test"
    " -c --configuration --filter --framework -f --profile -Z --logger",
    enters="-C",
    risky="--out-dir --target-dir --artifact-dir --output -o --config",
)
_GO_TEST: Final = verifies(
    valued="-run -bench -count -timeout -tags -cpu -parallel -covermode -coverpkg -skip -p -vet",
    writes="-coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -o -outputdir",
    enters="-C",
    risky="-c -exec -toolexec -vettool -fuzz",
    style=Style.WHOLE,
)
_GO_READS: Final = reads(valued="-f -tags -C", risky="-w -u -toolexec -mod", style=Style.WHOLE)
_PIP: Final = {
    **dict.fromkeys(
        ("list", "show", "freeze", "check", "index", "inspect", "debug", "help"), reads()
    ),
    **dict.fromkeys(("install", "uninstall", "download", "wheel", "cache", "config"), INSTALLS),
}
PACKAGES: Final = {
    "uvx": RUNS,
    **dict.fromkeys(("pip", "pip3"), Program(forms=(ABOUT,), subcommands=_PIP)),
    "pipx": Program(
        forms=(ABOUT,),
        subcommands={"list": reads(), "run": RUNS, "install": INSTALLS, "upgrade": INSTALLS},
    ),
    "uv": Program(
        forms=(ABOUT,),
        enters=frozenset(("--directory",)),
        valued=words("--project --config-file"),
        subcommands={
            "run": Program(
                valued=RUNS.valued,
                enters=RUNS.enters,
                wraps=Wraps(
                    by=frozenset(("-m", "--module")), only=words("pytest mypy ruff unittest")
                ),
            ),
            "pip": Program(subcommands={**_PIP, "tree": reads(), "compile": reads(writes="-o")}),
            "tool": Program(subcommands={"run": RUNS, "list": reads(), "install": INSTALLS}),
            **dict.fromkeys(("tree", "version"), reads()),
            **dict.fromkeys(
                ("sync", "add", "remove", "lock", "init", "venv", "build", "publish", "export"),
                INSTALLS,
            ),
        },
    ),
    **dict.fromkeys(
        ("poetry", "pipenv", "pdm", "rye", "pixi", "hatch"),
        Program(
            forms=(ABOUT,),
            enters=frozenset(("-C", "--directory")),
            subcommands={
                "run": RUNS,
                **dict.fromkeys(("show", "check", "list", "graph", "info"), reads()),
                **dict.fromkeys(
                    ("add", "remove", "install", "update", "lock", "sync", "build", "publish"),
                    INSTALLS,
                ),
            },
        ),
    ),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"),
        Program(
            forms=(ABOUT,),
            subcommands={
                "run": RUNS,
                **dict.fromkeys(("list", "info", "search"), reads()),
                **dict.fromkeys(("install", "create", "remove", "update", "env"), INSTALLS),
            },
        ),
    ),
    **dict.fromkeys(
        (
            "apt",
            "apt-get",
            "brew",
            "dnf",
            "yum",
            "pacman",
            "apk",
            "zypper",
            "snap",
            "port",
            "choco",
        ),
        Program(
            forms=(reading("--version --help", bare=True), *INSTALLS.forms),
            subcommands=dict.fromkeys(("list", "show", "search", "info", "policy"), reads()),
        ),
    ),
    "apt-cache": reads(),
    "dpkg": program(reading("-l --list -L --listfiles -s --status -S --search"), *INSTALLS.forms),
    "rpm": program(reading("-q --query -qa -qi -ql"), *INSTALLS.forms),
    **dict.fromkeys(
        ("gem", "composer"),
        Program(
            forms=(ABOUT,),
            subcommands={
                **dict.fromkeys(
                    ("list", "search", "show", "outdated", "validate", "audit"), reads()
                ),
                **dict.fromkeys(("install", "update", "require", "remove", "uninstall"), INSTALLS),
                "test": TASK,
            },
        ),
    ),
    "bundle": Program(
        forms=(ABOUT,),
        subcommands={
            "exec": RUNS,
            **dict.fromkeys(("list", "show", "check", "outdated"), reads()),
            **dict.fromkeys(("install", "update", "add", "remove", "lock"), INSTALLS),
        },
    ),
    "cargo": Program(
        forms=(ABOUT, reading("--list")),
        enters=frozenset(("-C",)),
        risky=frozenset(("--config",)),
        subcommands={
            **dict.fromkeys(
                ("check", "c", "test", "t", "clippy", "build", "b", "bench", "doc", "nextest"),
                _BUILD,
            ),
            **dict.fromkeys(("tree", "metadata", "search", "pkgid", "version", "audit"), reads()),
            "fmt": replace(
                program(verifying("--check"), hidden("formats the whole package")), passes=True
            ),
            **dict.fromkeys(
                (
                    "run",
                    "r",
                    "add",
                    "remove",
                    "update",
                    "fix",
                    "install",
                    "new",
                    "init",
                    "clean",
                    "publish",
                    "vendor",
                    "generate-lockfile",
                ),
                INSTALLS,
            ),
        },
    ),
    "rustup": program(reading(first="show which"), ABOUT, *INSTALLS.forms),
    "go": Program(
        forms=(reading(bare=True),),
        style=Style.WHOLE,
        enters=frozenset(("-C",)),
        subcommands={
            **dict.fromkeys(("test", "vet"), _GO_TEST),
            **dict.fromkeys(("list", "env", "version", "doc", "help"), _GO_READS),
            "mod": Program(
                subcommands={
                    **dict.fromkeys(("graph", "why", "verify"), reads()),
                    **dict.fromkeys(("tidy", "download", "init", "edit", "vendor"), INSTALLS),
                }
            ),
            "fmt": program(hidden("formats whole packages")),
            "build": program(hidden("may leave its result in the directory")),
            **dict.fromkeys(("get", "install", "generate", "clean", "fix", "work"), INSTALLS),
            **dict.fromkeys(("run", "tool"), program(hidden(SCRIPT))),
        },
    ),
    **dict.fromkeys(
        ("dotnet", "swift", "mix", "zig", "flutter", "dart", "sbt", "lein", "stack", "cabal"),
        Program(
            forms=(ABOUT,),
            subcommands={
                **dict.fromkeys(("test", "build", "analyze", "compile"), _BUILD),
                "format": program(
                    verifying("--check-formatted --verify-no-changes -n --set-exit-if-changed"),
                    hidden("formats whole projects"),
                ),
                **dict.fromkeys(("run", "add", "restore", "new", "clean", "publish"), INSTALLS),
            },
        ),
    ),
}
"""Each package manager and tool chain."""
