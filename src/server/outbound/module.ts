import type { Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule } from '../platform/module.ts';
import { createBuildSweep } from './build.service.ts';
import type { CarrierSender } from './carrier.ts';
import { createFollowSweep } from './follow.service.ts';
import { bookSweep, createBookSweep, type Outbound } from './outbound.service.ts';
import { findOverdueOutbound, outboundErasure } from './outbound.store.ts';
import { createSendSweep, type SendDeps } from './send.service.ts';
import { type Sender, sendSweep } from './sender.ts';

export interface OutboundSweepDeps extends Pick<SendDeps, 'db' | 'clock' | 'log'> {
  readonly outbound: Pick<Outbound, 'tellProgress' | 'bookEnded' | 'failingPlans'>;
  readonly senders: readonly (Sender | CarrierSender)[];
  readonly wake: (sweep: string) => void;
}

/** The sweeps that send queued transfers and book ended ones. A lane with carriers has two sweeps of its own. */
export function outboundSweeps({ outbound, senders, ...deps }: OutboundSweepDeps): Sweep[] {
  const { tellProgress, bookEnded, failingPlans } = outbound;
  const onEnded = () => deps.wake(bookSweep);
  const sending = { ...deps, tellProgress, bookEnded, wake: () => deps.wake(sendSweep) };
  const carrying = senders.flatMap(sender => ('build' in sender ? [{ ...deps, sender, tellProgress, onEnded }] : []));
  return [
    createSendSweep({ ...sending, senders: senders.flatMap(sender => ('send' in sender ? [sender] : [])) }),
    { ...createBookSweep(bookEnded), failing: failingPlans },
    ...carrying.flatMap(each => [createBuildSweep(each), createFollowSweep(each)]),
  ];
}

/** The queue of outbound transfers: refunds, returns, settlements, payouts and withdrawals. */
export const outbound = defineModule<OutboundSweepDeps>({
  name: 'outbound',
  tables: ['outbound_transfers', 'carriers', 'carrier_claims', 'carrier_hashes', 'carrier_transfers'],
  erasures: () => [outboundErasure],
  overdue: { outbound: findOverdueOutbound },
  sweeps: outboundSweeps,
});
