"""Generated shell texts: some write in the tree of `command_sandbox`, others do not.

Invariant: every name is relative and below the tree; nothing waits, asks, or uses a network.
"""

import shlex
import shutil

from hypothesis import strategies as st

from intent_lsp.core.commands.rows import EVERY, CommandLists, ProgramRow, RowKind
from intent_lsp.store.packaged_files import command_lists

OWNED = ("a/one.txt", "'a/two words.txt'", "a/new.txt", "a/sub/four.md")
FOREIGN = ("b/three.txt", "top.txt", "b/new.txt", "b/dirty.txt", "-dash", ".hidden", "b/sub/x.md")
IGNORED = ("build/out.txt", "b/x.log")

NEVER = frozenset(
    {
        *("yes", "sleep", "top", "htop", "ping", "less", "more", "man", "reset", "w", "who"),
        *("vmstat", "free", "clear", "stty", "tput", "date", "hostname", "su", "chrt", "ionice"),
        *("taskset", "lsof", "netstat", "ss", "ps", "pgrep", "pstree", "apt-cache", "dpkg"),
        *("wget", "curl", "openssl", "apropos", "whatis", "bash", "sh", "dash", "xargs", "env"),
        *("nice", "time", "flock", "jar"),
    }
)
"""Programs that wait, may change the machine, or run whatever they are given."""

files = st.sampled_from([*OWNED, *FOREIGN, *IGNORED])
globs = st.sampled_from(["a/*.txt", "b/*", "b/t?ree.txt", "[bt]*", "*.txt", "{a,b}/n.txt", "b/**"])
unseen = st.sampled_from(['"$F"', "$F", "${F:-top.txt}", "$(echo b/three.txt)", "`echo top.txt`"])
words = st.one_of(files, globs, unseen, unseen)


def joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    """Join parts with blanks."""
    each = [st.just(part) if isinstance(part, str) else part for part in parts]
    return st.tuples(*each).map(" ".join)


writers = st.one_of(
    joined("echo x >", words),
    joined("echo x >>", words),
    joined("cat a/one.txt >|", words),
    joined("printf x &>", words),
    joined("rm -f", words),
    joined("touch", words),
    joined("mkdir -p c && touch c/n && mv c/n", words),
    joined("cp a/one.txt", words),
    joined("mv -f", words, words),
    joined("tee", words, "< top.txt"),
    joined("dd if=top.txt status=none of=b/n2"),
    joined("truncate -s 0", words),
    joined("install -m 644 top.txt", words),
    joined("sed -i s/x/y/", words),
    joined("perl -pi -e s/x/y/", words),
    joined("sort -o", words, "top.txt"),
    joined("git rm -qf --", words),
    joined("git mv -f", words, words),
    joined("git restore --", words),
    joined("git checkout -q --", words),
    joined("git diff --output=b/n3"),
    joined("git log -1 --output=top.txt"),
    joined("exec 3<>", words, "; echo x >&3"),
    joined("ln -s ../b a/l; echo x >", st.sampled_from(["a/l/three.txt", "a/l/new.txt"])),
    joined("ln b/three.txt a/h; echo x > a/h"),
    joined("git update-index --assume-unchanged", words, "; echo x >> b/three.txt"),
    joined("git update-index --skip-worktree b/three.txt; echo x >>", words),
    joined("git rm -qf ':(glob)b/**'"),
    joined("git restore ':!a'"),
    joined("git -C b rm -qf three.txt"),
    joined("git apply b/patch.diff"),
    joined("patch -s -p1 -i b/patch.diff"),
    joined("find b -name '*.txt' -delete"),
    joined("find b -fprint b/found.txt"),
    joined("cd nosuch; echo x >", words),
    joined("cd b && echo x > ../top.txt"),
    joined("pushd b > /dev/null; echo x > three.txt"),
    joined("(cd b; echo x > new.txt)"),
)
"""Commands that write, whether their text says where or not."""

programs_by_git = st.sampled_from(
    [
        "git log -1",
        "git diff",
        "git status",
        "git show",
        "git blame b/three.txt",
        "git evil",
        "git -c alias.x='!echo x >> top.txt' x",
        "git -c core.pager='sh .git/evil' -p log",
        "git -c core.fsmonitor=.git/evil status",
        "git -c diff.external=.git/evil diff",
        "git -c core.hooksPath=.git/evils status",
        "GIT_EXTERNAL_DIFF=.git/evil git diff",
        "git diff --ext-diff",
        "git grep -O.git/evil x",
        "git grep -q x",
        "cd nested && git status",
        "cd nested; git diff",
        "git -C nested diff",
        "git cat-file --textconv HEAD:b/three.txt",
        "git commit -qam x",
        "git add -A",
        "git branch -v",
        "git rebase --exec 'echo x > top.txt' HEAD",
    ]
)
"""Commands of git, which may be configured to run another program."""


POSITIONS = (
    "F=$(CMD) ls",
    "F=$(CMD)",
    "declare F=$(CMD)",
    'ls "a $(CMD)"',
    "ls ${{F:-$(CMD)}}",
    "ls < a/one.txt$(CMD)",
    "echo > build/out.txt$(CMD)",
    "cat <<< $(CMD)",
    "case $(CMD) in x) ;; esac",
    "for i in $(CMD); do ls; done",
    "[ -n $(CMD) ]",
    "[[ -n $(CMD) ]]",
    "echo $((1 + $(CMD) + 0))",
    "A=([1]=$(CMD))",
    "git log -1 -- $(CMD)",
    "$(CMD)",
    "l$(CMD)s",
    "{{ ls; }} 2> build/out.txt$(CMD)",
    "until CMD\ndo break; done",
    "while CMD\ndo break; done",
    "select i in $(CMD); do ls; done",
    "time CMD",
    "exec 3< <(CMD)",
)
"""Where a shell runs what stands for CMD; braces are doubled."""


