import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { createLedger, type Ledger } from '../core/ledger.ts';
import { readEntries } from './ledger.store.ts';
import type { LedgerAccess } from './ledger-access.ts';
import type { LedgerStep } from './ledger-keeper.ts';

/** A second view of the ledger, some ledgers behind the newest. The fault `stale` shows this view. */
export interface StaleView {
  /**
   * The ledger that is `distance` ledgers behind the newest. The view starts at the newest ledger and never goes back.
   */
  behind(distance: number): Promise<Ledger>;
  /** Ends the view. The next `behind` starts a new view. */
  reset(): void;
}

interface View {
  readonly ledger: Ledger;
  readonly ahead: LedgerStep[];
  stop(): void;
}

/** Makes a stale view. It uses no memory before its first use. */
export function createStaleView(access: Pick<LedgerAccess, 'exclusively' | 'current' | 'onStep'>): StaleView {
  let view: Promise<View> | null = null;

  function reset(): void {
    void view?.then(({ stop }) => stop());
    view = null;
  }

  async function begin(): Promise<View> {
    return await access.exclusively(async ({ tx, ledger: { header } }) => {
      const ledger = createLedger({ networkPassphrase: testPassphrase, header, entries: await readEntries(tx) });
      const ahead: LedgerStep[] = [];
      const stop = access.onStep(step => {
        if (step === null) reset();
        else ahead.push(step);
      });
      return { ledger, ahead, stop };
    });
  }

  return {
    behind: async distance => {
      view ??= begin();
      const { ledger, ahead } = await view;
      const { header } = await access.current();
      while (ahead[0] !== undefined && ahead[0].header.sequence <= header.sequence - distance) {
        const step = ahead.shift();
        if (step !== undefined) ledger.load(step);
      }
      return ledger;
    },
    reset,
  };
}
