import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  failureText,
  findPythons,
  InstallFailure,
  installSteps,
  pythonFitness,
} from '../src/install_plan';
import { Environment } from '../src/server_program';

const CHOSEN = '/conda/bin/python';

function environment(trusted: boolean, ...executables: readonly string[]): Environment {
  return {
    configuredCommand: [],
    trusted,
    folders: ['/work'],
    home: '/home/ada',
    searchPath: '/usr/local/bin:bin::/usr/bin',
    ownInstallation: { storage: '/storage', version: '1.2.0' },
    storageEntries: [],
    interpreters: () => Promise.resolve([CHOSEN, '/usr/bin/python3']),
    isExecutable: (path) => executables.includes(path),
  };
}

test('the newest Python of the search path comes first, the chosen one last', async () => {
  const executables = [
    CHOSEN,
    'bin/python3.13',
    '/usr/bin/python3',
    '/usr/bin/python3.13',
    '/usr/local/bin/python3',
    '/usr/local/bin/python3.11',
  ];
  assert.deepEqual(await findPythons(environment(true, ...executables)), [
    '/usr/bin/python3.13',
    '/usr/local/bin/python3.11',
    '/usr/local/bin/python3',
    '/usr/bin/python3',
    CHOSEN,
  ]);
});

test('the interpreter that an untrusted workspace has chosen is not used', async () => {
  const untrusted = environment(false, CHOSEN, '/usr/bin/python3');
  assert.deepEqual(await findPythons(untrusted), ['/usr/bin/python3']);
});

test('a Python is judged by the output of the probe', () => {
  for (const [output, expected] of [
    ['3 11\nwhole\n', 'fits'],
    ['3 13\r\nwhole\r\n', 'fits'],
    ['3 11\nTraceback …\nModuleNotFoundError: No module named \'ensurepip\'\n', 'no venv'],
    ['3 10\nwhole\n', 'unsuitable'],
    ['2 7\nwhole\n', 'unsuitable'],
    ['4 12\nwhole\n', 'unsuitable'],
    ['pyenv: python3.13: command not found\n', 'unsuitable'],
    ['', 'unsuitable'],
  ] as const) {
    assert.equal(pythonFitness(output), expected, output);
  }
});

test('no step imports from the workspace, and all but one use the new Python', () => {
  const steps = installSteps('/usr/bin/python3', '/storage/x', '/bundled/a.whl');
  const commands = steps.map(({ argv }) => argv);
  assert.deepEqual(commands[0], ['/usr/bin/python3', '-I', '-m', 'venv', '/storage/x']);
  for (const argv of commands.slice(1)) {
    assert.deepEqual(argv.slice(0, 2), ['/storage/x/bin/python', '-I']);
  }
  assert.equal(commands[1]?.at(-1), '/bundled/a.whl');
  assert.deepEqual(commands[2]?.slice(2), ['-m', 'intent_lsp', '--version']);
});

test('every failure has a text that says what to do, except a cancellation', () => {
  const [step] = installSteps('/p', '/x', '/w');
  assert.ok(step);
  const failed = (output: string): InstallFailure => ({ kind: 'step', step, output });
  const cases: readonly (readonly [InstallFailure, RegExp])[] = [
    [{ kind: 'no wheel' }, /make vsix/u],
    [{ kind: 'no python' }, /Python 3\.11 or newer .* python3-venv/u],
    [{ kind: 'no venv', python: '/usr/bin/python3' }, /\/usr\/bin\/python3 .*python3-venv/u],
    [failed('ERROR: No matching distribution found for pygls'), /a network/u],
    [failed('NewConnectionError: Temporary failure in name resolution'), /a network/u],
    [failed('OSError: [Errno 28] No space left on device'), /disk is full/u],
    [failed('Segmentation fault'), /^creating a Python environment failed\. The log/u],
    [{ kind: 'other', reason: 'EACCES' }, /^EACCES\.$/u],
  ];
  for (const [failure, expected] of cases) {
    assert.match(failureText(failure) ?? '', expected);
  }
  assert.equal(failureText({ kind: 'stopped' }), undefined);
});
