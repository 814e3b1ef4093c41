import { newId } from '../../../core/id.ts';
import type { IngestedLedger } from '../network.ts';
import { buildEnvelope, hashEnvelope, wrapFeeBump } from '../transaction/transaction.ts';
import { type Batch, operationsOf, type Sendable } from './batch.ts';
import type { ChannelRow } from './channel.store.ts';
import type { NewEnvelope } from './envelope.store.ts';
import { boundsOf, bumpFee, leastBid, validityFrom } from './envelope.ts';
import type { TreasuryDeps } from './treasury-deps.ts';

/**
 * The parts of a transaction. `ledger`: the newest ledger, where the transaction's validity begins. `bid`: the fee per
 * operation, in stroops.
 */
export interface EnvelopePlan {
  readonly channel: Pick<ChannelRow, 'address' | 'number'>;
  readonly batch: Batch<Sendable>;
  readonly ledger: IngestedLedger;
  readonly bid: bigint;
}

/** A transaction before it is signed. */
export type Draft = Omit<NewEnvelope, 'xdr' | 'hash' | 'fee'>;

type MakerDeps = Pick<TreasuryDeps, 'signer' | 'network'>;

/** Drafts the transaction with the channel's sequence number. The treasury is the source of every operation. */
export function draftEnvelope({ signer, network }: MakerDeps, plan: EnvelopePlan, sequence: bigint): Draft {
  const { channel, batch } = plan;
  const operations = batch.transfers.flatMap(transfer => operationsOf(transfer, signer.treasury));
  const validity = validityFrom(plan.ledger);
  const innerXdr = buildEnvelope({
    ...{ source: channel.address, sequence, fee: leastBid * BigInt(operations.length) },
    ...boundsOf(validity),
    ...{ memo: batch.memo, operations },
  });
  return {
    ...validity,
    id: newId('envelope'),
    channel: channel.address,
    sequence,
    inner_xdr: innerXdr,
    inner_hash: hashEnvelope(innerXdr, network.passphrase),
    operations: operations.length,
  };
}

/**
 * Signs the draft and wraps it in a fee bump, so that the treasury pays the fee. A higher bid then does not change the
 * inner transaction.
 */
export async function signDraft(
  { signer, network }: MakerDeps,
  plan: EnvelopePlan,
  draft: Draft,
): Promise<NewEnvelope> {
  const innerXdr = await signer.sign(draft.inner_xdr, plan.channel.number);
  const fee = bumpFee(plan.bid, draft.operations);
  const xdr = await signer.sign(wrapFeeBump(innerXdr, { feeSource: signer.treasury, fee }), null);
  return { ...draft, inner_xdr: innerXdr, xdr, fee, hash: hashEnvelope(xdr, network.passphrase) };
}
