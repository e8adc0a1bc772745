"""Which agent hosts a command is about, and whether an agent runs the command.

Invariant: a variable of the environment counts as the sign of an agent only if agent hosts set it
for the programs that they run, and people have no use for it. An agent can unset it, so the check
only prevents mistakes. The gate, which denies agents any change of the control plane, protects the
files.
"""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import AddArgument, repeated
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.agent_hosts import HOST_NAMES, HOSTS
from intent_lsp.formats.registrations.registration import MODULE, PROGRAM
from intent_lsp.governance.agents.registration_plan import RegistrationFiles, RegistrationPlan
from intent_lsp.store.agent_hosts import home_directory, signs_of

AGENT_VARIABLES: Final = (
    # These variables hosts have been seen to set for the programs that they run as hooks.
    "CLAUDECODE",
    "QWEN_CODE_CLI",
    "COPILOT_CLI",
    "GEMINI_SESSION_ID",
    "CLINE_BUILD_ENV",
    "AI_AGENT",
    # These are documented or read by other tools, and not observed here.
    "GEMINI_CLI",
    "QWEN_CODE",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "OPENCODE",
    "CLINE_ACTIVE",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "AMP_CURRENT_THREAD_ID",
)
"""Every variable by which an agent's shell is known, in the order in which they are looked up."""


def agent_variable(environment: Mapping[str, str]) -> str | None:
    """Return the name of the first of AGENT_VARIABLES that is set and not empty, or None."""
    return next((name for name in AGENT_VARIABLES if environment.get(name)), None)


_PEOPLE_ONLY: Final = "ask a person to run the command in a terminal of their own"


def hosts_option(default: str) -> AddArgument:
    """Return the option --host, which may be repeated.

    `default` says in the help text which hosts are meant without it.
    """
    return repeated(
        "--host HOST",
        f"{', '.join(HOST_NAMES)}; may be given again (default: {default})",
        choices=HOST_NAMES,
    )


def chosen(options: argparse.Namespace) -> tuple[AgentHost, ...]:
    """Return the hosts given with --host, in the order of HOSTS; all hosts without it."""
    return tuple(host for host in HOSTS if not options.host or host.name in options.host)


def found_hosts(root: Path) -> tuple[AgentHost, ...]:
    """Return the hosts with a program on PATH, or with files in the home directory or the root."""
    home = home_directory()
    return tuple(host for host in HOSTS if signs_of(host, root, home))


def files_of(root: Path) -> RegistrationFiles:
    """Return the settings files of agent hosts in a root and in this user's home directory."""
    return RegistrationFiles(root, home_directory())


def person_needed(command: str) -> None:
    """Raise WrongUsageError if an environment variable shows that an agent runs this shell.

    `command` is the name of the command for the error.
    """
    variable = agent_variable(os.environ)
    if variable is not None:
        raise WrongUsageError(
            f"{command} is for people, and {variable} shows that an agent runs this shell",
            cure=_PEOPLE_ONLY,
        )


def without_problems(plan: RegistrationPlan) -> RegistrationPlan:
    """Return a plan unchanged. Raise WrongUsageError if one of its files cannot be edited."""
    if not plan.problems:
        return plan
    first, *others = plan.problems
    more = f" (and {counted(len(others), 'more file')})" if others else ""
    place = first.problem.place
    file_and_line = f"{first.path}{place}{':' if place else ''}"
    raise WrongUsageError(
        f"{file_and_line} {first.problem.problem}{more}; nothing was written",
        cure="correct that, and run the command again",
    )


def own_program() -> str:
    """Return the command that starts this very program, quoted for a shell, with absolute paths."""
    program = Path(sys.argv[0])
    if program.name == PROGRAM and program.is_file():
        return shlex.quote(str(program.absolute()))
    return shlex.join([sys.executable, "-m", MODULE])


def named(hosts: Sequence[AgentHost]) -> str:
    """Return the names of hosts, separated by commas."""
    return ", ".join(host.name for host in hosts)


def unregistered(host: AgentHost) -> str:
    """Return the remark on a host that is found and whose hooks are not registered."""
    return (
        f"{host.title} is found here and its hooks are not registered:"
        f" `intent-lsp agents install --host {host.name}`"
    )
