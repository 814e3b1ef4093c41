import type { Event } from '../../api/event.ts';
import type { Tone } from '../controls/status-chip.ts';
import { sentenceCase } from '../controls/status-chip.ts';
import { assetWords, moneyWords } from '../controls/values.ts';

/** An event in words. */
export interface EventWords {
  /** A few words, for example `Payment received`. */
  readonly title: string;
  /** The details, for example `€128.40 · Ada Lovelace`. */
  readonly text: string;
  readonly tone: Tone;
  /** The page or list below `/dashboard` that shows the event's object. Null if there is none. */
  readonly path: string | null;
}

/** Title and tone of frequent event types. Other events are shown by the name of their type. */
const titles: Readonly<Record<string, readonly [title: string, tone: Tone]>> = {
  'payment.created': ['Payment created', 'plain'],
  'payment.completed': ['Payment received', 'good'],
  'payment.failed': ['Payment failed', 'bad'],
  'payment.refunded': ['Payment refunded', 'plain'],
  'payment.requires_action': ['Waiting for the payer’s bank', 'busy'],
  'payment.authorized': ['Card authorized', 'busy'],
  'payment.confirming': ['Money seen', 'busy'],
  'payment.partially_paid': ['Part of a payment received', 'warn'],
  'payment.overpaid': ['More than the amount received', 'warn'],
  'payment.paid_late': ['Paid after the deadline', 'warn'],
  'payment.unrecognized_asset': ['Unexpected asset received', 'warn'],
  'payment.quote_refreshed': ['Rate renewed', 'plain'],
  'payment.disputed': ['Payment disputed', 'bad'],
  'dispute.created': ['Dispute opened', 'bad'],
  'dispute.evidence_submitted': ['Evidence sent', 'busy'],
  'dispute.closed': ['Dispute closed', 'plain'],
  'payment.settled': ['Settled on Stellar', 'good'],
  'payment.settlement_failed': ['Settlement failed', 'bad'],
  'refund.created': ['Refund started', 'busy'],
  'refund.approved': ['Refund approved', 'busy'],
  'refund.completed': ['Refund completed', 'good'],
  'refund.failed': ['Refund failed', 'bad'],
  'refund.requires_destination': ['Refund waits for the payer', 'warn'],
  'transfer.unmatched': ['Money without a payment', 'warn'],
  'payment_link.paid': ['Link paid', 'good'],
  'payment_link.opened': ['Link opened', 'plain'],
  'payment_link.created': ['Link created', 'plain'],
  'invoice.paid': ['Invoice paid', 'good'],
  'invoice.overdue': ['Invoice overdue', 'warn'],
  'invoice.sent': ['Invoice sent', 'plain'],
  'invoice.viewed': ['Invoice opened', 'plain'],
  'approval.created': ['Waits for a second person', 'warn'],
  'approval.approved': ['Approved by a second person', 'good'],
  'approval.canceled': ['Canceled instead of approved', 'plain'],
  'payout.created': ['Payout accepted', 'plain'],
  'payout.queued': ['Waits to be sent', 'plain'],
  'payout.on_hold': ['Payout on hold', 'warn'],
  'payout.processing': ['Being sent', 'busy'],
  'payout.sent': ['Payout sent', 'busy'],
  'payout.canceled': ['Payout canceled', 'plain'],
  'payout_batch.completed': ['Batch of payouts ended', 'good'],
  'payout.completed': ['Payout completed', 'good'],
  'payout.failed': ['Payout failed', 'bad'],
  'payout.partially_returned': ['Payout partially returned', 'bad'],
  'payout.returned': ['Payout returned', 'bad'],
};

/** Pages of objects, by id prefix. */
const pages: Readonly<Record<string, string>> = {
  pay: '/payments/',
  plink: '/links/',
  inv: '/invoices/',
  dp: '/balance/disputes/',
  po: '/payouts/',
  pbat: '/payouts/batches/',
};

/** Lists that show objects without a page of their own, by id prefix. */
const lists: Readonly<Record<string, string>> = {
  tr: '/balance/unmatched',
  tu: '/balance/movements',
  wd: '/balance/movements',
  appr: '/approvals',
};

/** The fields from which the words come. The object of an event has only some of them. */
interface Carried {
  readonly id?: string;
  readonly object?: string;
  readonly payment?: string | null;
  readonly amount?: number | string | null;
  readonly amount_received?: number;
  readonly total?: number;
  readonly currency?: string | null;
  readonly asset?: string | null;
  readonly asset_amount?: string | null;
  readonly description?: string | null;
  readonly number?: string | null;
  readonly reference?: string | null;
  readonly customer?: { readonly name?: string | null; readonly email?: string } | string | null;
  readonly settlement?: { readonly amount: string | null; readonly asset: string };
  readonly payment_link?: string | null;
  readonly invoice?: string | null;
}

export function eventWords(event: Event): EventWords {
  const [title, tone] = titles[event.type] ?? [sentenceCase(event.type.replace('.', ' ')), 'plain'];
  const object = carriedBy(event);
  return { title, tone, text: factsOf(event.type, object), path: pathOf(object) };
}

const carriedBy = (event: Event) => (event.data as { object?: Carried }).object ?? {};

function pathOf({ id = '', payment }: Carried): string | null {
  const pageOf = (target: string) => pages[target.split('_')[0] ?? ''];
  const target = pageOf(id) === undefined ? (payment ?? id) : id;
  const page = pageOf(target);
  if (page !== undefined) return `${page}${target}`;
  return lists[id.split('_')[0] ?? ''] ?? null;
}

function factsOf(type: string, object: Carried): string {
  const { customer, description, number, reference } = object;
  const who = typeof customer === 'object' ? customer?.name || customer?.email : null;
  return [sumOf(type, object), who ?? number ?? description ?? reference].filter(Boolean).join(' · ');
}

function sumOf(type: string, object: Carried): string | null {
  const { amount, amount_received, total, currency, asset, asset_amount, settlement } = object;
  if (type === 'payment.settled' && settlement?.amount) return assetWords(settlement.amount, settlement.asset);
  if (asset && asset_amount) return assetWords(asset_amount, asset);
  const isPart = type === 'payment.partially_paid' || type === 'payment.overpaid';
  const sum = isPart ? amount_received : (total ?? amount);
  if (typeof sum === 'number' && currency) return moneyWords(sum, currency);
  return typeof amount === 'string' && asset ? assetWords(amount, asset) : null;
}

/** The types of events that a person should see at once. */
const loud = new Set([
  ...['payment.completed', 'payment.overpaid', 'payment.paid_late', 'payment.disputed', 'payment.settlement_failed'],
  ...['payment_link.paid', 'invoice.paid', 'transfer.unmatched', 'refund.failed', 'payout.failed', 'payout.returned'],
  'approval.created',
]);

/**
 * Whether a toast shows the event, and the bell counts it. When a payment of a link or an invoice completes,
 * `payment_link.paid` or `invoice.paid` counts instead of `payment.completed`.
 */
export function isLoud(event: Event): boolean {
  const { payment_link: link, invoice } = carriedBy(event);
  return loud.has(event.type) && !(event.type === 'payment.completed' && (link || invoice));
}
