/** The nodes of the *Intents* and *Ledger* views, from what the server tells. Pure. */

import { age, clock, intentTitle, isOpen, recordDetail, recordTitle } from './labels';
import { Intent, LedgerRecord, Problem, TracePage } from './wire';

export interface Action {
  readonly command: string;
  readonly arguments: readonly unknown[];
}

export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: readonly [string, string?];
  readonly action?: Action;
  readonly context?: string;
  /** What stands below; a view asks the server for what stands below an intent. */
  readonly children?: readonly Node[];
  readonly intent?: Intent;
}

/** A mark of ours in a file: an edit out of scope. */
export interface Violation {
  readonly uri: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const ICONS: { readonly [status: string]: readonly [string, string?] } = {
  PLANNED: ['circle-outline'],
  IN_PROGRESS: ['circle-large-filled', 'charts.blue'],
  BLOCKED: ['stop-circle', 'charts.orange'],
  COMPLETED: ['pass', 'charts.green'],
  ABANDONED: ['circle-slash'],
  ARCHIVED: ['archive'],
};
const VERDICTS: { readonly [verdict: string]: readonly [string, string?] } = {
  PASS: ['pass', 'charts.green'],
  FAIL: ['error', 'charts.red'],
  EXEMPT: ['dash'],
};

export function intentNodes(intents: readonly Intent[], active: string | null): Node[] {
  return intents.map((intent) => {
    const isActive = intent.id === active;
    const flags = intent.flags.length > 0 ? ` · ${intent.flags.join(', ')}` : '';
    return {
      id: `intent:${intent.id}`,
      label: intentTitle(intent),
      description: `${isActive ? 'active · ' : ''}${intent.status}${flags}`,
      tooltip: [intentTitle(intent), intent.status, ...intent.ownedScope].join('\n'),
      icon: isActive ? ['target', 'charts.blue'] : ICONS[intent.status] ?? ['question'],
      context: isActive ? 'intent-active' : isOpen(intent) ? 'intent-open' : 'intent-closed',
      action: { command: 'intentLsp.goToIntent', arguments: [intent.id] },
      intent,
    };
  });
}

/** Give what stands below an intent. */
export function intentParts(
  intent: Intent,
  page: TracePage,
  violations: readonly Violation[],
  now: number,
): Node[] {
  const paths = [...new Set(page.records.flatMap((record) => record.files.map(pathOf)))];
  const more = page.cursor === undefined ? '' : '+';
  const toIntent = { command: 'intentLsp.goToIntent', arguments: [intent.id] };
  const group = (name: string, icon: string, children: readonly Node[], sign = ''): Node => ({
    id: `${name}:${intent.id}`,
    label: name,
    description: `${children.length}${sign}`,
    icon: [icon],
    children,
  });
  return [
    group(
      'Scope',
      'symbol-namespace',
      intent.ownedScope.map((glob, at) => ({
        id: `scope:${intent.id}:${at}`,
        label: glob,
        action: toIntent,
      })),
    ),
    group('Files', 'files', paths.map((path) => fileNode(intent, path)), more),
    group(
      'Records',
      'history',
      page.records.map((one) => recordNode(one, page, [intent], now, intent.id)),
      more,
    ),
    group(
      'Violations',
      'warning',
      violations.map((each, at) => ({
        id: `violation:${intent.id}:${at}`,
        label: `${each.path}:${each.line + 1}`,
        description: each.message,
        icon: ['error', 'charts.red'],
        action: { command: 'intentLsp.openFile', arguments: [each.uri, each.line] },
      })),
    ),
  ];
}

/** Give the ledger's list: problems first, then records, then what leads to older ones. */
export function ledgerNodes(
  page: TracePage,
  problems: readonly Problem[],
  intents: readonly Intent[],
  now: number,
): Node[] {
  const nodes = [
    ...problems.map(problemNode),
    ...page.records.map((record) => recordNode(record, page, intents, now, '')),
  ];
  if (page.cursor !== undefined) {
    nodes.push({
      id: 'more',
      label: 'Show older records…',
      icon: ['ellipsis'],
      action: { command: 'intentLsp.ledger.more', arguments: [] },
    });
  }
  return nodes;
}

function recordNode(
  record: LedgerRecord,
  page: TracePage,
  intents: readonly Intent[],
  now: number,
  below: string,
): Node {
  const paths = record.files.map((file) => file.relative_path);
  const name = intents.find((intent) => intent.id === record.intent_id)?.name;
  const label = `${clock(record.timestamp, now)} ${recordTitle(record)}`;
  const description = recordDetail(record, name, page.who[record.id]);
  return {
    id: `record:${below}:${record.id}`,
    label,
    description,
    // A screen reader is given this in the place of the row.
    tooltip: [`${label} · ${description}`, ...paths, age(record.timestamp, now)].join('\n'),
    icon: VERDICTS[record.scope_validation] ?? ['question'],
    action: { command: 'intentLsp.showRecord', arguments: [record.id, record] },
    context: 'record',
  };
}

function fileNode(intent: Intent, path: string): Node {
  return {
    id: `file:${intent.id}:${path}`,
    label: path,
    icon: ['file'],
    action: { command: 'intentLsp.openFile', arguments: [path] },
  };
}

function problemNode(problem: Problem, at: number): Node {
  return {
    id: `problem:${at}`,
    label: `${problem.file}:${problem.line}`,
    description: problem.message,
    tooltip: `${problem.code}: ${problem.message}`,
    icon: problem.severity === 'error' ? ['error', 'charts.red'] : ['warning', 'charts.orange'],
    action: { command: 'intentLsp.openFile', arguments: [problem.file, problem.line - 1] },
  };
}

function pathOf(file: { readonly relative_path: string }): string {
  return file.relative_path;
}
