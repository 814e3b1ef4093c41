import type { Sweep } from '../jobs/sweeper.ts';
import { merchantNow } from '../merchants/merchant.ts';
import { claimDueAttempts } from './attempt.store.ts';
import { receiveCredits } from './payment-bank.service.ts';
import { askRail, cardRail } from './payment-card.service.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { expirePayments } from './payment-lifecycle.service.ts';
import { refundSweep, sendRefunds } from './refund.service.ts';

/** What time does to payments: sessions end, rails are asked, credits are read, refunds are sent. */
export function paymentSweeps(deps: PaymentDeps): Sweep[] {
  return [
    { name: 'payments.expire', everyMs: 1_000, run: () => expirePayments(deps) },
    { name: 'payments.attempts', everyMs: 1_000, run: () => followAttempts(deps) },
    { name: refundSweep, everyMs: 1_000, run: () => sendRefunds(deps) },
    { name: 'payments.credits', everyMs: 1_000, run: () => readBanks(deps) },
  ];
}

async function followAttempts(deps: PaymentDeps): Promise<number> {
  if (deps.rails.card === null) return 0;
  const rail = cardRail(deps);
  const attempts = await claimDueAttempts(deps.db, deps.clock.now(), 20);
  for (const attempt of attempts) {
    const merchant = await deps.findMerchant(attempt.merchant_id);
    await askRail(deps, rail, merchant, attempt, merchantNow(merchant, false, deps.clock.now()));
  }
  return attempts.length;
}

async function readBanks(deps: PaymentDeps): Promise<number> {
  let read = 0;
  for (const rail of deps.rails.banks) read += await receiveCredits(deps, rail);
  return read;
}
