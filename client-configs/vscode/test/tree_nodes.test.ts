import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intentChildren, intentNodes, ledgerNodes, TreeNode } from '../src/tree_nodes';
import { INTENT, NOW, RECORD } from './samples';

const OTHER = { ...INTENT, id: 'INT-002', status: 'COMPLETED', name: '' };
const PAGE = { records: [RECORD], flags: {}, who: { [RECORD.id]: 'Ada' } };

function all(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...all(node.children ?? [])]);
}

test('intents show their status and which is active, and lead to the intents file', () => {
  const [first, second] = intentNodes([INTENT, OTHER], 'INT-001');
  assert.equal(first?.label, 'INT-001 Login');
  assert.equal(first.description, 'active · IN_PROGRESS');
  assert.equal(first.context, 'intent-active');
  assert.deepEqual(first.action, { command: 'intentLsp.goToIntent', arguments: ['INT-001'] });
  assert.equal(second?.label, 'INT-002');
  assert.equal(second.context, 'intent-closed');
  const [open] = intentNodes([{ ...INTENT, flags: ['X'], status: 'NEW' }], null);
  assert.equal(open?.description, 'NEW · X');
  assert.deepEqual([open.context, open.icon], ['intent-open', ['question']]);
});

test('the children of an intent are its scope, files, records and violations', () => {
  const violation = { uri: 'file:///work/x.py', path: 'x.py', line: 4, message: 'No.' };
  const again = { ...RECORD, id: 'another' };
  const page = { ...PAGE, records: [RECORD, again], cursor: 'c' };
  const parts = intentChildren(INTENT, page, [violation], NOW);
  assert.deepEqual(
    parts.map((part) => [part.label, part.description]),
    [
      ['Scope', '1'],
      ['Files', '2+'],
      ['Records', '2+'],
      ['Violations', '1'],
    ],
  );
  const shown = all(parts).find((node) => node.label === 'x.py:5');
  assert.deepEqual(shown?.action?.arguments, ['file:///work/x.py', 4]);
});

test('the ledger lists problems, then records, then a node that loads older ones', () => {
  const problem = { code: 'X', severity: 'error', file: 'f.jsonl', line: 7, message: 'Broken.' };
  const nodes = ledgerNodes({ ...PAGE, cursor: 'c' }, [problem], [INTENT], NOW);
  const [first, record, last] = nodes;
  assert.deepEqual([first?.label, last?.label], ['f.jsonl:7', 'Show older records…']);
  assert.match(record?.label ?? '', /^\d.*:58.* login\.py \+1$/u);
  assert.equal(record?.description, 'Login · in scope · Ada');
  assert.deepEqual(nodes[0]?.action?.arguments, ['f.jsonl', 6]);
  assert.deepEqual(nodes[1]?.icon, ['pass', 'charts.green']);
  assert.equal(ledgerNodes(PAGE, [], [], NOW).length, 1);
  const oddRecord = { ...RECORD, scope_validation: '?' };
  const odd = ledgerNodes({ ...PAGE, records: [oddRecord] }, [], [], NOW);
  assert.deepEqual(odd[0]?.icon, ['question']);
});

test('no two nodes of a view share an id', () => {
  const intents = [INTENT, OTHER];
  const nodes = [
    ...intentNodes(intents, null),
    ...intents.flatMap((intent) => all(intentChildren(intent, PAGE, [], NOW))),
  ];
  assert.equal(new Set(nodes.map((node) => node.id)).size, nodes.length);
});

test('the arguments of a click can be sent between processes', () => {
  const nodes = all(intentChildren(INTENT, PAGE, [], NOW));
  for (const { action } of nodes) {
    assert.deepEqual(JSON.parse(JSON.stringify(action?.arguments ?? [])), action?.arguments ?? []);
  }
});
