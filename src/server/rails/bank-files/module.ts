import * as bankAnswerSchemas from '../../../api/dashboard/bank-answer.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Log } from '../../platform/jobs/sweeper.ts';
import { defineModule, schemasIn } from '../../platform/module.ts';
import type { FileExchange } from '../file-exchange.ts';
import { createBankInboxSweep } from './answers/answer-inbox.service.ts';
import { type BankAnswerRouteDeps, registerBankAnswerRoutes } from './answers/bank-answer.routes.ts';
import { countOpenAsides, findOpenAsides } from './answers/bank-answer.store.ts';
import { bankOrderErasure } from './bank-order.store.ts';
import { createBankFileSweep } from './file-out.service.ts';
import type { FileWriter } from './file-writers.ts';

interface Deps extends BankAnswerRouteDeps {
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

const { BankAnswer } = bankAnswerSchemas;

/** Payouts that reach the bank in files: SEPA, SWIFT and ACH. */
export const bankFiles = defineModule<Deps>({
  name: 'bankFiles',
  tables: ['bank_orders', 'bank_files', 'bank_answers', 'bank_returns', 'bank_return_positions', 'put_aside_answers'],
  schemas: schemasIn({ BankAnswer }),
  tags: { 'Bank answers': 'Answers of the banks that changed nothing, for the operator.' },
  attention: {
    bank_answers_put_aside: { url: '/v1/bank-answers?handled=false', count: countOpenAsides },
  },
  erasures: () => [bankOrderErasure],
  overdue: { bank_answer: findOpenAsides },
  routes: registerBankAnswerRoutes,
  sweeps: ({ bankFiles: parts, ...deps }) =>
    parts === null ? [] : [createBankFileSweep({ ...deps, ...parts }), createBankInboxSweep({ ...deps, ...parts })],
});
