"""Programs that run another program or a shell text, and interpreters, whose code nobody reads.

Invariant: what is wrapped is weighed as if it stood alone; code of another language is not read.
"""

from typing import Final

from intent_lsp.core.program_rows import (
    Operands,
    Program,
    Text,
    Wraps,
    hidden,
    program,
    reading,
    reads,
    verifies,
    words,
    writing,
)

_CODE: Final = "runs a program that may write anything"
_ABOUT: Final = reading("--version -version -V -v --help", bare=True)
_EVALUATING: Final = words(
    "-e --eval -p --print -r --require -c -E -i -n -x -m -M -B -jar --import --loader --command"
)

MODULES: Final = words(
    "pytest unittest doctest mypy ruff black isort flake8 pylint pyright pip tox nox"
    " bandit vulture pyflakes pycodestyle pydocstyle coverage autopep8 yapf pre_commit json.tool"
    " pip_audit build venv virtualenv py_compile compileall intent_lsp"
)
"""Modules that are the programs of the same name when `python -m` runs them."""

CHOOSERS: Final = words(
    "PATH CDPATH HOME ENV IFS SHELLOPTS BASHOPTS BASH_ENV BASH_FUNC_* PROMPT_COMMAND"
    " PS0 PS1 PS2 PS4 LD_* DYLD_* XDG_CONFIG_HOME ZDOTDIR PAGER MANPAGER MANOPT BAT_PAGER EDITOR"
    " VISUAL LESS LESSOPEN LESSCLOSE RIPGREP_CONFIG_PATH TAR_OPTIONS SSH_ASKPASS"
    " GIT_ASKPASS GIT_CONFIG GIT_CONFIG_* GIT_DIR GIT_EDITOR GIT_EXEC_PATH GIT_EXTERNAL_DIFF"
    " GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_TEMPLATE_DIR"
    " GIT_TRACE* GIT_WORK_TREE GOFLAGS MAKEFLAGS NODE_OPTIONS NODE_PATH PERL5DB PERL5LIB PERL5OPT"
    " PYTEST_ADDOPTS PYTHONHOME PYTHONPATH PYTHONSTARTUP RUBYLIB RUBYOPT RUSTC_WRAPPER"
    " JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS"
)
"""Variables that decide which program runs, or what a known one does; `*` stands for any end."""

_SHELL: Final = Program(
    forms=(_ABOUT, hidden(_CODE)),
    valued=words("-o -O --rcfile --init-file"),
    wraps=Wraps(text=Text.FIRST, needs=frozenset(("-c",))),
    risky=words("-i --rcfile --init-file"),
)
_PLAIN: Final = Program(wraps=Wraps())

