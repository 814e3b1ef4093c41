import { createHash } from 'node:crypto';
import {
  DecoratedSignature,
  FeeBumpTransaction,
  FeeBumpTransactionEnvelope,
  FeeBumpTransactionExt,
  FeeBumpTransactionInnerTx,
  LedgerBounds,
  Preconditions,
  PreconditionsV2,
  TimeBounds,
  Transaction,
  TransactionEnvelope,
  TransactionExt,
  TransactionSignaturePayload,
  TransactionSignaturePayloadTaggedTransaction,
  TransactionV1Envelope,
} from '@stellar/stellar-sdk/xdr';
import { createCache } from '../../../core/cache.ts';
import { decodeStrkey } from '../../../core/stellar/strkey.ts';
import type { TransactionMemo } from '../network.ts';
import { parsePaymentAddress } from './muxed-address.ts';
import type { StellarOperation } from './operation.ts';
import { fromOperation, toOperation } from './operation-xdr.ts';
import { verifyEd25519 } from './signing-key.ts';
import { EnvelopeError, fromMemo, fromMuxedAccount, soundAmount, toMemo, toMuxedAccount } from './xdr-values.ts';

/** Limits of a transaction's validity. A `max` of 0 means no end. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A transaction as plain data. Envelopes are base64 `TransactionEnvelope`, hashes hex. */
export interface TransactionData {
  /** The account that provides the sequence number and pays the fee. */
  readonly source: string;
  /** The account's sequence number plus one. */
  readonly sequence: bigint;
  /** The highest fee of the whole transaction, in stroops. */
  readonly fee: bigint;
  /** Valid from `min` to `max`, both included, in seconds since 1970. */
  readonly timeBounds: Bounds | null;
  /** Valid in ledgers from `min` (included) to `max` (excluded). */
  readonly ledgerBounds?: Bounds | null;
  readonly memo?: TransactionMemo | null;
  /** 1 to 100 operations. */
  readonly operations: readonly StellarOperation[];
}

/** The content of an envelope. `hash` is signed and identifies the transaction. Signatures have 64 bytes, in base64. */
export interface InspectedTransaction extends Required<TransactionData> {
  readonly kind: 'transaction';
  readonly hash: string;
  readonly signatures: readonly string[];
}

/** The content of an envelope that pays the fee of an inner envelope (CAP-15). `fee` is the highest fee, in stroops. */
export interface InspectedFeeBump {
  readonly kind: 'fee_bump';
  readonly hash: string;
  readonly feeSource: string;
  readonly fee: bigint;
  readonly signatures: readonly string[];
  readonly inner: InspectedTransaction;
}

export type InspectedEnvelope = InspectedTransaction | InspectedFeeBump;

/**
 * The longest envelope that is read, in base64 characters. Envelopes of 100 operations with 20 signatures are shorter.
 */
const longestEnvelope = 200_000;

/** Builds an envelope without signatures. Throws `EnvelopeError` for impossible values. */
export function buildEnvelope(data: TransactionData): string {
  if (data.operations.length < 1 || data.operations.length > 100) {
    throw new EnvelopeError('a transaction has 1 to 100 operations');
  }
  return withEnvelopeError(() => {
    const tx = new Transaction({
      sourceAccount: toMuxedAccount(data.source),
      fee: Number(data.fee),
      seqNum: soundAmount(data.sequence, 0n),
      cond: toPreconditions(data),
      memo: toMemo(data.memo ?? null),
      operations: data.operations.map(toOperation),
      ext: TransactionExt.v0(),
    });
    const envelope = new TransactionV1Envelope({ tx, signatures: [] });
    return TransactionEnvelope.envelopeTypeTx(envelope).toXdr('base64');
  });
}

