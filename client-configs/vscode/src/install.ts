/** The doing of an installation of our own: beside its place until it is whole, then there. */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fitness, QUESTION, Step, steps, Trouble } from './install_plan';
import { otherPlaces, ownPlace } from './launch';
import { said } from './said';

export interface Job {
  /** The directory of all that is ours; nothing outside of it is written. */
  readonly storage: string;
  readonly version: string;
  readonly wheel: string;
  /** The Pythons that may be taken, the best first. */
  readonly pythons: readonly string[];
  /** Told what the programs say. */
  readonly log: (text: string) => void;
  /** Told what is being done. */
  readonly tell: (title: string) => void;
  readonly stop: AbortSignal;
}

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

const WORK = /^installing-(\d+)$/u;
/** The characters of what a program says that are kept for the words of its failure. */
const MOST = 100_000;

/** Install the wheel, anew where one is; undefined: it is there, and what was older is gone. */
export async function install(job: Job): Promise<Trouble | undefined> {
  const work = join(job.storage, `installing-${process.pid}`);
  try {
    sweep(job.storage);
    mkdirSync(join(work, 'tmp'), { recursive: true });
    const trouble = await build(job, work);
    if (job.stop.aborted) {
      return { kind: 'stopped' };
    }
    if (trouble === undefined) {
      settle(job, work);
    }
    return trouble;
  } catch (error) {
    return { kind: 'other', reason: said(error) };
  } finally {
    remove(work);
  }
}

async function build(job: Job, work: string): Promise<Trouble | undefined> {
  if (!existsSync(job.wheel)) {
    return { kind: 'no wheel' };
  }
  const python = await choosePython(job, work);
  if (typeof python !== 'string') {
    return python;
  }
  for (const step of steps(python, join(work, 'server'), job.wheel)) {
    job.tell(step.title);
    const { status, output } = await run(step.argv, job, work);
    if (status !== 0) {
      return { kind: 'step', step, output };
    }
  }
  return undefined;
}

async function choosePython(job: Job, work: string): Promise<string | Trouble> {
  let bare: string | undefined;
  for (const python of job.pythons) {
    const { output } = await run([python, ...QUESTION], job, work);
    const fits = fitness(output);
    if (fits === 'fits') {
      return python;
    }
    bare ??= fits === 'bare' ? python : undefined;
  }
  return bare === undefined ? { kind: 'no python' } : { kind: 'bare python', python: bare };
}

/** Run a program to its end, or kill it with all that it has started. */
function run(argv: Step['argv'], job: Job, work: string): Promise<Ended> {
  const [program, ...rest] = argv;
  return new Promise((resolve) => {
    if (job.stop.aborted) {
      resolve({ status: null, output: '' });
      return;
    }
    job.log(`$ ${argv.join(' ')}\n`);
    const child = spawn(program, rest, {
      // No folder of the workspace's, which could hold modules to import.
      cwd: work,
      // What pip leaves behind when it is killed goes with the rest; an environment is no user's.
      env: { ...process.env, TMPDIR: join(work, 'tmp'), PIP_USER: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const hear = (text: string): void => {
      job.log(text);
      output = (output + text).slice(-MOST);
    };
    const kill = (): void => killGroup(child.pid);
    job.stop.addEventListener('abort', kill);
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.on('error', (error) => hear(`${said(error)}\n`));
    child.on('close', (status) => {
      job.stop.removeEventListener('abort', kill);
      resolve({ status, output });
    });
  });
}

function killGroup(pid: number | undefined): void {
  try {
    process.kill(-(pid ?? NaN), 'SIGKILL');
  } catch {
    // It has ended by itself, or was never started.
  }
}

/** Put what is whole into its place; another window may be doing the same. */
function settle({ storage, version }: Job, work: string): void {
  const place = ownPlace(storage, version);
  if (existsSync(place)) {
    renameSync(place, join(work, 'replaced'));
  }
  renameSync(join(work, 'server'), place);
  for (const name of otherPlaces(readdirSync(storage), version)) {
    remove(join(storage, name));
  }
}

/** Remove what installations that were killed have left. */
function sweep(storage: string): void {
  mkdirSync(storage, { recursive: true });
  for (const name of readdirSync(storage)) {
    const [, pid] = WORK.exec(name) ?? [];
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

function remove(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The next installation removes it; what is whole is whole all the same.
  }
}
