import { PayError } from '../../../core/error.ts';
import type { CryptoRail, Deposit, DepositPage } from '../../chains/chain.ts';
import { findFirstMerchant, findMerchants } from '../../merchants/merchant.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isRefusedByData, withSavepoint } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/rows.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import { type ArrivalRates, withArrivalRates } from '../arrival-quote.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import { writePaymentChanges } from '../payment-change.ts';
import { admitMoney, keepUnmatched, unapplied } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { findOwned } from '../payment-owner.store.ts';
import { byOwner } from '../payment-purpose.ts';
import { creditTopUp } from '../top-ups/top-up-credit.service.ts';
import { lockWatched, moveCursor, type WatchedRow } from './chain-cursor.store.ts';
import { findBooked, findRoutes, lockPayments, type RouteRow, readAsked, saveCounted } from './deposit.store.ts';
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
  readonly deposit: Deposit;
  readonly route: OfPayment | null;
  readonly topUpId: string | null;
  readonly merchant: Merchant;
}

/**
 * Reads new deposits of the account, and books each page together with the cursor in one transaction. The chain request
 * comes before the transaction, so that no transaction waits for the network. Returns the number of deposits read.
 */
export async function readDeposits(deps: PaymentDeps, rail: CryptoRail, watched: WatchedRow): Promise<number> {
  let read = 0;
  let { cursor } = watched;
  let next = lookFrom(rail, watched, cursor);
  for (;;) {
    const page = await next;
    if (page.cursor === cursor) return read;
    // The next page loads while this page is being booked.
    if (page.more) next = lookFrom(rail, watched, page.cursor);
    const payers = page.deposits.filter(({ sender }) => sender === null || !rail.suppliers?.includes(sender));
    const routed = await route(deps, { rail, watched }, payers);
    await prepareForCrypto(deps, routed);
    const from = cursor;
    const isMine = await withArrivalRates(deps, rates =>
      deps.db.transaction().execute(async tx => {
        if ((await lockWatched(tx, watched)) !== from) return false;
        await bookPage(deps, tx, { rail, watched, rates }, routed);
        rates.assertComplete();
        await moveCursor(tx, watched, page.cursor);
        return true;
      }),
    );
    // Another reader moved the cursor, so it has booked this page and reads on.
    if (!isMine) return read;
    read += page.deposits.length;
    cursor = page.cursor;
    if (!page.more) return read;
  }
}

/** Starts loading a page. Its error is handled where the page is awaited. */
function lookFrom(rail: CryptoRail, { account }: WatchedRow, cursor: string): Promise<DepositPage> {
  const page = rail.chain.findDeposits(account, cursor, pageSize);
  page.catch(() => undefined);
  return page;
}

/**
 * Finds the merchant of each deposit by its keys. In the service's account, deposits without a known key go to the
 * operator, the first merchant. In a merchant's own account, deposits without a known key are ignored.
 */
async function route(
  { db }: PaymentDeps,
  { rail, watched }: Pick<Reading, 'rail' | 'watched'>,
  deposits: readonly Deposit[],
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
  const { rail } = reading;
  if (routed.length === 0) return;
  const references = routed.map(({ deposit, merchant }) => ({ merchantId: merchant.id, ...deposit }));
  const booked = await findBooked(tx, rail.chain.id, references);
  const fresh = routed.filter(({ deposit }) => !booked.has(deposit.railReference));
  await writePlans(deps, tx, await planAll(deps, tx, reading, fresh));
  for (const one of fresh) if (one.route === null) await bookUnpaid(deps, tx, reading, one);
}

/** Deposits of one payment, oldest first. */
interface DepositGroup {
  readonly key: PaymentKey;
  readonly merchant: Merchant;
  readonly deposits: Deposit[];
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
  const payments = await admitAll(deps, tx, await lockPayments(tx, keys), groups);
  const asked = await readAsked(tx, keys, rail.chain.id);
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
    const key = textOf({ ...row, payment_id: row.id });
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
  return `${row.merchant_id} ${row.payment_id}`;
}

async function writePlans(deps: PaymentDeps, tx: Tx, plans: readonly PlannedDeposits[]): Promise<void> {
  if (plans.length === 0) return;
  const transfers = plans.flatMap(plan => plan.transfers);
  await insertRows(tx, 'transfers', transfers);
  const offers = plans.flatMap(plan => plan.offers);
  await saveCounted(tx, offers);
  const payments = plans.map(({ payment }) => payment);
  await writePaymentChanges(tx, deps, payments);
}

/** Books a deposit without a payment: on its top-up, or as unmatched. */
async function bookUnpaid(deps: PaymentDeps, tx: Tx, reading: Reading, one: RoutedDeposit): Promise<void> {
  if (one.topUpId === null) return await keepDeposit(deps, tx, reading, one);
  await creditTopUp(tx, deps, one.merchant, one.topUpId, transferOf(deps, reading, one));
}

/** Stores a deposit as unmatched, because it has no known key or could not be booked. */
async function keepDeposit(deps: PaymentDeps, tx: Tx, reading: Reading, one: RoutedDeposit): Promise<void> {
  await keepUnmatched(tx, { ...transferOf(deps, reading, one), ...unapplied });
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
