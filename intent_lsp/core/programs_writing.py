"""Programs that write, and how each names what it writes.

Invariant: a program whose arguments do not name all that it writes says so in its form.
"""

from typing import Final

from intent_lsp.core.commands import Effect
from intent_lsp.core.program_rows import (
    Operands,
    Style,
    hidden,
    linking,
    program,
    reading,
    reads,
    sharing,
    verifying,
    writing,
)

_OPEN: Final = "may change any file that a person opens in it"
_ARCHIVE: Final = "writes the files that the archive names"
_KEEPING_LINKS: Final = "-a --archive -d -P --no-dereference -R -r --recursive -s --symbolic-link"
_SYSTEM: Final = "changes the machine, or what runs on it"

_COMPRESSING: Final = program(
    reading("-l --list -t --test -c --stdout --to-stdout --version --help"),
    hidden("replaces each file by another with a different ending"),
)
_OWNING: Final = program(writing(Operands.BUT_FIRST, given="--reference"), valued="--from")

WRITING: Final = {
    **dict.fromkeys(
        ("rm", "rmdir", "unlink", "shred", "srm"),
        program(reading("--version --help"), writing(effect=Effect.DELETE), valued="-n -s"),
    ),
    "trash": program(writing(effect=Effect.DELETE)),
    "mv": program(
        linking(writing(Operands.MOVE)),
        valued="-S --suffix -t --target-directory",
        attached="--backup",
    ),
    "cp": program(
        sharing(writing(Operands.COPY, "-l --link")),
        linking(writing(Operands.COPY, _KEEPING_LINKS)),
        writing(Operands.COPY),
        valued="-S --suffix -t --target-directory",
        attached="--backup",
    ),
    "install": program(
        writing(Operands.ALL, "-d --directory", effect=Effect.CREATE),
        writing(Operands.COPY),
        valued="-m --mode -o --owner -g --group -S --suffix -t --target-directory",
    ),
    "ln": program(
        linking(writing(Operands.COPY, "-s --symbolic", effect=Effect.CREATE)),
        sharing(writing(Operands.COPY, effect=Effect.CREATE)),
        valued="-S --suffix -t --target-directory",
    ),
    "link": program(sharing(writing(Operands.COPY, effect=Effect.CREATE))),
    "mkdir": program(writing(effect=Effect.CREATE), valued="-m --mode"),
    "touch": program(writing(effect=Effect.CREATE), valued="-d --date -r --reference -t --time"),
    **dict.fromkeys(("mkfifo", "mknod"), program(writing(Operands.FIRST, effect=Effect.CREATE))),
    "mktemp": program(hidden("makes a file with a name of its own")),
    "tee": program(reading(bare=True), writing()),
    "sponge": program(writing()),
    **dict.fromkeys(("chmod", "chown", "chgrp", "setfacl", "chattr"), _OWNING),
    "truncate": program(writing(), valued="-s --size -r --reference"),
    "fallocate": program(writing(), valued="-l --length -o --offset"),
    "dd": reads(writes="of", style=Style.KEYED),
    "patch": program(
        reading("--dry-run"),
        writing(Operands.FIRST, "-o --output", writes="-o --output"),
        hidden("applies a patch that names the files"),
        valued="-p --strip -i --input -d --directory",
        writes="-r --reject-file",
    ),
    **dict.fromkeys(
        ("ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "code"), program(writing(unknown=_OPEN))
    ),
    "split": program(hidden("writes numbered files")),
    "csplit": program(hidden("writes numbered files")),
    "rename": program(hidden("renames the files that its expression changes")),
    **dict.fromkeys(("dos2unix", "unix2dos"), program(writing())),
    "tar": program(
        reading("-t --list --version --help -d --diff --compare"),
        writing(
            Operands.NONE, "-c --create -r --append -u --update --delete -A", writes="-f --file"
        ),
        reading("-O --to-stdout"),
        hidden(_ARCHIVE),
        valued="-f --file -C --directory -T --files-from -X --exclude --exclude-from"
        " --strip-components --transform -b -L -N",
        risky="--to-command --checkpoint-action --use-compress-program -I --remove-files"
        " --info-script --rsh-command",
        style=Style.TAR,
    ),
    **dict.fromkeys(
        ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4"), _COMPRESSING
    ),
    "zip": program(
        writing(Operands.FIRST),
        risky="-m --move -T --test",
        valued="-x -i -b -n",
    ),
    "unzip": program(reading("-l -p -t -v -Z -z -c"), hidden(_ARCHIVE), valued="-d -x -P"),
    **dict.fromkeys(
        ("7z", "7za", "unrar", "cpio", "ar", "jar", "zipinfo"), program(hidden(_ARCHIVE))
    ),
    "rsync": program(
        reading("-n --dry-run --list-only --version"),
        hidden(
            "deletes what its source does not have",
            "--delete --delete-before --delete-after --delete-during --delete-excluded"
            " --remove-source-files",
        ),
        linking(writing(Operands.SEND, "-l --links -a --archive")),
        writing(Operands.SEND),
        valued="-e --rsh --exclude --include -f --filter --exclude-from --include-from --files-from"
        " --port --bwlimit --chmod --chown --link-dest --compare-dest -B --info",
        writes="--log-file --backup-dir",
        risky="--rsync-path --files-from -e --rsh --link-dest",
    ),
    "scp": program(writing(Operands.SEND), valued="-i -P -o -F -c -l -S -J", risky="-S -o"),
    "sftp": program(hidden("works on another machine")),
    **dict.fromkeys(
        ("ssh", "mosh", "telnet", "nc", "ncat", "socat"),
        program(hidden("works on another machine")),
    ),
    "wget": program(
        reading("-O=- -O=/dev/stdout --output-document=- --spider --version"),
        hidden("sends to another machine", "--post-data --post-file --method --body-data"),
        writing(Operands.NONE, "-O --output-document", writes="-O --output-document"),
        hidden("names its files after what it loads"),
        valued="-P -U --header --user-agent --timeout -t --tries",
        writes="-o -a --output-file --append-output",
    ),
    "aria2c": program(hidden("names its files after what it loads")),
    **dict.fromkeys(
        ("autopep8", "yapf"),
        program(writing(Operands.BELOW, "-i --in-place"), reading(), valued="--style"),
    ),
    "docformatter": program(writing(Operands.BELOW, "-i --in-place"), verifying()),
    **dict.fromkeys(("pyupgrade", "add-trailing-comma"), program(writing(Operands.BELOW))),
    "pre-commit": program(hidden("runs hooks that may change files")),
    "shfmt": program(writing(Operands.BELOW, "-w --write"), reading(), valued="-i -ln"),
    **dict.fromkeys(
        ("jscodeshift", "comby", "ast-grep", "sg", "sd", "codemod"),
        program(hidden("rewrites the files that it matches")),
    ),
    "cookiecutter": program(hidden("writes a directory of its own making")),
    **dict.fromkeys(
        (
            "mkfs",
            "mount",
            "umount",
            "fdisk",
            "swapoff",
            "sysctl",
            "systemctl",
            "service",
            "launchctl",
            "reboot",
            "shutdown",
            "halt",
            "poweroff",
            "useradd",
            "userdel",
            "passwd",
            "crontab",
            "at",
            "iptables",
            "modprobe",
            "insmod",
            "ldconfig",
            "update-alternatives",
            "dpkg-reconfigure",
            "screen",
            "tmux",
        ),
        program(hidden(_SYSTEM)),
    ),
    **dict.fromkeys(
        ("docker", "podman"),
        program(
            reading(first="ps images logs inspect version info top stats port history search"),
            reading("--version"),
            hidden(_SYSTEM),
            valued="-H --host --context",
        ),
    ),
    "kubectl": program(
        reading(first="get describe logs version explain top api-resources cluster-info diff"),
        hidden(_SYSTEM),
        valued="-n --namespace --context -o -l -f",
    ),
    "terraform": program(
        reading("-check", first="fmt"),
        reading(first="validate version show output providers graph"),
        hidden(_SYSTEM),
        style=Style.WHOLE,
    ),
    **dict.fromkeys(
        (
            "helm",
            "ansible",
            "ansible-playbook",
            "aws",
            "gcloud",
            "az",
            "vagrant",
            "docker-compose",
            "heroku",
            "vercel",
            "netlify",
            "fly",
        ),
        program(hidden(_SYSTEM)),
    ),
    "gh": program(hidden("may change the repository or its service")),
    "xdg-open": program(hidden(_OPEN)),
    "open": program(hidden(_OPEN)),
}
"""Each program that writes, with the forms of it that do not."""
