import * as treasurySchemas from '../../../api/treasury.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import type { Gauge } from '../../platform/metrics.ts';
import { defineModule, schemasIn } from '../../platform/module.ts';
import { treasuryEvents } from './treasury-sample.ts';

interface Deps {
  /** The service's money on Stellar, as the composition root puts it together. */
  readonly money: {
    readonly sweeps: readonly Sweep[];
    readonly gauges: readonly Gauge[];
    readonly remarks: () => readonly string[];
  };
}

/** The treasury: what leaves it, and what the operator should know of it. */
export const treasury = defineModule<Deps>({
  name: 'treasury',
  tables: [
    ...['outgoing_transfers', 'stellar_envelopes', 'stellar_envelope_hashes', 'stellar_envelope_transfers'],
    ...['channel_accounts', 'treasury_balances'],
  ],
  schemas: schemasIn(treasurySchemas),
  events: treasuryEvents,
  sweeps: ({ money }) => money.sweeps,
  gauges: ({ money }) => money.gauges,
  remarks: ({ money }) => money.remarks(),
});
