/** The language client: what it offers to the server, and what it keeps from it. */

import * as vscode from 'vscode';
import {
  ErrorAction,
  ErrorHandler,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  StaticFeature,
} from 'vscode-languageclient/node';
import { Launch } from './launch';
import { said } from './said';
import { SECTION, toldOf } from './settings';

const CREATE = 'intent.create';
const SHOW_WHY = 'intent.showWhy';
const SHOW_RECORD = 'intentLsp.showRecord';

/** What the client needs of its surroundings. */
export interface Ground {
  readonly log: vscode.OutputChannel;
  readonly trace: vscode.OutputChannel;
  /** Where the server runs: no folder of the workspace's, which could hold files to load. */
  readonly directory: string;
  closed: ErrorHandler['closed'];
}

/** Milliseconds after which a save goes on without an answer. VS Code itself waits 1,500, and
 * after a few of these never asks again in a session. */
const SAVE_PATIENCE = 1300;

/** Our own notifications are sent to those who ask for them; the status bar shows the intent. */
const NOTIFICATIONS: StaticFeature = {
  fillClientCapabilities(capabilities): void {
    const intent = { notifications: true, status: true, recordCommand: SHOW_RECORD };
    capabilities.experimental = { ...capabilities.experimental, intent };
  },
  initialize(): void {},
  getState: () => ({ kind: 'static' }),
  clear(): void {},
};

export function clientOf(launch: Launch, ground: Ground): LanguageClient {
  const [command, ...args] = launch.argv;
  const options = { cwd: ground.directory };
  const client = new LanguageClient(SECTION, 'Intent', { command, args, options }, told(ground));
  client.registerFeature(NOTIFICATIONS);
  return client;
}

function told(ground: Ground): LanguageClientOptions {
  return {
    // Whatever is a file may be governed, whatever its language.
    documentSelector: [{ scheme: 'file' }],
    diagnosticCollectionName: 'intent-lsp',
    // Of all commands, the hover's link to a record alone is run by a click.
    markdown: { isTrusted: { enabledCommands: [SHOW_RECORD] } },
    outputChannel: ground.log,
    traceOutputChannel: ground.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    synchronize: { configurationSection: SECTION },
    initializationOptions: () => toldOf(vscode.workspace.getConfiguration(SECTION)),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ground.closed(),
    },
    middleware: {
      executeCommand: (command, args, next) => obeyed(command, args, next),
      willSaveWaitUntil: (event, next) => inTime(Promise.resolve(next(event))),
      workspace: {
        configuration: async (params, token, next) => {
          const values: unknown = await next(params, token);
          return Array.isArray(values)
            ? values.map((value: unknown, at) =>
                params.items[at]?.section === SECTION ? toldOf(value) : value,
              )
            : [];
        },
      },
    },
  };
}

/** Run a command of the server's as a person: names are asked for, and reasons have a page. */
async function obeyed(
  command: string,
  args: readonly any[],
  next: (command: string, args: any[]) => vscode.ProviderResult<any>,
): Promise<unknown> {
  const [argument] = args as readonly (Record<string, unknown> | undefined)[];
  try {
    if (command === SHOW_WHY) {
      return await vscode.commands.executeCommand('intentLsp.explain', argument?.['uri']);
    }
    if (command !== CREATE || argument === undefined) {
      return await next(command, [...args]);
    }
    const name = await vscode.window.showInputBox({
      title: 'Create an intent for this file',
      prompt: 'What is being worked on?',
      value: String(argument['name'] ?? ''),
      ignoreFocusOut: true,
    });
    return name?.trim() ? await next(command, [{ ...argument, name: name.trim() }]) : undefined;
  } catch (error) {
    void vscode.window.showErrorMessage(`Intent: ${said(error)}`);
    return undefined;
  }
}

async function inTime(answer: Promise<vscode.TextEdit[]>): Promise<vscode.TextEdit[]> {
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), SAVE_PATIENCE);
  });
  try {
    const first = await Promise.race([answer, patience]);
    return first === late ? [] : first ?? [];
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
