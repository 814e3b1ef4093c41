import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import { defineModule } from '../../platform/module.ts';
import type { FileExchange } from '../file-exchange.ts';
import { createBankInboxSweep } from './file-in.service.ts';
import { createBankFileSweep } from './file-out.service.ts';
import type { FileWriter } from './file-writers.ts';

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly wake: (sweep: string) => void;
  /** How files are made and exchanged. Null if no bank is connected. */
  readonly bankFiles: {
    readonly exchange: FileExchange;
    readonly writers: readonly FileWriter[];
    readonly pauseSeconds: number;
    readonly mostPayments: number;
  } | null;
}

/** Payouts that reach the bank in files: SEPA, SWIFT and ACH. */
export const bankFiles = defineModule<Deps>({
  name: 'bankFiles',
  tables: ['bank_orders', 'bank_files', 'bank_answers', 'bank_return_positions'],
  sweeps: ({ bankFiles: parts, ...deps }) =>
    parts === null ? [] : [createBankFileSweep({ ...deps, ...parts }), createBankInboxSweep({ ...deps, ...parts })],
});
