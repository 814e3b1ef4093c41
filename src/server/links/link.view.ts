import { type LinkChoice, type LinkEvents, PaymentLink, type PublicPaymentLink } from '../../api/link.ts';
import { addSeconds } from '../../core/clock.ts';
import { idBody, newId } from '../../core/id.ts';
import { merchantToWire } from '../payments/payment.view.ts';
import { type Changes, type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import type { Merchant } from '../platform/merchant.ts';
import { dueOf, type LinkRow, stateOf } from './link.ts';

/** Dependencies of rendering a link. */
export interface LinkViewContext {
  readonly hosts: Pick<PageHosts, 'baseUrl'>;
}

/** URL of the link's page. It contains the link's id, whose 131 random bits cannot be guessed. */
export function linkUrl({ hosts }: LinkViewContext, { merchant_id, id }: Pick<LinkRow, 'merchant_id' | 'id'>): string {
  return `${hosts.baseUrl(merchant_id)}/l/${idBody(id)}`;
}

/** The link in its wire form for the merchant and for events. */
export function linkToWire(context: LinkViewContext, link: LinkRow, now: Date): PaymentLink {
  const url = linkUrl(context, link);
  return {
    id: link.id,
    object: 'payment_link',
    url,
    qr_code_url: `${url}/qr.svg`,
    poster_url: `${url}/poster.pdf`,
    status: link.status,
    state: stateOf(link, now),
    amount: numberOf(link.amount),
    currency: link.currency,
    custom_amount: link.custom_amount,
    description: link.description,
    reference: link.reference,
    line_items: link.line_items ?? [],
    starts_at: momentText(link.starts_at),
    expires_at: momentText(link.expires_at),
    single_use: link.max_uses === 1,
    max_uses: link.max_uses,
    uses: link.uses,
    opens: link.opens,
    allow_partial: link.allow_partial,
    amount_remaining: remainingOf(link),
    total_received: Number(link.received[link.currency] ?? 0),
    received: Object.entries(link.received).map(([currency, amount]) => ({ currency, amount: Number(amount) })),
    payment_methods: link.payment_methods,
    settlement_asset: link.settlement_asset,
    settlement_address: link.settlement_address,
    redirect_url: link.redirect_url,
    success_message: link.success_message,
    locale: link.locale,
    metadata: link.metadata,
    livemode: link.livemode,
    created_at: link.created_at.toISOString(),
    completed_at: momentText(link.completed_at),
  };
}

/** The missing amount of a link paid in parts; 0 after its completion. */
function remainingOf(link: LinkRow): number | null {
  if (!link.allow_partial) return null;
  return link.status === 'completed' ? 0 : numberOf(dueOf(link));
}

/** The link in its wire form for payers, who have no API key. */
export function linkToPublic(
  context: LinkViewContext,
  {
    link,
    merchant,
    choices,
    now,
  }: {
    readonly link: LinkRow;
    readonly merchant: Merchant;
    readonly choices: readonly LinkChoice[];
    readonly now: Date;
  },
): PublicPaymentLink {
  return {
    id: link.id,
    object: 'payment_link',
    url: linkUrl(context, link),
    state: stateOf(link, now),
    amount: numberOf(dueOf(link)),
    amount_total: link.allow_partial ? numberOf(link.amount) : null,
    currency: link.currency,
    choices: [...choices],
    description: link.description,
    reference: link.reference,
    line_items: link.line_items ?? [],
    starts_at: momentText(link.starts_at),
    expires_at: momentText(link.expires_at),
    locale: link.locale,
    merchant: merchantToWire(merchant),
    livemode: link.livemode,
  };
}

function numberOf(amount: bigint | null): number | null {
  return amount === null ? null : Number(amount);
}

function momentText(moment: Date | null): string | null {
  return moment?.toISOString() ?? null;
}

const amount = 25_00;
const paid: Partial<PaymentLink> = { uses: 1, total_received: amount, received: [{ currency: 'EUR', amount }] };

/** The fields of a new link that each event changes. */
const linkChanges: Changes<PaymentLink, keyof LinkEvents> = {
  'payment_link.created': () => ({}),
  'payment_link.updated': () => ({ status: 'disabled', state: 'disabled' }),
  'payment_link.opened': () => ({ opens: 1 }),
  'payment_link.paid': () => paid,
  'payment_link.expired': () => ({ status: 'expired', state: 'expired' }),
  'payment_link.completed': now => ({
    ...paid,
    status: 'completed',
    state: 'used',
    completed_at: now.toISOString(),
  }),
};

function sampleLink({ caller: { merchant, livemode, now }, publicUrl }: SampleContext): PaymentLink {
  const id = newId('paymentLink');
  const url = `${publicUrl}/l/${idBody(id)}`;
  return {
    id,
    object: 'payment_link',
    url,
    qr_code_url: `${url}/qr.svg`,
    poster_url: `${url}/poster.pdf`,
    status: 'active',
    state: 'open',
    amount,
    currency: 'EUR',
    custom_amount: null,
    description: 'A sample payment link',
    reference: null,
    line_items: [],
    starts_at: null,
    expires_at: addSeconds(now, 86_400).toISOString(),
    single_use: true,
    max_uses: 1,
    uses: 0,
    opens: 0,
    allow_partial: false,
    amount_remaining: null,
    total_received: 0,
    received: [],
    payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
    settlement_asset: merchant.settlementAsset,
    settlement_address: null,
    redirect_url: null,
    success_message: null,
    locale: null,
    metadata: {},
    livemode,
    created_at: now.toISOString(),
    completed_at: null,
  };
}

export const linkEvents: EventDefinitions<LinkEvents> = sampleEvents(PaymentLink, sampleLink, linkChanges);
