import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { createCheckoutApi, type Seen } from '../checkout-api.ts';
import { accessOf } from '../checkout-config.ts';
import { announce, type Desk, localeOf, rootOf } from '../desk.ts';
import { recall } from '../memory.ts';
import { moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { outcomeStrings } from '../strings/en-outcome.ts';
import { type View, viewOf } from '../view-rack.ts';
import { contact, contactStyles } from './contact.ts';
import { focusOn, note } from './furniture.ts';
import { drawing } from './icon.ts';
import { createRest } from './link-rest.ts';
import { createRows, type Row, rowStyles } from './rows.ts';

export const styles = css`
  ${rowStyles}
  ${contactStyles}
  .end {
    display: grid;
    gap: 6px;
    justify-items: center;
    padding-block: 14px 8px;
    text-align: center;
  }
  .end h2 {
    font-size: 1.467em;
    font-weight: 650;
    letter-spacing: -0.01em;
    line-height: 1.25;
  }
  .end h2:focus {
    outline: 0;
  }
  .end p {
    color: var(--ink2);
    font-size: 1.067em;
  }
  .thanks {
    text-align: center;
    white-space: pre-line;
  }
  .badge {
    display: grid;
    place-items: center;
    inline-size: 64px;
    block-size: 64px;
    margin-block-end: 12px;
    border-radius: 50%;
    background: var(--page);
    color: var(--ink2);
  }
  .badge.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .badge svg {
    inline-size: 32px;
    block-size: 32px;
    stroke-width: 2.2;
  }
  .good path {
    stroke-dasharray: 24;
    animation: draw 0.5s ease-out 0.15s backwards;
  }
  @keyframes draw {
    from {
      stroke-dashoffset: 24;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .good path {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    .badge {
      border: 2px solid;
    }
  }
`;

const stringsOf = ({ strings }: Desk) => strings.parts?.outcome ?? outcomeStrings;

const drawings = {
  tick: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm0 3.5V12l3 2',
  stop: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm-3 8h6',
  back: 'M9 6 4 11l5 5M4 11h10a6 6 0 0 1 6 6v1',
};

/** How a payment ended, and the way on. */
export function createView(desk: Desk): View {
  const rows = createRows(desk);
  let shown = '';
  const thanks = createThanks(desk);
  const rest = createRest(desk);
  return {
    render({ payment }) {
      if (!payment) return nothing;
      const { id, status, exception, amount_received, amount_refunded } = payment;
      const news = [id, status, exception, amount_received, amount_refunded].join();
      if (news !== shown) lead(desk);
      shown = news;
      if (payment.status === 'completed')
        return paid(desk, payment, [
          thanks(payment),
          rest(payment),
          rows(receipt(desk, payment), stringsOf(desk).details),
        ]);
      if (payment.status === 'refunded') return refunded(desk, payment);
      return payment.status === 'failed' ? unpaid(desk, payment) : closed(desk, payment);
    },
  };
}

/** What the maker of a payment link says to those who have paid it: only the completed payment tells, once it is asked. */
function createThanks(desk: Desk): (payment: Payment) => unknown {
  let words: string | null | undefined;
  return ({ payment_link: link }) => {
    const { element, session } = desk;
    const handle = session?.store.handle();
    if (!link || !session || !handle) return nothing;
    if (words === undefined) {
      words = null;
      const take = ({ value }: Seen<Payment>) => {
        words = value.success_message ?? null;
        element.requestUpdate();
      };
      // Without it the payment is no less paid.
      createCheckoutApi(accessOf(element), session.clock)
        .read(handle)
        .then(take, () => {});
    }
    return words ? html`<p class="thanks" dir="auto">${words}</p>` : nothing;
  };
}

/**
 * A payer at work here is taken to the news; one who is elsewhere on the page only hears it. What was typed into the
 * card frame is let go.
 */
function lead(desk: Desk): void {
  viewOf(desk, 'card')?.dispose?.();
  const wasHere = desk.element.matches(':focus-within') || document.activeElement === document.body;
  void desk.element.updateComplete.then(() => {
    // What gets the focus is read out anyway.
    if (wasHere) focusOn(desk, '.end h2');
    announce(desk, wasHere ? '' : (rootOf(desk).querySelector('.end h2')?.textContent ?? ''));
  });
}

const money = (desk: Desk, minor: number, { currency }: Payment) => moneyText(minor, currency, localeOf(desk));

function end(drawn: keyof typeof drawings, title: string, text: string): TemplateResult {
  return html`<div class="end" part="outcome">
    <span class="badge ${drawn === 'tick' ? 'good' : ''}">${drawing(drawings[drawn])}</span>
    <h2 tabindex="-1">${title}</h2>
    ${text ? html`<p>${text}</p>` : nothing}
  </div>`;
}

function paid(desk: Desk, payment: Payment, list: unknown): TemplateResult {
  const strings = stringsOf(desk);
  const { exception, amount_refunded: returned, merchant } = payment;
  const amount = money(desk, payment.amount, payment);
  const excess = payment.amount_received - payment.amount;
  return html`${end('tick', strings.paid, merchant ? say(strings.paidTo, { amount, name: merchant.name }) : amount)}
    ${excess > 0 && exception === 'overpaid' ? note(say(strings.overpaid, { amount: money(desk, excess, payment) })) : nothing}
    ${returned > 0 ? note(say(strings.partlyBack, returnedWords(desk, payment))) : nothing}
    ${list} ${back(desk, payment, strings.back)} ${exception || returned > 0 ? contact(desk, payment) : nothing}`;
}

function unpaid(desk: Desk, payment: Payment): TemplateResult {
  const strings = stringsOf(desk);
  const { exception, amount_received: received } = payment;
  const reason = reasonOf(payment);
  const { text } = strings.unpaid[reason];
  const title = say(strings.unpaid[reason].title, { name: payment.merchant?.name ?? strings.shop });
  const isTransfer = reason === 'expired' && payment.method !== 'card' && payment.method !== null;
  const unheard = isTransfer ? strings.unpaid.expired.transfer : text;
  const isOther = exception === 'wrong_asset' || exception === 'wrong_network';
  const told = exception === 'paid_late' ? strings.late : strings.kept;
  const kept = isOther ? strings.keptOther : reason === 'linkUsed' ? strings.keptFromLink : told;
  const isKept = received > 0 || isOther;
  return html`${end(reason === 'expired' ? 'clock' : 'stop', title, isKept ? '' : unheard)}
    ${isKept ? note(say(kept, { amount: money(desk, received, payment) }), 'warn') : nothing} ${back(desk, payment, strings.back)} ${contact(desk, payment)}`;
}

/** Why it was not paid, as the payer is told. */
function reasonOf({ phase, failure }: Payment): keyof typeof outcomeStrings.unpaid {
  if (failure?.code === 'link_used') return 'linkUsed';
  if (failure?.code === 'invoice_paid') return 'invoicePaid';
  if (failure?.code === 'invoice_void') return 'canceled';
  if (failure?.code.startsWith('link_')) return 'linkClosed';
  return phase === 'expired' || phase === 'canceled' ? phase : 'declined';
}

function refunded(desk: Desk, payment: Payment): TemplateResult {
  const strings = stringsOf(desk);
  return html`${end('back', strings.refunded, say(strings.refundedText, returnedWords(desk, payment)))}
    ${back(desk, payment, strings.back)} ${contact(desk, payment)}`;
}

/** How much went back, and when it is there. */
function returnedWords(desk: Desk, payment: Payment): { readonly amount: string; readonly when: string } {
  const { bank, wallet } = stringsOf(desk).when;
  return {
    amount: money(desk, payment.amount_refunded, payment),
    when: payment.method === 'crypto' ? wallet : bank,
  };
}

/** The payment is open, but nothing that it allows can be taken. */
function closed(desk: Desk, payment: Payment): TemplateResult {
  const strings = stringsOf(desk);
  const { title, text } = strings.closed;
  return html`${end('stop', title, text)} ${back(desk, payment, strings.back)} ${contact(desk, payment)}`;
}

/** The shop's page. Checked here too, since a page may set it by hand. */
function back({ element }: Desk, { id, status, redirect_url: given }: Payment, label: string): unknown {
  const url = parseWebAddress(given ?? element.redirectUrl ?? '');
  if (!url) return nothing;
  url.searchParams.set('payment_id', id);
  url.searchParams.set('status', status);
  return html`<a class="main" part="button" href=${url.href}>${label}</a>`;
}

/** What a payer may need later: how it was paid, which order and when, and the payment's number. */
function receipt(desk: Desk, { method, reference, completed_at: completedAt, id }: Payment): Row[] {
  const strings = stringsOf(desk);
  const [brand, last4] = recall('sessionStorage', `card:${id}`)?.split(' ') ?? [];
  const card = method === 'card' && brand ? ` · ${brand[0]?.toUpperCase()}${brand.slice(1)} •••• ${last4}` : '';
  const format = new Intl.DateTimeFormat(localeOf(desk), {
    dateStyle: 'medium',
    timeStyle: 'short',
    calendar: 'gregory',
  });
  return [
    ...(method ? [{ label: strings.with, value: strings.method[method] + card }] : []),
    ...(completedAt ? [{ label: strings.date, value: format.format(new Date(completedAt)) }] : []),
    ...(reference ? [{ label: strings.reference, value: reference, copy: reference }] : []),
    { label: strings.payment, value: id, copy: id, code: true, folded: true },
  ];
}
