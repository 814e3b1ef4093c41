import { type Selectable, sql } from 'kysely';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type FoldedSums, rowsOfSums } from '../platform/db/folded-sums.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { insertOf, writeTogether } from '../platform/db/rows.ts';
import type { Moment } from '../platform/db/tables.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { moneyText } from './balance-money.ts';
import { balanced, type Posting } from './posting.ts';

interface LedgerEntriesTable {
  merchant_id: string;
  transaction_id: string;
  line: number;
  livemode: boolean;
  account: string;
  currency: string;
  amount: bigint;
  created_at: Moment;
}

interface LedgerSumsTable {
  merchant_id: string;
  livemode: boolean;
  account: string;
  currency: string;
  amount: bigint;
}

/** Columns of the views `merchant_entries` and `ledger_lines`. */
interface LinesView {
  merchant_id: string;
  id: string;
  transaction_id: string;
  livemode: boolean;
  account: string;
  kind: string;
  currency: string;
  amount: bigint;
  payment_id: string | null;
  refund_id: string | null;
  resource_id: string | null;
  created_at: Date;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    ledger_transactions: {
      merchant_id: string;
      id: string;
      livemode: boolean;
      kind: string;
      payment_id: string | null;
      refund_id: string | null;
      resource_id: string | null;
      created_at: Moment;
    };
    balance_locks: { merchant_id: string; livemode: boolean; currency: string; taken_at: Moment };
    ledger_entries: LedgerEntriesTable;
    ledger_sums: LedgerSumsTable;
    ledger_sum_changes: LedgerSumsTable;
    merchant_entries: LinesView;
    ledger_lines: LinesView;
  }
}

export interface LedgerTransaction {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** The kind of transaction, for example `capture`, `bank_credit` or `refund`. */
  readonly kind: string;
  readonly paymentId?: string;
  readonly refundId?: string;
  /** The invoice, payout, batch, top-up, conversion or withdrawal that is booked. */
  readonly resourceId?: string;
  readonly postings: readonly Posting[];
  readonly now: Date;
}

/** Inserts transactions. Ignores transactions without lines. Throws if a transaction does not sum to zero. */
export async function post(tx: Tx, transactions: readonly LedgerTransaction[]): Promise<void> {
  await writeTogether(tx, await postingWrites(tx, transactions));
}

/** The insert statements of `post`, which the caller runs. */
export async function postingWrites(db: Executor, transactions: readonly LedgerTransaction[]) {
  const booked = transactions
    .map(transaction => ({ ...transaction, id: newId('ledgerTransaction'), lines: balanced(transaction.postings) }))
    .filter(({ lines }) => lines.length > 0);
  const heads = booked.map(({ id, merchantId, livemode, kind, paymentId, refundId, resourceId, now }) => ({
    merchant_id: merchantId,
    id,
    livemode,
    kind,
    payment_id: paymentId ?? null,
    refund_id: refundId ?? null,
    resource_id: resourceId ?? null,
    created_at: now,
  }));
  const lines = booked.flatMap(({ id, merchantId, livemode, lines, now }) =>
    lines.map((posting, index) => ({
      merchant_id: merchantId,
      transaction_id: id,
      line: index + 1,
      livemode,
      account: posting.account,
      currency: posting.currency,
      amount: posting.amount,
      created_at: now,
    })),
  );
  return [await insertOf(db, 'ledger_transactions', heads), await insertOf(db, 'ledger_entries', lines)];
}

/** The sums of the entries of merchants' own accounts. */
export const ledgerSums: FoldedSums = {
  totals: 'ledger_sums',
  changes: 'ledger_sum_changes',
  key: ['merchant_id', 'livemode', 'account', 'currency'],
  sums: ['amount'],
};