/** Wraps a signed envelope in a fee bump, which replaces only the fee. `fee` is in stroops. Throws `EnvelopeError`. */
export function wrapFeeBump(
  envelopeXdr: string,
  { feeSource, fee }: { readonly feeSource: string; readonly fee: bigint },
): string {
  return withEnvelopeError(() => {
    const inner = decode(envelopeXdr);
    if (inner.type !== 'envelopeTypeTx') throw new EnvelopeError('only a plain transaction can be wrapped');
    const tx = new FeeBumpTransaction({
      feeSource: toMuxedAccount(feeSource),
      fee: soundAmount(fee),
      innerTx: FeeBumpTransactionInnerTx.envelopeTypeTx(inner.v1),
      ext: FeeBumpTransactionExt.v0(),
    });
    const envelope = new FeeBumpTransactionEnvelope({ tx, signatures: [] });
    return TransactionEnvelope.envelopeTypeTxFeeBump(envelope).toXdr('base64');
  });
}

/** The hash that is signed: SHA-256 over the network id and the transaction, hex. Throws `EnvelopeError`. */
export function hashEnvelope(envelopeXdr: string, passphrase: string): string {
  return hashes(`${passphrase} ${envelopeXdr}`, () => withEnvelopeError(() => hashOf(decode(envelopeXdr), passphrase)));
}

/** Reads an envelope. Throws `EnvelopeError` if the service does not know a part of it. */
export function inspectEnvelope(envelopeXdr: string, passphrase: string): InspectedEnvelope {
  return withEnvelopeError(() => {
    const envelope = decode(envelopeXdr);
    const hash = hashEnvelope(envelopeXdr, passphrase);
    if (envelope.type === 'envelopeTypeTx') return inspectTransaction(envelope.v1, hash);
    const { tx, signatures } = envelope.feeBump;
    return {
      kind: 'fee_bump',
      hash,
      feeSource: fromMuxedAccount(tx.feeSource),
      fee: soundAmount(tx.fee),
      signatures: signatures.map(fromSignature),
      inner: inspectTransaction(tx.innerTx.v1, hashOf(tx.innerTx, passphrase)),
    };
  });
}

/** Adds signatures (base64). Throws `EnvelopeError` unless each account has signed this envelope's hash. */
export function attachSignatures(
  envelopeXdr: string,
  passphrase: string,
  ...signatures: readonly { readonly address: string; readonly signature: string }[]
): string {
  return withEnvelopeError(() => {
    const hash = hashEnvelope(envelopeXdr, passphrase);
    const added = signatures.map(({ address, signature }) => {
      const key = keyOf(address);
      if (key === null || !verifySignature(address, hash, signature)) {
        throw new EnvelopeError(`the signature of ${address} does not fit this transaction`);
      }
      return new DecoratedSignature({ hint: key.subarray(-4), signature: Buffer.from(signature, 'base64') });
    });
    return withSignatures(decode(envelopeXdr), added).toXdr('base64');
  });
}

/** Whether the account (G… or M…) made the signature (base64) over the hash (hex). */
export function verifySignature(address: string, hash: string, signature: string): boolean {
  const key = keyOf(address);
  const bytes = Buffer.from(signature, 'base64');
  return key !== null && bytes.length === 64 && verifyEd25519(key, Buffer.from(hash, 'hex'), bytes);
}

export function isSignedBy(
  { hash, signatures }: Pick<InspectedEnvelope, 'hash' | 'signatures'>,
  address: string,
): boolean {
  return signatures.some(signature => verifySignature(address, hash, signature));
}

function inspectTransaction({ tx, signatures }: TransactionV1Envelope, hash: string): InspectedTransaction {
  if (tx.ext.type !== 'v0') throw new EnvelopeError('contract transactions are not supported');
  if (tx.operations.length === 0) throw new EnvelopeError('a transaction has at least one operation');
  return {
    kind: 'transaction',
    hash,
    source: fromMuxedAccount(tx.sourceAccount),
    sequence: soundAmount(tx.seqNum, 0n),
    fee: BigInt(tx.fee),
    ...fromPreconditions(tx.cond),
    memo: fromMemo(tx.memo),
    operations: tx.operations.map(fromOperation),
    signatures: signatures.map(fromSignature),
  };
}

