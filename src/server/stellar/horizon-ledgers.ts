import type { HorizonClient } from './horizon-client.ts';
import { type IngestedLedger, type StellarSubmission, StellarUnavailable } from './network.ts';

/** Reads the newest ledger and what ledgers charge from a Horizon. */
export function createHorizonLedgers(client: HorizonClient): Pick<StellarSubmission, 'latestLedger' | 'fees'> {
  return {
    latestLedger: () => newestLedger(client),
    fees: async () => {
      const stats = await client.get('fee_stats');
      if (stats === null) throw new StellarUnavailable('Horizon has no fee statistics');
      return {
        base: stats.bigint('last_ledger_base_fee'),
        usual: stats.record('max_fee').bigint('p95'),
      };
    },
  };
}

/** The newest ledger that Horizon has taken in, and in stroops what it asks accounts to keep for each entry. */
export async function newestLedger(client: HorizonClient): Promise<IngestedLedger & { readonly baseReserve: bigint }> {
  const [ledger] = await client.list('ledgers', { order: 'desc', limit: 1 });
  if (ledger === undefined) throw new StellarUnavailable('Horizon has taken in no ledger yet');
  return {
    sequence: ledger.integer('sequence'),
    closedAt: ledger.time('closed_at'),
    baseReserve: ledger.bigint('base_reserve_in_stroops'),
  };
}
