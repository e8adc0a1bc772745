/** The quick picks: an intent, a draft, the rows of an explanation. */

import * as vscode from 'vscode';
import { age, intentTitle, isOpen, plain } from './labels';
import { Outlook } from './outlook';
import { Draft, Explanation, Intent } from './wire';

type Choice = vscode.QuickPickItem & { readonly act?: () => Promise<unknown> };

/** Have the person choose the intent that they work for, or another way on. */
export async function chooseIntent(outlook: Outlook): Promise<void> {
  await outlook.look();
  const open = outlook.intents.filter(isOpen);
  const active = outlook.status?.activeIntentId ?? null;
  const items: Choice[] = open.map((intent) => ({
    ...item(intent, intent.id === active),
    act: () => outlook.ask('select', { intentId: intent.id }),
  }));
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  if (active !== null) {
    const label = '$(circle-slash) Work without an intent';
    items.push({ label, act: () => outlook.ask('clear') });
  }
  const create = async (): Promise<unknown> => vscode.commands.executeCommand('intentLsp.create');
  items.push({ label: '$(add) Create an intent…', act: create });
  const chosen = await pick(items, 'Which intent do you work for?');
  await chosen?.act?.();
}

/** Have the person choose one of the open intents. */
export async function pickIntent(outlook: Outlook, title: string): Promise<Intent | undefined> {
  const active = outlook.status?.activeIntentId ?? null;
  const items = outlook.intents
    .filter(isOpen)
    .map((intent) => ({ ...item(intent, intent.id === active), intent }));
  return (await pick(items, title))?.intent;
}

export async function pickDraft(drafts: readonly Draft[]): Promise<Draft | undefined> {
  const now = Date.now();
  const items = drafts.map((draft) => ({
    label: `$(file) ${draft.path}`,
    description: age(draft.createdAt, now),
    detail: `${draft.code} · ${draft.intentId ?? 'no intent'}`,
    draft,
  }));
  return (await pick(items, 'Which refused text do you want back?'))?.draft;
}

/** Show each row of the gate with its fact, those that stand in the way first. */
export async function showExplanation(path: string, told: Explanation): Promise<void> {
  const icons = { fail: '$(error)', pass: '$(pass)', skipped: '$(dash)' };
  const items = (['fail', 'pass', 'skipped'] as const).flatMap((outcome) =>
    told.rows
      .filter((row) => row.outcome === outcome)
      .map((row) => ({
        label: `${icons[outcome]} ${row.label}`,
        detail: plain(row.fact),
      })),
  );
  const { allowed, reason } = told.decision;
  await pick(items, allowed ? `${path} may be edited.` : reason ?? `${path} may not be edited.`);
}

function item(intent: Intent, active: boolean): vscode.QuickPickItem {
  return {
    label: `${active ? '$(target)' : '$(circle-outline)'} ${plain(intentTitle(intent))}`,
    description: `${intent.status}${active ? ' · active' : ''}`,
    detail: plain(intent.ownedScope.join('  ')) || 'owns nothing',
  };
}

function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
): Thenable<T | undefined> {
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return vscode.window.showQuickPick(items, options);
}
