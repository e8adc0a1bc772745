/** The nodes of the *Intents* and *Ledger* views, made from the server's answers. Pure. */

import { ageText, intentTitle, isOpen, recordDescription, recordTitle, timeText } from './labels';
import { Intent, LedgerRecord, Problem, TracePage } from './protocol';

export interface NodeAction {
  readonly command: string;
  readonly arguments: readonly unknown[];
}

export interface TreeNode {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: readonly [string, string?];
  readonly action?: NodeAction;
  readonly context?: string;
  readonly children?: readonly TreeNode[];
  /** The intent of a node whose children the view requests from the server. */
  readonly intent?: Intent;
}

/** An edit out of scope, as it is marked in a file; the line counts from 0. */
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

export function intentNodes(intents: readonly Intent[], active: string | null): TreeNode[] {
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

/** Return the children of an intent: its scope, files, records and violations. */
export function intentChildren(
  intent: Intent,
  page: TracePage,
  violations: readonly Violation[],
  now: number,
): TreeNode[] {
  const paths = [...new Set(page.records.flatMap((record) => record.files.map(pathOf)))];
  const more = page.cursor === undefined ? '' : '+';
  const toIntent = { command: 'intentLsp.goToIntent', arguments: [intent.id] };
  type Children = readonly TreeNode[];
  const group = (name: string, icon: string, children: Children, suffix = ''): TreeNode => ({
    id: `${name}:${intent.id}`,
    label: name,
    description: `${children.length}${suffix}`,
    icon: [icon],
    children,
  });
  return [
    group(
      'Scope',
      'symbol-namespace',
      intent.ownedScope.map((glob, index) => ({
        id: `scope:${intent.id}:${index}`,
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
      violations.map((each, index) => ({
        id: `violation:${intent.id}:${index}`,
        label: `${each.path}:${each.line + 1}`,
        description: each.message,
        icon: ['error', 'charts.red'],
        action: { command: 'intentLsp.openFile', arguments: [each.uri, each.line] },
      })),
    ),
  ];
}

/** Return the ledger's list: problems, then records, then a node that loads older records. */
export function ledgerNodes(
  page: TracePage,
  problems: readonly Problem[],
  intents: readonly Intent[],
  now: number,
): TreeNode[] {
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
  parentId: string,
): TreeNode {
  const paths = record.files.map((file) => file.relative_path);
  const name = intents.find((intent) => intent.id === record.intent_id)?.name;
  const label = `${timeText(record.timestamp, now)} ${recordTitle(record)}`;
  const description = recordDescription(record, name, page.who[record.id]);
  return {
    id: `record:${parentId}:${record.id}`,
    label,
    description,
    // A screen reader reads the tooltip instead of the row, so it repeats the row's text.
    tooltip: [`${label} · ${description}`, ...paths, ageText(record.timestamp, now)].join('\n'),
    icon: VERDICTS[record.scope_validation] ?? ['question'],
    action: { command: 'intentLsp.showRecord', arguments: [record.id, record] },
    context: 'record',
  };
}

function fileNode(intent: Intent, path: string): TreeNode {
  return {
    id: `file:${intent.id}:${path}`,
    label: path,
    icon: ['file'],
    action: { command: 'intentLsp.openFile', arguments: [path] },
  };
}

function problemNode(problem: Problem, index: number): TreeNode {
  return {
    id: `problem:${index}`,
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
