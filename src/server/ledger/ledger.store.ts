import { type Selectable, sql } from 'kysely';
import { newId } from '../../core/id.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type Page, type PageRequest, readPage } from '../platform/db/page.ts';
import { insertRows } from '../platform/db/rows.ts';
import type { Moment } from '../platform/db/tables.ts';
import { balanced, type Posting } from './posting.ts';

/** Columns of `ledger_entries`. */
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

/** Columns of the view `merchant_entries`. */
interface MerchantEntriesView {
  merchant_id: string;
  id: string;
  livemode: boolean;
  account: string;
  kind: string;
  currency: string;
  amount: bigint;
  payment_id: string | null;
  refund_id: string | null;
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
      created_at: Moment;
    };
    ledger_entries: LedgerEntriesTable;
    merchant_entries: MerchantEntriesView;
  }
}

/** A transaction of the ledger. */
export interface LedgerTransaction {
  readonly merchantId: string;
  readonly livemode: boolean;
  /** `capture`, `bank_credit`, `refund` … */
  readonly kind: string;
  readonly paymentId?: string;
  readonly refundId?: string;
  readonly postings: readonly Posting[];
  readonly now: Date;
}

/** Writes transactions; those without lines are left out. Throws when one does not sum to zero. */
export async function post(tx: Tx, transactions: readonly LedgerTransaction[]): Promise<void> {
  const booked = transactions
    .map(transaction => ({ ...transaction, id: newId('ledgerTransaction'), lines: balanced(transaction.postings) }))
    .filter(({ lines }) => lines.length > 0);
  const heads = booked.map(({ id, merchantId, livemode, kind, paymentId, refundId, now }) => ({
    ...{ merchant_id: merchantId, id, livemode, kind },
    ...{ payment_id: paymentId ?? null, refund_id: refundId ?? null, created_at: now },
  }));
  await insertRows(tx, 'ledger_transactions', heads);
  const lines = booked.flatMap(({ id, merchantId, livemode, lines, now }) =>
    lines.map((posting, index) => ({
      ...{ merchant_id: merchantId, transaction_id: id, line: index + 1, livemode },
      ...{ account: posting.account, currency: posting.currency, amount: posting.amount, created_at: now },
    })),
  );
  await insertRows(tx, 'ledger_entries', lines);
}

/** The merchant's balances by account and currency, without zero balances. */
export async function merchantSums(db: Executor, merchantId: string, livemode: boolean) {
  return await db
    .selectFrom('ledger_entries')
    .select(['account', 'currency', sql<bigint>`sum(amount)`.as('amount')])
    .where(eb => eb.and({ merchant_id: merchantId, livemode }))
    .where('account', 'like', 'merchant.%')
    .groupBy(['account', 'currency'])
    .having(sql`sum(amount)`, '<>', 0n)
    .orderBy('currency')
    .execute();
}

/** A line of the merchant's accounts, with its payment or refund. */
export type EntryRow = Selectable<MerchantEntriesView>;

/** Lists the merchant's lines, or those of one payment, newest first. Their ids are `<transaction>L<line>`. */
export async function listEntries(
  db: Db,
  scope: { readonly merchantId: string; readonly livemode: boolean },
  request: PageRequest,
  paymentId?: string,
): Promise<Page<EntryRow>> {
  return await readPage(db, { table: 'merchant_entries', ...scope }, request, { equal: { payment_id: paymentId } });
}
