/** The installation of the server: built in a work directory, then moved into its place. */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from './error_text';
import { InstallFailure, installSteps, PROBE_ARGUMENTS, pythonFitness, Step } from './install_plan';
import { otherInstallations, ownInstallationPath } from './server_program';

export interface InstallOptions {
  /** The extension's own directory; nothing outside of it is written. */
  readonly storage: string;
  readonly version: string;
  readonly wheel: string;
  /** The Pythons that may be used, the best first. */
  readonly pythons: readonly string[];
  /** Called with the output of the programs. */
  readonly onOutput: (text: string) => void;
  /** Called with the title of each step when it begins. */
  readonly onStep: (title: string) => void;
  /** Aborted to cancel the installation. */
  readonly signal: AbortSignal;
}

interface ProcessResult {
  /** The exit status, or null if the program was killed or never started. */
  readonly status: number | null;
  readonly output: string;
}

const WORK_DIRECTORY = /^installing-(\d+)$/u;
/** The characters of a program's output, counted from its end, that explain its failure. */
const MAX_OUTPUT = 100_000;

/** Install the wheel in the place of every earlier installation.
 *
 * Return undefined if it is installed, or why it is not.
 */
export async function install(options: InstallOptions): Promise<InstallFailure | undefined> {
  const workDirectory = join(options.storage, `installing-${process.pid}`);
  try {
    removeLeftovers(options.storage);
    mkdirSync(join(workDirectory, 'tmp'), { recursive: true });
    const failure = await build(options, workDirectory);
    if (options.signal.aborted) {
      return { kind: 'stopped' };
    }
    if (failure === undefined) {
      moveIntoPlace(options, workDirectory);
    }
    return failure;
  } catch (error) {
    return { kind: 'other', reason: errorText(error) };
  } finally {
    remove(workDirectory);
  }
}

async function build(
  options: InstallOptions,
  workDirectory: string,
): Promise<InstallFailure | undefined> {
  if (!existsSync(options.wheel)) {
    return { kind: 'no wheel' };
  }
  const python = await choosePython(options, workDirectory);
  if (typeof python !== 'string') {
    return python;
  }
  for (const step of installSteps(python, join(workDirectory, 'server'), options.wheel)) {
    options.onStep(step.title);
    const { status, output } = await runProgram(step.argv, options, workDirectory);
    if (status !== 0) {
      return { kind: 'step', step, output };
    }
  }
  return undefined;
}

/** Return the first Python that fits, or why there is none. */
async function choosePython(
  options: InstallOptions,
  workDirectory: string,
): Promise<string | InstallFailure> {
  let withoutVenv: string | undefined;
  for (const python of options.pythons) {
    const { output } = await runProgram([python, ...PROBE_ARGUMENTS], options, workDirectory);
    const fitness = pythonFitness(output);
    if (fitness === 'fits') {
      return python;
    }
    withoutVenv ??= fitness === 'no venv' ? python : undefined;
  }
  return withoutVenv === undefined
    ? { kind: 'no python' }
    : { kind: 'no venv', python: withoutVenv };
}

/** Run a program to its end; on cancellation kill it and every process that it has started. */
function runProgram(
  argv: Step['argv'],
  options: InstallOptions,
  workDirectory: string,
): Promise<ProcessResult> {
  const [program, ...rest] = argv;
  return new Promise((resolve) => {
    if (options.signal.aborted) {
      resolve({ status: null, output: '' });
      return;
    }
    options.onOutput(`$ ${argv.join(' ')}\n`);
    const child = spawn(program, rest, {
      // Not in the workspace, which could hold modules that Python would import.
      cwd: workDirectory,
      // A pip that is killed leaves its temporary files here, where they are removed. PIP_USER=1
      // in the user's settings would fail the installation into an environment.
      env: { ...process.env, TMPDIR: join(workDirectory, 'tmp'), PIP_USER: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const collect = (text: string): void => {
      options.onOutput(text);
      output = (output + text).slice(-MAX_OUTPUT);
    };
    const kill = (): void => killGroup(child.pid);
    options.signal.addEventListener('abort', kill);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => collect(`${errorText(error)}\n`));
    child.on('close', (status) => {
      options.signal.removeEventListener('abort', kill);
      resolve({ status, output });
    });
  });
}

function killGroup(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? NaN), 'SIGKILL');
  } catch {
    // It has ended already, or was never started.
  }
}

/** Move the finished installation into its place, and remove those of other versions. */
function moveIntoPlace({ storage, version }: InstallOptions, workDirectory: string): void {
  const path = ownInstallationPath(storage, version);
  if (existsSync(path)) {
    // A rename frees the place at once, as another window may be installing, too.
    renameSync(path, join(workDirectory, 'replaced'));
  }
  renameSync(join(workDirectory, 'server'), path);
  for (const name of otherInstallations(readdirSync(storage), version)) {
    remove(join(storage, name));
  }
}

/** Remove the work directories of installations that were killed. */
function removeLeftovers(storage: string): void {
  mkdirSync(storage, { recursive: true });
  for (const name of readdirSync(storage)) {
    const [, pid] = WORK_DIRECTORY.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) {
      remove(join(storage, name));
    }
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) {
    return false;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The next installation tries again; the installed server does not need it to be gone.
  }
}
