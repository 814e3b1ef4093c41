import { addSeconds } from '../../../core/clock.ts';
import type { Rails } from '../../rails/rails.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { ledgerSeconds } from '../sending/payout-plan.service.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';
import type { BatchPlan } from './batch-plan.service.ts';

/**
 * When the last payout of a plan arrives if each is sent in time. Null if not known: the batch waits for an approval,
 * has no payouts (it is recurring, or all rows were refused), or has a payout without a rail.
 */
export function arrivalOf(rails: Rails['payouts'], { batch, payouts }: BatchPlan): Date | null {
  if (payouts.length === 0 || batch.status === 'awaiting_approval') return null;
  const start = startOf(batch);
  const used = [...new Set(payouts.map(({ rail }) => rail))];
  const times = used.map(rail => timeOf(rails, rail, start));
  if (times.some(time => time === null)) return null;
  return new Date(Math.max(...times.map(time => time?.getTime() ?? 0)));
}

const startOf = ({ due_at: due, created_at: now }: BatchRow): Date => (due !== null && due > now ? due : now);

function timeOf(rails: Rails['payouts'], id: PayoutRow['rail'], start: Date): Date | null {
  if (id === treasuryRail) return addSeconds(start, ledgerSeconds);
  return rails.find(rail => rail.id === id)?.etaOf(start) ?? null;
}
