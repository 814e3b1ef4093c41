import type { RecipientImport } from '../../../api/recipient.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { RecipientDestinationRow } from '../tables.ts';
import { newRecipient } from './recipient.service.ts';
import { insertRecipients, lockReferenced, replaceDestinations, updateRecipients } from './recipient.store.ts';
import { destinationRows, detailsOf, mostDestinations, type RecipientRecord, withDefault } from './recipient.ts';
import { type ImportedRow, type ImportFile, mostRows, type RefusedRow } from './recipient-import.ts';

/** The treatment of wrong rows: the whole file is rejected, or the rows are skipped. */
export type OnError = 'reject_all' | 'skip_invalid';

/** An import of recipients. `now` is on the merchant's clock. */
interface Import extends ImportFile {
  readonly onError: OnError;
  readonly now: Date;
}

/**
 * Writes the recipients of a file with few statements. A row with a known reference changes the existing recipient. Its
 * non-empty cells replace fields, and its destination becomes the default. With `reject_all`, throws one error that
 * contains the errors of the rows. Throws `batch_size` for a file without rows.
 */
export async function writeImport(
  tx: Tx,
  scope: MerchantScope,
  { rows, errors, onError, now }: Import,
): Promise<RecipientImport> {
  if (rows.length + errors.length === 0) {
    throw new PayError('batch_size', 'The file has no rows below its header. Send 1 to 10,000.');
  }
  if (onError === 'reject_all') assertNone(errors);
  const referenced = rows.flatMap(({ index, given }) =>
    given.reference === undefined ? [] : [{ index, reference: given.reference }],
  );
  const known = new Map((await lockReferenced(tx, scope, referenced)).map(record => [record.index, record]));
  const changes = changesOf(rows, known);
  if (onError === 'reject_all') assertNone(changes.errors);
  await updateRecipients(
    tx,
    changes.records.map(({ recipient }) => recipient),
  );
  const moved = changes.records.filter(({ hasMoved }) => hasMoved);
  const ids = moved.map(({ recipient }) => recipient.id);
  await replaceDestinations(
    ...([tx, scope.merchantId, ids] as const),
    moved.flatMap(({ destinations }) => destinations),
  );
  const fresh = rows.filter(({ index }) => !known.has(index)).map(row => newRecord(scope, now, row));
  await insertRecipients(tx, fresh);
  const skipped = [...errors, ...changes.errors].sort((a, b) => a.index - b.index);
  return { object: 'import', created: fresh.length, updated: changes.records.length, errors: skipped };
}

function assertNone(errors: readonly RefusedRow[]): void {
  if (errors.length > 0) throw invalidRequest(errors, mostRows);
}

interface ChangedRecord extends RecipientRecord {
  /** Whether the row has a destination. The recipient's destinations are then written again. */
  readonly hasMoved: boolean;
}

function changesOf(rows: readonly ImportedRow[], known: ReadonlyMap<number, RecipientRecord>) {
  const records: ChangedRecord[] = [];
  const errors: RefusedRow[] = [];
  for (const { index, given } of rows) {
    const before = known.get(index);
    if (before === undefined) continue;
    const destinations = destinationsAfter(before, given.destination);
    if (destinations.length > mostDestinations) {
      const param = `rows[${index}].destination`;
      const message = `The recipient already has ${mostDestinations} destinations. Remove one first.`;
      errors.push({ index, param, code: 'invalid_destination', message });
    } else {
      const metadata = { ...before.recipient.metadata, ...given.metadata };
      const recipient = { ...before.recipient, ...detailsOf({ ...given, reference: undefined }), metadata };
      records.push({ recipient, destinations, hasMoved: destinations !== before.destinations });
    }
  }
  return { records, errors };
}

function destinationsAfter(
  { recipient, destinations }: RecipientRecord,
  wanted: ImportedRow['given']['destination'],
): readonly RecipientDestinationRow[] {
  return wanted === undefined ? destinations : withDefault(recipient, destinations, wanted);
}

function newRecord(scope: MerchantScope, now: Date, { given }: ImportedRow): RecipientRecord {
  const { destination, ...details } = given;
  const recipient = newRecipient(scope, now, details);
  const destinations = destination === undefined ? [] : destinationRows(recipient, [], [destination], null);
  return { recipient, destinations };
}
