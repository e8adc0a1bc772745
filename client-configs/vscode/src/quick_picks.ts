/** The quick picks, in which the user chooses an intent or a draft. */

import * as vscode from 'vscode';
import { ageText, intentTitle, isOpen, withoutIcons } from './labels';
import { Draft, Intent } from './protocol';
import { WindowState } from './window_state';

type Choice = vscode.QuickPickItem & { readonly run?: () => Promise<unknown> };

/** Let the user select an intent, work without one, or create one. */
export async function showIntentPicker(windowState: WindowState): Promise<void> {
  await windowState.refresh();
  const open = windowState.intents.filter(isOpen);
  const active = windowState.status?.activeIntentId ?? null;
  const items: Choice[] = open.map((intent) => ({
    ...intentItem(intent, intent.id === active),
    run: () => windowState.request('select', { intentId: intent.id }),
  }));
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  if (active !== null) {
    const label = '$(circle-slash) Work without an intent';
    items.push({ label, run: () => windowState.request('clear') });
  }
  const create = async (): Promise<unknown> => vscode.commands.executeCommand('intentLsp.create');
  items.push({ label: '$(add) Create an intent…', run: create });
  const choice = await pick(items, 'Which intent are you working on?');
  await choice?.run?.();
}

/** Let the user choose one of the open intents; return it, or undefined if none is chosen. */
export async function pickIntent(
  windowState: WindowState,
  title: string,
): Promise<Intent | undefined> {
  const active = windowState.status?.activeIntentId ?? null;
  const items = windowState.intents
    .filter(isOpen)
    .map((intent) => ({ ...intentItem(intent, intent.id === active), intent }));
  return (await pick(items, title))?.intent;
}

/** Let the user choose a draft; return it, or undefined if none is chosen. */
export async function pickDraft(drafts: readonly Draft[]): Promise<Draft | undefined> {
  const now = Date.now();
  const items = drafts.map((draft) => ({
    label: `$(file) ${draft.path}`,
    description: ageText(draft.createdAt, now),
    detail: `${draft.code} · ${draft.intentId ?? 'no intent'}`,
    draft,
  }));
  return (await pick(items, 'Which refused text do you want back?'))?.draft;
}

function intentItem(intent: Intent, active: boolean): vscode.QuickPickItem {
  return {
    label: `${active ? '$(target)' : '$(circle-outline)'} ${withoutIcons(intentTitle(intent))}`,
    description: `${intent.status}${active ? ' · active' : ''}`,
    detail: withoutIcons(intent.ownedScope.join('  ')) || 'owns nothing',
  };
}

function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
): Thenable<T | undefined> {
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return vscode.window.showQuickPick(items, options);
}
