import { randomBytes } from 'node:crypto';
import type { CryptoTransfer } from '../../../api/crypto.ts';
import type { ConfirmPayment } from '../../../api/payment.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { rateUnit } from '../../rates/rates.ts';
import { keyOf, lockPayment } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { assertPayable, awaitFunds } from '../payment-session.ts';
import { findWatched, watchAccount } from './chain-cursor.store.ts';
import type { OfferRow, TargetRow } from './crypto-offer.ts';
import { cryptoAction, shownOffer } from './crypto-offer.ts';
import { cryptoRail, payableAssets, priceIn, receiverOf } from './crypto-price.service.ts';
import { findOffers, findTarget, insertOffer, insertTarget } from './deposit.store.ts';

type CryptoConfirmation = Extract<ConfirmPayment, { method: 'crypto' }>;

/** A payer's choice of chain and asset, priced before the transaction. */
export interface CryptoChoice {
  readonly rail: CryptoRail;
  readonly asset: string;
  /** The amount due, in minor units of the payment's currency, and its price in the asset. */
  readonly due: bigint;
  readonly amount: bigint;
}

/**
 * Checks and prices the payer's choice, and starts to read the receiving account for deposits. Throws `parameter_invalid`
 * for an unknown chain, `invalid_asset`, `invalid_address`, `rate_unavailable`, or as `payableAssets` does.
 */
export async function chooseCrypto(
  deps: PaymentDeps,
  payment: PaymentRow,
  body: Pick<CryptoConfirmation, 'chain' | 'asset' | 'payer_address'>,
): Promise<CryptoChoice> {
  const rail = cryptoRail(deps, body.chain, payment.livemode);
  if (body.payer_address !== undefined && !rail.chain.isAddress(body.payer_address)) {
    const message = `payer_address is no address on ${rail.chain.name}.`;
    throw new PayError('invalid_address', message, { param: 'payer_address' });
  }
  const asset = rateUnit(deps.rates.asset(body.asset, 'asset'));
  const payable = await payableAssets(deps, rail, payment);
  if (!payable.includes(asset)) {
    const message = `This payment cannot be paid in ${body.asset}. Take one of its options.`;
    throw new PayError('invalid_asset', message, { param: 'asset' });
  }
  const due = payment.amount - payment.amount_received;
  const offers = await findOffers(deps.db, keyOf(payment), rail.chain.id);
  const amount = await priceIn(deps, { payment, offers }, asset, due);
  await keepWatched(deps, rail, payment);
  return { rail, asset, due, amount };
}

/** A merchant's own account is read for this many seconds after its last session, because payers may be late. */
const watchAfterSeconds = 14 * 86_400;

async function keepWatched(deps: PaymentDeps, rail: CryptoRail, payment: PaymentRow): Promise<void> {
  const { account, custodial } = receiverOf(rail, payment);
  const { network, id: chain } = rail.chain;
  const until = custodial ? null : addSeconds(payment.session_expires_at, watchAfterSeconds);
  const known = await findWatched(deps.db, { network, account });
  const isLongEnough = known?.watch_until === null || (until !== null && known !== null && known.watch_until >= until);
  if (known !== null && isLongEnough) return;
  const cursor = known?.cursor ?? (await rail.chain.latestCursor());
  const row = { network, account, chain, cursor, custodial, watch_until: until, due_at: deps.clock.now() };
  await watchAccount(deps.db, row);
}

/**
 * Starts a payment by crypto: the payment waits for the money, and the payer gets instructions. Choosing again keeps the
 * address, and the price while the quote is valid. Throws as `assertPayable` does.
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
  return await awaitFunds(tx, deps, payment, { method: 'crypto', nextAction, now: caller.now });
}

/** The payer's instructions for a locked payment. Target and price are written, so that a deposit counts by them. */
export async function actionFor(
  tx: Tx,
  { merchant, now }: Pick<Caller, 'merchant' | 'now'>,
  payment: PaymentRow,
  choice: CryptoChoice,
): Promise<CryptoTransfer | null> {
  const { rail, due } = choice;
  if (payment.amount - payment.amount_received !== due) {
    throw new PayError('payment_in_flight', 'Money arrived just now. Look at the payment again.');
  }
  const { target, offers } = await quoteOnChain(tx, payment, choice, now);
  return cryptoAction({ chain: rail.chain, target, offers, merchant, due, asset: choice.asset });
}

/** Writes target and price for a locked payment; deposits count by them from now on. */
export async function quoteOnChain(
  tx: Tx,
  payment: PaymentRow,
  choice: CryptoChoice,
  now: Date,
): Promise<{ readonly target: TargetRow; readonly offers: readonly OfferRow[] }> {
  const target = await targetOf(tx, choice.rail, payment, now);
  return { target, offers: await offersWith(tx, payment, choice, now) };
}

/** The payment's target on the chain. It is created once and never changes. */
async function targetOf(tx: Tx, rail: CryptoRail, payment: PaymentRow, now: Date): Promise<TargetRow> {
  const { id: chain, network } = rail.chain;
  const known = await findTarget(tx, keyOf(payment), chain);
  if (known !== null) return known;
  const target = { merchant_id: payment.merchant_id, payment_id: payment.id, chain, network, created_at: now };
  for (let attempt = 0; attempt < 10; attempt++) {
    const tagged = { ...target, ...receiverOf(rail, payment), tag: newTag() };
    if (await insertTarget(tx, tagged)) return tagged;
  }
  throw new Error('no free tag was found');
}

const firstTag = 100_000_000_000_000n;

/** A tag of fifteen digits: exact as a JavaScript number, short to copy, and rarely another payment's when mistyped. */
function newTag(): bigint {
  return firstTag + (randomBytes(8).readBigUInt64BE() % (firstTag * 9n));
}

/** The payment's prices with the chosen one last. The chosen price is written unless the payer was given it already. */
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
