import { PayError } from '../../../core/error.ts';
import type { CryptoRail, Scan, ScanRequest } from '../../chains/chain.ts';
import { findFirstMerchant, findMerchants } from '../../merchants/merchant.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isRefusedByData, withSavepoint } from '../../platform/db/database.ts';
import { insertOf } from '../../platform/db/rows.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { type ArrivalRates, withArrivalRates } from '../arrival-quote.ts';
import { keyOf, nameOf, type PaymentKey } from '../payment.store.ts';
import { writePaymentChanges } from '../payment-change.ts';
import { admitMoney, keepUnmatched } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { findOwned } from '../payment-owner.store.ts';
import { byOwner } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import { unapplied } from '../transfer.store.ts';
import { lockWatched, moveCursor, type WatchedRow } from './chain-cursor.store.ts';
import {
  findOpenDeposits,
  findRoutes,
  lockAsked,
  type RouteRow,
  saveDeposits,
  savingCounted,
} from './deposit.store.ts';
import { type Deposit, depositsAfter, isUnchanged, type ScannedDeposit } from './deposit.ts';
import { chainColumns, type PlannedDeposits, planDeposits } from './deposit-plan.ts';

/** Maximum number of deposits booked in one transaction. */
const pageSize = 200;

/** A watched account and its chain. */
interface Reading {
  readonly rail: CryptoRail;
  readonly watched: WatchedRow;
  readonly rates: ArrivalRates;
}

/** A deposit with its merchant. Without a payment or top-up, the merchant is the operator. */
interface RoutedDeposit {
  readonly deposit: ScannedDeposit;
  readonly route: OfPayment | null;
  readonly topUpId: string | null;
  readonly merchant: Merchant;
}

/**
 * Reads the deposits of the account, and books each page together with the cursor in one transaction. The chain request
 * comes before the transaction, so that no transaction waits for the network. Returns the number of deposits read.
 */
export async function readDeposits(deps: PaymentDeps, rail: CryptoRail, watched: WatchedRow): Promise<number> {
  let read = 0;
  let { cursor } = watched;
  let open: readonly Deposit[] = watched.has_open ? await findOpenDeposits(deps.db, watched) : [];
  let next = scanFrom(deps, rail, { account: watched.account, cursor, open });
  for (;;) {
    const scan = await next;
    const deposits = depositsAfter(rail.chain, scan, open, deps.clock.now());
    if (isUnchanged(scan, cursor, deposits)) return read;
    open = deposits.filter(({ state }) => state === 'seen');
    // The next page loads while this page is being booked.
    if (scan.more) next = scanFrom(deps, rail, { account: watched.account, cursor: scan.cursor, open });
    if (!(await bookScan(deps, { rail, watched }, cursor, scan.cursor, deposits))) return read;
    read += scan.seen.length;
    cursor = scan.cursor;
    if (!scan.more) return read;
  }
}

/** Starts a scan. Its error is handled where the scan is awaited. */
function scanFrom(
  { db }: PaymentDeps,
  { chain }: CryptoRail,
  from: Pick<ScanRequest, 'account' | 'cursor' | 'open'>,
): Promise<Scan> {
  const isWatched = async (keys: readonly string[]) =>
    new Set((await findRoutes(db, chain.network, keys)).map(({ key }) => key));
  const scan = chain.receive.scan({ ...from, limit: pageSize, isWatched });
  scan.catch(() => undefined);
  return scan;
}

/** Books the deposits of a scan, and moves the cursor. Returns false if another reader has moved it. */
async function bookScan(
  deps: PaymentDeps,
  reading: Pick<Reading, 'rail' | 'watched'>,
  from: string,
  to: string,
  deposits: readonly ScannedDeposit[],
): Promise<boolean> {
  const { rail, watched } = reading;
  const payers = deposits.filter(({ sender }) => sender === null || !rail.suppliers?.includes(sender));
  const routed = await route(deps, reading, payers);
  await prepareForCrypto(deps, routed);
  return await withArrivalRates(deps, rates =>
    deps.db.transaction().execute(async tx => {
      if ((await lockWatched(tx, watched)) !== from) return false;
      await bookPage(deps, tx, { ...reading, rates }, routed);
      rates.assertComplete();
      await moveCursor(tx, watched, to);
      return true;
    }),
  );
}

/**
 * Finds the merchant of each deposit by its keys. In the service's account, deposits without a known key go to the
 * operator, the first merchant. In a merchant's own account, deposits without a known key are ignored.
 */
