"""What a git configuration runs or redirects (requirements section 6), as git itself reads it."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.git_config import Setting, guarded_settings, settings

HOOKS = b"core.hookspath\nx\0"
_PARTS = st.sampled_from(
    [
        *(b"[core]", b"[Core]\n", b'[a "B c"]\n', b'[core "A.b\\"\\]"]', b"\xef\xbb\xbf"),
        *(b"[]", b"[a ]", b'[a"b"]', b'[a\t"b"]', b'[ "a"]', b"[.]", b'[a "\0b"]', b'[a ""]\n'),
        *(b"hooksPath = x\n", b"Pager=\n", b"editor\n", b"a-1 = b", b"-a = b\n", b"k_ = 1\n"),
        *(b"a = ", b"=", b'"', b"\\", b"\\\n", b"\\n", b"\\t", b"\\b", b'\\"', b"\\\\", b"\\x"),
        *(b" ", b"\t", b"\r", b"\n", b"\r\n", b"\0", b"\v", b"#", b"; c\n", b"x", b"\xc3\xa9"),
        *(b"[a.B]\n", b'[a.B "c"]\n'),
    ]
)
_VALUES = st.lists(_PARTS, max_size=6).map(b"".join)
_LINES = st.tuples(st.sampled_from([b"a = ", b"B\t=", b'[c "D"]x=', b""]), _VALUES).map(b"".join)
TEXTS = st.lists(_PARTS).map(b"".join) | st.lists(_LINES, max_size=5).map(
    lambda lines: b"[s]\n" + b"\n".join(lines)
)


def by_git(config: bytes) -> list[Setting] | None:
    """Ask git for the settings of a text; None: it refuses it."""
    asked = subprocess.run(
        ["git", "config", "--file", "-", "--list", "-z"],
        input=config,
        capture_output=True,
        check=False,
    )
    if asked.returncode:
        assert b"bad config line" in asked.stderr
        return None
    parts = [entry.partition(b"\n") for entry in asked.stdout.split(b"\0")[:-1]]
    return [Setting(key, value if equals else None) for key, equals, value in parts]


def spaced(read: list[Setting] | None) -> list[Setting] | None:
    """Make every white space in values a space, as git did before 2.45 between words."""
    blank = bytes.maketrans(b"\t\r", b"  ")
    return read and [
        Setting(key, None if value is None else value.translate(blank)) for key, value in read
    ]


@given(TEXTS)
def test_a_text_is_read_or_refused_as_git_does(config: bytes) -> None:
    ours = settings(config)
    assert spaced(None if ours is None else list(ours)) == spaced(by_git(config))
    assert ours is not None or config in guarded_settings(config)


@pytest.mark.parametrize(
    "config",
    [
        b"[core]\n\thooksPath = x\n",
        b"[CORE]hookspath=x",
        b"[core] hooksPath = x",
        b"[a][core]\r\n\r\thooksPath\t=\tx\r\r\n",
        b"\xef\xbb\xbf[core]\nHooksPath = x ; y\n",
        b'# [a]\n[core] ; [a]\nhooksPath = "x"# "\n',
        b'[core]\nhooksPath = \\\n ""\\\n"\\\nx"\\\n',
        b"[core]\nhooksPath = x\\",
        b"[core]\nhooksPath = x\0y\n",
        b'[core "hookspath\0"]\nz = x\n',
        b"[a]\nb = [core] \\\n[d]\n[core]\nbigFileThreshold = 1\nhooksPath = x\n[a]\nhooksPath = y",
    ],
)
def test_every_spelling_of_a_setting_is_that_setting(config: bytes) -> None:
    assert guarded_settings(config) == HOOKS
    # Git says so too.
    assert Setting(b"core.hookspath", b"x") in (by_git(config) or ())


@pytest.mark.parametrize(
    "config",
    [
        b"",
        b"x = y",
        b'[branch "a/b"]\n\tremote = origin\n\tmerge = refs/heads/a/b\n\trebase\n',
        b'[remote "origin"]\n\turl = git@example.org:x.git\n\tfetch = +refs/*:refs/*\n',
        b'[submodule]\n\tactive = .\n[submodule "a"]\n\turl = ../a\n\tupdate = rebase\n',
        b"[user]\n\tname = x\n\tsigningKey = y\n[push]\n\tautoSetupRemote\n",
        b"[core]\n\tignoreCase\n\tfileMode = false\n\tautocrlf = input\n\tsparseCheckout\n",
        b"[extensions]\n\tworktreeConfig\n[commit]\n\ttemplate = x\n[protocol]\n\tversion = 2",
        b"[merge]\n\ttool = vimdiff\n[web]\n\tbrowser = firefox\n[http]\n\tproxy = x\n",
        b'[a]\n\tb = "\\n[core]\\n\\thooksPath = x"\n[core]\n# hooksPath = x\n[a]\nhooksPath = x\n',
        b'[core "a"]\n\thooksPath = x\n[core.a]\n\thooksPath = x\n[a "core"]\n\thooksPath = x\n',
    ],
)
def test_what_runs_and_redirects_nothing_is_free(config: bytes) -> None:
    assert by_git(config) is not None
    assert guarded_settings(config) == b""


KEPT = """
    core.hooksPath core.fsmonitor core.sshCommand core.pager core.editor core.worktree
    core.excludesFile core.attributesFile alias.x alias.x.command filter.x.clean filter.x.process
    filter.x.required diff.external diff.x.textconv diff.x.command merge.x.driver
    credential.helper credential.https://example.org.helper include.path includeIf.gitdir:x.path
    core.askPass core.gitProxy core.alternateRefsCommand core.bare sequence.editor gpg.program
    gpg.ssh.program gpg.ssh.defaultKeyCommand pager.log interactive.diffFilter difftool.x.cmd
    difftool.x.path mergetool.x.cmd mergetool.x.path browser.x.cmd man.x.path
    uploadpack.packObjectsHook trailer.x.cmd trailer.x.command tar.tar.gz.command
    remote.x.uploadpack remote.x.receivepack remote.x.vcs url.x.insteadOf url.x.pushInsteadOf
    init.templateDir protocol.allow protocol.ext.allow hook.x.command gc.recentObjectsHook
    attr.tree sendemail.ccCmd sendemail.x.smtpServer imap.tunnel instaweb.httpd guitool.x.cmd
    http.cookieFile lfs.customTransfer.x.path extensions.refStorage
