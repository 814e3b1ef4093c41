import { html, nothing, type TemplateResult } from 'lit';
import type { Event } from '../../api/event.ts';
import type { Payment } from '../../api/payment.ts';
import type { PaymentAttempt } from '../../api/payments/attempt.ts';
import type { Refund } from '../../api/refund.ts';
import type { Transfer } from '../../api/transfer.ts';
import { cardName } from '../../core/locale/part-name.ts';
import { phoneText } from '../../core/locale/phone-text.ts';
import { walletName, wayName } from '../../core/locale/way-name.ts';
import type { Words } from '../app/area-words.ts';
import { bookingsOf } from '../app/booking-moments.ts';
import { rawJson } from '../app/json-text.ts';
import { isCanceled, waitsChip } from '../balance/approval-words.ts';
import { copyButton } from '../controls/copy-button.ts';
import { keyValues } from '../controls/key-values.ts';
import { sentenceCase } from '../controls/status-chip.ts';
import type { Moment } from '../controls/timeline.ts';
import { assetWords, moneyWords, shortenedWords, timeText, timeWords } from '../controls/values.ts';
import type { PaymentRecords } from './payment-history.ts';
import { methodWords } from './payment-states.ts';

/** Sends an event again. Null if the person's role may not do this. */
export type Resend = ((event: string, endpoint: string) => void) | null;

/** A timeline entry with its order among entries of the same time. Later steps have higher numbers. */
interface Step extends Moment {
  readonly order: number;
}

/** The history of a payment as timeline entries, newest first. */
export function momentsOf(words: Words, history: PaymentRecords, resend: Resend): readonly Moment[] {
  // The entry of an attempt that took money also shows its rail's transfers, so these have no entries of their own.
  const takers = new Set(history.attempts.filter(({ status }) => status === 'captured').map(({ rail }) => rail));
  const taken = history.transfers.filter(({ rail }) => takers.has(rail));
  const steps: readonly Step[] = [
    ...history.events.map(event => eventStep(words, event)),
    ...heldRate(history),
    ...history.attempts.flatMap(attempt => attemptStep(attempt, taken)),
    ...history.transfers.filter(({ rail }) => !takers.has(rail)).map(transferStep),
    ...bookingsOf(history.entries).map(booking => ({ ...booking, order: 5 })),
    ...history.refunds.map(refundStep),
    ...history.deliveries.map(delivery => deliveryStep(delivery, resend)),
  ];
  return steps
    .toReversed()
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at) || other.order - one.order);
}

function eventStep({ eventWords }: Words, event: Event): Step {
  const { title, tone, text } = eventWords(event);
  const payment = (event.data as { object: Payment }).object;
  return {
    at: event.created_at,
    title,
    tone,
    order: event.type === 'payment.created' ? 0 : 4,
    text: sentences[event.type]?.(payment) ?? text,
    more: html`<p>Event <span class="mono">${event.id}</span> ${copyButton(event.id, `event id ${event.id}`)}</p>${rawJson(event)}`,
  };
}

