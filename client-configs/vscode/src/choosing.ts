/** The quick picks: an intent, a draft. */

import * as vscode from 'vscode';
import { age, intentTitle, isOpen, plain } from './labels';
import { Outlook } from './outlook';
import { Draft, Intent } from './wire';

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
  const chosen = await pick(items, 'Which intent are you working on?');
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
