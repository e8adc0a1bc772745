import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commandLine,
  Environment,
  FailedSearch,
  findServer,
  isFound,
  ServerProgram,
} from '../src/server_program';

/** Search in an environment with these changes, in which these files can be executed. */
function search(
  changes: Partial<Environment>,
  ...executables: readonly string[]
): Promise<ServerProgram | FailedSearch> {
  return findServer({
    configuredCommand: [],
    trusted: true,
    folders: ['/work'],
    home: '/home/ada',
    searchPath: '/usr/local/bin:/usr/bin',
    ownInstallation: { storage: '/storage', version: '1.2.0' },
    storageEntries: [],
    interpreters: () => Promise.resolve([]),
    isExecutable: (path) => executables.includes(path),
    ...changes,
  });
}

/** Return the source of the program that is found, and its command line. */
async function found(
  changes: Partial<Environment>,
  ...executables: readonly string[]
): Promise<readonly string[]> {
  const result = await search(changes, ...executables);
  assert.ok(isFound(result), JSON.stringify(result));
  return [result.source, ...result.argv];
}

const IN_FOLDER = '/work/.venv/bin/intent-lsp';
const ON_PATH = '/usr/bin/intent-lsp';
const BY_EXTENSION = '/storage/server-1.2.0/bin/python';

test('the workspace comes before the search path, the setting before both', async () => {
  assert.deepEqual(await found({}, IN_FOLDER, ON_PATH), ['environment', IN_FOLDER, 'serve']);
  assert.deepEqual(await found({}, ON_PATH), ['path', ON_PATH, 'serve']);
  const configuredCommand = ['/opt/intent-lsp', 'serve', '--log-level', 'debug'];
  const program = await found({ configuredCommand }, '/opt/intent-lsp', IN_FOLDER);
  assert.deepEqual(program, ['setting', ...configuredCommand]);
});

test('environments are searched for in every folder, by their usual names', async () => {
  const folders = ['/one', '/two'];
  for (const path of ['/one/venv/bin/intent-lsp', '/two/env/bin/intent-lsp']) {
    assert.deepEqual((await found({ folders }, path))[1], path);
  }
});

test('the chosen interpreter is asked for only if no folder has an environment', async () => {
  let calls = 0;
  const interpreters = (): Promise<string[]> => {
    calls += 1;
    return Promise.resolve(['/conda/envs/x/bin/python3']);
  };
  const besideIt = '/conda/envs/x/bin/intent-lsp';
  assert.deepEqual((await found({ interpreters }, IN_FOLDER, besideIt))[1], IN_FOLDER);
  assert.equal(calls, 0);
  assert.deepEqual(await found({ interpreters }, besideIt), ['environment', besideIt, 'serve']);
});

test('an untrusted workspace does not decide which program is started', async () => {
  const interpreters = (): Promise<string[]> => assert.fail('asked for an interpreter');
  const untrusted = { trusted: false, interpreters };
  assert.deepEqual((await found(untrusted, IN_FOLDER, ON_PATH))[1], ON_PATH);
  const result = await search(untrusted, IN_FOLDER);
  assert.ok(!isFound(result));
  assert.ok(!result.searched.includes(IN_FOLDER));
});

test('a program that the setting names is started or reported, never passed over', async () => {
  for (const configured of ['/gone/intent-lsp', 'intent-lsq', './intent-lsp']) {
    const changes = { configuredCommand: [configured] };
    const result = await search(changes, IN_FOLDER, ON_PATH, './intent-lsp');
    assert.ok(!isFound(result));
    assert.equal(result.configured, configured);
  }
});

test('a setting may name the folder, the home, and programs on the search path', async () => {
  for (const [word, path] of [
    ['${workspaceFolder}/bin/x', '/work/bin/x'],
    ['${userHome}/x', '/home/ada/x'],
    ['~/x', '/home/ada/x'],
    ['uv', '/usr/local/bin/uv'],
  ] as const) {
    const configuredCommand = [word, 'run', '${workspaceFolder}'];
    assert.deepEqual(await found({ configuredCommand }, path), ['setting', path, 'run', '/work']);
  }
});

test('the own installation comes last, whether the workspace is trusted or not', async () => {
  const argv = [BY_EXTENSION, '-I', '-m', 'intent_lsp'];
  for (const trusted of [true, false]) {
    const result = await search({ trusted }, BY_EXTENSION);
    assert.ok(isFound(result));
    assert.deepEqual([result.source, ...result.argv], ['extension', ...argv, 'serve']);
    assert.deepEqual(commandLine(result, 'trace'), [...argv, 'trace']);
    assert.equal((await found({ trusted }, BY_EXTENSION, ON_PATH))[1], ON_PATH);
  }
});

test('the installation of another version is not started, but reported', async () => {
  const storageEntries = ['server-1.1.0', 'server-1.2.0', 'installing-7', 'server.log'];
  const result = await search({ storageEntries }, '/storage/server-1.1.0/bin/python');
  assert.ok(!isFound(result));
  assert.deepEqual(result.otherVersions, ['1.1.0']);
});

test('relative entries of the search path are ignored', async () => {
  const result = await search({ searchPath: '.:bin::/usr/bin', folders: [] });
  assert.ok(!isFound(result));
  assert.deepEqual(result.searched, [ON_PATH, BY_EXTENSION]);
});

test('other commands are started as the server is', () => {
  const cases: readonly (readonly [readonly [string, ...string[]], readonly string[]])[] = [
    [['/x/intent-lsp', 'serve'], ['/x/intent-lsp']],
    [['/x/intent-lsp'], ['/x/intent-lsp']],
    [['/x/python', '-m', 'intent_lsp', 'serve', '--stdio'], ['/x/python', '-m', 'intent_lsp']],
  ];
  for (const [argv, base] of cases) {
    const command = commandLine({ argv, source: 'setting' }, 'trace', 'report');
    assert.deepEqual(command, [...base, 'trace', 'report']);
  }
});
