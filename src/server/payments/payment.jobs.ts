import { runEach } from '../platform/jobs/run-each.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { receiveCredits } from './bank/bank-credit.service.ts';
import { claimDueAttempts } from './card/card.store.ts';
import { askRail, cardRail, giveUpOpenAttempt } from './card/payment-card.service.ts';
import { expirePayments } from './checkout/payment-lifecycle.service.ts';
import { createDepositSweep } from './crypto/deposit-watch.service.ts';
import { followWalletTransactions, walletSweep } from './crypto/wallet-follow.service.ts';
import { findPayment } from './payment.store.ts';
import type { PaymentDeps } from './payment-deps.ts';

/** The sweeps of payments: sessions expire, rails are asked, credits are read. */
export function paymentSweeps(deps: PaymentDeps): Sweep[] {
  return [
    { name: 'payments.expire', everyMs: 1_000, run: () => expirePayments(deps) },
    { name: 'payments.attempts', everyMs: 1_000, run: () => followAttempts(deps) },
    { name: 'payments.credits', everyMs: 1_000, run: () => readBanks(deps) },
    ...(deps.crypto.length === 0 ? [] : cryptoSweeps(deps)),
  ];
}

function cryptoSweeps(deps: PaymentDeps): Sweep[] {
  return [createDepositSweep(deps), { name: walletSweep, everyMs: 1_000, run: () => followWalletTransactions(deps) }];
}

async function followAttempts(deps: PaymentDeps): Promise<number> {
  if (deps.rails.card === null) return 0;
  const rail = cardRail(deps);
  const attempts = await claimDueAttempts(deps.db, deps.clock.now(), 20);
  return await runEach(attempts, async attempt => {
    const merchant = await deps.findMerchant(attempt.merchant_id);
    const now = merchantNow(merchant, attempt.livemode, deps.clock.now());
    const key = { merchantId: attempt.merchant_id, paymentId: attempt.payment_id };
    const payment = await findPayment(deps.db, key);
    // The payment was paid another way: the card must not be charged as well.
    if (payment?.status !== 'pending') await giveUpOpenAttempt(deps, { merchant, now }, key.paymentId);
    await askRail(deps, rail, merchant, attempt, now);
  });
}

async function readBanks(deps: PaymentDeps): Promise<number> {
  let read = 0;
  await runEach(deps.rails.banks, async rail => {
    read += await receiveCredits(deps, rail);
  });
  return read;
}
