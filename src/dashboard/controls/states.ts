import { html, nothing, type TemplateResult } from 'lit';
import { InvalidIdError } from '../../api/client/calls.ts';
import { PayApiError } from '../../api/client.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import type { Right } from '../app/session.ts';
import { copyButton } from './copy-button.ts';

/** Grey shapes that are shown while content loads. */
export function skeleton(rows = 4): TemplateResult {
  return html`<div class="bones" role="status" aria-label="Loading">
    ${Array.from({ length: rows }, () => html`<div class="bone"></div>`)}
  </div>`;
}

/** An error's message, with the request's id for support if there is one. `again` repeats the call. */
export function errorNote(error: unknown, again?: () => void): TemplateResult {
  const requestId = error instanceof PayApiError ? error.requestId : null;
  const [first = '', ...rest] = errorWords(error).split(/(?<=[.!?]) /);
  return html`<div class="note bad" role="alert">
    <strong>${first}</strong> ${rest.join(' ')}
    ${again === undefined ? nothing : html`<button class="plain" type="button" @click=${again}>Try again</button>`}
    ${
      requestId === null
        ? nothing
        : html`<div class="second-line">Request <span class="mono">${requestId}</span> ${copyButton(requestId, 'request id')}</div>`
    }
  </div>`;
}

/** An error of the dashboard itself. Its message is for the person. `param` names the field of a form, if it has one. */
export class ShownError extends Error {
  readonly param: string | null;

  constructor(message: string, param: string | null = null) {
    super(message);
    this.param = param;
  }
}

/** The message of an error. */
export function errorWords(error: unknown): string {
  if (error instanceof PayApiError || error instanceof ShownError) return error.message;
  if (error instanceof InvalidIdError) return 'There is nothing at this address. It may be mistyped.';
  // A script or file could not be loaded: without a connection, or after an update of the service replaced the script.
  if (error instanceof TypeError) return 'This part could not be loaded. Check your connection and try again.';
  return 'Something went wrong. Try again.';
}

/** The content of an empty list: what will be here, and how to begin. */
export function emptyState(
  title: string,
  text: string | TemplateResult,
  actions: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
    ${actions === nothing ? nothing : html`<div class="actions">${actions}</div>`}
  </div>`;
}

/** A note on a soft panel. */
export function note(
  text: string | TemplateResult,
  tone: '' | 'warn' | 'bad' = '',
  role: 'status' | 'alert' | null = null,
): TemplateResult {
  return html`<div class="note ${tone}" role=${role ?? nothing}>${text}</div>`;
}

/** For each right: the limits of a role without it, and the roles that have it. */
const lacks: Readonly<Record<Right, readonly [deed: string, who: string]>> = {
  money: ['look but not move money', 'Owners, admins and finance'],
  develop: ['not use developer tools', 'Owners, admins and developers'],
  manage: ['look but not change settings', 'Owners and admins'],
};

/** A note that names the limits of the person's role. Nothing if the role has the right. */
export function roleNote(
  { may, session }: Pick<DashboardContext, 'may' | 'session'>,
  right: Right,
  deed = lacks[right][0],
): TemplateResult | typeof nothing {
  if (may(right)) return nothing;
  const rest = `, may ${deed}. ${lacks[right][1]} may.`;
  return note(html`Your role, <strong>${session?.role ?? 'viewer'}</strong>${rest}`);
}
