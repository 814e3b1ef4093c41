import type { Payment } from '../../api/payment.ts';
import type { Refund } from '../../api/refund.ts';
import type { Transfer } from '../../api/transfer.ts';
import { formatRate } from '../../core/rate.ts';
import { unitOf, unitText } from '../../core/unit.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { PageHosts } from '../platform/http/access/page-hosts.ts';
import type { Merchant } from '../platform/merchant.ts';
import type { Secrets } from '../platform/secrets.ts';
import { canCancel, capturableOf, isUndecided, refundableOf, settlementShare, unsettled } from './payment-funds.ts';
import { maskedNumber, receivedToWire } from './receipts/received-part.ts';
import type { PaymentRow, RefundRow, TransferRow } from './tables.ts';

/** The wire fields of a payment with the id of its link or invoice. */
export interface OwnerView {
  /** Type of the owner, stored with the payment. */
  readonly type: string;
  /** The fields of the payment with the id of its owner. */
  wireFields(ownerId: string): Partial<Payment>;
}

export interface ViewContext {
  readonly purposes: readonly OwnerView[];
  readonly secrets: Pick<Secrets, 'paymentToken' | 'clientSecret' | 'objectToken'>;
  readonly hosts: Pick<PageHosts, 'baseUrl'>;
}

export function checkoutUrl(context: ViewContext, row: Pick<PaymentRow, 'merchant_id' | 'id'>): string {
  const base = context.hosts.baseUrl(row.merchant_id);
  return `${base}/checkout/${context.secrets.paymentToken('checkout', row.merchant_id, row.id)}`;
}

