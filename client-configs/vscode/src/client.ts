/** The language client: its capabilities and settings, and its middleware. */

import * as vscode from 'vscode';
import {
  ErrorAction,
  ErrorHandler,
  LanguageClient,
  LanguageClientOptions,
  RevealOutputChannelOn,
  StaticFeature,
} from 'vscode-languageclient/node';
import { errorText } from './error_text';
import { ServerProgram } from './server_program';
import { SECTION, serverSettings } from './settings';

const CREATE = 'intent.create';
const SHOW_WHY = 'intent.showWhy';
const SHOW_RECORD = 'intentLsp.showRecord';
const SHOW_RECORDS = 'intentLsp.ledger.ofIntent';
const SHOW_LOCATIONS = 'intentLsp.showLocations';
const COMPARE = 'intentLsp.compareWithDisk';

/** What the client needs from the rest of the extension. */
export interface ClientContext {
  readonly log: vscode.OutputChannel;
  readonly trace: vscode.OutputChannel;
  /** Where the server runs. It is outside of the workspace, whose files it could load otherwise. */
  readonly workingDirectory: string;
  onClosed: ErrorHandler['closed'];
}

/** The time after which a save goes on without an answer. VS Code itself waits 1,500 ms, and
 * after a few such waits asks no longer in a session. */
const SAVE_TIMEOUT_MS = 1300;

/** The capabilities that have the server send `intent/*` notifications, that say that the active
 * intent is shown, and that name the commands of links, lenses and code actions: to show a record,
 * to list records or locations, and to compare a file with the disk. */
const NOTIFICATIONS: StaticFeature = {
  fillClientCapabilities(capabilities): void {
    const intent = {
      notifications: true,
      status: true,
      recordCommand: SHOW_RECORD,
      recordsCommand: SHOW_RECORDS,
      locationsCommand: SHOW_LOCATIONS,
      compareCommand: COMPARE,
    };
    capabilities.experimental = { ...capabilities.experimental, intent };
  },
  initialize(): void {},
  getState: () => ({ kind: 'static' }),
  clear(): void {},
};

export function createClient(program: ServerProgram, context: ClientContext): LanguageClient {
  const [command, ...args] = program.argv;
  const executable = { command, args, options: { cwd: context.workingDirectory } };
  const client = new LanguageClient(SECTION, 'Intent', executable, clientOptions(context));
  client.registerFeature(NOTIFICATIONS);
  return client;
}

function clientOptions(context: ClientContext): LanguageClientOptions {
  return {
    // Files of every language may be governed.
    documentSelector: [{ scheme: 'file' }],
    diagnosticCollectionName: 'intent-lsp',
    // A hover may hold text of others, so its links can run no other command.
    markdown: { isTrusted: { enabledCommands: [SHOW_RECORD] } },
    outputChannel: context.log,
    traceOutputChannel: context.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    synchronize: { configurationSection: SECTION },
    initializationOptions: () => serverSettings(vscode.workspace.getConfiguration(SECTION)),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => context.onClosed(),
    },
    middleware: {
      executeCommand: (command, args, next) => executeCommand(command, args, next),
      willSaveWaitUntil: (event, next) => withSaveTimeout(Promise.resolve(next(event))),
      workspace: {
        configuration: async (params, token, next) => {
          const values: unknown = await next(params, token);
          return Array.isArray(values)
            ? values.map((value: unknown, index) =>
                params.items[index]?.section === SECTION ? serverSettings(value) : value,
              )
            : [];
        },
      },
    },
  };
}

/** Run a command of the server: ask for the name of a new intent, and show reasons on a page. */
async function executeCommand(
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
      title: 'Name of the new intent, which owns this file and is then selected',
      prompt: 'What is being worked on?',
      value: String(argument['name'] ?? ''),
      ignoreFocusOut: true,
    });
    return name?.trim() ? await next(command, [{ ...argument, name: name.trim() }]) : undefined;
  } catch (error) {
    void vscode.window.showErrorMessage(`Intent: ${errorText(error)}`);
    return undefined;
  }
}

/** Return the edits of an answer, or none if it fails or comes too late. */
async function withSaveTimeout(answer: Promise<vscode.TextEdit[]>): Promise<vscode.TextEdit[]> {
  const timedOut = Symbol('timed out');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), SAVE_TIMEOUT_MS);
  });
  try {
    const result = await Promise.race([answer, timeout]);
    return result === timedOut ? [] : result ?? [];
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
