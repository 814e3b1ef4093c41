import { arrivalOf, isBankDay } from '../../../core/bank/bank-days.ts';
import { bankRails } from '../../../core/bank/rails.ts';
import type { Clock } from '../../../core/clock.ts';
import type { SendOrder, SendOutcome } from '../../outbound/sender.ts';
import type { Db } from '../../platform/db/database.ts';
import { feedPage, type PayoutRail } from '../rail.ts';
import { returnsAfter } from './answers/bank-return.store.ts';
import { type FileRailId, mostPerPayment } from './bank-file.ts';
import { findBankOrders, insertBankOrders } from './bank-order.store.ts';
import { newBankOrder, outcomeOf } from './bank-order.ts';
import { payableCurrency } from './bank-route.ts';

/** Name of the sweep that puts orders into files and sends the files. */
export const bankFileSweep = 'bank.files';

interface FileRailDeps {
  readonly db: Db;
  /** The server's clock, because bank files do not follow test clocks. */
  readonly clock: Clock;
  readonly rail: FileRailId;
  readonly livemode: boolean;
  readonly wake: (sweep: string) => void;
}

/**
 * A payout rail that sends its orders to a bank in files. `send` only stores an order. The sweep `bank.files` sends
 * the order, and the bank's answers decide its outcome. Where no money is real, the rail pays every currency.
 */
export function createBankFileRail(deps: FileRailDeps): PayoutRail {
  const { db, rail, livemode } = deps;
  return {
    id: rail,
    // The bank rail with the same id sends refunds, and has the lane without the prefix.
    lane: `payout:${rail}`,
    livemode,
    type: 'bank_account',
    currencyFor: (destination, currency) => payableCurrency(rail, destination, currency, !livemode),
    etaOf: now => arrivalOf(rail, now),
    mostOf: () => mostPerPayment[rail],
    paysOn: day => isBankDay(bankRails[rail].times.calendar, day),
    send: orders => takeOrders(deps, orders),
    status: ids => statesOf(deps, ids),
    returnsTable: 'bank_returns',
    findReturns: async (cursor, limit) => {
      const rows = await returnsAfter(db, rail, feedPage(cursor, limit));
      const returns = rows.map(row => ({
        merchantId: row.merchant_id,
        orderId: row.order_id,
        amount: row.amount,
        code: row.code,
        message: row.message,
      }));
      return { returns, cursor: rows.at(-1)?.position?.toString() ?? cursor };
    },
  };
}

async function takeOrders(deps: FileRailDeps, orders: readonly SendOrder[]): Promise<readonly SendOutcome[]> {
  if (orders.length === 0) return [];
  const { db, rail, livemode, clock, wake } = deps;
  const now = clock.now();
  const isPayable = ({ destination, currency }: SendOrder) =>
    destination !== null && payableCurrency(rail, destination, currency, !livemode) === currency;
  await insertBankOrders(
    db,
    orders.map(order => newBankOrder(rail, order, isPayable(order), now)),
  );
  wake(bankFileSweep);
  const outcomes = await statesOf(
    deps,
    orders.map(({ id }) => id),
  );
  return outcomes.map(outcome => outcome ?? { state: 'unknown' });
}

async function statesOf({ db, rail }: FileRailDeps, ids: readonly string[]): Promise<readonly (SendOutcome | null)[]> {
  const rows = new Map((await findBankOrders(db, rail, ids)).map(row => [row.id, row]));
  return ids.map(id => {
    const row = rows.get(id);
    return row === undefined ? null : outcomeOf(row);
  });
}
