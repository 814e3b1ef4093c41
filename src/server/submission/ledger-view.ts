import type { IngestedLedger, StellarSubmission } from '../stellar/network.ts';
import type { FeeMarket } from './fee.ts';

/** The newest ledger and what it charges, as of a moment ago. */
export interface LedgerView {
  read(): Promise<{ readonly ledger: IngestedLedger; readonly market: FeeMarket }>;
}

/** Shorter than a ledger takes on any real network. */
const holdMs = 2_000;

/**
 * Asks at most every few moments: many transactions are built in one ledger, and a bound that begins a ledger earlier
 * is as good.
 */
export function createLedgerView(network: Pick<StellarSubmission, 'latestLedger' | 'fees'>): LedgerView {
  let held: { readonly at: number; readonly view: ReturnType<LedgerView['read']> } | null = null;
  return {
    read: () => {
      const now = performance.now();
      if (held === null || now - held.at >= holdMs) {
        const view = Promise.all([network.latestLedger(), network.fees()]).then(([ledger, market]) => ({
          ledger,
          market,
        }));
        held = { at: now, view };
        view.catch(() => {
          held = null;
        });
      }
      return held.view;
    },
  };
}
