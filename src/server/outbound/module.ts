import { defineModule } from '../platform/module.ts';
import { createBookSweep, type Outbound } from './outbound.service.ts';
import { findOverdueOutbound } from './outbound.store.ts';
import { createSendSweep, type SendDeps, sendSweep } from './send.service.ts';

interface Deps extends Omit<SendDeps, 'bookEnded' | 'tellProgress' | 'wake'> {
  readonly outbound: Outbound;
  readonly wake: (sweep: string) => void;
}

/** The queue of outbound transfers: refunds, returns, settlements, payouts and withdrawals. */
export const outbound = defineModule<Deps>({
  name: 'outbound',
  tables: ['outbound_transfers'],
  overdue: { outbound: findOverdueOutbound },
  sweeps: ({ outbound: { tellProgress, bookEnded, failingPlans }, db, clock, senders, log, wake }) => [
    createSendSweep({ db, clock, log, senders, bookEnded, tellProgress, wake: () => wake(sendSweep) }),
    { ...createBookSweep(bookEnded), failing: failingPlans },
  ],
});
