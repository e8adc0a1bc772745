"""Programs that only read, and the options that make some of them write.

Invariant: a program stands here only if no input makes it write without one of those options.
"""

from typing import Final

from intent_lsp.core.program_rows import (
    Operands,
    Program,
    Script,
    Style,
    Wraps,
    hidden,
    program,
    reading,
    reads,
    words,
    writing,
)

_PLAIN: Final = (
    "ls dir vdir cat tac nl head tail wc cut paste join comm tr rev fold expand unexpand fmt pr"
    " column grep egrep fgrep zgrep look cmp diff diff3 colordiff od hexdump strings nm"
    " readelf objdump size ldd stat readlink realpath basename dirname du df pwd echo true"
    " false : [ seq yes sleep whoami id groups users who w uname arch nproc uptime"
    " free ps pgrep pstree top htop lsof netstat ss dig nslookup host ping which whereis"
    " type help apropos whatis locale getconf getent cal md5sum sha1sum sha224sum"
    " sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 zcat bzcat xzcat zstdcat"
    " jq tokei cloc scc exa eza lsd numfmt factor expr bc tsort ptx tty logname dircolors"
    " local declare typeset readonly unset shift return exit break continue"
    " set shopt umask ulimit times disown fg bg let dirs lscpu"
    " lsblk lsusb vmstat iostat tput clear reset stty caller logout suspend"
)

READING: Final = {
    **dict.fromkeys(_PLAIN.split(), reads()),
    "sort": reads(
        valued="-k --key -t --field-separator -S --buffer-size -T --temporary-directory --parallel"
        " --batch-size --files0-from --random-source",
        writes="-o --output",
        risky="--compress-program",
    ),
    "shuf": reads(valued="-n -i -e", writes="-o --output"),
    "uniq": reads(writing(Operands.SECOND), valued="-f -s -w"),
    "xxd": reads(writing(Operands.SECOND), valued="-c -g -l -o -s -n", style=Style.WHOLE),
    "iconv": reads(valued="-f -t", writes="-o --output"),
    "tree": reads(valued="-L -P -I --filelimit --charset --sort", writes="-o"),
    "file": reads(hidden("compiles the magic file", "-C --compile"), valued="-m -F -P"),
    "less": reads(valued="-b -h -j -k -p -P -t -T -x -y -z", writes="-o -O --log-file"),
    "more": reads(),
    "bat": reads(hidden("builds or clears a cache", "--build --clear"), risky="--pager"),
    "date": reads(hidden("sets the clock", "-s --set"), valued="-d --date -r -f"),
    "hostname": program(
        reading(bare=True),
        reading("-f -i -I -s -d --fqdn --short"),
        hidden("names the machine anew"),
    ),
    "man": reads(risky="-P --pager -H --html"),
    "ag": reads(risky="--pager"),
    "hash": reads(hidden("decides which program a name means", "-p")),
    "jobs": reads(risky="-x"),
    "history": reads(hidden("writes its file", "-w -a -c -d -r -n")),
    "printf": reads(naming="-v"),
    "test": reads(naming="-v -R", style=Style.WHOLE),
    "read": reads(valued="-d -i -n -N -p -t -u", naming="-a -A", names=Operands.ALL),
    "getopts": reads(names=Operands.SECOND),
    "wait": reads(naming="-p"),
    **dict.fromkeys(
        ("mapfile", "readarray"),
        reads(valued="-d -n -O -s -u -c", risky="-C", names=Operands.ALL),
    ),
    **dict.fromkeys(("kill", "pkill", "killall"), program(hidden("stops other programs"))),
    "rg": reads(
        valued="-e -f -g -t -T -A -B -C -m -j -M -d -E -r --regexp --file --glob --iglob --type"
        " --type-not --max-count --max-depth --context --after-context --before-context"
        " --sort --sortr --threads --replace --colors --encoding",
        risky="--pre --hostname-bin",
    ),
    "ack": reads(risky="--pager"),
    "fd": Program(
        forms=(reading(),),
        valued=words("-e -E -t -d -S -o -g --extension --exclude --type --max-depth"),
        wraps=Wraps(execs=words("-x -X --exec --exec-batch")),
    ),
    "find": Program(
        forms=(hidden("deletes what it finds", "-delete"), reading()),
        writes=words("-fprint -fprint0 -fls -fprintf"),
        style=Style.WHOLE,
        wraps=Wraps(execs=words("-exec -execdir -ok -okdir")),
    ),
    "sed": reads(
        writing(Operands.BUT_FIRST, "-i --in-place", given="-e --expression -f --file"),
        valued="-e --expression -f --file -l --line-length",
        attached="-i --in-place",
        script=Script.SED,
    ),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        reads(
            hidden("changes its files in place or loads more program", "-i --include -l --load"),
            valued="-F -v -f -E -e --field-separator --assign --file --exec --source",
            attached="-o -d -p --pretty-print --dump-variables --profile",
            risky="-o -d -p --pretty-print --dump-variables --profile",
            script=Script.AWK,
        ),
    ),
    "yq": reads(
        writing(Operands.BUT_FIRST, "-i --inplace --in-place", given="--from-file"),
        valued="--from-file -p -o --input-format --output-format --indent -I",
        risky="-s --split-exp",
    ),
    "xmllint": reads(writes="--output -o", valued="--xpath --schema --format", style=Style.WHOLE),
    "alias": program(reading(bare=True), hidden("changes what later names mean")),
    "env": Program(
        forms=(reading(bare=True),),
        valued=frozenset(("-u", "--unset", "-a", "--argv0")),
        enters=frozenset(("-C", "--chdir")),
        texts=frozenset(("-S", "--split-string")),
        wraps=Wraps(assignments=True),
    ),
    "printenv": reads(),
    "cd": Program(moves=("~",)),
    "chdir": Program(moves=("~",)),
    "pushd": Program(moves=(None,)),
    "popd": Program(moves=(None,)),
    "curl": reads(
        hidden(
            "sends to another machine",
            "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json -F --form"
            " --form-string -T --upload-file -Q --quote --mail-rcpt",
        ),
        hidden(
            "names its files after what it loads",
            "-O --remote-name --remote-name-all -J --remote-header-name",
        ),
        reading("-X=GET -X=HEAD --request=GET --request=HEAD"),
        hidden("asks another machine for a change", "-X --request"),
        valued="-A -H -u -e -m -x -b -r -w -d -F -T -X -Q -E -C -Y -y -z -t -U -P --user-agent"
        " --header --user --referer --max-time --proxy --cookie --range --write-out --data"
        " --data-raw --data-binary --data-ascii --data-urlencode --json --form --form-string"
        " --upload-file --request --connect-timeout --retry --retry-delay --cacert --cert --key"
        " --url --resolve --quote",
        writes="-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr"
        " --etag-save --hsts --alt-svc --libcurl",
        risky="-K --config --output-dir",
    ),
}
"""Each program that reads, with what makes it write."""
