import { PayError } from '../../../core/error.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { merchantNow } from '../../platform/merchant.ts';
import type { CardRail } from '../../rails/card-rail.ts';
import { findLastAttempt } from '../attempts/attempt.store.ts';
import { assertDisputable, closeDispute, openDispute } from '../disputes/dispute.service.ts';
import { findReported, isDisputed } from '../disputes/dispute.store.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { findTransfer } from '../transfer.store.ts';

/** The rail's reference of a dispute, and the merchant of its charge. */
interface ReportedDispute {
  readonly merchantId: string;
  readonly reference: string;
}

/**
 * Asks the rail about a dispute, and books its state: opens a new dispute, closes a decided one. Throws `illegal_state`
 * while the disputed charge is not booked, and the errors of `openDispute`.
 */
export async function followDispute(
  deps: PaymentDeps,
  rail: CardRail,
  { merchantId, reference }: ReportedDispute,
): Promise<void> {
  const now = merchantNow(await deps.findMerchant(merchantId), rail.livemode, deps.clock.now());
  const found = await rail.findDispute(reference, now);
  if (found === null) throw new PayError('illegal_state', `The card rail ${rail.id} does not know the dispute.`);
  const { charge, outcome, ...dispute } = found;
  const key = { rail: rail.id, railReference: reference };
  if ((await findReported(deps.db, merchantId, key)) === null) {
    const paymentId = (await findTransfer(deps.db, merchantId, rail.id, charge))?.payment_id ?? null;
    if (paymentId === null) throw new PayError('illegal_state', 'The disputed charge is not booked.');
    const report = { ...key, ...dispute };
    await deps.db.transaction().execute(tx => openDispute(deps, tx, { merchantId, paymentId }, report, now));
  }
  if (outcome === 'open') return;
  const opened = await findReported(deps.db, merchantId, key);
  if (opened === null) throw new Error(`the dispute ${reference} was not stored`);
  await deps.db.transaction().execute(tx => closeDispute(deps, tx, opened, outcome, now));
}

/** A charge for the simulated dispute. */
interface DisputableCharge {
  readonly rail: string;
  readonly railReference: string;
}

/**
 * The card charge of a payment that its cardholder may dispute. `amount` is in minor units; null means the whole charge.
 * Throws `illegal_state` for a payment without a card charge, and for an amount that is disputed already.
 */
export async function findDisputable(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
  amount: bigint | null,
): Promise<DisputableCharge> {
  const payment = await readPayment(deps, caller, paymentId, 'payment');
  const key = { merchantId: caller.merchant.id, paymentId: payment.id };
  const attempt = await findLastAttempt(deps.db, key.merchantId, key.paymentId);
  if (attempt?.state !== 'captured' || attempt.rail_reference === null) {
    throw new PayError('illegal_state', 'Only a payment that was paid by card can be disputed.', { param: 'payment' });
  }
  const { rail, rail_reference: railReference } = attempt;
  const charged = attempt.capture_amount ?? attempt.amount;
  const disputed = amount === null || amount > charged ? charged : amount;
  if (!(await isDisputed(deps.db, key, rail))) assertDisputable(payment, disputed);
  return { rail, railReference };
}
