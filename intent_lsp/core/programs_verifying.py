"""Programs that verify: tests, linters, type checkers and builds outside the sources.

Invariant: what verifies may write caches and what git ignores; an option that changes sources makes
it destructive.
"""

from typing import Final

from intent_lsp.core.program_rows import (
    Form,
    Operands,
    Program,
    Style,
    hidden,
    program,
    reading,
    reads,
    verifies,
    verifying,
    writing,
)

TASKS: Final = (
    "test tests check lint typecheck type-check types unit test:unit test:integration test:e2e"
    " test:ci lint:check lint:ci check:types check-types format:check format-check fmt-check verify"
    " vet clippy mypy pytest ruff eslint tsc unittest test-unit tests-unit coverage"
)
"""Names of tasks that verify by convention, for runners whose file says what a task does."""

_SNAPSHOTS: Final = "rewrites the snapshots"
_FIXES: Final = "--fix --fix-only --unsafe-fixes --add-noqa"


def _fixing(needs: str) -> Form:
    return writing(Operands.BELOW, needs)


_PYTEST: Final = verifies(
    reading("--version --help -h --collect-only --co --fixtures --markers"),
    hidden(_SNAPSHOTS, "--snapshot-update --force-regen --regen-all --inline-snapshot"),
    valued="-k -m -n -p -c -o -W -r --tb --maxfail --cov-config --durations --rootdir"
    " --ignore --deselect --dist --numprocesses --timeout --override-ini --import-mode",
    writes="--junitxml --junit-xml --basetemp --log-file --report-log --html --json-report-file",
    risky="--debug",
)
_TASKED: Final = program(
    reading("--version -v -V --help -h -l --list --listenvs"),
    verifying(every=TASKS),
    valued="-e -s -k -p -j --session --jobs",
)
_JEST: Final = verifies(
    hidden(_SNAPSHOTS, "-u --updateSnapshot --update --init --clearCache"),
    reading("--version --help --listTests --showConfig"),
    valued="-t -c --config --testNamePattern --reporter --project",
    writes="--outputFile --coverageDirectory",
)
_GRADLE: Final = program(
    reading("--version -v --help -h"),
    verifying(every=f"{TASKS} build assemble classes testClasses clean compileJava compileKotlin"),
    reading(every="tasks projects dependencies properties help"),
    valued="-b -c -p -g -x -I --tests --console --max-workers --project-dir",
    risky="--init-script --write-locks --write-verification-metadata",
)
_MAVEN: Final = program(
    reading("--version -v --help -h"),
    verifying(every="clean validate compile test-compile test package integration-test verify"),
    reading(every="dependency:tree help:effective-pom help:describe"),
    valued="-f -s -P -pl -T --file --settings --projects",
)

