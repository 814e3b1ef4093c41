import type { CreateWalletTransaction, WalletTransaction } from '../../../api/crypto.ts';
import { addSeconds } from '../../../core/clock.ts';
import { type ErrorCode, errorCatalogue, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import type { CryptoRail } from '../../chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { keyOf, lockPayment } from '../payment.store.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { assertOpen, assertPayable, awaitFunds, waitingPhase } from '../payment-session.ts';
import type { PaymentRow } from '../tables.ts';
import { leftUnder, shownOffer } from './crypto-offer.ts';
import { cryptoRail, payableAssets, settlementAsset } from './crypto-price.service.ts';
import { findTarget } from './deposit.store.ts';
import { isAway, readAccountNow } from './deposit-watch.service.ts';
import { actionFor, type CryptoChoice, chooseCrypto, quoteOnChain } from './payment-crypto.service.ts';
import {
  claimOpenTransactions,
  findWalletTransaction,
  insertWalletTransaction,
  moveWalletTransaction,
  openTransactions,
  openWalletTransactions,
  recordRefusal,
} from './wallet-transaction.store.ts';
import {
  judgeOutcome,
  type WalletFailure,
  type WalletTransactionRow,
  type WalletVerdict,
  walletsOf,
  walletTransactionToWire,
} from './wallet-transaction.ts';

/** Seconds until the first check of a submitted transaction. */
const firstLookSeconds = 2;

/**
 * Builds a transaction that pays the due amount from the payer's wallet, with any asset of the wallet. It delivers
 * exactly the quoted amount, in the settlement asset if the receiving account accepts this asset. Throws the errors of
 * `assertPayable` and of the wallet's account (`stellar_…`).
 */
export async function makeWalletTransaction(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
  body: CreateWalletTransaction,
): Promise<(tx: Tx) => Promise<WalletTransaction>> {
  const payment = await readPayment(deps, caller, paymentId);
  assertPayable(deps, payment, 'crypto', caller.now);
  await assertRoom(deps, payment);
  const rail = cryptoRail(deps, body.chain, payment.livemode);
  const asset = deps.rates.unit(body.asset, 'asset');
  const arriving = await arrivingAsset(deps, rail, payment, asset);
  const choice = await chooseCrypto(deps, payment, { chain: body.chain, asset: arriving });
  const due = await deps.db.transaction().execute(tx => prepare(deps, tx, caller, paymentId, choice));
  const order = {
    address: body.address,
    asset,
    destination: due.destination,
    destinationAsset: arriving,
    destinationAmount: due.amount,
    // The network uses the real time, not the merchant's test clock.
    validUntil: realTime(caller, payment.expires_at),
  };
  const made = await walletsOf(rail).build(order);
  return async tx => {
    const row = await insertWalletTransaction(tx, {
      merchant_id: payment.merchant_id,
      payment_id: payment.id,
      livemode: payment.livemode,
      id: newId('walletTransaction'),
      state: 'built',
      created_at: caller.now,
      chain: rail.chain.id,
      network: rail.chain.network,
      address: body.address,
      asset,
      amount: made.amount,
      amount_max: made.amountMax,
      destination_asset: arriving,
      destination_amount: due.amount,
      path: [...made.path],
      envelope: made.envelope,
      hash: made.hash,
      valid_until: order.validUntil,
    });
    return walletTransactionToWire(rail, row, payment.expires_at);
  };
}

/** Maximum number of a payment's transactions that wait for a signature or a ledger. */
const mostOpen = 20;

/** Limits a payment's open transactions, because each is stored permanently. Throws `too_many_attempts`. */
async function assertRoom({ db, clock }: PaymentDeps, payment: PaymentRow): Promise<void> {
  const now = clock.now();
  const { count, first_ends: firstEnds } = await openTransactions(db, keyOf(payment), now);
  if (count < mostOpen) return;
  const retryAfterSeconds = Math.floor(((firstEnds ?? now).getTime() - now.getTime()) / 1000) + 1;
  const message = `Too many attempts. ${mostOpen} transactions of this payment are open; use one of them.`;
  throw new PayError('too_many_attempts', message, { retryAfterSeconds });
}

function realTime({ merchant, livemode }: Pick<Caller, 'merchant' | 'livemode'>, moment: Date): Date {
  return livemode ? moment : new Date(moment.getTime() - merchant.testClockOffsetMs);
}

/**
 * The asset to deliver: the settlement asset (which saves an exchange), otherwise the wallet's asset, otherwise another
 * asset. The receiving account accepts the asset.
 */
async function arrivingAsset(deps: PaymentDeps, rail: CryptoRail, payment: PaymentRow, asset: string): Promise<string> {
  const payable = await payableAssets(deps, rail, payment);
  const wanted = [settlementAsset(deps, payment), asset, ...payable];
  const arriving = wanted.find(each => payable.includes(each));
  if (arriving !== undefined) return arriving;
  const message = `This payment cannot be paid on ${rail.chain.name} now.`;
  throw new PayError('payment_method_not_allowed', message, { param: 'chain' });
}

/** The destination and the amount to receive. Also makes a payment without a chosen chain wait for crypto. */
async function prepare(deps: PaymentDeps, tx: Tx, caller: Caller, paymentId: string, choice: CryptoChoice) {
  const { chain } = choice.rail;
  const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
  assertPayable(deps, payment, 'crypto', caller.now);
  if (payment.next_action?.type !== 'crypto_transfer') {
    const nextAction = await actionFor(tx, caller, payment, choice);
    await awaitFunds(tx, deps, payment, { method: 'crypto', merchant: caller.merchant, nextAction, now: caller.now });
  }
  const { target, offers } = await quoteOnChain(tx, payment, choice, caller.now);
  const offer = shownOffer(offers, choice.asset);
  if (offer === null) throw new Error('the payment has no price in the asset that was just priced');
  return {
    destination: chain.receive.newTarget(target.account, target.tag).address,
    amount: leftUnder(offer, choice.due),
  };
}

/**
 * Accepts a signed transaction from the wallet: verifies, stores and submits it. After a crash, the sweep continues. A
 * repeated request returns the state. Throws `wallet_transaction_changed`, `wallet_transaction_expired`, the errors of
 * `assertOpen`, or the failure of the transaction.
 */
export async function submitWalletTransaction(
  deps: PaymentDeps,
  caller: Caller,
  ids: { readonly paymentId: string; readonly transactionId: string },
  signed: string,
): Promise<PaymentRow> {
  const { id: paymentId } = await readPayment(deps, caller, ids.paymentId);
  const key = { merchantId: caller.merchant.id, paymentId };
  const made = await findWalletTransaction(deps.db, key, ids.transactionId);
  if (made === null)
    throw new PayError('resource_missing', 'The payment has no transaction with this id.', { param: 'wtx' });
  const rail = cryptoRail(deps, made.chain, made.livemode);
  await walletsOf(rail).verify(made, signed);
  const submitted = made.state === 'built' ? await storeSigned(deps, caller, made, signed) : made;
  if (submitted.state === 'failed') {
    const { failure_code: code, failure_message: message } = submitted;
    throw failureOf({ code: code ?? '', message: message ?? 'It failed.' });
  }
  if (made.state === 'built') await submitFirst(deps, rail, submitted, caller);
  return await readPayment(deps, caller, paymentId);
}

/** Stores the signed transaction before it is submitted. The payment becomes `confirming`. */
async function storeSigned(
  deps: PaymentDeps,
  caller: Caller,
  made: WalletTransactionRow,
  signed: string,
): Promise<WalletTransactionRow> {
  const now = deps.clock.now();
  if (now >= made.valid_until) {
    throw new PayError('wallet_transaction_expired', 'The transaction has expired. Create a new one.');
  }
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: made.merchant_id, paymentId: made.payment_id });
    assertOpen(deps, payment, caller.now);
    const kept = await moveWalletTransaction(tx, made, 'submitted', {
      signed_envelope: signed,
      submitted_at: now,
      attempts: 1,
      due_at: addSeconds(now, firstLookSeconds),
    });
    if (kept === null) throw new PayError('payment_in_flight', 'The transaction has already been submitted.');
    await changePayment(tx, deps, payment, { to: 'confirming', set: { method: 'crypto' }, now: caller.now });
    return kept;
  });
}

