import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Account } from '../../api/merchant.ts';
import type { TeamMember } from '../../api/people/team.ts';
import { DashboardElement } from '../app/dashboard-page.ts';
import { allowed, Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { hasRight } from '../app/session.ts';
import { type Askers, readAskers } from '../balance/askers.ts';
import { waitingChange } from '../balance/waiting-change.ts';
import { note } from '../controls/states.ts';
import { moneyWords } from '../controls/values.ts';

type Payouts = Account['payouts'];

/** `<pay-approval-limit-notes .account>`: the change of the limit that waits, and a warning if no one else can approve. */
class ApprovalLimitNotes extends DashboardElement {
  static override readonly properties = { account: { attribute: false } };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      :host {
        display: contents;
      }
    `,
  ];

  declare account: Account;

  /** Only those who may set the limit are warned. */
  readonly #team = new Loaded<readonly TeamMember[]>(this, signal =>
    this.app.may('manage') ? allowed(this.app.client.team.list({ signal })) : null,
  );
  /** The names are read while a change waits. */
  readonly #askers = new Loaded<Askers>(this, signal =>
    this.account.payouts.approval_change === undefined ? null : readAskers(this.app, signal),
  );

  override updated(changed: PropertyValues<this>): void {
    if (changed.get('account') !== undefined) void this.#askers.reload();
  }

  override render(): TemplateResult {
    return html`${this.#team.value === null ? nothing : this.#warning(this.#team.value)}
      ${this.#waiting(this.account.payouts)}`;
  }

  #warning(team: readonly TeamMember[]): TemplateResult | typeof nothing {
    const others = team.filter(({ id }) => id !== this.app.session?.person.id);
    if (others.some(({ role }) => hasRight(role, 'manage'))) return nothing;
    const invite = html`<a href=${pathTo('/team')}>Invite a person</a>`;
    if (others.some(({ role }) => hasRight(role, 'money'))) {
      return note(
        html`<strong>No other person can approve a change of this limit.</strong> Once set, it stays until a second owner or
          admin joins. ${invite}`,
        'warn',
      );
    }
    return note(
      html`<strong>You are the only person who can approve.</strong> Money above the limit can only be canceled. Once
        set, the limit stays until a second owner or admin joins. ${invite}`,
      'warn',
    );
  }

  #waiting({ approval_above: before, approval_change: change }: Payouts): TemplateResult | typeof nothing {
    if (change === undefined) return nothing;
    return waitingChange(this.app, this.#askers.value, change, changeWords(before, change.approval_above));
  }
}

function changeWords(before: Payouts['approval_above'], after: Payouts['approval_above']): string {
  const from = before === null ? '' : moneyWords(before.amount, before.currency);
  if (after === null) return `remove the limit of ${from}`;
  return `change the limit from ${from} to ${moneyWords(after.amount, after.currency)}`;
}

customElements.define('pay-approval-limit-notes', ApprovalLimitNotes);
