import { html, nothing } from 'lit';
import type { PublicPaymentLink } from '../../api/link.ts';
import type { Payment } from '../../api/payment.ts';
import { type Desk, localeOf } from '../desk.ts';
import { moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { outcomeStrings } from '../strings/en-outcome.ts';
import { note } from './furniture.ts';
import { readLink } from './link-calls.ts';

/** Pauses before the link is read, in ms: what was paid is counted a moment after its payer hears of it. */
const pauses = [0, 500, 1500];

/** What is left of a link that is paid in parts, and the way to pay it: told with the part that was paid. */
export function createRest(desk: Desk): (payment: Payment) => unknown {
  let asked: string | null = null;
  let link: PublicPaymentLink | null = null;

  async function ask(id: string): Promise<void> {
    for (const pause of pauses) {
      await new Promise(done => setTimeout(done, pause));
      // Without an answer nothing is said of it.
      const now = await readLink(desk.element, id).catch(() => null);
      if (!now || !isPart(now)) continue;
      link = now;
      desk.element.requestUpdate();
      return;
    }
  }

  return ({ payment_link: id }) => {
    if (id && id !== asked) void ask(id);
    asked = id;
    if (!link || link.amount === null) return nothing;
    const { stillDue, payRest } = desk.strings.parts?.outcome ?? outcomeStrings;
    const due = { amount: moneyText(link.amount, link.currency, localeOf(desk)) };
    return html`${note(say(stillDue, due), '', 'status')}
      <a class="main" part="button" href=${link.url}>${payRest}</a>`;
  };
}

/** Whether a part of the link's amount is paid and more of it can be. */
function isPart({ state, amount, amount_total: total }: PublicPaymentLink): boolean {
  return state === 'open' && amount !== null && total !== null && amount < total;
}
