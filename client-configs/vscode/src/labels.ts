/** The words for what the server tells: short, the same in every part of the window. Pure. */

import { BlameRun, Intent, LedgerRecord, Status, Verification } from './wire';

const CLOSED = new Set(['COMPLETED', 'ABANDONED', 'ARCHIVED']);
const NAME_AT_MOST = 32;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const YEAR = 365 * DAY;
const SPANS: readonly (readonly [number, string])[] = [
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

export function isOpen(intent: Intent): boolean {
  return !CLOSED.has(intent.status) && !intent.flags.includes('INTENT_IGNORED');
}

export function intentTitle(intent: Pick<Intent, 'id' | 'name'>): string {
  return intent.name ? `${intent.id} ${intent.name}` : intent.id;
}

/** Spell the status bar's item; undefined: nobody governs here, and nothing is shown. */
export function statusLabel(status: Status, intents: readonly Intent[]): Label | undefined {
  if (status.root === null) {
    return undefined;
  }
  const saves = `Saves: ${status.enforcement} · records: ${status.records} · ${status.root}`;
  if (!status.enabled || status.fileState !== 'ok') {
    const tooltip = `${status.reason ?? 'The intents file cannot be read.'}\n${saves}`;
    return { text: '$(warning) Intents off', tooltip, warns: true };
  }
  const id = status.activeIntentId;
  if (id === null) {
    const tooltip = `Select an intent\n${saves}`;
    return { text: '$(circle-slash) No intent', tooltip, warns: false };
  }
  const active = intents.find((intent) => intent.id === id) ?? { id, name: '' };
  const tooltip = `${intentTitle(active)}\nSelect another intent\n${saves}`;
  return { text: `$(target) ${shortened(plain(intentTitle(active)))}`, tooltip, warns: false };
}

/** Spell how long ago a moment was; `now` in milliseconds. */
export function age(timestamp: string, now: number): string {
  const seconds = (now - Date.parse(timestamp)) / 1000;
  if (Number.isNaN(seconds)) {
    return 'some time ago';
  }
  const span = SPANS.find(([length]) => seconds >= length);
  if (!span) {
    return 'just now';
  }
  return `${counted(Math.floor(seconds / span[0]), span[1])} ago`;
}

/** Name what a record is of: its first file, without its folder, or the scope that it grants. */
export function recordTitle(record: LedgerRecord): string {
  const names = record.files.map((file) => file.relative_path.replace(/^.*\//u, ''));
  const [first, ...rest] = names;
  if (record.grant !== undefined) {
    return `scope: ${record.grant.patterns.join(', ')}`;
  }
  return first === undefined ? '(no file)' : rest.length ? `${first} +${rest.length}` : first;
}

/** Spell when a record was made: the time of today, the day before that. */
export function clock(timestamp: string, now: number): string {
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

/** Tell a record in a few words; `name` is its intent's, `who` made it, as the server says. */
export function recordDetail(record: LedgerRecord, name?: string, who?: string): string {
  const failed = record.success === false ? ['failed'] : [];
  const said = [
    record.intent_id === null ? 'no intent' : name || record.intent_id,
    verdictWords(record.scope_validation),
    ...failed,
    who ?? contributorOf(record),
  ];
  return said.join(' · ');
}

const VERDICTS: Readonly<Record<string, string>> = {
  PASS: 'in scope',
  FAIL: 'out of scope',
  EXEMPT: 'exempt',
};

/** Say a record's verdict in words. */
export function verdictWords(verdict: string): string {
  return VERDICTS[verdict] ?? verdict;
}

/** Say who made a record: a person, an agent's model, or both. */
export function contributorOf(record: LedgerRecord): string {
  const told = record.files[0]?.conversations?.[0]?.contributor;
  return contributor(told?.entity_type ?? 'UNKNOWN', told?.model_identifier ?? null);
}

/** Tell where a line comes from; `name` is its intent's. */
export function blameLabel(run: BlameRun, now: number, name?: string): string | undefined {
  if (run.recordId === null || run.timestamp === null) {
    return undefined;
  }
  const person = run.author ?? (run.isYou ? 'you' : 'a person');
  const who = contributor(run.entityType ?? 'UNKNOWN', run.modelIdentifier, person);
  const intent = run.intentId === null ? 'no intent' : name || run.intentId;
  const said = plain(`${intent}, ${who}`);
  return `$(git-commit) ${said}, ${age(run.timestamp, now)}`;
}

export function verifiedLabel(found: Verification): string {
  const records = counted(found.records, 'record');
  if (found.ok) {
    return `✓ verified · ${records}`;
  }
  return `✗ ${counted(found.problems.length, 'problem')} · ${records}`;
}

/** Spell a number of things. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Take the signs out of a text that the status bar would draw as icons. */
export function plain(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll(/\s+/gu, ' ');
}

function contributor(entity: string, model: string | null, person = 'a person'): string {
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

function shortened(text: string): string {
  const letters = [...text];
  const most = NAME_AT_MOST;
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}
