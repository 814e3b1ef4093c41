import type { CryptoRail } from '../../chains/chain.ts';
import { runEach } from '../../platform/jobs/run-each.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { lockPayment } from '../payment.store.ts';
import { changePayment } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { findTarget } from './deposit.store.ts';
import { isAway, readAccountNow } from './deposit-watch.service.ts';
import { claimOpenTransactions, moveWalletTransaction, recordRefusal } from './wallet-transaction.store.ts';
import { judgeOutcome, type WalletTransactionRow, type WalletVerdict } from './wallet-transaction.ts';

/** Name of the sweep that follows signed transactions. */
export const walletSweep = 'payments.wallets';

/** Seconds between two checks of a transaction with unknown outcome. */
const lookSeconds = 3;

/**
 * Follows submitted transactions until their outcome is known: asks for the state, and resubmits the same transaction
 * while it is unknown. The received money is credited by the reader of the account, like any deposit. Returns the
 * number of transactions checked.
 */
export async function followWalletTransactions(deps: PaymentDeps): Promise<number> {
  const now = deps.clock.now();
  const open = await claimOpenTransactions(deps.db, { now, nextSeconds: lookSeconds, limit: 20 });
  return await runEach(open, row => follow(deps, row));
}

async function follow(deps: PaymentDeps, row: WalletTransactionRow): Promise<void> {
  const rail = deps.crypto.find(each => each.chain.network === row.network && each.livemode === row.livemode);
  if (rail === undefined) return;
  try {
    const known = judgeOutcome(row, await rail.wallets.status(row.hash));
    const verdict = known.do === 'resubmit' ? await submitSigned(rail, row) : known;
    const merchant = await deps.findMerchant(row.merchant_id);
    await applyVerdict(deps, rail, row, verdict, merchantNow(merchant, row.livemode, deps.clock.now()));
  } catch (error) {
    // The lease makes the next check due.
    if (!isAway(error)) throw error;
  }
}

/** Submits the signed transaction and judges the answer. */
export async function submitSigned(rail: CryptoRail, row: WalletTransactionRow): Promise<WalletVerdict> {
  if (row.signed_envelope === null) throw new Error(`the transaction ${row.id} was never signed`);
  return judgeOutcome(row, await rail.wallets.submit(row.signed_envelope));
}

/** Carries out a verdict. */
export async function applyVerdict(
  deps: PaymentDeps,
  rail: CryptoRail,
  row: WalletTransactionRow,
  verdict: WalletVerdict,
  now: Date,
): Promise<void> {
  if (verdict.do === 'record_refusal') {
    await recordRefusal(deps.db, row, { ...verdict.failure, now: deps.clock.now() });
  }
  if (verdict.do !== 'end') return;
  if (verdict.state === 'failed') await fail(deps, row, verdict.failure, now);
  else await arrive(deps, rail, row);
}

async function arrive(deps: PaymentDeps, rail: CryptoRail, row: WalletTransactionRow): Promise<void> {
  await deps.db.transaction().execute(tx => moveWalletTransaction(tx, row, 'applied', { due_at: null }));
  const key = { merchantId: row.merchant_id, paymentId: row.payment_id };
  const target = await findTarget(deps.db, key, row.chain);
  if (target !== null) await readAccountNow(deps, rail, target.account);
}

/** The transaction failed without taking money: the payment waits for its payer again, who sees the reason. */
async function fail(
  deps: PaymentDeps,
  row: WalletTransactionRow,
  failure: { readonly code: string; readonly message: string },
  now: Date,
): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: row.merchant_id, paymentId: row.payment_id });
    const columns = { due_at: null, failure_code: failure.code, failure_message: failure.message };
    if ((await moveWalletTransaction(tx, row, 'failed', columns)) === null) return;
    const isWaitedFor = payment.phase === 'confirming';
    const attempt = { method: 'crypto' as const, code: failure.code, message: failure.message };
    await changePayment(tx, deps, payment, {
      ...(isWaitedFor ? { to: payment.amount_received > 0n ? 'partially_paid' : 'awaiting_funds' } : {}),
      set: { last_attempt: attempt },
      now,
    });
  });
}