/** The merchant of a transaction, and the current time on its clock. */
type Acting = Pick<Caller, 'merchant' | 'now'>;

async function submitFirst(deps: PaymentDeps, rail: CryptoRail, row: WalletTransactionRow, acting: Acting) {
  const verdict = await submitSigned(rail, row);
  await applyVerdict(deps, rail, row, verdict, acting);
  if (verdict.do === 'end' && verdict.state === 'failed') throw failureOf(verdict.failure);
}

function failureOf({ code, message }: WalletFailure): PayError {
  return new PayError(Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : 'stellar_refused', message);
}

/** Name of the sweep that follows signed transactions. */
export const walletSweep = 'payments.wallets';

/** Seconds between two checks of a transaction with unknown outcome. */
const lookSeconds = 3;

/**
 * Follows submitted transactions until their outcome is known: queries the state, and resubmits a transaction while its
 * state is unknown. The received money is credited like any deposit, when the receiving account is read.
 */
export function createWalletSweep(deps: PaymentDeps): Sweep {
  return {
    name: walletSweep,
    due: [openWalletTransactions],
    run: async () => {
      const request = { now: deps.clock.now(), leaseSeconds: lookSeconds, limit: 20 };
      return await runEach(await claimOpenTransactions(deps.db, request), row => follow(deps, row));
    },
  };
}

