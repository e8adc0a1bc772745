"""Checks whether git's configuration lets read-only git commands run programs other than git.

Invariant: a setting that cannot be read or is not listed here counts as running a program.
"""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.repository import Git

_HARMLESS_SETTINGS: Final = """
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase
    core.precomposeunicode core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath
    core.editor core.excludesfile core.attributesfile core.abbrev core.compression core.whitespace
    core.untrackedcache core.preloadindex core.longpaths core.fscache core.commentchar
    core.checkstat core.trustctime core.hookspath core.protectntfs core.protecthfs
    core.multipackindex
    core.fsync core.fsyncmethod core.fsyncobjectfiles core.bigfilethreshold core.packedgitlimit
    core.sparsecheckout core.sparsecheckoutcone core.splitindex core.hidedotfiles
    core.loosecompression core.maxtreedepth core.commitgraph core.sharedrepository
    core.worktree core.askpass core.sshcommand
    user.* author.* committer.* init.* branch.* push.* pull.* fetch.* commit.* tag.* color.*
    column.* advice.* alias.* rebase.* rerere.* gc.* maintenance.* credential.* http.* url.* safe.*
    help.* gui.* feature.* index.* sequence.* versionsort.* transfer.* receive.* pack.* protocol.*
    remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.prune remote.*.tagopt
    remote.*.mirror remote.*.gh-resolved remote.*.skipdefaultupdate remote.pushdefault
    merge.conflictstyle merge.ff merge.tool merge.log merge.stat merge.verbosity merge.autostash
    mergetool.* difftool.* diff.tool diff.guitool diff.algorithm diff.renames diff.renamelimit
    diff.colormoved diff.colormovedws diff.mnemonicprefix diff.noprefix diff.context
    diff.interhunkcontext diff.statgraphwidth diff.wserrorhighlight diff.indentheuristic
    diff.ignoresubmodules diff.orderfile diff.relative
    log.abbrevcommit log.date log.decorate log.follow log.mailmap log.showroot
    status.short status.branch status.showuntrackedfiles status.relativepaths status.aheadbehind
    status.renames status.showstash blame.* grep.* include.path includeif.* interactive.singlekey
    format.* pretty.* i18n.* diff.*.xfuncname diff.*.wordregex diff.*.binary
    submodule.recurse submodule.active extensions.objectformat extensions.worktreeconfig
"""
"""Settings with which `git status`, `log`, `diff` and the like run no program; `*` is any text."""

_SWITCHED: Final = re.compile(r"core\.fsmonitor|pager\..*", re.DOTALL)
"""Settings whose value is either a boolean or the name of a program."""

_SWITCHES: Final = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})
_PAGER: Final = "core.pager"
_HOOKS: Final = "core.hookspath"
_OURS: Final = "command"
"""The scope that git reports for settings from the command line: those that `run_git` passes."""

_HARMLESS: Final = frozenset(
    {
        *("GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"),
        *("GIT_OPTIONAL_LOCKS", "GIT_CEILING_DIRECTORIES", "GIT_SSH", "GIT_SSH_COMMAND"),
        "GIT_CONFIG_NOSYSTEM",
    }
)
"""Environment variables that do not change what a read-only git command does."""

_HARMLESS_HEADS: Final = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSL_", "GIT_HTTP_")
_PAGERS: Final = frozenset({"", "cat", "less", "more"})
_INDEX_HOOK: Final = "post-index-change"


def runs_programs(git: Git | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether `git status`, `log`, `diff` and the like may run a program other than git.

    This depends on the repository's settings and hooks and on the variables in `environment`.
    Return True also if the repository has submodules, or if `git` is None, because then it is
    unknown which configuration git would read.
    """
    if git is None or any(_directs(*variable) for variable in environment.items()):
        return True
    settings = tuple(_settings(git))
    return (
        any(_runs(*setting) for setting in settings)
        or _may_run_hook(git, dict(settings).get(_HOOKS))
        or git.has_submodules()
    )


def _directs(name: str, value: str) -> bool:
    """Return whether an environment variable may change what a read-only git command does.

    Every variable named `GIT_…` counts, unless its name is listed as harmless. A variable that
    names a pager counts unless `value` is a harmless pager.
    """
    if name in {"PAGER", "GIT_PAGER"}:
        return value not in _PAGERS
    return (
        name.startswith("GIT_") and name not in _HARMLESS and not name.startswith(_HARMLESS_HEADS)
    )


def _may_run_hook(git: Git, hooks_path: str | None) -> bool:
    """Return whether git may have a `post-index-change` hook to run.

    It is searched for in `hooks_path`, the value of `core.hooksPath`, or in the default directory
    if that is None. Return True also if it is unknown where hooks are: if `hooks_path` begins with
    `%`, as in `%(prefix)/hooks`, if git finds another repository than `git`, or if git fails.
    """
    printed = run_git(git.root, "rev-parse", "--absolute-git-dir", "--git-common-dir")
    places = [Path(git.root, os.fsdecode(line)) for line in (printed or b"").splitlines()]
    if not places or places[0].resolve() != git.git_dir.resolve():
        return True
    hooks = git.top / Path(hooks_path).expanduser() if hooks_path else places[-1] / "hooks"
    # Git expands `%(prefix)/` to its own installation directory, which is unknown here.
    return (hooks_path or "").startswith("%") or (hooks / _INDEX_HOOK).exists()


def _settings(git: Git) -> Iterator[tuple[str, str | None]]:
    """Yield the name and value of every git setting that applies, also those in included files.

    Settings from the command line are left out: `run_git` itself passes them. The value is None for
    a name without `=`. If git fails, yield one empty name, which counts as a setting that runs a
    program.
    """
    printed = run_git(git.root, "config", "--list", "-z", "--show-scope")
    if printed is None:
        yield "", None
        return
    words = printed.decode("utf-8", "surrogateescape").split("\0")
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        if scope != _OURS:
            key, equals, value = setting.partition("\n")
            yield key, value if equals else None


def _runs(key: str, value: str | None) -> bool:
    """Return whether a setting with this name and value may make git run a program."""
    if _SWITCHED.fullmatch(key):
        # A name without a value means true.
        return (value or "").lower() not in _SWITCHES
    if key == _PAGER:
        return value not in _PAGERS
    return _harmless_key().fullmatch(key) is None


@cache
def _harmless_key() -> re.Pattern[str]:
    # Compiled when it is first needed, since that takes long.
    keys = "|".join(re.escape(key).replace(r"\*", ".*") for key in _HARMLESS_SETTINGS.split())
    return re.compile(keys, re.DOTALL)
