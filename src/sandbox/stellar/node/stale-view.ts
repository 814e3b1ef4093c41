import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { createLedger, type Ledger } from '../core/ledger.ts';
import { readEntries } from './ledger.store.ts';
import type { LedgerDesk } from './ledger-access.ts';
import type { LedgerStep } from './ledger-keeper.ts';

/** The network as a server shows it whose view lies behind. */
export interface Laggard {
  /** The ledger `distance` behind the newest; the one at which this began to lag where that is not so far behind yet. */
  behind(distance: number): Promise<Ledger>;
  /** Ends the lagging; the next `behind` begins anew. */
  catchUp(): void;
}

interface Lag {
  readonly ledger: Ledger;
  readonly ahead: LedgerStep[];
  stop(): void;
}

/** Makes a second view of the network. It costs nothing until it is asked for. */
export function createLaggard(desk: Pick<LedgerDesk, 'exclusively' | 'current' | 'onStep'>): Laggard {
  let lag: Promise<Lag> | null = null;

  function catchUp(): void {
    void lag?.then(({ stop }) => stop());
    lag = null;
  }

  async function begin(): Promise<Lag> {
    return await desk.exclusively(async ({ tx, ledger: { header } }) => {
      const ledger = createLedger({ networkPassphrase: testPassphrase, header, entries: await readEntries(tx) });
      const ahead: LedgerStep[] = [];
      const stop = desk.onStep(step => {
        if (step === null) catchUp();
        else ahead.push(step);
      });
      return { ledger, ahead, stop };
    });
  }

  return {
    behind: async distance => {
      lag ??= begin();
      const { ledger, ahead } = await lag;
      const { header } = await desk.current();
      while (ahead[0] !== undefined && ahead[0].header.sequence <= header.sequence - distance) {
        const step = ahead.shift();
        if (step !== undefined) ledger.load(step);
      }
      return ledger;
    },
    catchUp,
  };
}