def _hiding(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Put a command where a reader of the text may overlook it."""
    quoted = inner.map(shlex.quote)
    double = inner.filter(lambda text: not set(text) & set('"`$\\!')).map(lambda text: f'"{text}"')
    # A function that calls itself has no end.
    elsewhere = inner.filter(lambda text: "ls" not in text)
    plain = inner.filter(lambda text: "\n" not in text and not set(text) & set("`'\""))
    return st.one_of(
        inner.map(lambda text: f"echo $({text})"),
        plain.map(lambda text: f"echo `{text}`"),
        inner.map(lambda text: f"cat <({text})"),
        inner.map(lambda text: f"cat top.txt > >({text})"),
        inner.map(lambda text: f"f() {{ {text}\n}}; f"),
        elsewhere.map(lambda text: f"ls() {{ {text}\n}}; ls"),
        elsewhere.map(shlex.quote).map(
            lambda text: f"shopt -s expand_aliases\nalias ls={text}\nls"
        ),
        quoted.map(lambda text: f"trap {text} EXIT; ls"),
        quoted.map(lambda text: f"eval {text}"),
        quoted.map(lambda text: f"bash -c {text}"),
        double.map(lambda text: f"sh -c {text}"),
        inner.map(lambda text: f"bash <<'E'\n{text}\nE"),
        inner.map(lambda text: f"cat <<E\n$({text})\nE"),
        quoted.map(lambda text: f"echo {text} | sh"),
        quoted.map(lambda text: f"A=(ls {text}); eval ${{A[1]}}"),
        plain.map(lambda text: f"x='a[$({text})]'; echo $((x))"),
        plain.map(lambda text: f"printf -v 'a[$({text})]' 1"),
        plain.map(lambda text: f"x='$({text})'; echo ${{x@P}}"),
        plain.map(lambda text: f"[[ -v 'a[$({text})]' ]]"),
        quoted.map(lambda text: f"xargs -I% sh -c {text} <<< x"),
        quoted.map(lambda text: f"find a -maxdepth 0 -exec sh -c {text} \\;"),
        quoted.map(lambda text: f"env X=1 nice -n 1 sh -c {text}"),
        inner.map(lambda text: f"if true; then {text}\nfi"),
        inner.map(lambda text: f"for F in b/three.txt a/one.txt; do {text}\ndone"),
        inner.map(lambda text: f"case x in x) {text}\n;; esac"),
        inner.map(lambda text: f"{{ {text}\n}} > build/out.txt"),
        inner.map(lambda text: f"( {text} ) & wait"),
        inner.map(lambda text: f"! {text}"),
        inner.map(lambda text: f"ls | while read -r F; do {text}\ndone"),
        inner.map(lambda text: f"F=b/three.txt; {text}"),
        inner.map(lambda text: f"export F=top.txt; {text}"),
        inner.map(lambda text: f"O=-i; sed $O s/x/y/ b/three.txt; {text}"),
        inner.map(lambda text: f"echo b/three.txt | xargs rm -f; {text}"),
        inner.map(lambda text: f"cd b; {text}"),
        inner.map(lambda text: f"cd nosuch && {text}"),
        inner.map(lambda text: f"coproc {{ {text}\n}}; wait"),
        *(inner.map(position.replace("CMD", "{}").format) for position in POSITIONS),
    )


def _together(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Put two commands into one text, in which neither is nested deeper."""
    joints = st.sampled_from([" && ", "; ", " || ", " | ", "\n", " & "])
    return st.tuples(inner, joints, inner).map("".join)


def _option(row: ProgramRow) -> st.SearchStrategy[str]:
    """Return an option: one with which the row only reads, or any other."""
    letters = st.sampled_from("abcdefghijklmnopqrstuvwxyzCDFHILORSTUX").map(lambda sign: f"-{sign}")
    named = sorted((row.plain or frozenset()) - {EVERY})
    return st.one_of(st.sampled_from(named), letters) if named else letters


def _looks(lists: CommandLists) -> st.SearchStrategy[str]:
    """Call a program of the lists that reads, with options and operands of all kinds."""
    found = []
    for name, rows in sorted(lists.rows.items()):
        first = name.split()[0]
        reads = [row for row in rows if row.kind is RowKind.READS]
        if reads and first not in NEVER and shutil.which(first):
            options = st.lists(_option(reads[0]), max_size=2).map(" ".join)
            operands = st.lists(st.sampled_from([*OWNED, *FOREIGN, "a", "HEAD", "x"]), max_size=2)
            found.append(joined(name, options, operands.map(" ".join)))
    return st.one_of(found)


looks = _looks(command_lists())
"""Calls of programs that read, as the lists have them."""


@st.composite
def simple(draw: st.DrawFn) -> str:
    """Return a command, most often one that writes."""
    kinds = (writers, writers, writers, programs_by_git, looks)
    return draw(draw(st.sampled_from(kinds)))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return a text, most often one that hides a command or two."""
    deep = _hiding(_hiding(simple()))
    kinds = (simple(), _hiding(simple()), _together(simple()), deep, _together(_hiding(simple())))
    return draw(draw(st.sampled_from(kinds)))
