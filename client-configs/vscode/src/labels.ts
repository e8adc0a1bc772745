/** Short texts for the server's answers, the same in every part of the window. Pure. */

import { BlameRun, Intent, LedgerRecord, Status, Verification } from './protocol';

const CLOSED_STATUSES = new Set(['COMPLETED', 'ABANDONED', 'ARCHIVED']);
const MAX_NAME_LENGTH = 32;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;
const UNITS: readonly (readonly [number, string])[] = [
  [YEAR, 'year'],
  [MONTH, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
];

export interface Label {
  readonly text: string;
  readonly tooltip: string;
  readonly warns: boolean;
}

/** Return whether an intent can be selected. */
export function isOpen(intent: Intent): boolean {
  return !CLOSED_STATUSES.has(intent.status) && !intent.flags.includes('INTENT_IGNORED');
}

export function intentTitle(intent: Pick<Intent, 'id' | 'name'>): string {
  return intent.name ? `${intent.id} ${intent.name}` : intent.id;
}

/** Return the label of the status bar's item, or undefined if no root governs here. */
export function statusLabel(status: Status, intents: readonly Intent[]): Label | undefined {
  if (status.root === null) {
    return undefined;
  }
  const saves = `Saves: ${status.enforcement} · records: ${status.records} · ${status.root}`;
  if (!status.enabled) {
    const tooltip = `${status.reason ?? 'The intents file cannot be read.'}\n${saves}`;
    return { text: '$(warning) Intents off', tooltip, warns: true };
  }
  const unsaved =
    status.fileState === 'unavailable'
      ? [`The selected intent cannot be saved to disk: ${status.reason ?? 'see the log'}\n`]
      : [];
  const blind = (status.blindHosts ?? []).map(
    (host) => `${host} did not ask intent-lsp while files changed: see Problems\n`,
  );
  const warnings = [...unsaved, ...blind].join('');
  const warns = warnings !== '';
  const id = status.activeIntentId;
  if (id === null) {
    const tooltip = `${warnings}Select an intent\n${saves}`;
    return { text: '$(circle-slash) No intent', tooltip, warns };
  }
  const active = intents.find((intent) => intent.id === id) ?? { id, name: '' };
  const tooltip = `${warnings}${intentTitle(active)}\nSelect another intent\n${saves}`;
  return { text: `$(target) ${shorten(withoutIcons(intentTitle(active)))}`, tooltip, warns };
}

/** Return how long ago a time was; `now` in milliseconds. */
export function ageText(timestamp: string, now: number): string {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) {
    return 'some time ago';
  }
  const unit = UNITS.find(([length]) => seconds >= length);
  if (!unit) {
    return 'just now';
  }
  return `${countText(Math.floor(seconds / unit[0]), unit[1])} ago`;
}

/** Return the name of a record's first file, without its folder, or the scope that it grants. */
export function recordTitle(record: LedgerRecord): string {
  const names = record.files.map((file) => file.relative_path.replace(/^.*\//u, ''));
  const [first, ...rest] = names;
  if (record.grant !== undefined) {
    return `scope: ${record.grant.patterns.join(', ')}`;
  }
  return first === undefined ? '(no file)' : rest.length ? `${first} +${rest.length}` : first;
}

/** Return when a record was made: the time, and the day unless it is today. */
export function timeText(timestamp: string, now: number): string {
  const then = new Date(timestamp);
  if (Number.isNaN(then.getTime())) {
    return '?';
  }
  const time = then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  if (then.toDateString() === new Date(now).toDateString()) {
    return time;
  }
  const isThisYear = then.getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  const day = then.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year });
  return `${day} ${time}`;
}

/** Return a record's intent, verdict and author in a line.
 *
 * `name` is the intent's name; `who` is the author as the server names them.
 */
export function recordDescription(record: LedgerRecord, name?: string, who?: string): string {
  const failed = record.success === false ? ['failed'] : [];
  const parts = [
    record.intent_id === null ? 'no intent' : name || record.intent_id,
    verdictText(record.scope_validation),
    ...failed,
    who ?? contributorText(record),
  ];
  return parts.join(' · ');
}

const VERDICTS: Readonly<Record<string, string>> = {
  PASS: 'in scope',
  FAIL: 'violation',
  EXEMPT: 'exempt',
};

/** Return a record's verdict in words. */
export function verdictText(verdict: string): string {
  return VERDICTS[verdict] ?? verdict;
}

/** Return who made a record: a person, an agent's model, or both. */
export function contributorText(record: LedgerRecord): string {
  const contributor = record.files[0]?.conversations?.[0]?.contributor;
  return authorText(contributor?.entity_type ?? 'UNKNOWN', contributor?.model_identifier ?? null);
}

/** Return which intent and author a line comes from, or undefined if no record explains it.
 *
 * `name` is the intent's name.
 */
export function blameLabel(run: BlameRun, now: number, name?: string): string | undefined {
  if (run.recordId === null || run.timestamp === null) {
    return undefined;
  }
  const person = run.author ?? (run.isYou ? 'you' : 'a person');
  const who = authorText(run.entityType ?? 'UNKNOWN', run.modelIdentifier, person);
  const intent = run.intentId === null ? 'no intent' : name || run.intentId;
  const origin = withoutIcons(`${intent}, ${who}`);
  return `$(git-commit) ${origin}, ${ageText(run.timestamp, now)}`;
}

export function verificationLabel(found: Verification): string {
  const records = countText(found.records, 'record');
  if (found.ok) {
    return `✓ verified · ${records}`;
  }
  return `✗ ${countText(found.problems.length, 'problem')} · ${records}`;
}

/** Return a number with its noun: `1 record`, `2 records`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Return a text in one line, without the `$(…)` that the editor would draw as icons. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll(/\s+/gu, ' ');
}

function authorText(entity: string, model: string | null, person = 'a person'): string {
  switch (entity) {
    case 'HUMAN':
      return model === null || model === 'human' ? person : model;
    case 'AI':
      return model ?? 'an agent';
    case 'MIXED':
      return `${model ?? 'an agent'} and ${person}`;
    default:
      return 'unknown';
  }
}

function shorten(text: string): string {
  // By code points: half of a surrogate pair would be drawn as a broken character.
  const characters = [...text];
  const limit = MAX_NAME_LENGTH;
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}