async function follow(deps: PaymentDeps, row: WalletTransactionRow): Promise<void> {
  const rail = deps.crypto.find(each => each.chain.network === row.network && each.livemode === row.livemode);
  if (rail === undefined) return;
  try {
    const known = judgeOutcome(row, await walletsOf(rail).status(row.hash));
    const verdict = known.do === 'resubmit' ? await submitSigned(rail, row) : known;
    const merchant = await deps.findMerchant(row.merchant_id);
    const now = merchantNow(merchant, row.livemode, deps.clock.now());
    await applyVerdict(deps, rail, row, verdict, { merchant, now });
  } catch (error) {
    // An unreachable chain is no error here: the lease schedules the next check.
    if (!isAway(error)) throw error;
  }
}

/** Submits the signed transaction and judges the chain's response. */
async function submitSigned(rail: CryptoRail, row: WalletTransactionRow): Promise<WalletVerdict> {
  if (row.signed_envelope === null) throw new Error(`the transaction ${row.id} was never signed`);
  return judgeOutcome(row, await walletsOf(rail).submit(row.signed_envelope));
}

async function applyVerdict(
  deps: PaymentDeps,
  rail: CryptoRail,
  row: WalletTransactionRow,
  verdict: WalletVerdict,
  acting: Acting,
): Promise<void> {
  if (verdict.do === 'record_refusal') await recordRefusal(deps.db, row, verdict.failure, deps.clock.now());
  if (verdict.do !== 'end') return;
  if (verdict.state === 'failed') await fail(deps, row, verdict.failure, acting);
  else await arrive(deps, rail, row);
}

async function arrive(deps: PaymentDeps, rail: CryptoRail, row: WalletTransactionRow): Promise<void> {
  await deps.db.transaction().execute(tx => moveWalletTransaction(tx, row, 'applied', { due_at: null }));
  const key = { merchantId: row.merchant_id, paymentId: row.payment_id };
  const target = await findTarget(deps.db, key, row.chain);
  if (target !== null) await readAccountNow(deps, rail, target.account);
}

/** Ends a transaction that failed without taking money. The payment waits for its payer again and shows the reason. */
async function fail(
  deps: PaymentDeps,
  row: WalletTransactionRow,
  failure: WalletFailure,
  { merchant, now }: Acting,
): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: row.merchant_id, paymentId: row.payment_id });
    const columns = { due_at: null, failure_code: failure.code, failure_message: failure.message };
    if ((await moveWalletTransaction(tx, row, 'failed', columns)) === null) return;
    const isWaitedFor = payment.phase === 'confirming';
    const attempt = { method: 'crypto' as const, code: failure.code, message: failure.message };
    await changePayment(tx, deps, payment, {
      ...(isWaitedFor ? { to: waitingPhase(payment, merchant) } : {}),
      set: { last_attempt: attempt },
      now,
    });
  });
}