/** The details of a payment's event, in words. */
const sentences: Readonly<Record<string, (payment: Payment) => string>> = {
  'payment.created': ({ created_via: via, reference, payment_link: link, invoice }) =>
    [
      link
        ? `by the link ${shortenedWords(link)}`
        : invoice
          ? `by the invoice ${shortenedWords(invoice)}`
          : via === 'server'
            ? 'by your server'
            : 'by the payer’s browser',
      reference ? `order ${reference}` : null,
    ]
      .filter(Boolean)
      .join(', '),
  'payment.completed': payment =>
    payment.card?.three_d_secure === 'authenticated'
      ? `${methodWords(payment)}, 3-D Secure by the bank`
      : methodWords(payment),
  'payment.requires_action': ({ next_action: next }) =>
    next?.type === 'phone_prompt'
      ? `${moneyWords(next.amount, next.currency)} on ${walletName(next)}, until ${timeWords(next.expires_at, 'clock')}`
      : 'at the bank',
  'payment.authorized': ({ card, amount_capturable: most, currency }) =>
    `${moneyWords(most, currency)} are held on ${card ? cardName(card) : 'the card'}`,
  'payment.failed': ({ failure }) => failure?.message ?? '',
  'payment.partially_paid': ({ amount_received: received, amount, currency }) =>
    `${moneyWords(received, currency)} of ${moneyWords(amount, currency)}`,
  'payment.quote_refreshed': rateWords,
  'payment.settled': ({ settlement: { amount, asset, payout, tx_hash: hash, ledger }, settlement_address: address }) =>
    [
      `${amount === null ? asset : assetWords(amount, asset)}${address ? ` to ${shortenedWords(address)}` : ''}`,
      payout === null ? null : `payout ${shortenedWords(payout, 8, 4)}`,
      ledger === null ? null : `ledger ${ledger.toLocaleString('en')}`,
      hash === null ? null : `transaction ${shortenedWords(hash, 4, 2)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  'payment.settlement_failed': ({ settlement: { failure } }) => failure?.message ?? '',
};

/** The rate with both units, for example `1 EUR = 1.09 USDC`. */
export const rateText = ({ quote, currency }: Payment): string =>
  `1 ${currency} = ${assetWords(quote.rate, quote.settlement_asset)}`;

/** The rate and its end, for example `1 EUR = 1.09 USDC until 14:17:40`. */
function rateWords(payment: Payment): string {
  return `${rateText(payment)} until ${timeWords(payment.quote.expires_at, 'clock')}`;
}

/** The first rate, which is fixed when the payment is created. Only later rates have an event. */
function heldRate({ events, payment }: PaymentRecords): Step[] {
  const created = events.find(({ type }) => type === 'payment.created');
  const first = (created?.data as { object?: Payment } | undefined)?.object ?? payment;
  return [
    { at: first.quote.created_at, title: 'Rate held', text: rateWords(first), order: 1, more: rawJson(first.quote) },
  ];
}

/** An attempt with its outcome, and the transfers of the money taken. An authorization has no entry, but an event. */
function attemptStep(attempt: PaymentAttempt, transfers: readonly Transfer[]): Step[] {
  const { method, status, code, message, updated_at: at, amount, currency } = attempt;
  const isPrompt = method === 'mobile_money';
  const words = (isPrompt ? promptWords : cardWords)[status];
  if (words === undefined) return [];
  const [title, tone, sentence] = words;
  const name = payerOf(attempt);
  const isCharged = status === 'captured';
  const reason = isPrompt && code !== null ? (refusalWords[code] ?? message) : message;
  const text = isCharged ? `${name}, ${moneyWords(amount, currency)}` : `${name}: ${reason ?? sentence}`;
  const more = html`${rawJson(attempt)}${isCharged ? transfers.map(transfer => rawJson(transfer)) : nothing}`;
  return [{ at, title, tone, order: 2, text, more }];
}

/** The card or wallet of an attempt. */
function payerOf({ method, rail, number, card }: PaymentAttempt): string {
  if (method === 'mobile_money') return number === null ? wayName(rail) : walletName({ provider: rail, number });
  return card === null ? 'Card' : cardName({ ...card, brand: card.brand ?? 'card' });
}

type AttemptWords = Readonly<Record<string, readonly [title: string, tone: 'bad' | 'busy' | 'plain', text: string]>>;

const promptWords: AttemptWords = {
  captured: ['Approved on the phone', 'plain', ''],
  declined: ['Declined', 'bad', 'no money moved.'],
  abandoned: ['Prompt given up', 'plain', 'its outcome was not known. A late approval still counts as received.'],
  unknown: ['Waiting for the operator', 'busy', 'its answer is not known yet.'],
  started: ['Prompt sent', 'busy', 'the payer has not answered yet.'],
};

/** Why a prompt took no money, in words for merchants. The attempt's own message addresses the payer. */
const refusalWords: Readonly<Record<string, string>> = {
  prompt_refused: 'the payer refused the prompt.',
  wrong_pin: 'the payer entered a wrong PIN.',
  insufficient_funds: 'the wallet has not enough money.',
  prompt_expired: 'the payer did not answer in time.',
  prompt_unanswered:
    'the operator did not tell its outcome, so money may have moved. Look for the number, amount and time in the operator’s portal. A late approval still counts as received.',
  number_not_registered: 'the number has no wallet at this operator.',
  operator_unavailable: 'the operator could not be reached, so no prompt was shown.',
  operator_limit: 'the amount is beyond the limit of the operator or the wallet.',
  processing_error: 'the operator could not process it.',
};

const cardWords: AttemptWords = {
  captured: ['Card charged', 'plain', ''],
  declined: ['Declined', 'bad', 'the bank refused, no money moved.'],
  abandoned: ['Attempt given up', 'plain', 'no money moved.'],
  unknown: ['Waiting for the acquirer', 'busy', 'its answer is not known yet.'],
  started: ['Card entered', 'busy', 'the bank has not answered yet.'],
  capturing: ['Capturing', 'busy', 'the money is being taken.'],
};

function transferStep(transfer: Transfer): Step {
  const { amount, currency, asset, asset_amount: units, rail, chain, sender, tx_hash: hash } = transfer;
  const sum = asset && units ? assetWords(units, asset) : moneyWords(amount ?? 0, currency ?? 'EUR');
  const way = chain ? `on ${wayName(chain)}` : `by ${wayName(rail)}`;
  const facts = [
    sender ? `from ${sender.startsWith('+') ? phoneText(sender) : shortenedWords(sender)}` : null,
    hash ? `transaction ${shortenedWords(hash, 4, 2)}` : null,
  ];
  return {
    at: transfer.created_at,
    title: 'Money arrived',
    tone: 'busy',
    order: 3,
    text: html`${[`${sum} ${way}`, ...facts].filter(Boolean).join(' · ')} ${waitsIn(transfer)}`,
    more: html`${hash ? html`<p>Transaction <span class="mono">${hash}</span> ${copyButton(hash, `transaction ${shortenedWords(hash, 4, 2)}`)}</p>` : nothing}
      ${rawJson(transfer)}`,
  };
}

const refundWords: Readonly<Record<string, readonly [string, 'good' | 'busy' | 'bad' | 'warn']>> = {
  awaiting_approval: ['Refund asked for', 'warn'],
  completed: ['Refunded', 'good'],
  pending: ['Refund on its way', 'busy'],
  failed: ['Refund failed', 'bad'],
};

/** The link to the approvals, of an object that waits for a second person. */
const waitsIn = ({ status }: { readonly status: string }) => (status === 'awaiting_approval' ? waitsChip() : nothing);

function refundStep(refund: Refund): Step {
  const isEnded = isCanceled(refund);
  const [title, tone] = isEnded
    ? (['Refund canceled', 'plain'] as const)
    : (refundWords[refund.status] ?? ['Refund', 'busy']);
  const { amount, currency, reason, failure, claim_url: claim, tx_hash: hash } = refund;
  const transaction = hash && `transaction ${shortenedWords(hash, 4, 2)}`;
  const why = reason ? sentenceCase(reason).toLowerCase() : null;
  const facts = [moneyWords(amount, currency), why, failure?.message, transaction];
  return {
    at: refund.created_at,
    title,
    tone,
    order: 6,
    text: html`${facts.filter(Boolean).join(' · ')} ${waitsIn(refund)}${claim ? html` · the payer must enter where to send it ${copyButton(claim, 'link for the payer')}` : nothing}`,
    more: html`${hash && transaction ? html`<p>Transaction <span class="mono">${hash}</span> ${copyButton(hash, `${transaction} of the refund`)}</p>` : nothing}
      ${rawJson(refund)}`,
  };
}

type Sent = PaymentRecords['deliveries'][number];

function deliveryStep({ at, data: delivery, endpoint_url: url }: Sent, resend: Resend): Step {
  const { status, event, endpoint, attempts, response_status: code, last_error: fault } = delivery;
  const [title, tone] = deliveryWords[status];
  const result =
    status === 'delivered'
      ? `, ${code}`
      : (code ?? fault)
        ? `, ${code ?? sentenceCase(fault ?? '').toLowerCase()}`
        : '';
  return {
    at,
    title,
    tone,
    order: 7,
    text: `${delivery.event_type} → ${url ?? 'a deleted endpoint'}${result}`,
    more: deliveryDetails(delivery, attempts, resend && url !== null ? () => resend(event, endpoint) : null),
  };
}

const deliveryWords = {
  delivered: ['Webhook delivered', 'plain'],
  pending: ['Webhook waits', 'warn'],
  failed: ['Webhook failed', 'bad'],
  canceled: ['Webhook canceled', 'plain'],
} as const;

function deliveryDetails(delivery: Sent['data'], attempts: number, resend: (() => void) | null): TemplateResult {
  return html`${keyValues([
    {
      label: 'Delivery',
      value: html`<span class="mono">${delivery.id}</span>`,
      copy: delivery.id,
      name: `delivery ${delivery.id}`,
    },
    {
      label: 'Event',
      value: html`<span class="mono">${delivery.event}</span>`,
      copy: delivery.event,
      name: `event of delivery ${delivery.id}`,
    },
    { label: 'Attempts', value: attempts },
    { label: 'Answer', value: delivery.response_status },
    { label: 'Problem', value: delivery.last_error && sentenceCase(delivery.last_error) },
    { label: 'Next attempt', value: delivery.next_attempt_at && timeText(delivery.next_attempt_at) },
  ])}
  ${resend === null ? nothing : html`<button class="second" type="button" aria-label=${`Send again ${delivery.id}`} @click=${resend}>Send again</button>`}`;
}