WRAPPING: Final = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "ash"), _SHELL),
    **dict.fromkeys(
        ("fish", "pwsh", "powershell", "cmd", "csh", "tcsh"), program(_ABOUT, hidden(_CODE))
    ),
    "eval": Program(forms=(reading(bare=True),), wraps=Wraps(text=Text.JOINED)),
    "trap": Program(
        forms=(reading(bare=True), reading("-l -p"), reading(first="-")),
        wraps=Wraps(text=Text.FIRST),
    ),
    "watch": Program(
        forms=(reading("--version --help"),),
        valued=words("-n --interval"),
        wraps=Wraps(text=Text.JOINED),
    ),
    "su": Program(forms=(hidden(_CODE),), texts=words("-c --command")),
    "script": Program(
        forms=(hidden("keeps a record of the session"),), texts=words("-c --command")
    ),
    **dict.fromkeys(
        ("sudo", "doas"),
        Program(
            forms=(reading("-l --list -v --validate -k -K --version -V --help", bare=True),),
            valued=words("-u -g -h -p -C -T -U -R -r -t --user --group --host --prompt"),
            enters=words("-D --chdir"),
            risky=words("-e --edit -s --shell -i --login -R --chroot"),
            wraps=Wraps(assignments=True),
        ),
    ),
    "sudoedit": program(hidden("may change any file that a person opens in it")),
    "nice": Program(forms=(reading(bare=True),), valued=words("-n --adjustment"), wraps=Wraps()),
    "ionice": Program(
        forms=(reading(),), valued=words("-c -n -p --class --classdata --pid"), wraps=Wraps()
    ),
    "timeout": Program(valued=words("-k --kill-after -s --signal"), wraps=Wraps(skip=1)),
    "gtimeout": Program(valued=words("-k --kill-after -s --signal"), wraps=Wraps(skip=1)),
    "time": Program(
        forms=(reading(bare=True),),
        valued=words("-f --format"),
        writes=words("-o --output"),
        wraps=Wraps(),
    ),
    **dict.fromkeys(
        ("nohup", "setsid", "builtin", "coproc", "unbuffer", "winpty", "caffeinate"), _PLAIN
    ),
    **dict.fromkeys(("noglob", "nocorrect", "xvfb-run", "catchsegv", "torsocks"), _PLAIN),
    "stdbuf": Program(valued=words("-i -o -e --input --output --error"), wraps=Wraps()),
    "taskset": Program(forms=(reading("-p"),), wraps=Wraps(skip=1)),
    "chrt": Program(wraps=Wraps(skip=1)),
    "exec": Program(forms=(reading(bare=True),), valued=frozenset(("-a",)), wraps=Wraps()),
    "command": Program(forms=(reading("-v -V"), reading(bare=True)), wraps=Wraps()),
    "cross-env": Program(wraps=Wraps(assignments=True)),
    "dotenv": Program(valued=words("-e -f"), wraps=Wraps()),
    "flock": Program(
        valued=words("-w -E --timeout"), texts=words("-c --command"), wraps=Wraps(skip=1)
    ),
    **dict.fromkeys(
        ("strace", "ltrace"),
        Program(valued=words("-e -p -s"), writes=words("-o --output"), wraps=Wraps()),
    ),
    "xargs": Program(
        forms=(reading(),),
        valued=words("-a -d -E -L -n -P -s --arg-file --delimiter --max-args --max-procs"),
        attached=words("-i -l -e --replace --max-lines --eof"),
        wraps=Wraps(fills=words("-I -J -i --replace"), appends=True),
    ),
    "parallel": program(hidden(_CODE)),
    **dict.fromkeys(
        ("chroot", "unshare", "nsenter", "firejail", "bwrap", "busybox"),
        program(hidden("runs a program in surroundings of its own")),
    ),
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy3"),
        Program(
            forms=(
                hidden(_CODE, "-c"),
                reading("--version -V --help -h", bare=True),
                hidden(_CODE),
            ),
            valued=words("-c -W -X --check-hash-based-pycs"),
            wraps=Wraps(by=frozenset(("-m",)), needs=frozenset(("-m",)), only=MODULES),
        ),
    ),
    "coverage": Program(
        forms=(reading("--version --help"),),
        subcommands={
            "run": Program(
                valued=words("--source --include --omit --rcfile --concurrency --context"),
                writes=frozenset(("--data-file",)),
                wraps=Wraps(by=frozenset(("-m",)), only=MODULES),
            ),
            "report": verifies(writes="-o"),
            **dict.fromkeys(
                ("html", "xml", "json", "lcov", "combine", "erase", "annotate"),
                program(hidden("writes its report")),
            ),
        },
    ),
    "json.tool": reads(writing(Operands.SECOND)),
    "pre_commit": program(hidden("runs hooks that may change files")),
    "pip_audit": verifies(),
    **dict.fromkeys(
        ("build", "venv", "virtualenv"), program(hidden("writes a directory of its own making"))
    ),
    **dict.fromkeys(("py_compile", "compileall"), verifies()),
    **dict.fromkeys(
        (
            "node",
            "ts-node",
            "tsx",
            "ruby",
            "irb",
            "perl",
            "php",
            "lua",
            "java",
            "Rscript",
            "julia",
            "osascript",
            "tclsh",
            "expect",
            "groovy",
            "scala",
            "kotlin",
            "elixir",
            "ipython",
            "cmake",
            "ninja",
            "meson",
            "bazel",
            "gdb",
            "sqlite3",
            "psql",
            "mysql",
            "redis-cli",
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "rustc",
            "javac",
            "ghc",
            "ld",
            "as",
            "swiftc",
            "protoc",
            "configure",
            "./configure",
        ),
        Program(forms=(_ABOUT, hidden(_CODE)), risky=_EVALUATING),
    ),
    **dict.fromkeys((".", "source"), program(hidden(_CODE))),
}
"""Each wrapper and interpreter."""
