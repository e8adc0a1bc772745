/** The texts of problems with the server, each with its remedies. Pure. */

import type { ServerState } from './server';
import type { FailedSearch, ServerProgram } from './server_program';

export const REMEDIES = {
  install: 'Install it',
  update: 'Update it',
  settings: 'Open settings',
  log: 'Show log',
  restart: 'Restart',
  trust: 'Manage trust',
} as const;
export type Remedy = (typeof REMEDIES)[keyof typeof REMEDIES];

export interface ServerProblem {
  readonly text: string;
  readonly remedies: readonly Remedy[];
}

const INSTALL_HINT =
  'The extension can install its own copy. Or install it into the workspace\'s .venv or with '
  + 'pipx, or set its path in the settings.';

/** Return the problem that a state of the server means, or undefined if it means none. */
export function serverProblem(state: ServerState, trusted: boolean): ServerProblem | undefined {
  switch (state.kind) {
    case 'missing':
      return missingServer(state.search, trusted);
    case 'foreign':
      return {
        text:
          `Intent: ${state.program.argv[0]} (version ${state.version}) does not fit this `
          + 'extension. Install intent-lsp in the version of the extension.',
        remedies: [
          ...updateRemedy(state.program),
          REMEDIES.settings,
          REMEDIES.log,
          REMEDIES.restart,
        ],
      };
    case 'failed':
      return {
        text: `Intent: the server ${state.program.argv[0]} does not run: ${state.reason}.`,
        remedies: [
          ...updateRemedy(state.program),
          REMEDIES.restart,
          REMEDIES.log,
          REMEDIES.settings,
        ],
      };
    case 'off':
      return {
        text: 'Intent is off: the setting intentLsp.enabled is false.',
        remedies: [REMEDIES.settings],
      };
    case 'starting':
    case 'running':
      return undefined;
  }
}

/** Return why there can be no report, in this state of the server or without a governed root. */
export function noReportText(state: ServerState): string {
  return state.kind === 'running'
    ? 'there is no intents file here; Intent: Set Up This Folder creates one'
    : 'the server does not run; Intent: Say What Is Missing tells why';
}

function missingServer(search: FailedSearch, trusted: boolean): ServerProblem {
  const { configured, otherVersions = [] } = search;
  const trust = trusted ? [] : [REMEDIES.trust];
  const remedies = [...trust, REMEDIES.settings, REMEDIES.log, REMEDIES.restart];
  if (configured !== undefined) {
    const text =
      `Intent: ${configured}, the program in intentLsp.server.command, was not found or is not `
      + 'executable. Correct the setting, or empty it to have the server searched for.';
    return { text, remedies };
  }
  if (otherVersions.length > 0) {
    const versions = otherVersions.join(', ');
    const text =
      `Intent: the server that this extension installed has version ${versions}, which no longer `
      + 'fits the extension.';
    return { text, remedies: [REMEDIES.update, ...remedies] };
  }
  const untrusted = trusted
    ? ''
    : ' The workspace is not trusted, so no server was searched for in its environments.';
  const text = `Intent: the server intent-lsp was not found.${untrusted} ${INSTALL_HINT}`;
  return { text, remedies: [REMEDIES.install, ...remedies] };
}

/** Offer an update where the extension has installed the server itself. */
function updateRemedy({ source }: ServerProgram): Remedy[] {
  return source === 'extension' ? [REMEDIES.update] : [];
}
