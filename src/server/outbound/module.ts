import { defineModule } from '../platform/module.ts';
import { createBookSweep, type Outbound } from './outbound.service.ts';
import { findOverdueOutbound } from './outbound.store.ts';
import { createPayoutSendSweep, payoutSendSweep } from './payout-send.service.ts';
import { createRailSendSweep, type RailSendDeps } from './rail-send.service.ts';

interface Deps extends Omit<RailSendDeps, 'bookEnded'> {
  readonly outbound: Outbound;
  readonly wake: (sweep: string) => void;
}

/** The queue of outbound transfers: refunds, returns, settlements, payouts and withdrawals. */
export const outbound = defineModule<Deps>({
  name: 'outbound',
  tables: ['outbound_transfers'],
  overdue: { outbound: findOverdueOutbound },
  sweeps: ({ outbound: { tellProgress, bookEnded }, db, clock, rails, log, wake }) => [
    createRailSendSweep({ db, clock, log, rails, bookEnded }),
    createPayoutSendSweep({
      db,
      clock,
      log,
      rails: rails.payouts,
      bookEnded,
      tellProgress,
      wake: () => wake(payoutSendSweep),
    }),
    createBookSweep(bookEnded),
  ],
});
