import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitness, pythons, steps, Trouble, troubleWords } from '../src/install_plan';
import { Surroundings } from '../src/launch';

const CHOSEN = '/conda/bin/python';

function around(trusted: boolean, ...there: readonly string[]): Surroundings {
  return {
    setting: [],
    trusted,
    folders: ['/work'],
    home: '/home/ada',
    searchPath: '/usr/local/bin:bin::/usr/bin',
    own: { storage: '/storage', version: '1.2.0' },
    stored: [],
    interpreters: () => Promise.resolve([CHOSEN, '/usr/bin/python3']),
    executable: (path) => there.includes(path),
  };
}

test('the newest Python of the search path comes first, the chosen one last', async () => {
  const there = [
    CHOSEN,
    'bin/python3.13',
    '/usr/bin/python3',
    '/usr/bin/python3.13',
    '/usr/local/bin/python3',
    '/usr/local/bin/python3.11',
  ];
  assert.deepEqual(await pythons(around(true, ...there)), [
    '/usr/bin/python3.13',
    '/usr/local/bin/python3.11',
    '/usr/local/bin/python3',
    '/usr/bin/python3',
    CHOSEN,
  ]);
});

test('a workspace that is not trusted names no interpreter', async () => {
  assert.deepEqual(await pythons(around(false, CHOSEN, '/usr/bin/python3')), ['/usr/bin/python3']);
});

test('a Python is judged by what it answers', () => {
  for (const [answer, wanted] of [
    ['3 11\nwhole\n', 'fits'],
    ['3 13\r\nwhole\r\n', 'fits'],
    ['3 11\nTraceback …\nModuleNotFoundError: No module named \'ensurepip\'\n', 'bare'],
    ['3 10\nwhole\n', 'old'],
    ['2 7\nwhole\n', 'old'],
    ['4 12\nwhole\n', 'old'],
    ['pyenv: python3.13: command not found\n', 'old'],
    ['', 'old'],
  ] as const) {
    assert.equal(fitness(answer), wanted, answer);
  }
});

test('no step imports from the workspace, and all but one use the new Python', () => {
  const told = steps('/usr/bin/python3', '/storage/x', '/bundled/a.whl').map(({ argv }) => argv);
  assert.deepEqual(told[0], ['/usr/bin/python3', '-I', '-m', 'venv', '/storage/x']);
  for (const argv of told.slice(1)) {
    assert.deepEqual(argv.slice(0, 2), ['/storage/x/bin/python', '-I']);
  }
  assert.equal(told[1]?.at(-1), '/bundled/a.whl');
  assert.deepEqual(told[2]?.slice(2), ['-m', 'intent_lsp', '--version']);
});

test('every trouble says what to do; who has stopped it is told nothing', () => {
  const [step] = steps('/p', '/x', '/w');
  assert.ok(step);
  const failed = (output: string): Trouble => ({ kind: 'step', step, output });
  const words: readonly (readonly [Trouble, RegExp])[] = [
    [{ kind: 'no wheel' }, /make vsix/u],
    [{ kind: 'no python' }, /Python 3\.11 or newer .* python3-venv/u],
    [{ kind: 'bare python', python: '/usr/bin/python3' }, /\/usr\/bin\/python3 .*python3-venv/u],
    [failed('ERROR: No matching distribution found for pygls'), /a network/u],
    [failed('NewConnectionError: Temporary failure in name resolution'), /a network/u],
    [failed('OSError: [Errno 28] No space left on device'), /disk is full/u],
    [failed('Segmentation fault'), /^making an environment failed\. The log/u],
    [{ kind: 'other', reason: 'EACCES' }, /^EACCES\.$/u],
  ];
  for (const [trouble, wanted] of words) {
    assert.match(troubleWords(trouble) ?? '', wanted);
  }
  assert.equal(troubleWords({ kind: 'stopped' }), undefined);
});
