import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, TestContext } from 'node:test';
import { install, Job } from '../src/install';

const VERSION = '1.2.0';
const OWN = `server-${VERSION}`;

/** Speaks as a Python does of its release, of `venv`, `pip` and our module; each may be another. */
const PYTHON = { asked: 'echo 3 11; echo whole', pip: 'echo got it', module: 'echo 1.2.0' };

function python(parts: Partial<typeof PYTHON>): string {
  const { asked, pip, module } = { ...PYTHON, ...parts };
  return `#!/bin/sh
case "$2 $3" in
  "-c "*) ${asked} ;;
  "-m venv") mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  "-m pip") ${pip} ;;
  "-m intent_lsp") ${module} ;;
esac
`;
}

/** Make a room with these Pythons and the wheel in it, and give what an installation needs. */
function room(context: TestContext, ...scripts: readonly string[]): Job & { said(): string } {
  const base = mkdtempSync(join(tmpdir(), 'install-'));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  const storage = join(base, 'storage');
  mkdirSync(storage);
  const pythons = scripts.map((text, at) => {
    const place = join(base, `python-${at}`);
    writeFileSync(place, text);
    chmodSync(place, 0o755);
    return place;
  });
  const wheel = join(base, 'a.whl');
  writeFileSync(wheel, '');
  let said = '';
  return {
    storage,
    version: VERSION,
    wheel,
    pythons,
    log: (text) => {
      said += text;
    },
    tell: () => undefined,
    stop: new AbortController().signal,
    said: () => said,
  };
}

test('what is whole is in its place, and nothing is beside it', async (context) => {
  const job = room(context, python({}));
  const told: string[] = [];
  assert.equal(await install({ ...job, tell: (title) => told.push(title) }), undefined);
  assert.deepEqual(readdirSync(job.storage), [OWN]);
  assert.ok(existsSync(join(job.storage, OWN, 'bin', 'python')));
  assert.equal(told.length, 3);
  assert.match(job.said(), /got it/u);
});

test('the first Python that fits is taken, whatever those before it are', async (context) => {
  const old = python({ asked: 'echo 3 9; echo whole' });
  const bare = python({ asked: 'echo 3 12; echo no ensurepip >&2; exit 1' });
  const job = room(context, old, bare, python({}));
  const gone = join(job.storage, 'gone');
  assert.equal(await install({ ...job, pythons: [gone, ...job.pythons] }), undefined);
  assert.match(job.said(), /python-2 -I -m venv/u);

  const neither = { ...job, pythons: job.pythons.slice(0, 2) };
  assert.deepEqual(await install(neither), { kind: 'bare python', python: job.pythons[1] });
  assert.deepEqual(await install({ ...job, pythons: [] }), { kind: 'no python' });
});

test('a step that fails leaves what was there, and nothing half-made', async (context) => {
  for (const parts of [{ pip: 'echo broken; exit 1' }, { module: 'echo broken >&2; exit 1' }]) {
    const job = room(context, python(parts));
    mkdirSync(join(job.storage, OWN));
    writeFileSync(join(job.storage, OWN, 'former'), '');
    const trouble = await install(job);
    assert.equal(trouble?.kind, 'step');
    assert.match(trouble.output, /broken/u);
    assert.deepEqual(readdirSync(job.storage), [OWN]);
    assert.deepEqual(readdirSync(join(job.storage, OWN)), ['former']);
  }
});

test('without a wheel no Python is asked', async (context) => {
  const job = room(context, python({}));
  assert.deepEqual(await install({ ...job, wheel: join(job.storage, 'b') }), { kind: 'no wheel' });
  assert.equal(job.said(), '');
});

test('a new installation replaces the one of this version, and those of others', async (context) => {
  const job = room(context, python({}));
  for (const name of [OWN, 'server-1.1.0', 'other']) {
    mkdirSync(join(job.storage, name));
    writeFileSync(join(job.storage, name, 'former'), '');
  }
  assert.equal(await install(job), undefined);
  assert.deepEqual(readdirSync(job.storage).sort(), ['other', OWN]);
  assert.deepEqual(readdirSync(join(job.storage, OWN)), ['bin']);
});

test('what killed installations have left is swept, others go on', async (context) => {
  const job = room(context, python({}));
  const ended = spawnSync('true').pid;
  for (const pid of [ended, process.ppid]) {
    mkdirSync(join(job.storage, `installing-${pid}`));
  }
  assert.equal(await install(job), undefined);
  assert.deepEqual(readdirSync(job.storage), [`installing-${process.ppid}`, OWN]);
});

test('stopping ends every process, and leaves nothing', { timeout: 30_000 }, async (context) => {
  // Its own child holds the output open: only the end of both ends the installation.
  const job = room(context, python({ pip: 'sleep 60 & echo waiting; wait' }));
  const stop = new AbortController();
  const log = (text: string): void => {
    if (text.includes('waiting')) {
      stop.abort();
    }
  };
  assert.deepEqual(await install({ ...job, log, stop: stop.signal }), { kind: 'stopped' });
  assert.deepEqual(readdirSync(job.storage), []);
  assert.deepEqual(await install({ ...job, stop: AbortSignal.abort() }), { kind: 'stopped' });
  assert.equal(job.said(), '');
});

test('a storage that cannot be written is said, not thrown', async (context) => {
  const job = room(context, python({}));
  const file = join(job.storage, 'file');
  writeFileSync(file, '');
  const trouble = await install({ ...job, storage: join(file, 'x') });
  assert.equal(trouble?.kind, 'other');
});