async function route(
  { db }: PaymentDeps,
  { rail, watched }: Pick<Reading, 'rail' | 'watched'>,
  deposits: readonly ScannedDeposit[],
): Promise<RoutedDeposit[]> {
  const routes = await findRoutes(db, rail.chain.network, [...new Set(deposits.flatMap(({ keys }) => keys))]);
  const byKey = new Map(routes.map(row => [row.key, row]));
  const found = deposits.map(deposit => {
    const named = deposit.keys.map(key => byKey.get(key)).find(row => row !== undefined);
    return { deposit, named };
  });
  const merchants = await findMerchants(db, [...new Set(routes.map(row => row.merchant_id))]);
  const hasUnrouted = found.some(({ named }) => named === undefined);
  const operator = watched.custodial && hasUnrouted ? await findFirstMerchant(db) : null;
  return found.flatMap(({ deposit, named }) => {
    const merchant = named === undefined ? operator : merchants.get(named.merchant_id);
    const { merchant_id = '', payment_id = null, top_up_id: topUpId = null } = named ?? {};
    const route = payment_id === null ? null : { merchant_id, payment_id };
    return merchant ? [{ deposit, route, topUpId, merchant }] : [];
  });
}

/** Lets purposes query the network about the crypto, before the transaction that books it. */
async function prepareForCrypto({ db, purposes }: PaymentDeps, routed: readonly RoutedDeposit[]): Promise<void> {
  const keys = routed.flatMap(({ route }) => (route === null ? [] : [keyOfRoute(route)]));
  const prepared = purposes.filter(({ prepareForCrypto: prepare }) => prepare !== undefined);
  if (keys.length === 0 || prepared.length === 0) return;
  const owned = new Map((await findOwned(db, keys)).map(each => [each.paymentId, each]));
  const incoming = routed.flatMap(({ route, deposit: { asset } }) => {
    const payment = route === null ? undefined : owned.get(route.payment_id);
    return payment === undefined ? [] : [{ ...payment, asset }];
  });
  for (const purpose of prepared) {
    const own = incoming.filter(({ type }) => type === purpose.type);
    if (own.length > 0) await purpose.prepareForCrypto?.(own);
  }
}

/** Books all deposits together. After an error, books each alone: a faulty deposit must not block other deposits. */
async function bookPage(deps: PaymentDeps, tx: Tx, reading: Reading, routed: readonly RoutedDeposit[]): Promise<void> {
  if (await canBook(tx, () => bookTogether(deps, tx, reading, routed))) return;
  for (const one of routed) {
    if (await canBook(tx, () => bookTogether(deps, tx, reading, [one]))) continue;
    if (await canBook(tx, () => keepDeposit(deps, tx, reading, one))) continue;
    // A faulty deposit must not block later ones. Its money stays on the chain, and the log contains all its data.
    const deposit = { ...one.deposit, amount: String(one.deposit.amount) };
    deps.log.error({ deposit }, 'a deposit cannot be stored and needs the operator');
  }
}

/** Returns false if the database or a check rejected the data, and the booking was rolled back. */
async function canBook(tx: Tx, book: () => Promise<void>): Promise<boolean> {
  try {
    await withSavepoint(tx, book);
    return true;
  } catch (error) {
    if (error instanceof PayError || isRefusedByData(error)) return false;
    throw error;
  }
}

async function bookTogether(
  deps: PaymentDeps,
  tx: Tx,
  reading: Reading,
  routed: readonly RoutedDeposit[],
): Promise<void> {
  const fresh = await storeDeposits(tx, reading, routed);
  await writePlans(deps, tx, await planAll(deps, tx, reading, fresh));
  for (const one of fresh) if (one.route === null) await bookUnpaid(deps, tx, reading, one);
}

/** Stores the deposits. Returns those that are new, or that made a step. */
async function storeDeposits(
  tx: Tx,
  { watched }: Reading,
  routed: readonly RoutedDeposit[],
): Promise<readonly RoutedDeposit[]> {
  if (routed.length === 0) return [];
  const stored = await saveDeposits(
    tx,
    watched,
    routed.map(({ deposit }) => deposit),
  );
  return routed.filter(({ deposit }) => stored.has(deposit.ref));
}

/** Deposits of one payment, oldest first. */
interface DepositGroup {
  readonly key: PaymentKey;
  readonly merchant: Merchant;
  readonly deposits: ScannedDeposit[];
}

