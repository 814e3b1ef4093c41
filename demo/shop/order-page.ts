import type { OrderView } from '../server/order-view.ts';
import { settleOrder } from './basket.ts';
import { failure } from './checkout-frame.ts';
import { h, icon, icons } from './dom.ts';
import { lineList, priceText, totals } from './order-lines.ts';
import { shopApi } from './shop-api.ts';

const lookAgainMs = 3_000;

/**
 * The page that the payer returns to. The shop's server asks the service for the state of the payment, because anyone
 * can edit the address.
 */
export async function showOrder(main: HTMLElement): Promise<void> {
  const address = new URL(location.href).searchParams;
  const number = address.get('order') ?? '';
  const place = h('div.order');
  main.append(place);
  async function look(): Promise<void> {
    try {
      const order = await shopApi.read(number, address.get('payment_id'));
      place.replaceChildren(...orderParts(order, address.get('status')));
      if (order.paid) settleOrder(order);
      else if (order.payment?.status === 'pending') setTimeout(() => void look(), lookAgainMs);
    } catch (error) {
      place.replaceChildren(h('h1.page-title', 'Your order'), failure(error));
    }
  }
  await look();
}

interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly text: string;
}

function verdictOf({ paid, payment, stranger, total, currency, way }: OrderView): Verdict {
  if (stranger) {
    const text = 'The payment in the address is not for this order. Nothing of it counts here.';
    return { tone: 'bad', title: 'That is another payment', text };
  }
  if (paid)
    return {
      tone: 'good',
      title: 'Thank you',
      text: `${priceText(total, currency)} is paid. We pack it tomorrow morning.`,
    };
  if (!payment) return { tone: 'warn', title: 'Not paid yet', text: 'No payment was made for this order so far.' };
  if (payment.status === 'pending') {
    // The shop’s server asks for a receipt; a payment that the browser creates has none.
    const receipt = way === 'script-tag' ? '' : ' The receipt comes by e-mail.';
    const text = `This page tells you as soon as we’ve received your payment. You can close it.${receipt}`;
    return { tone: 'warn', title: 'We are waiting for your payment', text };
  }
  if (payment.status === 'completed') {
    const text = 'The payment is complete, but its amount is not that of the order. The shop has to look at it.';
    return { tone: 'bad', title: 'Something does not fit', text };
  }
  return {
    tone: 'bad',
    title: 'The payment did not go through',
    text: 'Nothing was taken. You can try again from the basket.',
  };
}

const heard = {
  webhook: 'a signed webhook',
  event: 'the event stream',
  read: 'asking the service just now',
} as const;

function orderParts(order: OrderView, claimed: string | null): HTMLElement[] {
  const { tone, title, text } = verdictOf(order);
  return [
    h('div', { class: `verdict ${tone}` }, icon(tone === 'good' ? icons.check : icons.basket)),
    h('h1.page-title', title),
    h('p', { class: 'verdict-text', 'aria-live': 'polite' }, text),
    h(
      'section',
      { class: 'summary', 'aria-label': 'Your order' },
      h('p.second', `Order ${order.number}`),
      lineList(order.lines),
      totals(order),
    ),
    checked(order, claimed),
    h('a', { class: 'button quiet', href: '/demo/' }, 'Back to the shop'),
  ];
}

/** Explains how the shop learned the state, for developers. */
function checked(order: OrderView, claimed: string | null): HTMLElement {
  const said = order.payment ? `“${order.payment.status}”` : 'that it knows of none';
  const known = order.paidBecause === null ? '' : ` The shop first heard of it by ${heard[order.paidBecause]}.`;
  return h(
    'p.note',
    h('strong', 'How the shop knows. '),
    claimed === null ? '' : `The address says “${claimed}”, which any visitor could have typed. `,
    `The shop’s server asked the service about the payment and was told ${said}.${known}`,
  );
}
