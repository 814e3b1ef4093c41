import { destinationText, type RowError } from '../../../api/payout.ts';
import { unitText } from '../../../core/unit.ts';
import { csvHead, csvLine } from '../../platform/csv.ts';
import type { Db } from '../../platform/db/database.ts';
import { type PayoutContext, payoutToWire } from '../payout.view.ts';
import type { BatchRow, PayoutRow } from '../tables.ts';
import { findPayoutsAfter } from './results.store.ts';

/** The columns of the results file. Amounts are integers in the smallest unit; only `paid_amount` is decimal text. */
export const resultColumns = [
  ...(['index', 'id', 'reference', 'recipient_id', 'status', 'amount', 'currency', 'source_amount'] as const),
  ...(['source_currency', 'destination', 'paid_amount', 'paid_currency', 'rate', 'fee', 'rail', 'trace'] as const),
  ...(['failure_code', 'failure_message', 'created_at', 'completed_at'] as const),
] as const;

type Line = Readonly<Partial<Record<(typeof resultColumns)[number], string | number | bigint | null>>>;

/** Number of payouts in memory at the same time. */
const pageRows = 1_000;

/**
 * The results of a batch as CSV, in pages: its payouts and its rejected rows, in the order of the request. With
 * `status`, only payouts of that status.
 */
export async function* writeResults(
  db: Db,
  context: PayoutContext,
  batch: BatchRow,
  status: PayoutRow['status'] | null = null,
): AsyncGenerator<string> {
  yield csvHead(resultColumns);
  const errors = status === null ? batch.errors : [];
  const refused = [...Map.groupBy(errors, ({ index }) => index)].toSorted(([a], [b]) => a - b);
  let at = 0;
  const refusedBefore = (position: number) => {
    const from = at;
    while (at < refused.length && (refused[at]?.[0] ?? 0) < position) at++;
    return refused.slice(from, at).map(([index, errors]) => lineOf(refusedLine(index, errors)));
  };
  for (let last = -1; ; ) {
    const page = await findPayoutsAfter(db, batch, { position: last, status }, pageRows);
    const lines = page.flatMap(row => [...refusedBefore(row.position), lineOf(payoutLine(context, row))]);
    if (lines.length > 0) yield lines.join('');
    if (page.length < pageRows) break;
    last = page.at(-1)?.position ?? last;
  }
  yield refusedBefore(Number.POSITIVE_INFINITY).join('');
}

function lineOf(line: Line): string {
  return csvLine(resultColumns.map(column => line[column]));
}

function refusedLine(index: number, errors: readonly RowError[]): Line {
  const message = errors.map(error => error.message).join(' ');
  return { index, status: 'rejected', failure_code: errors[0]?.code ?? null, failure_message: message };
}

/** The cells of a payout by column. */
export function payoutLine(context: PayoutContext, row: PayoutRow): Line {
  const { id, status, reference, recipient_id, amount, currency, source_amount, source_currency, fee, rail } = row;
  const { fx, failure, hold, created_at, completed_at } = payoutToWire(context, row);
  const reason = failure ?? hold;
  return {
    index: row.position,
    id,
    reference,
    recipient_id,
    status,
    amount,
    currency,
    source_amount,
    source_currency,
    destination: destinationText(row.destination),
    ...paidOf(row),
    rate: fx?.rate ?? null,
    fee,
    rail,
    trace: row.trace,
    failure_code: reason?.code ?? null,
    failure_message: reason?.message ?? null,
    created_at,
    completed_at,
  };
}

function paidOf({ status, unit, paid_amount: paid }: PayoutRow): Line {
  if (unit === null || paid === null || status === 'failed' || status === 'canceled') return {};
  return { paid_amount: unitText(paid, unit), paid_currency: unit };
}
