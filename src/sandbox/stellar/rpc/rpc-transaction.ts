import { TransactionEvent, TransactionMeta } from '@stellar/stellar-sdk/xdr';
import type { Fields } from '../horizon/horizon-values.ts';
import { placeOf } from '../total-order-id.ts';
import { eventXdr } from './contract-event.ts';
import { feeEventOf, operationEventsOf, type TransactionWithOperations } from './ledger-event.ts';

/** Stage of an event of which the fee is one: before any transaction of the ledger is applied. */
const beforeAll = 0;

/**
 * A transaction as RPC shows it. Its meta (`TransactionMeta` version 4) tells the events of what moved; changes of
 * entries are not in it.
 */
export function transactionDetails(transaction: TransactionWithOperations): Fields {
  const { row } = transaction;
  const fee = { stage: beforeAll, event: feeEventOf(row).rendered.wire };
  const operations = operationEventsOf(transaction).map(events => events.map(({ rendered }) => rendered.wire));
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const meta = TransactionMeta.schema.encode({
    v: 4,
    v4: {
      ext: { v: 0 },
      ...{ txChangesBefore: [], txChangesAfter: [], sorobanMeta: null, diagnosticEvents: [] },
      operations: operations.map(events => ({ ext: { v: 0 }, changes: [], events })),
      events: [fee],
    },
  });
  return {
    status: row.successful ? 'SUCCESS' : 'FAILED',
    txHash: row.hash,
    applicationOrder: placeOf(row.id).transaction,
    feeBump: row.inner_hash !== null,
    envelopeXdr: row.envelope,
    resultXdr: row.result,
    resultMetaXdr: base64(meta),
    ledger: row.ledger,
    events: {
      transactionEventsXdr: [base64(TransactionEvent.schema.encode(fee))],
      contractEventsXdr: operations.map(events => events.map(eventXdr)),
    },
  };
}
