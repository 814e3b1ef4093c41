import { html, nothing } from 'lit';
import type { PublicPaymentLink } from '../../api/link.ts';
import type { Payment } from '../../api/payment.ts';
import { type CheckoutContext, localeOf } from '../checkout-context.ts';
import { note } from '../controls/controls.ts';
import { moneyText } from '../money-text.ts';
import type { Seen } from '../state/checkout-api.ts';
import { outcomeStrings } from '../strings/en/outcome.ts';
import { say } from '../strings/en.ts';
import { readLink } from './link-api.ts';

/** The success message of a payment link. Only a read of the completed payment by its id returns the message. */
export function createThanks(context: CheckoutContext): (payment: Payment) => unknown {
  let words: string | null | undefined;
  return ({ payment_link: link }) => {
    const { element, session } = context;
    const handle = session?.store.handle;
    if (!link || !session || !handle) return nothing;
    if (words === undefined) {
      words = null;
      const take = ({ value }: Seen<Payment>) => {
        words = value.success_message ?? null;
        element.requestUpdate();
      };
      // The message is optional, so a failed call has no effect.
      session.api.read(handle).then(take, () => {});
    }
    return words ? html`<p class="thanks" dir="auto">${words}</p>` : nothing;
  };
}

/** Milliseconds before each reading of the link. The service updates the link shortly after a payment is completed. */
const pauses = [0, 500, 1500];

/** The remaining amount of a link that may be paid in parts, and a button to pay it. */
export function createRemainder(context: CheckoutContext): (payment: Payment) => unknown {
  let asked: string | null = null;
  let link: PublicPaymentLink | null = null;

  async function ask(id: string): Promise<void> {
    for (const pause of pauses) {
      await new Promise(done => setTimeout(done, pause));
      const now = await readLink(context.element, id).catch(() => null);
      if (!now || !isPartlyPaid(now)) continue;
      link = now;
      context.element.requestUpdate();
      return;
    }
  }

  return ({ payment_link: id }) => {
    if (id && id !== asked) void ask(id);
    asked = id;
    if (!link || link.amount === null) return nothing;
    const { stillDue, payRest } = context.strings.parts?.outcome ?? outcomeStrings;
    const due = { amount: moneyText(link.amount, link.currency, localeOf(context)) };
    return html`${note(say(stillDue, due), '', 'status')}
      <a class="main" part="button" href=${link.url}>${payRest}</a>`;
  };
}

/** Whether a part of the link's amount is paid and the rest can still be paid. */
function isPartlyPaid({ state, amount, amount_total: total }: PublicPaymentLink): boolean {
  return state === 'open' && amount !== null && total !== null && amount < total;
}
