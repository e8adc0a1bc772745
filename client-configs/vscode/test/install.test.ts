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
import { install, InstallOptions } from '../src/install';

const VERSION = '1.2.0';
const INSTALLATION = `server-${VERSION}`;

/** What a fake Python does for the probe, for `-m pip` and for our module. */
const ANSWERS = { probe: 'echo 3 11; echo whole', pip: 'echo got it', module: 'echo 1.2.0' };

/** Return the script of a fake Python, with other answers where they are given. */
function python(parts: Partial<typeof ANSWERS>): string {
  const { probe, pip, module } = { ...ANSWERS, ...parts };
  return `#!/bin/sh
case "$2 $3" in
  "-c "*) ${probe} ;;
  "-m venv") mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  "-m pip") ${pip} ;;
  "-m intent_lsp") ${module} ;;
esac
`;
}

/** Make a directory with these Pythons and a wheel, and return the options of an installation. */
function prepare(
  context: TestContext,
  ...scripts: readonly string[]
): InstallOptions & { output(): string } {
  const base = mkdtempSync(join(tmpdir(), 'install-'));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  const storage = join(base, 'storage');
  mkdirSync(storage);
  const pythons = scripts.map((text, index) => {
    const path = join(base, `python-${index}`);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  });
  const wheel = join(base, 'a.whl');
  writeFileSync(wheel, '');
  let output = '';
  return {
    storage,
    version: VERSION,
    wheel,
    pythons,
    onOutput: (text) => {
      output += text;
    },
    onStep: () => undefined,
    signal: new AbortController().signal,
    output: () => output,
  };
}

test('a finished installation is in its place, and nothing is beside it', async (context) => {
  const options = prepare(context, python({}));
  const titles: string[] = [];
  assert.equal(await install({ ...options, onStep: (title) => titles.push(title) }), undefined);
  assert.deepEqual(readdirSync(options.storage), [INSTALLATION]);
  assert.ok(existsSync(join(options.storage, INSTALLATION, 'bin', 'python')));
  assert.equal(titles.length, 3);
  assert.match(options.output(), /got it/u);
});

test('the first Python that fits is used, whatever those before it are', async (context) => {
  const tooOld = python({ probe: 'echo 3 9; echo whole' });
  const withoutVenv = python({ probe: 'echo 3 12; echo no ensurepip >&2; exit 1' });
  const options = prepare(context, tooOld, withoutVenv, python({}));
  const gone = join(options.storage, 'gone');
  assert.equal(await install({ ...options, pythons: [gone, ...options.pythons] }), undefined);
  assert.match(options.output(), /python-2 -I -m venv/u);

  const unsuitable = { ...options, pythons: options.pythons.slice(0, 2) };
  assert.deepEqual(await install(unsuitable), { kind: 'no venv', python: options.pythons[1] });
  assert.deepEqual(await install({ ...options, pythons: [] }), { kind: 'no python' });
});

test('a failed step leaves the former installation and nothing else', async (context) => {
  for (const parts of [{ pip: 'echo broken; exit 1' }, { module: 'echo broken >&2; exit 1' }]) {
    const options = prepare(context, python(parts));
    mkdirSync(join(options.storage, INSTALLATION));
    writeFileSync(join(options.storage, INSTALLATION, 'former'), '');
    const failure = await install(options);
    assert.equal(failure?.kind, 'step');
    assert.match(failure.output, /broken/u);
    assert.deepEqual(readdirSync(options.storage), [INSTALLATION]);
    assert.deepEqual(readdirSync(join(options.storage, INSTALLATION)), ['former']);
  }
});

test('without a wheel no Python is run', async (context) => {
  const options = prepare(context, python({}));
  const wheel = join(options.storage, 'b');
  assert.deepEqual(await install({ ...options, wheel }), { kind: 'no wheel' });
  assert.equal(options.output(), '');
});

test('a new installation replaces those of this version and of others', async (context) => {
  const options = prepare(context, python({}));
  for (const name of [INSTALLATION, 'server-1.1.0', 'other']) {
    mkdirSync(join(options.storage, name));
    writeFileSync(join(options.storage, name, 'former'), '');
  }
  assert.equal(await install(options), undefined);
  assert.deepEqual(readdirSync(options.storage).sort(), ['other', INSTALLATION]);
  assert.deepEqual(readdirSync(join(options.storage, INSTALLATION)), ['bin']);
});

test('the leftovers of killed installations are removed', async (context) => {
  const options = prepare(context, python({}));
  const ended = spawnSync('true').pid;
  for (const pid of [ended, process.ppid]) {
    mkdirSync(join(options.storage, `installing-${pid}`));
  }
  assert.equal(await install(options), undefined);
  assert.deepEqual(readdirSync(options.storage), [`installing-${process.ppid}`, INSTALLATION]);
});

test('a cancellation ends every process', { timeout: 30_000 }, async (context) => {
  // The child of pip keeps the output open: the installation ends only when both have ended.
  const options = prepare(context, python({ pip: 'sleep 60 & echo waiting; wait' }));
  const stop = new AbortController();
  const onOutput = (text: string): void => {
    if (text.includes('waiting')) {
      stop.abort();
    }
  };
  const { signal } = stop;
  assert.deepEqual(await install({ ...options, onOutput, signal }), { kind: 'stopped' });
  assert.deepEqual(readdirSync(options.storage), []);
  assert.deepEqual(await install({ ...options, signal: AbortSignal.abort() }), { kind: 'stopped' });
  assert.equal(options.output(), '');
});

test('a storage that cannot be written is returned as a failure, not thrown', async (context) => {
  const options = prepare(context, python({}));
  const file = join(options.storage, 'file');
  writeFileSync(file, '');
  const failure = await install({ ...options, storage: join(file, 'x') });
  assert.equal(failure?.kind, 'other');
});
