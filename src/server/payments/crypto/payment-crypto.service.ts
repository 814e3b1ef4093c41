import { randomBytes } from 'node:crypto';
import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { ConfirmPayment } from '../../../api/payments/attempt.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { Chain, CryptoRail } from '../../chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { keyOf, lockPayment } from '../payment.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable, awaitFunds } from '../payment-session.ts';
import type { PaymentRow } from '../tables.ts';
import { findWatched, watchAccount } from './chain-cursor.store.ts';
import type { OfferRow, TargetRow } from './crypto-offer.ts';
import { cryptoAction, shownOffer } from './crypto-offer.ts';
import { cryptoRail, payableAssets, priceIn, receiverOf } from './crypto-price.service.ts';
import { findOffers, findTarget, insertOffer, insertTarget, nextTag } from './deposit.store.ts';

type CryptoConfirmation = Extract<ConfirmPayment, { method: 'crypto' }>;

/** A payer's choice of chain and asset, priced before the transaction. */
export interface CryptoChoice {
  readonly rail: CryptoRail;
  readonly asset: string;
  /** The due amount in minor units of the payment's currency, and its price in the asset. */
  readonly due: bigint;
  readonly amount: bigint;
}

/**
 * Checks and prices the payer's choice, and starts reading deposits of the receiving account. Throws
 * `parameter_invalid` for an unknown chain, `invalid_asset`, `invalid_address`, `rate_unavailable`, or the errors of
 * `payableAssets`.
 */
export async function chooseCrypto(
  deps: PaymentDeps,
  payment: PaymentRow,
  body: Pick<CryptoConfirmation, 'chain' | 'asset' | 'payer_address'>,
): Promise<CryptoChoice> {
  const rail = cryptoRail(deps, body.chain, payment.livemode);
  if (body.payer_address !== undefined && !rail.chain.isAddress(body.payer_address)) {
    const message = `payer_address is not an address on ${rail.chain.name}.`;
    throw new PayError('invalid_address', message, { param: 'payer_address' });
  }
  const asset = deps.rates.unit(body.asset, 'asset');
  await assertPayableIn(deps, rail, payment, asset);
  const due = payment.amount - payment.amount_received;
  const offers = await findOffers(deps.db, keyOf(payment), rail.chain.id);
  const amount = await priceIn(deps, { payment, offers }, asset, due);
  await keepWatched(deps, rail, payment);
  return { rail, asset, due, amount };
}

/** Like `chooseCrypto`, at a price of the payment's owner: `amount` of the asset for the whole payment. */
export async function choosePriced(
  deps: PaymentDeps,
  payment: PaymentRow,
  { chain, asset, amount }: Pick<CryptoChoice, 'asset' | 'amount'> & { readonly chain: string },
): Promise<CryptoChoice> {
  const rail = cryptoRail(deps, chain, payment.livemode);
  await assertPayableIn(deps, rail, payment, asset);
  await keepWatched(deps, rail, payment);
  return { rail, asset, due: payment.amount, amount };
}

async function assertPayableIn(deps: PaymentDeps, rail: CryptoRail, payment: PaymentRow, asset: string): Promise<void> {
  if ((await payableAssets(deps, rail, payment)).includes(asset)) return;
  const message = `This payment cannot be paid in ${asset.split(':')[0]}. Use one of its options.`;
  throw new PayError('invalid_asset', message, { param: 'asset' });
}

/** Seconds for which a merchant's own account is read after its last payment session. Payers may be late. */
const watchAfterSeconds = 14 * 86_400;

/**
 * Reads the payment's account for deposits. An account whose reading has ended starts anew: reading on at its cursor
 * would delay the payer's money, and the chain's server may have deleted that history.
 */
async function keepWatched(deps: PaymentDeps, rail: CryptoRail, payment: PaymentRow): Promise<void> {
  const { account, custodial } = receiverOf(rail, payment);
  const { network, id: chain } = rail.chain;
  const until = custodial ? null : addSeconds(payment.session_expires_at, watchAfterSeconds);
  const known = await findWatched(deps.db, { network, account });
  const isLongEnough = known?.watch_until === null || (until !== null && known !== null && known.watch_until >= until);
  if (known !== null && isLongEnough) return;
  const now = deps.clock.now();
  const isRead = known !== null && (known.watch_until === null || known.watch_until > now);
  const cursor = isRead ? known.cursor : await rail.chain.receive.start();
  const row = { network, account, chain, cursor, custodial, watch_until: until, due_at: now };
  await watchAccount(deps.db, row);
}