"""


@pytest.mark.parametrize("key", KEPT.split())
def test_what_runs_or_redirects_something_is_kept(key: str) -> None:
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    header = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
    for line in ("", " = ", " = x", " = y"):
        found = guarded_settings(f"{header}\n{name}{line}\n".encode())
        subsections = f"{subsection}." if subsection else ""
        named = f"{section.lower()}.{subsections}{name.lower()}"
        assert found.decode() == f"{named}{line.replace(' = ', chr(10))}\0"


@pytest.mark.parametrize(
    ("free", "kept"),
    [
        (b'[submodule "a"]\nupdate = merge\n', b'[submodule "a"]\nupdate = !x\n'),
        (b'[remote "a"]\nurl = ../a\n', b'[remote "a"]\nurl = ext::x\n'),
        (b'[branch "a"]\nremote = b\n', b'[branch "a"]\nremote = "ext::x"\n'),
    ],
)
def test_a_free_setting_whose_value_is_a_command_is_kept(free: bytes, kept: bytes) -> None:
    assert guarded_settings(free) == b""
    assert guarded_settings(kept) != b""


@pytest.mark.parametrize(
    "config",
    [
        *(b"[core", b"[]", b"[core ]", b'[core "a" ]', b'[core "a\n"]', b"[core_]\n"),
        *(b"[a]\nb # c\n", b"[a]\nb\r", b'[a]\nb = "c\n', b"[a]\nb = \\c\n", b"[a]\n1b\n"),
    ],
)
def test_of_a_text_that_git_refuses_all_is_kept(config: bytes) -> None:
    broken = b"[core]\nhooksPath = x\n" + config
    assert by_git(broken) is None
    assert guarded_settings(broken) == b"\0" + broken
    assert guarded_settings(broken) != guarded_settings(broken + b"#")


_FREE = st.sampled_from(
    [b"", b"# c\n", b"[a]\nb = c\n", b'[branch "pager"]\nmerge = x\n', b"[core]\npager-x\n"]
)
_KEPT = st.permutations(
    [b"[core]\npager = x\npager\n", b"[alias]\nx = y # z\n", b'[diff "A"]\ncommand = "x"\n']
)


@given(_KEPT, st.lists(_FREE, min_size=4, max_size=4))
def test_what_stands_beside_and_where_a_section_stands_means_nothing(
    kept: list[bytes], free: list[bytes]
) -> None:
    config = b"".join(part for both in zip(free, [*kept, b""], strict=True) for part in both)
    assert guarded_settings(config) == (
        b"alias.x\ny\0" + b"core.pager\nx\0core.pager\0" + b"diff.A.command\nx\0"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"[core]\npager = a\n", b"[core]\npager = b\n"),
        (b"[credential]\nhelper = a\n", b'[credential "https://x"]\nhelper = b\n'),
        (b"[core]\npager = a\n", b"[include]\npath = b\n"),
        (b"[core]\npager = a\n", b'[includeIf "onbranch:x"]\npath = b\n'),
    ],
)
def test_an_order_that_git_heeds_is_kept(one: bytes, other: bytes) -> None:
    assert guarded_settings(one + other) != guarded_settings(other + one)


def test_a_subsection_is_another_in_other_letters() -> None:
    lower, upper = b'[filter "a"]\nclean = x\n', b'[Filter "A"]\nCLEAN = x\n'
    assert guarded_settings(lower) != guarded_settings(upper)
    assert guarded_settings(b"[filter.A]\nclean = x\n") == guarded_settings(lower)
    assert guarded_settings(b'[filter "\\a"]\nclean = x\n') == guarded_settings(lower)
    assert guarded_settings(b"[filter]\nclean\n") != guarded_settings(b"[filter]\nclean =\n")


@pytest.mark.parametrize("part", [b"a ", b'"" ', b'"a', b"\\\n", b"#", b"[", b"\r", b'[a "'])
def test_a_long_text_is_read_to_its_end(part: bytes) -> None:
    long = part * (2**18 // len(part))
    for begin in (b"", b"[core]\npager = ", b'[core "', b"[core]\npager "):
        read = settings(begin + long)
        assert read is None or len(read) <= 1


def test_a_text_whose_keys_would_fill_the_memory_is_kept_whole() -> None:
    config = b'[pager "' + b"a" * 2**19 + b'"]\n' + b"b\n" * 2**18
    assert settings(config) is None
    assert guarded_settings(config) == b"\0" + config
