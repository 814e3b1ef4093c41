import type { StellarDb } from '../stellar-tables.ts';
import { ledgerId, placeOf } from '../total-order-id.ts';
import { accountsNamed, type EventFilter, isWanted } from './event-filter.ts';
import { feeEventOf, type LedgerEvent, operationEventsOf } from './ledger-event.ts';
import { transactionsIn, withOperations } from './rpc-history.store.ts';

/** Which events are looked for. */
export interface EventSearch {
  /** Events behind this one; empty: from the first ledger on. */
  readonly after: string;
  readonly firstLedger: number;
  /** The ledger before which the search ends. */
  readonly endLedger: number;
  readonly filters: readonly EventFilter[];
  readonly limit: number;
}

/** Transactions that are read at a time. */
const transactionsAtATime = 500;

/** Events of the ledgers, in their order: they follow from the transactions, which are read as far as is needed. */
export async function findEvents(db: StellarDb, search: EventSearch): Promise<readonly LedgerEvent[]> {
  const { after, filters, limit } = search;
  const participants = accountsNamed(filters);
  const found: LedgerEvent[] = [];
  let from = ledgerId(firstLedgerOf(search));
  const to = ledgerId(search.endLedger);
  while (found.length < limit && from < to) {
    const rows = await transactionsIn(db, { from, to, participants, limit: transactionsAtATime });
    const isLast = rows.length < transactionsAtATime;
    // Fees of a ledger stand before all else in it, so a ledger is looked at as a whole.
    const end = isLast ? to : endOfWhole(rows.map(({ id }) => id));
    const whole = isLast
      ? rows
      : await transactionsIn(db, { from, to: end, participants, limit: Number.MAX_SAFE_INTEGER });
    const events = eventsOf(await withOperations(db, whole));
    found.push(...events.filter(({ id, rendered }) => id > after && isWanted(filters, rendered)));
    from = end;
  }
  return found.slice(0, limit);
}

/** The cursor may stand in the middle of a ledger. */
function firstLedgerOf({ after, firstLedger }: EventSearch): number {
  if (after === '') return firstLedger;
  return placeOf(BigInt(after.slice(0, 19))).ledger;
}

/** The id behind the ledger in which the last of the transactions is. */
function endOfWhole(ids: readonly bigint[]): bigint {
  return ledgerId(placeOf(ids.at(-1) ?? 0n).ledger + 1);
}

function eventsOf(transactions: readonly Parameters<typeof operationEventsOf>[0][]): readonly LedgerEvent[] {
  const events = transactions.flatMap(transaction => [
    feeEventOf(transaction.row),
    ...operationEventsOf(transaction).flat(),
  ]);
  return events.sort((a, b) => (a.id < b.id ? -1 : 1));
}