function toPreconditions({ timeBounds, ledgerBounds }: TransactionData): Preconditions {
  const time = timeBounds && new TimeBounds({ minTime: BigInt(timeBounds.min), maxTime: BigInt(timeBounds.max) });
  if (!ledgerBounds) return time === null ? Preconditions.precondNone() : Preconditions.precondTime(time);
  return Preconditions.precondV2(
    new PreconditionsV2({
      timeBounds: time,
      ledgerBounds: new LedgerBounds({ minLedger: ledgerBounds.min, maxLedger: ledgerBounds.max }),
      minSeqNum: null,
      minSeqAge: 0n,
      minSeqLedgerGap: 0,
      extraSigners: [],
    }),
  );
}

function fromPreconditions(cond: Preconditions): Pick<InspectedTransaction, 'timeBounds' | 'ledgerBounds'> {
  if (cond.type === 'precondNone') return { timeBounds: null, ledgerBounds: null };
  if (cond.type === 'precondTime') return { timeBounds: fromTimeBounds(cond.timeBounds), ledgerBounds: null };
  const { timeBounds, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } = cond.v2;
  if (minSeqNum !== null || minSeqAge !== 0n || minSeqLedgerGap !== 0 || extraSigners.length > 0) {
    throw new EnvelopeError('a transaction has conditions that the service does not know');
  }
  return {
    timeBounds: timeBounds && fromTimeBounds(timeBounds),
    ledgerBounds: ledgerBounds && { min: ledgerBounds.minLedger, max: ledgerBounds.maxLedger },
  };
}

function fromTimeBounds({ minTime, maxTime }: TimeBounds): Bounds {
  return { min: Number(minTime), max: Number(maxTime) };
}

function fromSignature({ signature }: DecoratedSignature): string {
  return Buffer.from(signature.toBytes()).toString('base64');
}

function withSignatures(envelope: Envelope, added: readonly DecoratedSignature[]): TransactionEnvelope {
  if (envelope.type === 'envelopeTypeTx') {
    const { tx, signatures } = envelope.v1;
    return TransactionEnvelope.envelopeTypeTx(new TransactionV1Envelope({ tx, signatures: [...signatures, ...added] }));
  }
  const { tx, signatures } = envelope.feeBump;
  const signed = new FeeBumpTransactionEnvelope({ tx, signatures: [...signatures, ...added] });
  return TransactionEnvelope.envelopeTypeTxFeeBump(signed);
}

function hashOf(envelope: Envelope | FeeBumpTransactionInnerTx, passphrase: string): string {
  return payloadHash(
    envelope.type === 'envelopeTypeTx'
      ? TransactionSignaturePayloadTaggedTransaction.envelopeTypeTx(envelope.v1.tx)
      : TransactionSignaturePayloadTaggedTransaction.envelopeTypeTxFeeBump(envelope.feeBump.tx),
    passphrase,
  );
}

function payloadHash(taggedTransaction: TransactionSignaturePayloadTaggedTransaction, passphrase: string): string {
  const networkId = sha256(passphrase);
  return sha256(new TransactionSignaturePayload({ networkId, taggedTransaction }).toXdr()).toString('hex');
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

type Envelope = Exclude<TransactionEnvelope, { readonly type: 'envelopeTypeTxV0' }>;

/**
 * The newest envelopes and hashes. Each step from a transaction's draft to its submission reads the envelope again, and
 * reading or encoding 100 operations takes about a millisecond. Nothing changes a decoded envelope.
 */
const envelopes = createCache<Envelope>(8);
const hashes = createCache<string>(32);

function decode(envelopeXdr: string): Envelope {
  if (envelopeXdr.length > longestEnvelope) throw new EnvelopeError('the envelope is too long');
  return envelopes(envelopeXdr, () => {
    const envelope = TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
    if (envelope.type === 'envelopeTypeTxV0')
      throw new EnvelopeError('envelopes of protocol 12 and older are not supported');
    return envelope;
  });
}

function keyOf(address: string): Uint8Array | null {
  const account = parsePaymentAddress(address)?.account;
  return account === undefined ? null : decodeStrkey('G', account);
}

function withEnvelopeError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof EnvelopeError) throw error;
    throw new EnvelopeError(`not a transaction: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