/** The payment in its wire form, also for events. A known `url` saves deriving it again. */
export function paymentToWire(context: ViewContext, row: PaymentRow, url = checkoutUrl(context, row)): Payment {
  return {
    id: row.id,
    object: 'payment',
    status: row.status,
    phase: row.phase,
    exception: row.exception,
    requires_decision: isUndecided(row),
    checkout_url: url,
    ...amountsOf(row),
    expires_at: row.expires_at.toISOString(),
    session_expires_at: row.session_expires_at.toISOString(),
    description: row.description,
    reference: row.reference,
    line_items: row.line_items ?? [],
    locale: row.locale,
    settlement_asset: row.settlement_asset,
    settlement_network: 'stellar',
    settlement_address: row.settlement_address,
    settlement_mode: row.settlement_mode,
    payment_methods: row.payment_methods,
    capture_method: row.capture_method,
    customer: { id: row.customer_id, email: row.customer_email, name: row.customer_name },
    receipts: row.receipts,
    metadata: row.metadata,
    redirect_url: row.redirect_url,
    cancel_url: row.cancel_url,
    ...methodOf(row),
    quote: quoteToWire(row),
    settlement: settlementToWire(row),
    failure: failureOf(row),
    payment_link: null,
    invoice: null,
    ramp: null,
    ...ownerFields(context, row),
    created_via: row.created_via,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

function methodOf({ method, card, mobile_money, next_action, open_prompt, last_attempt }: PaymentRow) {
  return { method, card, mobile_money, next_action, open_prompt, last_attempt };
}

function amountsOf(row: PaymentRow) {
  return {
    amount: Number(row.amount),
    currency: row.currency,
    amount_received: Number(row.amount_received),
    amount_refunded: Number(row.amount_refunded),
    amount_disputed: Number(row.amount_disputed),
    amount_capturable: Number(capturableOf(row)),
    capture_before: row.phase === 'authorized' ? row.session_expires_at.toISOString() : null,
    received: (row.received ?? []).map(receivedToWire),
  };
}

function failureOf({
  failure_code: code,
  failure_message: message,
}: Pick<PaymentRow, 'failure_code' | 'failure_message'>) {
  return code === null ? null : { code, message: message ?? '' };
}

function ownerFields({ purposes }: ViewContext, { owner_type: type, owner_id: id }: PaymentRow): Partial<Payment> {
  return (id === null ? undefined : purposes.find(each => each.type === type)?.wireFields(id)) ?? {};
}

function quoteToWire(row: PaymentRow): Payment['quote'] {
  const rate = { numerator: row.quote_rate_numerator, denominator: row.quote_rate_denominator };
  return {
    id: row.quote_id,
    settlement_asset: row.settlement_asset,
    settlement_amount: unitText(row.quote_amount, row.settlement_asset),
    rate: formatRate(rate, unitOf(row.currency).decimals, unitOf(row.settlement_asset).decimals),
    created_at: (row.quoted_at ?? row.created_at).toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

/** The settlement in its wire form. Its amount includes money that is still to be sent, at the quoted rate. */
function settlementToWire(row: PaymentRow): Payment['settlement'] {
  const left = unsettled(row) + row.amount_settling;
  const toCome = left > 0n ? settlementShare(row, row.amount_settled, left) : 0n;
  const { settlement_status: status } = row;
  return {
    status,
    asset: row.settlement_asset,
    amount: status === 'none' ? null : unitText(row.settlement_amount + toCome, row.settlement_asset),
    payout: row.settlement_payout,
    tx_hash: row.settlement_tx_hash,
    ledger: row.settlement_ledger,
    delivery: row.settlement_delivery,
    failure: settlementFailure(row),
  };
}

/** Why the settlement is not delivered: an attempt failed, or the merchant has no address. */
function settlementFailure(row: PaymentRow): Payment['settlement']['failure'] {
  const { settlement_failure_code: failure_code, settlement_failure_message: failure_message } = row;
  if (failure_code !== null) return failureOf({ failure_code, failure_message });
  // A settlement without due time and address waits for an address (`awaitAddress`).
  const hasNone = row.settlement_address === null && row.settlement_due_at === null && !row.settlement_in_fiat;
  return row.settlement_status === 'pending' && hasNone ? noAddress : null;
}

const noAddress = {
  code: 'no_address',
  message: 'Set the account’s settlement.stellar_address. The settlement is then sent at once.',
};

/** The merchant's data for the checkout. */
export function merchantToWire(merchant: Merchant): NonNullable<Payment['merchant']> {
  return {
    name: merchant.name,
    support_email: merchant.supportEmail,
    support_url: merchant.supportUrl,
    logo: merchant.branding.logo,
    primary_color: merchant.branding.primary_color,
  };
}

/**
 * The payment in its payer's view, without the merchant's private data. Who opens the page later need not be who paid,
 * so the numbers of the phone that paid, and of an open prompt, are masked.
 */
export function payerView(payment: Payment): Payment {
  const { metadata: _metadata, customer: _customer, mobile_money: wallet, open_prompt: prompt, ...rest } = payment;
  // A failed settlement concerns only the merchant.
  const settlement = { ...rest.settlement, failure: null };
  return { ...rest, mobile_money: masked(wallet), open_prompt: masked(prompt), settlement };
}

function masked<Wallet extends { readonly number: string }>(wallet: Wallet | null): Wallet | null {
  return wallet && { ...wallet, number: maskedNumber(wallet.number) };
}

/** The fields that the merchant's answers add to a payment: what can be done with it now. Events do not have them. */
export function merchantFields({ merchant }: Caller, row: PaymentRow) {
  return {
    merchant: merchantToWire(merchant),
    amount_refundable: Number(refundableOf(row)),
    can_cancel: canCancel(row, merchant),
  };
}

/** The payment in this caller's view. */
export function viewFor(context: ViewContext, caller: Caller, row: PaymentRow): Payment {
  const payment = paymentToWire(context, row);
  if (caller.kind === 'secret') return { ...payment, ...merchantFields(caller, row) };
  return payerView({ ...payment, merchant: merchantToWire(caller.merchant) });
}

export function refundToWire(context: ViewContext, row: RefundRow): Refund {
  const isWaiting = row.status === 'pending' && row.requires_destination;
  const token = isWaiting ? context.secrets.objectToken('refund', row.merchant_id, row.id) : null;
  return {
    id: row.id,
    object: 'refund',
    payment: row.payment_id,
    amount: Number(row.amount),
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    // A refund can have several parts. Its failure is reported after the last part has ended.
    failure: row.status === 'failed' ? failureOf(row) : null,
    requires_destination: row.requires_destination,
    // The page where the payer enters the destination of the refund.
    claim_url: token === null ? null : `${context.hosts.baseUrl(row.merchant_id)}/refund/${token}`,
    tx_hash: row.tx_hash,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

export function transferToWire(row: TransferRow): Transfer {
  const onChain = row.chain !== null;
  return {
    id: row.id,
    object: 'transfer',
    rail: row.rail,
    payment: row.payment_id,
    top_up: row.top_up_id,
    status: row.status,
    amount: onChain ? null : Number(row.amount),
    currency: onChain ? null : row.currency,
    asset: onChain ? row.currency : null,
    asset_amount: onChain ? unitText(row.amount, row.currency) : null,
    reference: row.reference,
    sender: row.sender,
    chain: row.chain,
    address: row.account,
    tx_hash: row.tx_hash,
    memo: row.memo,
    memo_type: row.memo_type,
    problem: row.problem,
    failure: failureOf(row),
    amount_applied: Number(row.amount_applied),
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
