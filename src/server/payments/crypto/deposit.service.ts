import { PayError } from '../../../core/error.ts';
import type { CryptoRail, Deposit, DepositPage } from '../../chains/chain.ts';
import { findFirstMerchant, findMerchants } from '../../merchants/merchant.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isRefusedByData, withSavepoint } from '../../platform/db/database.ts';
import { insertRows } from '../../platform/db/rows.ts';
import { type Merchant, merchantNow } from '../../platform/merchant.ts';
import type { PaymentKey } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import { writePaymentChanges } from '../payment-change.ts';
import { admitMoney, keepUnmatched, unapplied } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { findOwned } from '../payment-owner.store.ts';
import { byOwner } from '../payment-purpose.ts';
import { lockWatched, moveCursor, type WatchedRow } from './chain-cursor.store.ts';
import { findBooked, findRoutes, lockPayments, type RouteRow, readAsked, saveCounted } from './deposit.store.ts';
import { chainColumns, type PlannedDeposits, planDeposits } from './deposit-plan.ts';

/** Largest number of deposits booked in one transaction. */
const pageSize = 200;

/** An account that is read, and its chain. */
interface Reading {
  readonly rail: CryptoRail;
  readonly watched: WatchedRow;
}

/** A deposit with its merchant. A deposit without a route names no payment, and its merchant is the operator. */
interface RoutedDeposit {
  readonly deposit: Deposit;
  readonly route: RouteRow | null;
  readonly merchant: Merchant;
}

/**
 * Reads new deposits of the account and books each page together with the cursor, in one transaction. The chain is
 * asked before the transaction, so no transaction waits for the network. Returns the number of deposits read.
 */
export async function readDeposits(deps: PaymentDeps, rail: CryptoRail, watched: WatchedRow): Promise<number> {
  let read = 0;
  let { cursor } = watched;
  let next = lookFrom(rail, watched, cursor);
  for (;;) {
    const page = await next;
    if (page.cursor === cursor) return read;
    // The next page is fetched while this one is booked.
    if (page.more) next = lookFrom(rail, watched, page.cursor);
    const payers = page.deposits.filter(({ sender }) => sender === null || !rail.suppliers?.includes(sender));
    const routed = await route(deps, { rail, watched }, payers);
    await prepareForCrypto(deps, routed);
    const isMine = await deps.db.transaction().execute(async tx => {
      if ((await lockWatched(tx, watched)) !== cursor) return false;
      await bookPage(deps, tx, { rail, watched }, routed);
      await moveCursor(tx, watched, page.cursor);
      return true;
    });
    // Another reader moved the cursor: it has booked this page and reads on.
    if (!isMine) return read;
    read += page.deposits.length;
    cursor = page.cursor;
    if (!page.more) return read;
  }
}

/** Starts to fetch a page. Its error is handled where the page is awaited. */
function lookFrom(rail: CryptoRail, { account }: WatchedRow, cursor: string): Promise<DepositPage> {
  const page = rail.chain.findDeposits(account, cursor, pageSize);
  page.catch(() => undefined);
  return page;
}

/**
 * Finds the merchant of each deposit. A deposit that names no payment is ignored in a merchant's own account. In the
 * service's account it is kept for the operator, the first merchant.
 */
async function route(
  { db }: PaymentDeps,
  { rail, watched }: Reading,
  deposits: readonly Deposit[],
): Promise<RoutedDeposit[]> {
  const tags = [...new Set(deposits.flatMap(deposit => deposit.tags.map(BigInt)))].filter(tag => tag < largestTag);
  const routes = await findRoutes(db, rail.chain.network, watched.account, tags);
  const byTag = new Map(routes.map(row => [String(row.tag), row]));
  const found = deposits.map(deposit => {
    const named = deposit.tags.map(tag => byTag.get(tag)).find(row => row !== undefined);
    return { deposit, route: named ?? null };
  });
  const merchants = await findMerchants(db, [...new Set(routes.map(row => row.merchant_id))]);
  const hasUnrouted = found.some(one => one.route === null);
  const operator = watched.custodial && hasUnrouted ? await findFirstMerchant(db) : null;
  return found.flatMap(one => {
    const merchant = one.route === null ? operator : merchants.get(one.route.merchant_id);
    return merchant ? [{ ...one, merchant }] : [];
  });
}

const largestTag = 2n ** 63n;

/** Lets purposes ask the network about the crypto before the transaction that counts it. */
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

/** Books all deposits together; when that fails, each alone, so that a bad deposit does not block the others. */
async function bookPage(deps: PaymentDeps, tx: Tx, reading: Reading, routed: readonly RoutedDeposit[]): Promise<void> {
  if (await canBook(tx, () => bookTogether(deps, tx, reading, routed))) return;
  for (const one of routed) {
    if (await canBook(tx, () => bookTogether(deps, tx, reading, [one]))) continue;
    if (await canBook(tx, () => keepDeposit(deps, tx, reading, one))) continue;
    // Later deposits must not wait. The deposit stays on the chain, and the log shows all of it.
    const deposit = { ...one.deposit, amount: String(one.deposit.amount) };
    deps.log.error({ deposit }, 'a deposit cannot be kept: look at it by hand');
  }
}

/** Returns false when the booking was rolled back because its data was refused. */
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
  await writePlans(deps, tx, await planAll(deps, tx, rail, fresh));
  for (const one of fresh) if (one.route === null) await keepDeposit(deps, tx, reading, one);
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

/** Locks the payments that the deposits name and plans their bookings. */
async function planAll(
  deps: PaymentDeps,
  tx: Tx,
  rail: CryptoRail,
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
    if (payment === undefined || target === undefined) throw new Error(`a deposit names ${key}, which is not there`);
    const now = merchantNow(merchant, payment.livemode, deps.clock.now());
    const awaited = { payment, target, offers: offers.get(key) ?? [], merchant, now };
    return planDeposits({ ...deps, chain: rail.chain }, awaited, deposits);
  });
}

/** Asks the purposes of the payments, in the order of their owners, whether money may count. */
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

type OfPayment = Pick<RouteRow, 'merchant_id' | 'payment_id'>;

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

/** Keeps a deposit as unmatched: it names no payment, or could not be booked on it. */
async function keepDeposit(
  { clock }: PaymentDeps,
  tx: Tx,
  { rail, watched }: Reading,
  { deposit, merchant }: RoutedDeposit,
): Promise<void> {
  await keepUnmatched(tx, {
    ...chainColumns(rail.chain, deposit),
    ...unapplied,
    ...{ merchant_id: merchant.id, livemode: rail.livemode, custodial: watched.custodial, problem: null },
    ...{ arrived_at: deposit.at, created_at: merchantNow(merchant, rail.livemode, clock.now()) },
  });
}