/** The merchant's balances by account and currency, without zero balances. */
export async function merchantSums(db: Executor, merchantId: string, livemode: boolean) {
  const rows = rowsOfSums(ledgerSums, sql`merchant_id = ${merchantId} and livemode = ${livemode}`);
  const read = sql<{ readonly account: string; readonly currency: string; readonly amount: bigint }>`
    select account, currency, sum(amount) as amount from ${rows}
    group by 1, 2 having sum(amount) <> 0 order by currency`;
  return (await read.execute(db)).rows;
}

/** The merchant, the mode (test or live) and the time of a locked balance. */
interface BalanceScope {
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly now: Date;
}

/**
 * Locks the merchant's available balance until the transaction ends, and checks that it covers the amounts. Keys are
 * currencies or assets; amounts are in smallest units. The caller posts the amounts. Throws PayError
 * `insufficient_funds`.
 */
export async function requireAvailable(
  tx: Tx,
  scope: BalanceScope,
  amounts: ReadonlyMap<string, bigint>,
): Promise<void> {
  const sums = await lockAvailable(tx, scope, [...amounts.keys()]);
  for (const [currency, amount] of amounts) {
    const available = sums.get(currency) ?? 0n;
    if (available >= amount) continue;
    const [has, needed] = [available, amount].map(each => moneyText({ currency, amount: each }));
    const message = `The balance has ${has} available, but ${needed} is needed. Add money with a top-up.`;
    throw new PayError('insufficient_funds', message, { type: 'payment_error' });
  }
}

/** Locks the merchant's available balances in these currencies until the transaction ends, and returns them. */
export async function lockAvailable(
  tx: Tx,
  scope: BalanceScope,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  // All transactions lock in the same order, so that they cannot deadlock.
  const currencies = wanted.toSorted();
  for (const currency of currencies) {
    await sql`
      insert into balance_locks (merchant_id, livemode, currency, taken_at)
      values (${scope.merchantId}, ${scope.livemode}, ${currency}, ${scope.now})
      on conflict (merchant_id, livemode, currency) do update set taken_at = excluded.taken_at`.execute(tx);
  }
  return await availableSums(tx, scope, currencies);
}

/** The available balances in these currencies. Omits currencies without entries. */
async function availableSums(
  db: Executor,
  { merchantId, livemode }: MerchantScope,
  currencies: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (currencies.length === 0) return new Map();
  const available = sql`merchant_id = ${merchantId} and livemode = ${livemode} and account = 'merchant.available'
    and currency = any (${[...currencies]}::text[])`;
  const { rows } = await sql<{ readonly currency: string; readonly amount: bigint }>`
    select currency, sum(amount) as amount from ${rowsOfSums(ledgerSums, available)} group by 1`.execute(db);
  return new Map(rows.map(({ currency, amount }) => [currency, amount]));
}

/** A line of the merchant's accounts, with its payment or refund. */
export type EntryRow = Selectable<LinesView>;

/** Lists lines of the merchant's accounts, newest first. `of` selects the lines of one payment or resource. */
export async function listEntries(
  db: Db,
  scope: MerchantScope,
  request: PageRequest,
  of: { readonly payment_id?: string | undefined; readonly resource_id?: string | undefined } = {},
): Promise<Page<EntryRow>> {
  return await readPage(db, { table: 'merchant_entries', cursorColumns: transactionOf, ...scope }, request, {
    equal: of,
  });
}

/** The transaction of a line, whose id is `<transaction>L<line>`. */
const transactionOf = (id: string) => ({ transaction_id: id.replace(/L\d+$/, '') });

/** A line of any account, with data of its transaction. */
export type LineRow = Selectable<LinesView>;

/** The columns by which lines of the ledger can be filtered. */
type LineFilters = { readonly [Column in 'account' | 'payment_id' | 'resource_id']: string | undefined };

/** Lists all lines of a merchant's transactions, newest first. */
export async function listLines(
  db: Db,
  scope: MerchantScope,
  request: PageRequest,
  equal: LineFilters,
): Promise<Page<LineRow>> {
  return await readPage(db, { table: 'ledger_lines', cursorColumns: transactionOf, ...scope }, request, { equal });
}