VERIFYING: Final = {
    "pytest": _PYTEST,
    "py.test": _PYTEST,
    "unittest": verifies(valued="-k -s -p -t"),
    "doctest": verifies(),
    **dict.fromkeys(("tox", "nox"), _TASKED),
    "mypy": verifies(
        reading("--version -V --help -h"),
        hidden("installs packages", "--install-types"),
        valued="-p -m -c -x --config-file --python-version --exclude --python-executable",
        writes="--junit-xml --html-report --txt-report --xml-report --any-exprs-report"
        " --cobertura-xml-report --linecount-report --linecoverage-report",
    ),
    "dmypy": program(verifying(first="run check status recheck"), reading("--help --version")),
    **dict.fromkeys(
        ("pyright", "basedpyright"),
        verifies(
            hidden("writes stubs or a baseline", "--createstub --writebaseline"),
            reading("--version --help"),
            valued="-p --project --pythonversion --pythonplatform --level",
        ),
    ),
    **dict.fromkeys(
        ("pyre", "ty", "pytype"),
        program(verifying(first="check"), verifying(bare=True), reading("--version --help")),
    ),
    "ruff": Program(
        forms=(reading("--version -V --help -h"),),
        valued=frozenset(("--config",)),
        subcommands={
            "check": verifies(
                _fixing(_FIXES),
                valued="--select --ignore --extend-select --config --output-format --exclude"
                " --target-version --line-length --fixable --per-file-ignores --stdin-filename",
                writes="-o --output-file",
            ),
            "format": program(
                verifying("--check --diff"),
                reading("--stdin-filename"),
                writing(Operands.BELOW),
                valued="--config --line-length --range --stdin-filename --exclude --target-version",
            ),
            **dict.fromkeys(("rule", "config", "linter", "version", "analyze"), reads()),
            "clean": program(hidden("removes its caches")),
        },
    ),
    "black": program(
        verifying("--check --diff"),
        reading("--version --help"),
        writing(Operands.BELOW),
        valued="-l -t -c --line-length --target-version --config --include --exclude",
    ),
    "isort": program(
        verifying("-c --check --check-only --check-only -d --diff"),
        reading("--version --help"),
        writing(Operands.BELOW),
        valued="--profile --settings-path --line-length -l",
    ),
    **dict.fromkeys(
        ("flake8", "pylint", "pycodestyle", "pydocstyle", "bandit", "vulture", "pyflakes", "radon"),
        verifies(
            reading("--version --help"),
            valued="--select --ignore --config --rcfile --max-line-length --disable --enable",
            writes="-o --output --output-file --tee",
            risky="--generate-rcfile",
        ),
    ),
    "tsc": program(
        verifying("--noEmit --noEmit=true"),
        reading("--version -v --help -h --showConfig --listFilesOnly"),
        valued="-p --project -t --target -m --module --lib",
        risky="--init --generateTrace --generateCpuProfile",
    ),
    "vue-tsc": program(verifying("--noEmit"), valued="-p --project"),
    "eslint": verifies(
        _fixing("--fix"),
        hidden("makes a configuration", "--init"),
        reading("--version -v --help -h --print-config"),
        valued="-c --config --ext -f --format --rule --plugin --max-warnings --ignore-pattern"
        " --parser --cache-location",
        writes="-o --output-file",
    ),
    "stylelint": verifies(
        _fixing("--fix"), valued="--config --formatter", writes="-o --output-file"
    ),
    "biome": Program(
        subcommands={
            **dict.fromkeys(
                ("check", "lint", "format", "ci"),
                verifies(_fixing("--write --apply --apply-unsafe --fix --unsafe")),
            ),
            "explain": reads(),
        }
    ),
    "prettier": program(
        _fixing("-w --write"),
        verifying("-c --check -l --list-different"),
        reading(),
        valued="--config --parser --ignore-path --plugin --stdin-filepath",
    ),
    "standard": verifies(_fixing("--fix")),
    **dict.fromkeys(("jest", "vitest"), _JEST),
    "mocha": verifies(valued="-r --require -t --timeout -g --grep -R --reporter --config"),
    "ava": verifies(hidden(_SNAPSHOTS, "-u --update-snapshots")),
    "playwright": program(
        hidden(_SNAPSHOTS, "-u --update-snapshots"),
        verifying(first="test"),
        valued="-g --grep -c --config --project --reporter",
    ),
    "cypress": program(verifying(first="run verify"), valued="--spec --browser"),
    "karma": program(verifying(first="start")),
    "tap": verifies(hidden(_SNAPSHOTS, "--snapshot")),
    "rspec": verifies(valued="-e -t -f -r -I --example --tag --format", writes="-o --out"),
    "rubocop": verifies(
        _fixing("-a -A --autocorrect --autocorrect-all --auto-correct -x --fix-layout"),
        hidden("writes its list of exceptions", "--auto-gen-config --init"),
        valued="--only --except --config -c --format -f",
        writes="-o --out",
    ),
    "phpunit": verifies(
        valued="--filter --testsuite -c --configuration --group",
        writes="--log-junit --coverage-html --coverage-clover --coverage-xml --testdox-html",
    ),
    "phpstan": program(
        hidden("writes its baseline", "-b --generate-baseline"),
        verifying(first="analyse analyze"),
        reading("--version"),
        valued="-c --configuration -l --level",
    ),
    "psalm": verifies(hidden("changes sources or its baseline", "--alter --set-baseline")),
    "ctest": verifies(
        valued="-R -E -L -LE -j -C --test-dir", writes="-O --output-log --output-junit"
    ),
    "shellcheck": verifies(reading("--version -V"), valued="-s -e -f --shell --exclude --format"),
    "hadolint": verifies(),
    "yamllint": verifies(valued="-c -d -f"),
    "markdownlint": verifies(_fixing("-f --fix"), writes="-o --output", valued="-c --config"),
    "actionlint": verifies(),
    "codespell": verifies(_fixing("-w --write-changes"), valued="-S -L --skip"),
    "typos": verifies(_fixing("-w --write-changes")),
    "import-linter": verifies(),
    "lint-imports": verifies(valued="--config"),
    "pip-audit": verifies(hidden("changes the environment", "--fix"), writes="-o --output"),
    "golangci-lint": program(
        _fixing("--fix"), verifying(first="run"), reading(first="version linters help")
    ),
    "staticcheck": verifies(style=Style.WHOLE),
    "gofmt": program(
        writing(Operands.BELOW, "-w"), reading(), valued="-r -cpuprofile", style=Style.WHOLE
    ),
    "goimports": program(writing(Operands.BELOW, "-w"), reading(), style=Style.WHOLE),
    "rustfmt": program(
        verifying("--check"), writing(Operands.BELOW), valued="--edition --config --config-path"
    ),
    "clang-format": program(
        _fixing("-i"), reading(), valued="-style -assume-filename -lines", style=Style.WHOLE
    ),
    "clang-tidy": verifies(
        _fixing("-fix -fix-errors -fix-notes"),
        valued="-p -checks",
        writes="-export-fixes",
        style=Style.WHOLE,
    ),
    "cppcheck": verifies(writes="--output-file"),
    "ktlint": verifies(_fixing("-F --format")),
    "swiftlint": verifies(_fixing("--fix --autocorrect")),
    **dict.fromkeys(("gradle", "./gradlew", "gradlew"), _GRADLE),
    **dict.fromkeys(("mvn", "./mvnw", "mvnw"), _MAVEN),
    **dict.fromkeys(
        ("make", "gmake", "just", "task", "rake", "invoke"),
        program(
            reading("--version -v --help -h"),
            hidden("reads its tasks from elsewhere", "-f --file --makefile --eval -E"),
            verifying(every=TASKS),
            valued="-j -l -o -W -I -f --file --makefile --eval -E",
            enters="-C --directory",
        ),
    ),
}
"""Each program that verifies, with what makes it read only or write."""
