import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, commandLine, isLaunch, Launch, Missing, Surroundings } from '../src/launch';

function around(told: Partial<Surroundings>, ...there: readonly string[]): Surroundings {
  return {
    setting: [],
    trusted: true,
    folders: ['/work'],
    home: '/home/ada',
    searchPath: '/usr/local/bin:/usr/bin',
    own: { storage: '/storage', version: '1.2.0' },
    stored: [],
    interpreters: () => Promise.resolve([]),
    executable: (path) => there.includes(path),
    ...told,
  };
}

function found(chosen: Launch | Missing): readonly string[] {
  assert.ok(isLaunch(chosen), JSON.stringify(chosen));
  return [chosen.source, ...chosen.argv];
}

const OWN = '/work/.venv/bin/intent-lsp';
const COMMON = '/usr/bin/intent-lsp';
const INSTALLED = '/storage/server-1.2.0/bin/python';

test('the workspace comes before the search path, the setting before both', async () => {
  assert.deepEqual(found(await choose(around({}, OWN, COMMON))), ['environment', OWN, 'serve']);
  assert.deepEqual(found(await choose(around({}, COMMON))), ['path', COMMON, 'serve']);
  const setting = ['/opt/intent-lsp', 'serve', '--log-level', 'debug'];
  const chosen = await choose(around({ setting }, '/opt/intent-lsp', OWN));
  assert.deepEqual(found(chosen), ['setting', ...setting]);
});

test('environments are looked for in every folder, by their usual names', async () => {
  const folders = ['/one', '/two'];
  for (const place of ['/one/venv/bin/intent-lsp', '/two/env/bin/intent-lsp']) {
    assert.deepEqual(found(await choose(around({ folders }, place)))[1], place);
  }
});

test('the interpreter that was chosen is asked for after the folders alone', async () => {
  let asked = 0;
  const interpreters = (): Promise<string[]> => {
    asked += 1;
    return Promise.resolve(['/conda/envs/x/bin/python3']);
  };
  const beside = '/conda/envs/x/bin/intent-lsp';
  assert.deepEqual(found(await choose(around({ interpreters }, OWN, beside)))[1], OWN);
  assert.equal(asked, 0);
  const chosen = await choose(around({ interpreters }, beside));
  assert.deepEqual(found(chosen), ['environment', beside, 'serve']);
});

test('a workspace that is not trusted has no say', async () => {
  const interpreters = (): Promise<string[]> => assert.fail('asked for an interpreter');
  const untrusted = { trusted: false, interpreters };
  assert.deepEqual(found(await choose(around(untrusted, OWN, COMMON)))[1], COMMON);
  const chosen = await choose(around(untrusted, OWN));
  assert.ok(!isLaunch(chosen));
  assert.ok(!chosen.looked.includes(OWN));
});

test('what the setting names is started or complained of, never passed over', async () => {
  for (const named of ['/gone/intent-lsp', 'intent-lsq', './intent-lsp']) {
    const chosen = await choose(around({ setting: [named] }, OWN, COMMON, './intent-lsp'));
    assert.ok(!isLaunch(chosen));
    assert.equal(chosen.named, named);
  }
});

test('a setting may speak of the folder, of home, and of programs on the search path', async () => {
  for (const [word, place] of [
    ['${workspaceFolder}/bin/x', '/work/bin/x'],
    ['${userHome}/x', '/home/ada/x'],
    ['~/x', '/home/ada/x'],
    ['uv', '/usr/local/bin/uv'],
  ] as const) {
    const chosen = await choose(around({ setting: [word, 'run', '${workspaceFolder}'] }, place));
    assert.deepEqual(found(chosen), ['setting', place, 'run', '/work']);
  }
});

test('what the extension has installed comes last, trusted workspace or not', async () => {
  const argv = [INSTALLED, '-I', '-m', 'intent_lsp'];
  for (const trusted of [true, false]) {
    const chosen = await choose(around({ trusted }, INSTALLED));
    assert.deepEqual(found(chosen), ['extension', ...argv, 'serve']);
    assert.ok(isLaunch(chosen));
    assert.deepEqual(commandLine(chosen, 'trace'), [...argv, 'trace']);
    assert.equal(found(await choose(around({ trusted }, INSTALLED, COMMON)))[1], COMMON);
  }
});

test('what another version of the extension has installed is not started, but told', async () => {
  const stored = ['server-1.1.0', 'server-1.2.0', 'installing-7', 'server.log'];
  const chosen = await choose(around({ stored }, '/storage/server-1.1.0/bin/python'));
  assert.ok(!isLaunch(chosen));
  assert.deepEqual(chosen.others, ['1.1.0']);
});

test('relative entries of the search path are passed over', async () => {
  const chosen = await choose(around({ searchPath: '.:bin::/usr/bin', folders: [] }));
  assert.ok(!isLaunch(chosen));
  assert.deepEqual(chosen.looked, [COMMON, INSTALLED]);
});

test('other commands are started as the server is', () => {
  const lines: readonly (readonly [readonly [string, ...string[]], readonly string[]])[] = [
    [['/x/intent-lsp', 'serve'], ['/x/intent-lsp']],
    [['/x/intent-lsp'], ['/x/intent-lsp']],
    [['/x/python', '-m', 'intent_lsp', 'serve', '--stdio'], ['/x/python', '-m', 'intent_lsp']],
  ];
  for (const [argv, base] of lines) {
    const told = commandLine({ argv, source: 'setting' }, 'trace', 'report');
    assert.deepEqual(told, [...base, 'trace', 'report']);
  }
});
