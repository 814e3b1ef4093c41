import { html, nothing, type TemplateResult } from 'lit';
import { pathTo } from '../app/router.ts';
import { openMerchant } from '../app/selection.ts';
import type { Session } from '../app/session.ts';
import { icon } from '../controls/icons.ts';
import { chip } from '../controls/status-chip.ts';

/** The person's session, and the action of the sign-out button. */
interface PersonMenu {
  readonly session: Session;
  readonly signOut: () => void;
}

const nameOf = ({ person }: Session) => person.name || person.email || 'You';

/** A mark with the first letter of the merchant's name. */
export const merchantMark = (name: string): TemplateResult =>
  html`<span class="mark" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ''}</span>`;

/** The button at the foot of the navigation. It shows the person, and a chip in test mode. */
export function personButton(session: Session, menuId: string): TemplateResult {
  return html`<button class="person" type="button" popovertarget=${menuId}>
    ${modeChip(session)}<span class="name">${nameOf(session)}</span>${icon('down')}
  </button>`;
}

export const modeChip = ({ livemode }: Session): TemplateResult | typeof nothing =>
  livemode ? nothing : chip('Test mode', 'warn');

/** The menu: the person's other merchants, the other mode, the account and sign-out. */
export function personMenu({ session, signOut }: PersonMenu): TemplateResult {
  const { merchant, merchants, livemode, modes, person, role } = session;
  const mode = livemode ? 'live' : 'test';
  const others = merchants.filter(({ id }) => id !== merchant.id);
  return html`
    <p class="who"><strong>${nameOf(session)}</strong>
      <span class="second-line">${person.email && person.name ? `${person.email} · ` : ''}${role} of ${merchant.name}</span></p>
    ${
      others.length === 0
        ? nothing
        : html`<h2 class="group">Merchants</h2>
          <ul>${others.map(
            ({ id, name }) =>
              html`<li><button class="to" type="button" @click=${() => openMerchant(id, mode)}>${merchantMark(name)}<span>${name}</span></button></li>`,
          )}</ul>`
    }
    ${
      modes.length < 2
        ? nothing
        : html`<button class="to" type="button" @click=${() => openMerchant(merchant.id, livemode ? 'test' : 'live')}>
          ${icon('ramps')}<span>${livemode ? 'Switch to test mode' : 'Switch to live mode'}</span></button>`
    }
    <a class="to" href=${pathTo('/account')}>${icon('customers')}<span>My account</span></a>
    <button class="to" type="button" @click=${signOut}>${icon('payouts')}<span>Sign out</span></button>`;
}
