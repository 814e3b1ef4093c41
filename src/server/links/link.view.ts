import type { LinkChoice, PaymentLink, PublicPaymentLink } from '../../api/link.ts';
import { idBody } from '../../core/id.ts';
import { merchantToWire } from '../payments/payment.view.ts';
import type { Merchant } from '../platform/merchant.ts';
import { dueOf, type LinkRow, stateOf } from './link.ts';

/** Where the service is reached, without a slash at the end. */
export interface LinkViewContext {
  readonly publicUrl: () => string;
}

/** Address of the link's page: short, and no more to be guessed than its id, whose 131 bits it carries. */
export function linkUrl({ publicUrl }: LinkViewContext, { id }: Pick<LinkRow, 'id'>): string {
  return `${publicUrl()}/l/${idBody(id)}`;
}

/** The link in its wire form: what its merchant reads, and what events carry. */
export function linkToWire(context: LinkViewContext, link: LinkRow, now: Date): PaymentLink {
  const url = linkUrl(context, link);
  return {
    ...{ id: link.id, object: 'payment_link', url, qr_code_url: `${url}/qr.svg`, poster_url: `${url}/poster.pdf` },
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

/** Of a link paid in parts, what is missing until it is paid in full; nothing once it has completed. */
function remainingOf(link: LinkRow): number | null {
  if (!link.allow_partial) return null;
  return link.status === 'completed' ? 0 : numberOf(dueOf(link));
}

/** What anybody sees who knows the link's id. */
export interface PublicLinkView {
  readonly link: LinkRow;
  readonly merchant: Merchant;
  readonly choices: readonly LinkChoice[];
  readonly now: Date;
}

/** The link as its payers see it. */
export function linkToPublic(
  context: LinkViewContext,
  { link, merchant, choices, now }: PublicLinkView,
): PublicPaymentLink {
  return {
    ...{ id: link.id, object: 'payment_link', url: linkUrl(context, link), state: stateOf(link, now) },
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
