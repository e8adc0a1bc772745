"""The subcommands of git: what reads, what writes named paths, what git alone decides.

Invariant: a subcommand stands as reading only in the forms that list or show.
"""

from typing import Final

from intent_lsp.core.commands import Effect
from intent_lsp.core.program_rows import (
    Operands,
    Program,
    hidden,
    linking,
    program,
    reading,
    reads,
    words,
    writing,
)

_FILES: Final = "decides which files change"
_OWN: Final = "writes in the repository's own directory, and may run hooks"
_ELSEWHERE: Final = "writes a directory of its own making"

_SHOWING: Final = reads(
    valued="-n -L -S -G -U --max-count --since --until --author --grep --format --after --before"
    " --max-depth --exclude --diff-filter --skip -O",
    writes="--output -o",
    risky="--ext-diff --open-files-in-pager",
)

GIT: Final = Program(
    forms=(reading(bare=True), reading("--version -v --help -h --html-path")),
    valued=words("--git-dir --work-tree --namespace -c --config-env --super-prefix"),
    enters=frozenset(("-C",)),
    risky=words("-c --config-env --exec-path --git-dir --work-tree"),
    subcommands={
        **dict.fromkeys(
            [
                "status",
                "log",
                "diff",
                "show",
                "shortlog",
                "whatchanged",
                "range-diff",
                "diff-tree",
                "diff-index",
                "diff-files",
            ],
            _SHOWING,
        ),
        "grep": reads(valued="-e -f -A -B -C -m --max-depth", risky="-O --open-files-in-pager"),
        **dict.fromkeys(
            [
                "blame",
                "annotate",
                "ls-files",
                "ls-tree",
                "ls-remote",
                "rev-parse",
                "rev-list",
                "cat-file",
                "describe",
                "merge-base",
                "name-rev",
                "for-each-ref",
                "show-ref",
                "show-branch",
                "check-ignore",
                "check-attr",
                "check-ref-format",
                "count-objects",
                "fsck",
                "verify-commit",
                "verify-tag",
                "verify-pack",
                "var",
                "version",
                "help",
                "cherry",
                "get-tar-commit-id",
                "patch-id",
                "stripspace",
                "column",
                "diff-pairs",
                "interpret-trailers",
            ],
            reads(risky="--exec --upload-pack --in-place --lost-found"),
        ),
        "hash-object": program(hidden(_OWN, "-w"), reading()),
        "branch": program(
            hidden(
                _OWN,
                "-d -D -m -M -c -C -u -f --delete --move --copy --set-upstream-to --unset"
                "-upstream --edit-description --force",
            ),
            reading(
                "-l --list --contains --no-contains --merged --no-merged --points-at --show-current"
            ),
            reading(bare=True),
            hidden(_OWN),
            valued="--sort --format --abbrev -u --set-upstream-to",
        ),
        "tag": program(
            hidden(_OWN, "-d --delete -a --annotate -s --sign -f --force -m -F -u"),
            reading("-l --list -n --contains --no-contains --merged --no-merged --points-at -v"),
            reading(bare=True),
            hidden(_OWN),
            valued="-m -F -u --sort --format",
        ),
        "remote": program(reading(bare=True), reading(first="show get-url"), hidden(_OWN)),
        "stash": program(
            reading(first="list show"),
            hidden("takes changes away from the files or puts them back"),
        ),
        "config": program(
            hidden(
                "writes a configuration",
                "--add --unset --unset-all --replace-all -e --edit --rename-section"
                " --remove-section",
            ),
            reading("--get --get-all --get-regexp --get-urlmatch --get-color -l --list"),
            reading(first="get list"),
            hidden("writes a configuration"),
            valued="--type --default -f --file --blob",
        ),
        "reflog": program(
            hidden(_OWN, "--expire --rewrite"),
            reading(bare=True),
            reading(first="show exists list"),
            hidden(_OWN),
        ),
        "notes": program(reading(bare=True), reading(first="list show get-ref"), hidden(_OWN)),
        "worktree": program(reading(first="list"), hidden(_ELSEWHERE)),
        "submodule": program(reading(bare=True), reading(first="status summary"), hidden(_FILES)),
        "bisect": program(reading(first="log view terms visualize"), hidden(_FILES)),
        "sparse-checkout": program(reading(first="list"), hidden(_FILES)),
        "symbolic-ref": program(hidden(_OWN)),
        "lfs": program(reading(first="ls-files status env version"), hidden(_FILES)),
        "archive": program(
            reading("-l --list"),
            writing(Operands.NONE, "-o --output", writes="-o --output"),
            reading(),
            valued="--format --prefix --remote --exec",
            risky="--remote --exec",
        ),
        "format-patch": program(
            reading("--stdout"),
            hidden(_ELSEWHERE),
            valued="-n -o --output-directory",
        ),
        "bundle": program(reading(first="verify list-heads"), hidden(_ELSEWHERE)),
        "checkout": program(linking(writing(Operands.DASHED)), valued="-b -B --orphan --conflict"),
        "restore": program(
            hidden(_FILES, "--pathspec-from-file -p --patch"),
            linking(writing()),
            valued="-s --source --conflict --pathspec-from-file",
        ),
        "rm": program(
            hidden(_OWN, "--cached"),
            reading("-n --dry-run"),
            writing(effect=Effect.DELETE),
            risky="--pathspec-from-file",
        ),
        "mv": program(reading("-n --dry-run"), linking(writing(Operands.MOVE))),
        "clean": program(
            reading("-n --dry-run"), hidden("deletes every file it does not track"), valued="-e"
        ),
        "apply": program(
            hidden("applies a patch", "-R --reverse --3way -3 --index"),
            hidden(_OWN, "--cached"),
            reading("--check --stat --numstat --summary"),
            hidden("applies a patch that names the files"),
            valued="-p --exclude --include --directory --whitespace",
        ),
        "init": program(hidden(_ELSEWHERE)),
        "clone": program(hidden(_ELSEWHERE)),
        **dict.fromkeys(
            [
                "switch",
                "merge",
                "rebase",
                "pull",
                "cherry-pick",
                "revert",
                "am",
                "read-tree",
                "checkout-index",
                "filter-branch",
                "filter-repo",
                "merge-file",
                "mergetool",
                "subtree",
                "svn",
                "p4",
                "citool",
                "gui",
            ],
            program(hidden(_FILES)),
        ),
        "reset": program(hidden(_FILES, "--hard --merge --keep"), hidden(_OWN)),
        **dict.fromkeys(
            [
                "add",
                "stage",
                "commit",
                "push",
                "fetch",
                "gc",
                "prune",
                "repack",
                "pack-refs",
                "update-ref",
                "update-index",
                "write-tree",
                "commit-tree",
                "replace",
                "rerere",
                "maintenance",
                "mktag",
                "mktree",
                "fast-import",
                "unpack-objects",
                "index-pack",
                "pack-objects",
                "send-email",
                "difftool",
                "credential",
                "multi-pack-index",
                "commit-graph",
                "prune-packed",
                "update-server-info",
            ],
            program(hidden(_OWN)),
        ),
    },
)
"""git, with its own options before the subcommand."""
