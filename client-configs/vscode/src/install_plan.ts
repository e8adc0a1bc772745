/** The plan of an installation: which Python, which steps, and the texts of failures. Pure. */

import { posix } from 'node:path';
import { Environment, moduleCommand } from './server_program';

/** Whether a Python can be used: it fits, lacks its venv module, or is no Python we can run on. */
export type PythonFitness = 'fits' | 'no venv' | 'unsuitable';

/** Why the server was not installed. */
export type InstallFailure =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'no wheel' }
  | { readonly kind: 'no python' }
  | { readonly kind: 'no venv'; readonly python: string }
  | { readonly kind: 'step'; readonly step: Step; readonly output: string }
  | { readonly kind: 'other'; readonly reason: string };

export interface Step {
  /** What is being done, as the progress shows it. */
  readonly title: string;
  readonly argv: readonly [string, ...string[]];
}

/** The arguments that make a Python print its version, and whether it can make environments. */
export const PROBE_ARGUMENTS = [
  '-I',
  '-c',
  'import sys; print(*sys.version_info[:2], flush=True); import ensurepip, venv; print("whole")',
] as const;

const PYTHON_NAMES = ['python3.13', 'python3.12', 'python3.11', 'python3'];
const OLDEST_MINOR = 11;
const NO_NETWORK = new RegExp(
  [
    'No matching distribution',
    'ConnectionError',
    'ConnectTimeout',
    'ReadTimeout',
    'ProxyError',
    'SSLError',
    'name resolution',
    'Network is unreachable',
  ].join('|'),
  'u',
);
const DISK_FULL = /No space left on device|Disk quota exceeded/u;

/** Return the paths of all Pythons of this machine, the best first. */
export async function findPythons(environment: Environment): Promise<string[]> {
  const directories = environment.searchPath.split(':').filter((entry) => entry.startsWith('/'));
  const candidates = PYTHON_NAMES.flatMap((name) =>
    directories.map((directory) => posix.join(directory, name)),
  );
  // The interpreter that was chosen for a workspace may be a file of it.
  const chosen = environment.trusted ? await environment.interpreters() : [];
  const paths = [...new Set([...candidates, ...chosen])];
  return paths.filter((path) => environment.isExecutable(path));
}

/** Judge a Python by what it has printed for the probe. */
export function pythonFitness(output: string): PythonFitness {
  const [, major, minor, hasVenv] = /^(\d+) (\d+)\r?\n(whole)?/u.exec(output) ?? [];
  if (Number(major) !== 3 || Number(minor) < OLDEST_MINOR) {
    return 'unsuitable';
  }
  return hasVenv === undefined ? 'no venv' : 'fits';
}

/** Return the steps that make an environment in a directory and install a wheel into it. */
export function installSteps(python: string, directory: string, wheel: string): readonly Step[] {
  const pip = ['pip', 'install', '--no-input', '--disable-pip-version-check', '--prefer-binary'];
  const [newPython, ...module] = moduleCommand(directory);
  return [
    { title: 'creating a Python environment', argv: [python, '-I', '-m', 'venv', directory] },
    {
      title: 'installing the server and what it needs',
      argv: [newPython, '-I', '-m', ...pip, wheel],
    },
    { title: 'trying it', argv: [newPython, ...module, '--version'] },
  ];
}

/** Return what went wrong and what to do, or undefined if the user has cancelled. */
export function failureText(failure: InstallFailure): string | undefined {
  switch (failure.kind) {
    case 'stopped':
      return undefined;
    case 'no wheel':
      return (
        'this build of the extension contains no server. '
        + 'Build the extension with `make vsix`.'
      );
    case 'no python':
      return (
        'no Python 3.11 or newer was found. Install one (Debian: apt-get install python3 '
        + 'python3-venv), or choose one in the Python extension.'
      );
    case 'no venv':
      return (
        `${failure.python} cannot create virtual environments. Install its venv module `
        + '(Debian: apt-get install python3-venv).'
      );
    case 'step':
      return stepFailureText(failure.step, failure.output);
    case 'other':
      return `${failure.reason}.`;
  }
}

function stepFailureText(step: Step, output: string): string {
  if (DISK_FULL.test(output)) {
    return 'the disk is full.';
  }
  if (NO_NETWORK.test(output)) {
    return (
      'pip could not download what the server needs. Connect to a network, or set an index '
      + 'in the settings of pip.'
    );
  }
  return `${step.title} failed. The log says why.`;
}
