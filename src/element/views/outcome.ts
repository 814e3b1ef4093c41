import { css, html, nothing, type TemplateResult } from 'lit';
import type { Payment } from '../../api/payment.ts';
import { cardName } from '../../core/locale/part-name.ts';
import { spelled } from '../../core/locale/spelling.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { announce, type CheckoutContext, localeOf, rootOf, type View } from '../checkout-context.ts';
import { contact, contactStyles } from '../controls/contact.ts';
import { focusOn, note } from '../controls/controls.ts';
import { createRows, type Row, rowStyles } from '../controls/rows.ts';
import { drawing } from '../first-screen/icon.ts';
import { viewOf } from '../lazy-views.ts';
import { moneyText } from '../money-text.ts';
import { createRemainder, createThanks } from '../payment-link/link-outcome.ts';
import { outcomeStrings } from '../strings/en/outcome.ts';
import { say } from '../strings/en.ts';
import { partRows, receiptLink } from './received-parts.ts';

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

const stringsOf = ({ strings }: CheckoutContext) => strings.parts?.outcome ?? outcomeStrings;

const drawings = {
  tick: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm0 3.5V12l3 2',
  stop: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zm-3 8h6',
  back: 'M9 6 4 11l5 5M4 11h10a6 6 0 0 1 6 6v1',
};

/** The result of the payment, and the payer's next steps. */
export function createView(context: CheckoutContext): View {
  const rows = createRows(context);
  let shown = '';
  const thanks = createThanks(context);
  const remainder = createRemainder(context);
  return {
    render({ payment }) {
      if (!payment) return nothing;
      const { id, phase, exception, amount_received, amount_refunded } = payment;
      const news = [id, phase, exception, amount_received, amount_refunded].join();
      if (news !== shown) present(context);
      shown = news;
      if (payment.status === 'completed')
        return paid(context, payment, [
          thanks(payment),
          remainder(payment),
          rows(receipt(context, payment), stringsOf(context).details),
          receiptLink(context, payment),
        ]);
      if (payment.status === 'refunded') return refunded(context, payment);
      if (payment.phase === 'authorized') {
        return authorized(context, payment, rows(receipt(context, payment), stringsOf(context).details));
      }
      return payment.status === 'failed' ? unpaid(context, payment) : closed(context, payment);
    },
  };
}

/**
 * Moves the focus to the outcome if the payer was working in the checkout. Otherwise screen readers announce the
 * outcome. Removes the card frame with its card data.
 */
function present(context: CheckoutContext): void {
  viewOf(context, 'card')?.dispose?.();
  const wasHere = context.element.matches(':focus-within') || document.activeElement === document.body;
  void context.element.updateComplete.then(() => {
    // Screen readers announce the focused element, so no other announcement is needed.
    if (wasHere) focusOn(context, '.end h2');
    announce(context, wasHere ? '' : (rootOf(context).querySelector('.end h2')?.textContent ?? ''));
  });
}

const money = (context: CheckoutContext, minor: number, { currency }: Payment) =>
  moneyText(minor, currency, localeOf(context));

function end(drawn: keyof typeof drawings, title: string, text: string): TemplateResult {
  return html`<div class="end" part="outcome">
    <span class="badge ${drawn === 'tick' ? 'good' : ''}">${drawing(drawings[drawn])}</span>
    <h2 tabindex="-1">${title}</h2>
    ${text ? html`<p>${text}</p>` : nothing}
  </div>`;
}

function paid(context: CheckoutContext, payment: Payment, list: unknown): TemplateResult {
  const strings = stringsOf(context);
  const { exception, amount_refunded: returned, merchant } = payment;
  // The shop may have captured or accepted less than the price.
  const amount = money(context, Math.min(payment.amount, payment.amount_received), payment);
  const excess = payment.amount_received - payment.amount;
  return html`${end('tick', strings.paid, merchant ? say(strings.paidTo, { amount, name: merchant.name }) : amount)}
    ${excess > 0 && exception === 'overpaid' ? note(say(strings.overpaid, { amount: money(context, excess, payment) })) : nothing}
    ${returned > 0 ? note(say(strings.partlyBack, returnedWords(context, payment))) : nothing}
    ${list} ${back(context, payment, strings.back)} ${exception || returned > 0 ? contact(context, payment) : nothing}`;
}

/** The screen for an authorized card: the shop takes the money later, and the payer has nothing more to do. */
function authorized(context: CheckoutContext, payment: Payment, list: unknown): TemplateResult {
  const strings = stringsOf(context);
  const { title, text } = strings.authorized;
  const words = {
    amount: money(context, payment.amount_capturable, payment),
    name: payment.merchant?.name ?? strings.shop,
  };
  return html`${end('tick', spelled(title, localeOf(context)), say(text, words))} ${list} ${back(context, payment, strings.back)}`;
}