/**
 * Starts a crypto payment: the payer gets instructions, and the payment waits for the money. A repeated choice keeps
 * the address. It also keeps the price while the quote is valid. Throws the errors of `assertPayable`.
 */
export async function confirmCrypto(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  paymentId: string,
  choice: CryptoChoice,
): Promise<PaymentRow> {
  const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
  assertPayable(deps, payment, 'crypto', caller.now);
  const nextAction = await actionFor(tx, caller, payment, choice);
  return await awaitFunds(tx, deps, payment, {
    method: 'crypto',
    merchant: caller.merchant,
    nextAction,
    now: caller.now,
  });
}

/** The payer's instructions for a locked payment. Stores target and price, by which later deposits count. */
export async function actionFor(
  tx: Tx,
  { merchant, now }: Pick<Caller, 'merchant' | 'now'>,
  payment: PaymentRow,
  choice: CryptoChoice,
): Promise<CryptoTransfer | null> {
  const { rail, due } = choice;
  if (payment.amount - payment.amount_received !== due) {
    throw new PayError('payment_in_flight', 'Money has just arrived. Read the payment again.');
  }
  const { target, offers } = await quoteOnChain(tx, payment, choice, now);
  return cryptoAction({ chain: rail.chain, target, offers, merchant, due, asset: choice.asset });
}

/** Stores target and price of a locked payment. Later deposits count by them. */
export async function quoteOnChain(
  tx: Tx,
  payment: PaymentRow,
  choice: CryptoChoice,
  now: Date,
): Promise<{ readonly target: TargetRow; readonly offers: readonly OfferRow[] }> {
  const target = await targetOf(tx, choice.rail, payment, now);
  return { target, offers: await offersWith(tx, payment, choice, now) };
}

/** The payment's target on the chain. It is created once, and does not change. */
async function targetOf(tx: Tx, rail: CryptoRail, payment: PaymentRow, now: Date): Promise<TargetRow> {
  const { id: chain, network } = rail.chain;
  const known = await findTarget(tx, keyOf(payment), chain);
  if (known !== null) return known;
  const target = { merchant_id: payment.merchant_id, payment_id: payment.id, chain, network, created_at: now };
  const place = { ...target, ...receiverOf(rail, payment) };
  const tag = await withFreeTag(tx, rail.chain, free =>
    insertTarget(tx, { ...place, tag: free }, rail.chain.receive.newTarget(place.account, free).key),
  );
  return { ...place, tag };
}

/** Finds an unused tag of a chain. `insert` stores the tag, or returns false if it is used. */
export async function withFreeTag(
  tx: Tx,
  { receive: { tags } }: Chain,
  insert: (tag: string) => Promise<boolean>,
): Promise<string> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const tag = tags === 'counted' ? await nextTag(tx) : drawnTag(tags);
    if (await insert(tag)) return tag;
  }
  throw new Error('no free tag was found');
}

function drawnTag({ from, below }: Exclude<Chain['receive']['tags'], 'counted'>): string {
  return String(from + (randomBytes(8).readBigUInt64BE() % (below - from)));
}

/** The payment's prices, with the chosen price. Stores the chosen price if the payer does not have it yet. */
async function offersWith(tx: Tx, payment: PaymentRow, choice: CryptoChoice, now: Date): Promise<OfferRow[]> {
  const offers = await findOffers(tx, keyOf(payment), choice.rail.chain.id);
  const shown = shownOffer(offers, choice.asset);
  const isShown =
    shown !== null && shown.quote_id === payment.quote_id && shown.payment_amount === shown.counted + choice.due;
  if (isShown) return offers;
  const offer = await insertOffer(tx, {
    merchant_id: payment.merchant_id,
    payment_id: payment.id,
    chain: choice.rail.chain.id,
    asset: choice.asset,
    amount: choice.amount,
    payment_amount: choice.due,
    quote_id: payment.quote_id,
    expires_at: payment.expires_at,
    created_at: now,
  });
  return [...offers, offer];
}
