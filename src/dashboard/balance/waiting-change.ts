import { html, type TemplateResult } from 'lit';
import type { DashboardContext } from '../app/dashboard-context.ts';
import { pathTo } from '../app/router.ts';
import { agoText } from '../controls/ago-text.ts';
import { note } from '../controls/states.ts';
import { type Askers, askerWords } from './askers.ts';

/** A change of the account that waits for a second person. */
interface WaitingChange {
  readonly requested_by: string | null;
  readonly livemode: boolean;
  readonly created_at: string;
}

type Viewer = Pick<DashboardContext, 'session' | 'may'>;

/** Who asked for a change and when, and who can decide. `what` continues the sentence “Ada asked to …”. */
export function waitingChange(app: Viewer, askers: Askers | null, change: WaitingChange, what: string): TemplateResult {
  const who = html`<bdi>${askerWords(askers, change.requested_by)}</bdi>`;
  return note(html`<strong>A change waits for another person.</strong>
    ${who} asked ${agoText(change.created_at)} to ${what}. ${wayToDecide(app, change)}`);
}

function wayToDecide({ session, may }: Viewer, { requested_by: asker, livemode }: WaitingChange): TemplateResult {
  if (livemode !== session?.livemode) {
    return html`It was asked for in ${livemode ? 'live' : 'test'} mode: switch to it to decide.`;
  }
  const see = html`<a href=${pathTo('/approvals')}>See the approvals</a>`;
  if (!may('manage')) return html`An owner or admin decides. ${see}`;
  if (asker === session.person.id) return html`Another owner or admin must approve it. ${see}`;
  return html`<a href=${pathTo('/approvals')}>Approve or cancel it</a>`;
}
