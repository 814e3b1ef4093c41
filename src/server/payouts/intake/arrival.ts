import type { Rails } from '../../rails/rails.ts';
import { sendingBy } from '../destinations/route.ts';
import type { BatchRow } from '../tables.ts';
import type { BatchPlan } from './batch-plan.service.ts';

/**
 * When the last payout of a plan arrives if each is sent in time. Null if not known: the batch waits for an approval,
 * has no payouts (it is recurring, or all rows were refused), or has a payout without a rail.
 */
export function arrivalOf(rails: Rails['payouts'], { batch, payouts }: BatchPlan): Date | null {
  if (payouts.length === 0 || batch.status === 'awaiting_approval') return null;
  const start = startOf(batch);
  const used = [...new Set(payouts.map(({ rail }) => rail))];
  const times = used.map(rail => sendingBy(rails, rail)?.etaOf(start) ?? null);
  if (times.some(time => time === null)) return null;
  return new Date(Math.max(...times.map(time => time?.getTime() ?? 0)));
}

const startOf = ({ due_at: due, created_at: now }: BatchRow): Date => (due !== null && due > now ? due : now);
