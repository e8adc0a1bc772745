import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noReportText, REMEDIES, serverProblem } from '../src/server_problem_text';
import { ServerProgram } from '../src/server_program';

const program: ServerProgram = { argv: ['/x/intent-lsp', 'serve'], source: 'path' };

test('every problem has a text and a remedy; a server that runs has no problem', () => {
  const missing = { kind: 'missing', search: { searched: [] } } as const;
  assert.match(serverProblem(missing, true)?.text ?? '', /was not found/u);
  assert.equal(serverProblem(missing, true)?.remedies[0], REMEDIES.install);
  const untrusted = serverProblem(missing, false);
  assert.deepEqual(untrusted?.remedies.slice(0, 2), [REMEDIES.install, REMEDIES.trust]);
  assert.match(untrusted.text, /not trusted/u);
  const search = { searched: [], configured: '/gone' };
  const configured = serverProblem({ kind: 'missing', search }, true);
  assert.ok(!configured?.remedies.includes(REMEDIES.install));
  assert.match(configured?.text ?? '', /\/gone, the program in intentLsp\.server\.command/u);
  const foreign = { kind: 'foreign', program, version: '0.0.1' } as const;
  assert.match(serverProblem(foreign, true)?.text ?? '', /\/x\/intent-lsp \(version 0\.0\.1\)/u);
  const failed = { kind: 'failed', program, reason: 'it keeps exiting' } as const;
  assert.equal(serverProblem(failed, true)?.remedies[0], REMEDIES.restart);
  assert.deepEqual(serverProblem({ kind: 'off' }, true)?.remedies, [REMEDIES.settings]);
  assert.equal(serverProblem({ kind: 'starting' }, true), undefined);
  assert.equal(serverProblem({ kind: 'running', program, version: '1' }, true), undefined);
});

test('without a report, a server that does not run is told from a missing intents file', () => {
  const failed = { kind: 'failed', program, reason: 'it keeps exiting' } as const;
  assert.match(noReportText(failed), /^the server does not run; /u);
  const running = { kind: 'running', program, version: '1' } as const;
  assert.match(noReportText(running), /^there is no intents file here; /u);
});

test('an update is offered for a server that the extension has installed itself', () => {
  const search = { searched: [], otherVersions: ['0.0.9'] };
  const older = serverProblem({ kind: 'missing', search }, true);
  assert.equal(older?.remedies[0], REMEDIES.update);
  assert.match(older?.text ?? '', /version 0\.0\.9/u);
  const ownProgram: ServerProgram = { ...program, source: 'extension' };
  for (const state of [
    { kind: 'foreign', program: ownProgram, version: '0.0.1' },
    { kind: 'failed', program: ownProgram, reason: 'it keeps exiting' },
  ] as const) {
    assert.equal(serverProblem(state, true)?.remedies[0], REMEDIES.update);
    assert.ok(!serverProblem({ ...state, program }, true)?.remedies.includes(REMEDIES.update));
  }
});
