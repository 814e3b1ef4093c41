import { newId } from '../../../core/id.ts';
import type { NewCarrier } from '../../outbound/carrier.ts';
import type { IngestedLedger } from '../network.ts';
import { buildEnvelope, hashEnvelope, wrapFeeBump } from '../transaction/transaction.ts';
import { type Batch, operationsOf, type Sendable } from './batch.ts';
import type { ChannelRow } from './channel.store.ts';
import { boundsOf, bumpFee, type EnvelopeDetail, leastBid, type Validity, validityFrom } from './envelope.ts';
import type { TreasuryDeps } from './treasury-deps.ts';

/**
 * The parts of a transaction. `ledger`: the newest ledger, where the transaction's validity begins. `bid`: the fee per
 * operation, in stroops.
 */
export interface EnvelopePlan<T extends Sendable = Sendable> {
  readonly channel: Pick<ChannelRow, 'address' | 'number'>;
  readonly batch: Batch<T>;
  readonly ledger: IngestedLedger;
  readonly bid: bigint;
}

/** A transaction before it is signed. */
export interface Draft extends Validity {
  readonly id: string;
  readonly detail: EnvelopeDetail;
}

type MakerDeps = Pick<TreasuryDeps, 'signer' | 'network'>;

/** The draft of a plan without its faulty transfers. Null: no transfer is left. */
export interface SoundDraft<T extends Sendable> {
  readonly draft: Draft | null;
  readonly transfers: readonly T[];
  /** Transfers that no transaction can carry, such as a payment of an unknown asset. */
  readonly faulty: readonly { readonly transfer: T; readonly error: unknown }[];
}

/** Drafts the transaction. After an error, drafts each transfer alone, and leaves the faulty transfers out. */
export function draftSound<T extends Sendable>(
  deps: MakerDeps,
  plan: EnvelopePlan<T>,
  sequence: bigint,
): SoundDraft<T> {
  const { memo, transfers } = plan.batch;
  const draftOf = (some: readonly T[]) => draftEnvelope(deps, { ...plan, batch: { memo, transfers: some } }, sequence);
  try {
    return { draft: draftOf(transfers), transfers, faulty: [] };
  } catch (error) {
    const faulty = transfers.flatMap(transfer => faultOf(transfer, () => draftOf([transfer])));
    // Each transfer alone is sound, so another part of the transaction is at fault.
    if (faulty.length === 0) throw error;
    const sound = transfers.filter(each => faulty.every(({ transfer }) => transfer !== each));
    return { draft: sound.length === 0 ? null : draftOf(sound), transfers: sound, faulty };
  }
}

function faultOf<T>(transfer: T, draft: () => unknown): { readonly transfer: T; readonly error: unknown }[] {
  try {
    draft();
    return [];
  } catch (error) {
    return [{ transfer, error }];
  }
}

/** Drafts the transaction with the channel's sequence number. The treasury is the source of every operation. */
function draftEnvelope({ signer, network }: MakerDeps, plan: EnvelopePlan, sequence: bigint): Draft {
  const { channel, batch } = plan;
  const operations = batch.transfers.flatMap(transfer => operationsOf(transfer, signer.treasury));
  const validity = validityFrom(plan.ledger);
  const innerXdr = buildEnvelope({
    source: channel.address,
    sequence,
    fee: leastBid * BigInt(operations.length),
    ...boundsOf(validity),
    memo: batch.memo,
    operations,
  });
  return {
    ...validity,
    id: newId('envelope'),
    detail: {
      channel: channel.address,
      sequence: String(sequence),
      inner_xdr: innerXdr,
      inner_hash: hashEnvelope(innerXdr, network.passphrase),
      operations: operations.length,
    },
  };
}

/**
 * Signs the draft and wraps it in a fee bump, so that the treasury pays the fee. A higher bid then does not change the
 * inner transaction.
 */
export async function signDraft(
  { signer, network }: MakerDeps,
  plan: EnvelopePlan,
  { id, detail, maxLedger, maxTime }: Draft,
): Promise<NewCarrier> {
  const { channel, sequence, inner_hash, operations } = detail;
  const innerXdr = await signer.sign(detail.inner_xdr, plan.channel.number);
  const fee = bumpFee(plan.bid, operations);
  const signed = await signer.sign(wrapFeeBump(innerXdr, { feeSource: signer.treasury, fee }), null);
  return {
    id,
    detail: { ...detail, inner_xdr: innerXdr },
    signed,
    fee,
    hash: hashEnvelope(signed, network.passphrase),
    otherHashes: [inner_hash],
    claims: [{ kind: 'sequence', key: `${channel}:${sequence}` }],
    expires_block: BigInt(maxLedger),
    expires_at: maxTime,
  };
}
