/** The plan of an installation of our own: which Python, which steps, which words. Pure. */

import { posix } from 'node:path';
import { ownModule, Surroundings } from './launch';

/** What a Python is good for: all of it, only without environments, or nothing. */
export type Fitness = 'fits' | 'bare' | 'old';

/** Why nothing was installed. */
export type Trouble =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'no wheel' }
  | { readonly kind: 'no python' }
  | { readonly kind: 'bare python'; readonly python: string }
  | { readonly kind: 'step'; readonly step: Step; readonly output: string }
  | { readonly kind: 'other'; readonly reason: string };

export interface Step {
  /** What is being done, as the progress says it. */
  readonly title: string;
  readonly argv: readonly [string, ...string[]];
}

/** What makes a Python tell its release, and whether it can make environments. */
export const QUESTION = [
  '-I',
  '-c',
  'import sys; print(*sys.version_info[:2], flush=True); import ensurepip, venv; print("whole")',
] as const;

const NAMES = ['python3.13', 'python3.12', 'python3.11', 'python3'];
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

/** Name every place where a Python may be, the best first. */
export async function pythons(around: Surroundings): Promise<string[]> {
  const directories = around.searchPath.split(':').filter((entry) => entry.startsWith('/'));
  const found = NAMES.flatMap((name) => directories.map((each) => posix.join(each, name)));
  // A workspace that is not trusted could hold the interpreter that was chosen for it.
  const chosen = around.trusted ? await around.interpreters() : [];
  return [...new Set([...found, ...chosen])].filter((place) => around.executable(place));
}

/** Judge what a Python has answered to the question. */
export function fitness(answer: string): Fitness {
  const [, major, minor, whole] = /^(\d+) (\d+)\r?\n(whole)?/u.exec(answer) ?? [];
  if (Number(major) !== 3 || Number(minor) < OLDEST_MINOR) {
    return 'old';
  }
  return whole === undefined ? 'bare' : 'fits';
}

/** Give the steps that make an environment with a wheel in it, in order. */
export function steps(python: string, place: string, wheel: string): readonly Step[] {
  const pip = ['pip', 'install', '--no-input', '--disable-pip-version-check', '--prefer-binary'];
  const [own, ...module] = ownModule(place);
  return [
    { title: 'making an environment', argv: [python, '-I', '-m', 'venv', place] },
    {
      title: 'installing the server and what it needs',
      argv: [own, '-I', '-m', ...pip, wheel],
    },
    { title: 'trying it', argv: [own, ...module, '--version'] },
  ];
}

/** Say why nothing was installed and what to do; undefined: the person has stopped it. */
export function troubleWords(trouble: Trouble): string | undefined {
  switch (trouble.kind) {
    case 'stopped':
      return undefined;
    case 'no wheel':
      return 'this build of the extension holds no server. Build it with make vsix.';
    case 'no python':
      return (
        'no Python 3.11 or newer was found. Install one (Debian: apt-get install python3 '
        + 'python3-venv), or choose one in the Python extension.'
      );
    case 'bare python':
      return (
        `${trouble.python} cannot make environments. Install its venv module `
        + '(Debian: apt-get install python3-venv).'
      );
    case 'step':
      return stepWords(trouble.step, trouble.output);
    case 'other':
      return `${trouble.reason}.`;
  }
}

function stepWords(step: Step, output: string): string {
  if (DISK_FULL.test(output)) {
    return 'the disk is full.';
  }
  if (NO_NETWORK.test(output)) {
    return (
      'pip could not get what the server needs. It takes a network, or an index that '
      + 'pip\'s own settings name.'
    );
  }
  return `${step.title} failed. The log says why.`;
}
