/** The server process of a window: one for all its folders, started, restarted and stopped. */

import * as vscode from 'vscode';
import { CloseAction, CloseHandlerResult, LanguageClient, State } from 'vscode-languageclient/node';
import { createClient } from './client';
import { readEnvironment } from './environment';
import { errorText } from './error_text';
import { DID_CHANGE, DID_TRACE } from './protocol';
import {
  FailedSearch,
  findServer,
  isFound,
  OwnInstallation,
  ServerProgram,
} from './server_program';

/** What is known of the server, such as that it runs, or why it does not. */
export type ServerState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly program: ServerProgram; readonly version: string }
  | { readonly kind: 'missing'; readonly search: FailedSearch }
  | { readonly kind: 'foreign'; readonly program: ServerProgram; readonly version: string }
  | { readonly kind: 'failed'; readonly program: ServerProgram; readonly reason: string };

/** The version of the `intent/*` requests that this extension makes. */
const PROTOCOL_VERSION = '1';
/** A server that exits more often than this within the window of time is not started again. */
const MAX_EXITS = 3;
const EXIT_WINDOW_MS = 180_000;
const START_TIMEOUT_MS = 60_000;
const NO_ANSWER = `it did not answer within ${START_TIMEOUT_MS / 1000} seconds`;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Intent');
  private readonly trace = vscode.window.createOutputChannel('Intent (trace)');
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly notified = new vscode.EventEmitter<string>();
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: 'off' };
  private queue: Promise<void> = Promise.resolve();
  private exits: number[] = [];

  /** Fires with the new state whenever it changes. */
  readonly onDidChange = this.changed.event;
  /** Fires with the method of each `intent/*` notification. */
  readonly onDidNotify = this.notified.event;

  constructor(readonly ownInstallation: OwnInstallation) {}

  /** The directory in which programs run. It is outside of the workspace, whose files they could
   * load otherwise. */
  get workingDirectory(): string {
    return this.ownInstallation.storage;
  }

  get state(): ServerState {
    return this.current;
  }

  /** Start the server; stop the one that runs first. */
  restart(): Promise<void> {
    this.exits = [];
    return this.enqueue(async () => {
      this.setState({ kind: 'starting' });
      await this.stopClient();
      await this.startClient();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopClient();
      this.setState({ kind: 'off' });
    });
  }

  /** Wait until every start and stop that was asked for is done. */
  settled(): Promise<void> {
    return this.queue;
  }

  /** Send a request and return its answer. Throw an error if no server runs. */
  async request<R>(method: string, params: object, token?: vscode.CancellationToken): Promise<R> {
    if (!this.client || this.current.kind !== 'running') {
      throw new Error('the server is not running');
    }
    // `undefined` in the place of the token would be sent as a second parameter.
    return token
      ? this.client.sendRequest<R>(method, params, token)
      : this.client.sendRequest<R>(method, params);
  }

  dispose(): void {
    void this.stop();
    for (const each of [this.changed, this.notified, this.log, this.trace]) {
      each.dispose();
    }
  }

  /** Run starts and stops one after the other, in the order of their calls. */
  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step, step);
    return this.queue;
  }

  private setState(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }

  private async startClient(): Promise<void> {
    const program = await findServer(readEnvironment(this.ownInstallation));
    if (!isFound(program)) {
      const searched = program.searched.join(', ') || '(nothing)';
      this.log.appendLine(`No server found. Searched: ${searched}`);
      this.setState({ kind: 'missing', search: program });
      return;
    }
    this.log.appendLine(`Starting (${program.source}): ${program.argv.join(' ')}`);
    const client = createClient(program, {
      log: this.log,
      trace: this.trace,
      workingDirectory: this.workingDirectory,
      onClosed: () => this.onClosed(client, program),
    });
    this.client = client;
    this.forwardNotifications(client);
    try {
      await withStartTimeout(client.start());
    } catch (error) {
      await this.stopClient();
      this.setState({ kind: 'failed', program, reason: errorText(error) });
      return;
    }
    this.onStarted(client, program);
  }

  private forwardNotifications(client: LanguageClient): void {
    for (const method of [DID_CHANGE, DID_TRACE]) {
      client.onNotification(method, () => this.notified.fire(method));
    }
  }

  /** Take a server that has answered: it runs, or it speaks another version's requests. */
  private onStarted(client: LanguageClient, program: ServerProgram): void {
    const result = client.initializeResult;
    const version = result?.serverInfo?.version ?? '(unknown)';
    const experimental: { intent?: { version?: string } } | undefined =
      result?.capabilities.experimental;
    const isCompatible = experimental?.intent?.version === PROTOCOL_VERSION;
    this.setState({ kind: isCompatible ? 'running' : 'foreign', program, version });
  }

  /** Decide whether the client restarts a server whose process has ended. */
  private onClosed(client: LanguageClient, program: ServerProgram): CloseHandlerResult {
    if (client !== this.client) {
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    const now = Date.now();
    this.exits = [...this.exits.filter((time) => now - time < EXIT_WINDOW_MS), now];
    if (this.current.kind === 'starting') {
      // The start fails and reports it.
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    if (this.exits.length > MAX_EXITS) {
      this.setState({ kind: 'failed', program, reason: 'it keeps exiting' });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.watchRestart(client, program);
    return { action: CloseAction.Restart, handled: true };
  }

  /** Set the state when the client's own restart has succeeded or failed. */
  private watchRestart(client: LanguageClient, program: ServerProgram): void {
    const listener = client.onDidChangeState(({ oldState, newState }) => {
      if (newState === State.Running) {
        listener.dispose();
        this.onStarted(client, program);
      } else if (oldState === State.Starting && client === this.client) {
        listener.dispose();
        this.setState({ kind: 'failed', program, reason: 'it ended and did not start again' });
      }
    });
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.appendLine(`Stopping: ${String(error)}`);
    }
  }
}

/** Wait for a start, but not for ever: a program that is not a server may never answer. */
async function withStartTimeout(start: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(NO_ANSWER)), START_TIMEOUT_MS);
  });
  try {
    await Promise.race([start, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