function groupByPayment(routed: readonly RoutedDeposit[]): ReadonlyMap<string, DepositGroup> {
  const groups = new Map<string, DepositGroup>();
  for (const { route, merchant, deposit } of routed) {
    if (route === null) continue;
    const group = groups.get(textOf(route));
    if (group === undefined) groups.set(textOf(route), { key: keyOfRoute(route), merchant, deposits: [deposit] });
    else group.deposits.push(deposit);
  }
  return groups;
}

/** Locks the payments to which the deposits belong, and plans their bookings. */
async function planAll(
  deps: PaymentDeps,
  tx: Tx,
  { rail, rates }: Reading,
  routed: readonly RoutedDeposit[],
): Promise<PlannedDeposits[]> {
  const groups = groupByPayment(routed);
  const keys = [...groups.values()].map(({ key }) => key);
  if (keys.length === 0) return [];
  const asked = await lockAsked(tx, keys, rail.chain.id);
  const payments = await admitAll(deps, tx, asked.payments, groups);
  const targets = new Map(asked.targets.map(target => [textOf(target), target]));
  const offers = Map.groupBy(asked.offers, textOf);
  return [...groups].map(([key, { merchant, deposits }]) => {
    const [payment, target] = [payments.get(key), targets.get(key)];
    if (payment === undefined || target === undefined) throw new Error(`a deposit names ${key}, which does not exist`);
    const now = merchantNow(merchant, payment.livemode, deps.clock.now());
    const awaited = { payment, target, offers: offers.get(key) ?? [], rates, merchant, now };
    return planDeposits({ ...deps, chain: rail.chain }, awaited, deposits);
  });
}

/** Asks the payments' purposes, in the order of owners, whether the money may count. */
async function admitAll(
  deps: PaymentDeps,
  tx: Tx,
  rows: readonly PaymentRow[],
  groups: ReadonlyMap<string, DepositGroup>,
): Promise<ReadonlyMap<string, PaymentRow>> {
  const admitted = new Map<string, PaymentRow>();
  for (const row of rows.toSorted(byOwner)) {
    const key = nameOf(keyOf(row));
    const merchant = groups.get(key)?.merchant;
    const now = merchant && merchantNow(merchant, row.livemode, deps.clock.now());
    admitted.set(key, now === undefined ? row : await admitMoney(tx, deps, row, now));
  }
  return admitted;
}

type OfPayment = Pick<RouteRow, 'merchant_id'> & { readonly payment_id: string };

function keyOfRoute({ merchant_id: merchantId, payment_id: paymentId }: OfPayment): PaymentKey {
  return { merchantId, paymentId };
}

function textOf(row: OfPayment): string {
  return nameOf(keyOfRoute(row));
}

/** Writes transfers, prices and payments in one statement. */
async function writePlans(deps: PaymentDeps, tx: Tx, plans: readonly PlannedDeposits[]): Promise<void> {
  const changed = plans.filter(({ payment }) => payment.after !== payment.before);
  if (changed.length === 0) return;
  const transfers = changed.flatMap(plan => plan.transfers);
  const offers = changed.flatMap(plan => plan.offers);
  const writes = [await insertOf(tx, 'transfers', transfers), await savingCounted(tx, offers)];
  const payments = changed.map(({ payment }) => payment);
  await writePaymentChanges(tx, deps, payments, { writes });
}

/** Books a final deposit without a payment: on its top-up, or as unmatched. */
async function bookUnpaid(deps: PaymentDeps, tx: Tx, reading: Reading, one: RoutedDeposit): Promise<void> {
  if (one.deposit.state !== 'final') return;
  if (one.topUpId === null) return await keepUnmatched(tx, { ...transferOf(deps, reading, one), ...unapplied });
  await deps.topUps.credit(tx, one.merchant, one.topUpId, transferOf(deps, reading, one));
}

/** Stores a deposit that could not be booked. A final one becomes unmatched. */
async function keepDeposit(deps: PaymentDeps, tx: Tx, reading: Reading, one: RoutedDeposit): Promise<void> {
  const [fresh] = await storeDeposits(tx, reading, [one]);
  if (fresh !== undefined) await bookUnpaid(deps, tx, reading, { ...fresh, topUpId: null });
}

function transferOf({ clock }: PaymentDeps, { rail, watched }: Reading, { deposit, merchant }: RoutedDeposit) {
  return {
    ...chainColumns(rail.chain, deposit),
    merchant_id: merchant.id,
    livemode: rail.livemode,
    custodial: watched.custodial,
    problem: null,
    arrived_at: deposit.at,
    created_at: merchantNow(merchant, rail.livemode, clock.now()),
  };
}
