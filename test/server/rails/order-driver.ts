import { addSeconds } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import type { SendOrder, SendOutcome } from '../../../src/server/outbound/sender.ts';
import type { PayoutRail } from '../../../src/server/rails/rail.ts';

export const start = new Date('2026-11-20T12:00:00Z');

/** An order to pay 12.00 to a number of the mobile-money operator. */
export function orderOf(provider: string, currency: string, changes: Partial<SendOrder> = {}): SendOrder {
  const number = provider === 'mpesa' ? '+254712345678' : '+233241234567';
  return {
    id: newId('outboundTransfer'),
    merchantId: newId('account'),
    original: null,
    amount: 1_200n,
    now: start,
    currency,
    destination: { type: 'mobile_money', provider, number },
    ...changes,
  };
}

/**
 * Sends an order as the outbound sender does. Later steps ask for the state, and send again when it is unknown. Each
 * step uses its own rail, like another process. Returns all outcomes.
 */
export async function carryOut(
  railAt: (step: number) => PayoutRail,
  order: SendOrder,
  options: { readonly steps?: number; readonly betweenSteps?: (step: number) => Promise<unknown> } = {},
): Promise<SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  for (let step = 0; step < (options.steps ?? 12); step++) {
    const rail = railAt(step);
    const now = addSeconds(order.now, step * 60);
    const known = step === 0 ? null : await one(rail.status([order.id], now));
    const outcome = known !== null && known.state !== 'unknown' ? known : await one(rail.send([{ ...order, now }]));
    if (outcome === null) throw new Error('a sent order has no outcome');
    outcomes.push(outcome);
    if (outcome.state === 'completed' || outcome.state === 'failed') break;
    await options.betweenSteps?.(step);
  }
  return outcomes;
}

async function one<Outcome>(answer: Promise<readonly Outcome[]>): Promise<Outcome> {
  const [outcome, ...others] = await answer;
  if (outcome === undefined || others.length > 0) throw new Error('not one outcome for one order');
  return outcome;
}
