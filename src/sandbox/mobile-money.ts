import { addSeconds } from '../core/clock.ts';
import { randomText } from '../core/id.ts';
import { leastOfOperator, mostOfOperator } from '../core/mobile-money/markets.ts';
import type { SendOrder, SendOutcome } from '../server/outbound/sender.ts';
import type { Db } from '../server/platform/db/database.ts';
import { feedPage, type PayoutRail } from '../server/rails/rail.ts';
import {
  findMobileTransfers,
  insertMobileReturn,
  insertMobileTransfers,
  type MobileTransferRow,
  mobileReturnsAfter,
} from './mobile-money.store.ts';
import { type SandboxDb, sandboxDb } from './sandbox-tables.ts';

/**
 * The mobile-money operators of test mode. Each operator is a rail that pays only its own wallets, in every currency.
 */
export const sandboxMobileProviders = ['mtn', 'mpesa', 'airtel', 'orange', 'wave'] as const;

interface MobileMoneyDeps {
  readonly db: Db;
  readonly rail: (typeof sandboxMobileProviders)[number];
}

/** How the operator treats a number. `seconds`: time from the order until the outcome is known. */
interface Behavior {
  readonly seconds: number;
  readonly code: MobileFailure | null;
  readonly returns: boolean;
}

const failures = {
  recipient_not_found: 'The number has no account at the operator.',
  provider_error: 'The operator could not carry out the transfer.',
} as const;

type MobileFailure = keyof typeof failures;

const usual: Behavior = { seconds: 1, code: null, returns: false };

/**
 * Behaviors by the last three digits of the number. 089 and 119 fail. 129 stays pending for a minute and is then paid.
 * For 139, the money is paid and then returned. All other numbers are paid. 089, 119 and 129 are test numbers of
 * pawaPay.
 */
const behaviors: Readonly<Record<string, Behavior>> = {
  '089': { ...usual, code: 'recipient_not_found' },
  '119': { ...usual, code: 'provider_error' },
  '129': { ...usual, seconds: 60 },
  '139': { ...usual, returns: true },
};

/** A mobile-money operator for test mode. It accepts each payable order. The recipient's number decides the outcome. */
export function createSandboxMobileMoney({ db: database, rail }: MobileMoneyDeps): PayoutRail {
  const db = sandboxDb(database);
  return {
    id: rail,
    lane: `payout:${rail}`,
    livemode: false,
    type: 'mobile_money',
    currencyFor: (destination, currency) => (isOwn(rail, destination) ? currency : null),
    etaOf: now => addSeconds(now, usual.seconds),
    leastOf: currency => leastOfOperator(rail, currency),
    mostOf: currency => mostOfOperator(rail, currency),
    send: orders => takeOrders(db, rail, orders),
    status: (orderIds, now) => statesOf(db, rail, orderIds, now),
    returnsTable: 'sandbox.mobile_returns',
    findReturns: (cursor, limit) => findReturns(db, rail, cursor, limit),
  };
}

function isOwn(rail: string, { type, provider }: Readonly<Record<string, string>>): boolean {
  return type === 'mobile_money' && provider === rail;
}

async function takeOrders(db: SandboxDb, rail: string, orders: readonly SendOrder[]): Promise<SendOutcome[]> {
  const payable = orders.filter(order => refusalOf(rail, order) === null);
  await insertMobileTransfers(
    db,
    payable.map(order => transferOf(rail, order)),
  );
  const rows = await rowsOf(db, rail, orders);
  return await Promise.all(
    orders.map(async order => {
      const row = rows.get(order.id);
      return row === undefined ? (refusalOf(rail, order) ?? { state: 'unknown' }) : await outcomeOf(db, row, order.now);
    }),
  );
}

async function statesOf(db: SandboxDb, rail: string, orderIds: readonly string[], now: Date) {
  const ids = orderIds.map(id => ({ id }));
  const rows = await rowsOf(db, rail, ids);
  return await Promise.all(
    orderIds.map(async id => {
      const row = rows.get(id);
      return row === undefined ? null : await outcomeOf(db, row, now);
    }),
  );
}

async function rowsOf(db: SandboxDb, rail: string, orders: readonly Pick<SendOrder, 'id'>[]) {
  const ids = orders.map(({ id }) => id);
  return new Map((await findMobileTransfers(db, rail, ids)).map(row => [row.order_id, row]));
}

/** The refusal of an order that the operator does not store. Null for a payable order. */
function refusalOf(rail: string, { amount, destination }: SendOrder): SendOutcome | null {
  const code = 'provider_error';
  if (amount <= 0n) return { state: 'failed', code, message: 'The amount must be at least one unit.' };
  if (!isOwn(rail, destination ?? {}))
    return { state: 'failed', code, message: 'The operator pays its own wallets only.' };
  if (destination?.['number'] !== undefined) return null;
  return { state: 'failed', code: 'recipient_not_found', message: 'The order contains no phone number.' };
}

function transferOf(rail: string, order: SendOrder): MobileTransferRow {
  const number = order.destination?.['number'] ?? '';
  const { seconds, code, returns } = behaviorOf(number);
  return {
    rail,
    order_id: order.id,
    id: `sbx_mm_${randomText(22)}`,
    merchant_id: order.merchantId,
    number,
    amount: order.amount,
    currency: order.currency,
    outcome: code === null ? 'completed' : 'failed',
    settles_at: addSeconds(order.now, seconds),
    code,
    returns,
    created_at: order.now,
  };
}

function behaviorOf(number: string): Behavior {
  const suffix = number.replace(/\D/g, '').slice(-3);
  return (Object.hasOwn(behaviors, suffix) ? behaviors[suffix] : undefined) ?? usual;
}

/** The outcome at `now`. Books the return of money when the caller first learns that the order was paid. */
async function outcomeOf(db: SandboxDb, row: MobileTransferRow, now: Date): Promise<SendOutcome> {
  if (row.settles_at > now) return { state: 'pending', railReference: row.id };
  if (row.outcome === 'failed') {
    const code = row.code === 'recipient_not_found' ? row.code : 'provider_error';
    return { state: 'failed', code, message: failures[code] };
  }
  if (row.returns) await insertMobileReturn(db, row);
  return { state: 'completed', railReference: row.id };
}

async function findReturns(db: SandboxDb, rail: string, cursor: string | null, limit: number) {
  const rows = await mobileReturnsAfter(db, rail, feedPage(cursor, limit));
  return {
    returns: rows.map(row => ({
      merchantId: row.merchant_id,
      orderId: row.order_id,
      amount: row.amount,
      code: 'recipient_not_allowed',
      message: 'The operator returned the money, because the account cannot be paid.',
    })),
    cursor: rows.at(-1)?.position.toString() ?? cursor,
  };
}
