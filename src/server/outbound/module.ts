import { defineModule } from '../platform/module.ts';
import { type BookingDeps, createBookSweep } from './outbound.service.ts';
import { findOverdueOutbound } from './outbound.store.ts';
import { createRailSendSweep, type RailSendDeps } from './rail-send.service.ts';

interface Deps extends Omit<RailSendDeps, 'purposes'> {
  readonly outboundPurposes: BookingDeps['purposes'];
}

/** The queue of money that leaves for the registered purposes: refunds, returns, settlements. */
export const outbound = defineModule<Deps>({
  name: 'outbound',
  tables: ['outbound_transfers'],
  overdue: { outbound: findOverdueOutbound },
  sweeps: ({ outboundPurposes: purposes, db, clock, rails }) => [
    createRailSendSweep({ db, clock, rails, purposes }),
    createBookSweep({ db, clock, purposes }),
  ],
});
