import { createHash } from 'node:crypto';
import { arrivalOf, executionDayOf } from '../../../core/bank/bank-days.ts';
import { addSeconds, type Clock } from '../../../core/clock.ts';
import { newId } from '../../../core/id.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { runEach, type Sweep } from '../../platform/jobs/sweeper.ts';
import type { FileExchange } from '../file-exchange.ts';
import { bankInboxSweep } from './answers/answer-inbox.service.ts';
import { claimFiles, countFiles, handingOver, insertBankFile, markSent } from './bank-file.store.ts';
import {
  fileOrders,
  findWaiting,
  lockWaiting,
  settleOn,
  type WaitingOrders,
  waitingOrders,
} from './bank-order.store.ts';
import { bankFileSweep } from './file-rail.ts';
import type { FileWriter } from './file-writers.ts';
import { mostPerAchFile } from './nacha.ts';
import type { BankOrderRow } from './tables.ts';

export interface FileOutDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly wake: (sweep: string) => void;
  readonly exchange: FileExchange;
  readonly writers: readonly FileWriter[];
  /** Seconds for which an order waits for other orders. Shortly before a cut-off, it does not wait. */
  readonly pauseSeconds: number;
  readonly mostPayments: number;
}

const leaseSeconds = 60;
const mostFilesAtOnce = 10;

/** Puts orders into files, stores each file with its orders in one transaction, and then sends it to the bank. */
export function createBankFileSweep(deps: FileOutDeps): Sweep {
  return {
    name: bankFileSweep,
    due: [handingOver, waitingOrders],
    run: async () => {
      const ready = (await findWaiting(deps.db)).filter(waiting => isReady(deps, waiting));
      let done = 0;
      // A rail whose file cannot be written stops no other rail, and no file that is already stored.
      const steps = [...ready.map(waiting => () => compose(deps, waiting)), () => handOver(deps)];
      await runEach(steps, async step => {
        done += await step();
      });
      return done;
    },
  };
}

/** Whether to make a file now: the orders fill a file, have waited long enough, or would miss the rail's cut-off. */
function isReady({ clock, pauseSeconds, mostPayments }: FileOutDeps, { rail, count, oldest }: WaitingOrders): boolean {
  const now = clock.now();
  const isLate = executionDayOf(rail, addSeconds(now, pauseSeconds)) !== executionDayOf(rail, now);
  return count >= mostPayments || addSeconds(oldest, pauseSeconds) <= now || isLate;
}

/** Puts waiting orders into a file. Returns the number of filed orders. */
async function compose(deps: FileOutDeps, waiting: WaitingOrders): Promise<number> {
  const writer = deps.writers.find(({ rail }) => rail === waiting.rail);
  // Without a configured account of the rail, the orders wait.
  if (writer === undefined) return 0;
  return await deps.db.transaction().execute(async tx => {
    const orders = ordersOfOneFile(await lockWaiting(tx, waiting, deps.mostPayments));
    if (orders.length === 0) return 0;
    await writeFile(tx, writer, orders, deps.clock.now());
    return orders.length;
  });
}

/** The first orders whose total fits into one file. */
function ordersOfOneFile(orders: readonly BankOrderRow[]): readonly BankOrderRow[] {
  let sum = 0n;
  const end = orders.findIndex(({ rail, amount }) => {
    sum += amount;
    return rail === 'ach' && sum > mostPerAchFile;
  });
  return end === -1 ? orders : orders.slice(0, end);
}

async function writeFile(tx: Tx, writer: FileWriter, orders: readonly BankOrderRow[], now: Date): Promise<void> {
  const { rail } = writer;
  const id = newId('bankFile');
  const midnight = new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`);
  const earlierToday = await countFiles(tx, rail, midnight);
  const content = writer.write({ id, createdAt: now, payments: orders, earlierToday });
  await insertBankFile(tx, {
    id,
    rail,
    content,
    payments: orders.length,
    state: 'composed',
    due_at: now,
    created_at: now,
    name: `${rail}-${id}.${writer.extension}`,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  const ids = orders.map(order => order.id);
  await fileOrders(tx, rail, ids, id);
}

async function handOver({ db, clock, exchange, wake }: FileOutDeps): Promise<number> {
  const files = await claimFiles(db, { now: clock.now(), limit: mostFilesAtOnce, leaseSeconds });
  await runEach(files, async file => {
    await exchange.put(file.name, file.content);
    await db.transaction().execute(async tx => {
      if (!(await markSent(tx, file)) || file.rail !== 'ach') return;
      // NACHA reports only returns. An order without a return therefore counts as paid after its expected arrival.
      await settleOn(tx, file.id, arrivalOf(file.rail, clock.now()));
    });
  });
  if (files.length > 0) wake(bankInboxSweep);
  return files.length;
}