function unpaid(context: CheckoutContext, payment: Payment): TemplateResult {
  const strings = stringsOf(context);
  const { exception, amount_received: received, method, phase } = payment;
  const reason = reasonOf(payment);
  const { text } = strings.unpaid[reason];
  const sentence = spelled(strings.unpaid[reason].title, localeOf(context));
  const title = say(sentence, { name: payment.merchant?.name ?? strings.shop });
  const isTransfer = reason === 'expired' && method !== 'card' && method !== null;
  const isPrompt = phase === 'canceled' && method === 'mobile_money';
  const unheard = isTransfer ? strings.unpaid.expired.transfer : isPrompt ? strings.unpaid.canceled.prompt : text;
  const isOther = exception === 'wrong_asset' || exception === 'wrong_network';
  const late = reason === 'expired' ? strings.late : strings.lateAfterEnd;
  const usual = exception === 'paid_late' ? late : strings.kept;
  const kept = isOther ? strings.keptOther : reason === 'linkUsed' ? strings.keptFromLink : usual;
  const isKept = received > 0 || isOther;
  return html`${end(reason === 'expired' ? 'clock' : 'stop', title, isKept ? '' : unheard)}
    ${isKept ? note(say(kept, { amount: money(context, received, payment) }), 'warn') : nothing} ${back(context, payment, strings.back)} ${contact(context, payment)}`;
}

/** The reason shown to the payer. */
function reasonOf({ phase, failure, card }: Payment): keyof typeof outcomeStrings.unpaid {
  if (failure?.code === 'link_used') return 'linkUsed';
  if (failure?.code === 'invoice_paid') return 'invoicePaid';
  if (failure?.code === 'invoice_void') return 'canceled';
  if (failure?.code.startsWith('link_')) return 'linkClosed';
  if (phase === 'expired' || phase === 'canceled') return phase;
  return card === null ? 'declined' : 'uncaptured';
}

function refunded(context: CheckoutContext, payment: Payment): TemplateResult {
  const strings = stringsOf(context);
  return html`${end('back', strings.refunded, say(strings.refundedText, returnedWords(context, payment)))}
    ${back(context, payment, strings.back)} ${contact(context, payment)}`;
}

/** The refunded amount, and when it arrives. */
function returnedWords(context: CheckoutContext, payment: Payment): { readonly amount: string; readonly when: string } {
  const { bank, wallet } = stringsOf(context).when;
  return {
    amount: money(context, payment.amount_refunded, payment),
    when: payment.method === 'crypto' || payment.method === 'mobile_money' ? wallet : bank,
  };
}

/** The screen for an open payment without an available method. */
function closed(context: CheckoutContext, payment: Payment): TemplateResult {
  const strings = stringsOf(context);
  const { title, text } = strings.closed;
  return html`${end('stop', title, text)} ${back(context, payment, strings.back)} ${contact(context, payment)}`;
}

/** A link to the shop's page. Checks the URL, because the page may have set it. */
function back({ element }: CheckoutContext, { id, status, redirect_url: given }: Payment, label: string): unknown {
  const url = parseWebAddress(given ?? element.redirectUrl ?? '');
  if (!url) return nothing;
  url.searchParams.set('payment_id', id);
  url.searchParams.set('status', status);
  return html`<a class="main" part="button" href=${url.href}>${label}</a>`;
}

/** The data that the payer may need later: each part of the money, date, order and payment id. */
function receipt(context: CheckoutContext, payment: Payment): Row[] {
  const { reference, completed_at: completedAt, id } = payment;
  const strings = stringsOf(context);
  const format = new Intl.DateTimeFormat(localeOf(context), {
    dateStyle: 'medium',
    timeStyle: 'short',
    calendar: 'gregory',
  });
  const card = cardText(payment);
  const isPaid = completedAt !== null;
  return [
    ...(isPaid ? partRows(context, payment) : card.map(value => ({ label: strings.method.card, value }))),
    ...(isPaid ? [{ label: strings.date, value: format.format(new Date(completedAt)) }] : []),
    ...(reference ? [{ label: strings.reference, value: reference, copy: reference }] : []),
    { label: strings.payment, value: id, copy: id, code: true, folded: true },
  ];
}

/** Brand and last digits of the authorized card, or an empty list. */
function cardText({ method, card }: Payment): string[] {
  return method === 'card' && card?.brand ? [cardName(card)] : [];
}
