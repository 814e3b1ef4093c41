import type { Sweep } from '../platform/jobs/sweeper.ts';
import { bookClawbacks, type ClawbackDeps } from './clawback.service.ts';
import { bookEndedSettlements, type SettlementDeps, settleDue } from './settlement.service.ts';

/** The sweep that hands over what is due to be settled. */
export const settlementSweep = 'settlements';
/** The sweep that books settlements which have ended. */
export const settledSweep = 'settlements.ended';

/** What is followed of the treasury besides: money that issuers take back. */
export function clawbackSweep(deps: ClawbackDeps): Sweep {
  return { name: 'treasury.clawbacks', everyMs: 30_000, run: () => bookClawbacks(deps) };
}

/** What time does to settlements: what is due is handed over, what has ended is booked. */
export function settlementSweeps(deps: SettlementDeps): Sweep[] {
  return [
    { name: settlementSweep, everyMs: 250, run: () => settleDue(deps) },
    { name: settledSweep, everyMs: 1_000, run: () => bookEndedSettlements(deps) },
  ];
}
