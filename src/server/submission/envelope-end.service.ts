import type { Tx } from '../platform/db/database.ts';
import type { IngestedLedger, LedgerOutcome } from '../stellar/network.ts';
import { freeChannel } from './channel.store.ts';
import { type EnvelopeEnd, type EnvelopeRow, endEnvelope, passengersOf } from './envelope.store.ts';
import { endApplied, endUnapplied, type TransferEnd } from './outgoing.store.ts';
import { failureOfOperation } from './outgoing.ts';

type PassengerRow = Awaited<ReturnType<typeof passengersOf>>[number];

/** How long transfers wait before they are tried again when the transaction failed for a reason of its own, in seconds. */
const oddPauseSeconds = 30;

/**
 * Books that a transaction is in a ledger, for itself, its channel and all it carries, at once. False when the attempt
 * is no longer the holder’s.
 */
export async function endInLedger(tx: Tx, envelope: EnvelopeRow, outcome: LedgerOutcome): Promise<boolean> {
  const end: EnvelopeEnd = {
    state: outcome.successful ? 'applied' : 'failed',
    code: outcome.codes.transaction,
    ledger: { sequence: outcome.ledger, closedAt: null },
    feeCharged: outcome.feeCharged,
  };
  if (!(await endEnvelope(tx, envelope, end))) return false;
  const aboard = await passengersOf(tx, envelope.id);
  if (outcome.successful) {
    const { sentAmounts } = await import('../stellar/sent-amounts.ts');
    const sent = sentAmounts(outcome.resultXdr);
    const ends = aboard.map(passenger => appliedEnd(passenger, sent[passenger.first_operation] ?? null));
    await endApplied(tx, envelope.id, { hash: outcome.hash, ledger: outcome.ledger, ends });
  } else {
    await release(tx, envelope.id, aboard, outcome.codes.operations);
  }
  // A transaction that fails as a whole for its sequence number has not used it up; the network knows.
  const isUsed = outcome.codes.transaction === 'tx_success' || outcome.codes.transaction === 'tx_failed';
  await freeChannel(tx, envelope.id, isUsed ? envelope.sequence : null);
  return true;
}

/**
 * Books that a transaction can be in no ledger for ever, as `proof` shows, and frees what it carries. What the network
 * refused for an operation that is wrong in itself ends with it; the others go by another transaction.
 */
export async function endExpired(tx: Tx, envelope: EnvelopeRow, proof: IngestedLedger): Promise<boolean> {
  const end: EnvelopeEnd = {
    state: 'expired',
    code: envelope.result_code ?? 'expired',
    ledger: proof,
    feeCharged: null,
  };
  if (!(await endEnvelope(tx, envelope, end))) return false;
  await release(tx, envelope.id, await passengersOf(tx, envelope.id), envelope.operation_codes);
  await freeChannel(tx, envelope.id, null);
  return true;
}

function appliedEnd(passenger: PassengerRow, sourceAmount: bigint | null): TransferEnd {
  const { merchant_id: merchantId, transfer_id: transferId } = passenger;
  return { merchantId, transferId, sourceAmount, failure: null };
}

/** A failed transaction undid everything in it: only whose own operation failed is at fault. */
async function release(
  tx: Tx,
  envelopeId: string,
  aboard: readonly PassengerRow[],
  codes: readonly string[],
): Promise<void> {
  const ends = aboard.map(passenger => unappliedEnd(passenger, codes));
  const isExplained = codes.length === 0 || ends.some(({ failure }) => failure !== null);
  await endUnapplied(tx, envelopeId, ends, isExplained ? 0 : oddPauseSeconds);
}

function unappliedEnd(passenger: PassengerRow, codes: readonly string[]): TransferEnd {
  const { merchant_id: merchantId, transfer_id: transferId, first_operation: first, operations } = passenger;
  const failing = codes.slice(first, first + operations).find(code => code !== 'op_success');
  const failure = failing === undefined ? null : failureOfOperation(failing, passenger.delivery);
  return { merchantId, transferId, sourceAmount: null, failure };
}
