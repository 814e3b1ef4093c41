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
import { decodeStrkey } from '../../../core/stellar/strkey.ts';
import type { TransactionMemo } from '../network.ts';
import { verifyEd25519 } from '../signing/ed25519.ts';
import { parsePaymentAddress } from './muxed-address.ts';
import type { StellarOperation } from './operation.ts';
import { fromOperation, toOperation } from './operation-xdr.ts';
import { EnvelopeError, fromMemo, fromMuxedAccount, soundAmount, toMemo, toMuxedAccount } from './xdr-values.ts';

/**
 * Builds and reads transaction envelopes: the only place that does. Envelopes travel as base64 `TransactionEnvelope`,
 * hashes as hex. Whatever cannot be built, and whatever is read that the service does not know, throws EnvelopeError.
 */

/** Moments in seconds since 1970 between which a transaction is valid, both included; `max` 0 has no end. */
export interface TimeBoundsData {
  readonly min: number;
  readonly max: number;
}

/** Ledgers in which a transaction is valid: from `min` on, and before `max`; `max` 0 has no end. */
export interface LedgerBoundsData {
  readonly min: number;
  readonly max: number;
}

/** A transaction as plain data. */
export interface TransactionData {
  /** The account whose sequence number is used and who pays the fee. */
  readonly source: string;
  /** The number this transaction uses up: one more than the account’s. */
  readonly sequence: bigint;
  /** The most that the whole transaction may cost, in stroops. */
  readonly fee: bigint;
  readonly timeBounds: TimeBoundsData | null;
  readonly ledgerBounds?: LedgerBoundsData | null;
  readonly memo?: TransactionMemo | null;
  /** 1 to 100. */
  readonly operations: readonly StellarOperation[];
}

/** A signature as an envelope carries it. */
export interface EnvelopeSignature {
  /** The last four bytes of the signer’s key, hex. */
  readonly hint: string;
  /** 64 bytes, base64. */
  readonly signature: string;
}

/** What is in an envelope. */
export interface InspectedTransaction extends Required<TransactionData> {
  readonly kind: 'transaction';
  /** What is signed, and the name of the transaction on its network. */
  readonly hash: string;
  readonly signatures: readonly EnvelopeSignature[];
}

/** What is in an envelope that pays the fee of another one (CAP-15). */
export interface InspectedFeeBump {
  readonly kind: 'fee_bump';
  readonly hash: string;
  readonly feeSource: string;
  /** The most that it may cost, in stroops. */
  readonly fee: bigint;
  readonly signatures: readonly EnvelopeSignature[];
  readonly inner: InspectedTransaction;
}

/** What is in an envelope of either kind. */
export type InspectedEnvelope = InspectedTransaction | InspectedFeeBump;

/** The largest envelope that is read, in base64 characters: a hundred operations with twenty signatures have fewer. */
const longestEnvelope = 200_000;

/** An envelope without signatures. */
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

/** An envelope that pays more for a signed one without changing it; both count as one transaction. `fee` covers it all, in stroops. */
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

/** What is signed: SHA-256 over the network and the transaction, hex. Of a fee bump, its own hash. */
export function hashEnvelope(envelopeXdr: string, passphrase: string): string {
  return withEnvelopeError(() => hashOf(decode(envelopeXdr), passphrase));
}

/** All that an envelope holds, as plain data. Throws EnvelopeError when there is anything in it that the service does not know. */
export function inspectEnvelope(envelopeXdr: string, passphrase: string): InspectedEnvelope {
  return withEnvelopeError(() => {
    const envelope = decode(envelopeXdr);
    if (envelope.type === 'envelopeTypeTx') return inspectTransaction(envelope.v1, passphrase);
    if (envelope.type === 'envelopeTypeTxV0')
      throw new EnvelopeError('envelopes of protocol 12 and older are not read');
    const { tx, signatures } = envelope.feeBump;
    return {
      kind: 'fee_bump',
      hash: hashOf(envelope, passphrase),
      feeSource: fromMuxedAccount(tx.feeSource),
      fee: soundAmount(tx.fee),
      signatures: signatures.map(fromSignature),
      inner: inspectTransaction(tx.innerTx.v1, passphrase),
    };
  });
}

/** The envelope with one signature more. It must be the account’s own over this envelope’s hash; otherwise EnvelopeError is thrown. */
export function attachSignature(
  envelopeXdr: string,
  passphrase: string,
  { address, signature }: { readonly address: string; readonly signature: string },
): string {
  return withEnvelopeError(() => {
    const envelope = decode(envelopeXdr);
    if (!verifySignature(address, hashOf(envelope, passphrase), signature)) {
      throw new EnvelopeError(`the signature is not one of ${address} over this transaction`);
    }
    const bytes = Buffer.from(signature, 'base64');
    const decorated = new DecoratedSignature({ hint: keyOf(address).subarray(-4), signature: bytes });
    return withSignature(envelope, decorated).toXdr('base64');
  });
}

/** Whether the account (G…, or the one behind an M…) made the signature (base64) over the hash (hex). */
export function verifySignature(address: string, hash: string, signature: string): boolean {
  const account = parsePaymentAddress(address)?.account;
  const key = account === undefined ? null : decodeStrkey('G', account);
  const bytes = Buffer.from(signature, 'base64');
  return key !== null && bytes.length === 64 && verifyEd25519(key, Buffer.from(hash, 'hex'), bytes);
}

/** Whether one of the signatures is the account’s over the hash of what they belong to. */
export function isSignedBy(
  { hash, signatures }: { readonly hash: string; readonly signatures: readonly EnvelopeSignature[] },
  address: string,
): boolean {
  return signatures.some(({ signature }) => verifySignature(address, hash, signature));
}

function inspectTransaction({ tx, signatures }: TransactionV1Envelope, passphrase: string): InspectedTransaction {
  if (tx.ext.type !== 'v0') throw new EnvelopeError('contract transactions are not read');
  if (tx.operations.length === 0) throw new EnvelopeError('a transaction has at least one operation');
  return {
    kind: 'transaction',
    hash: payloadHash(TransactionSignaturePayloadTaggedTransaction.envelopeTypeTx(tx), passphrase),
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

function fromTimeBounds({ minTime, maxTime }: TimeBounds): TimeBoundsData {
  const bounds = { min: Number(minTime), max: Number(maxTime) };
  if (!Number.isSafeInteger(bounds.min) || !Number.isSafeInteger(bounds.max)) {
    throw new EnvelopeError('a moment is too far away');
  }
  return bounds;
}

function fromSignature({ hint, signature }: DecoratedSignature): EnvelopeSignature {
  const text = (bytes: Uint8Array, format: 'hex' | 'base64') => Buffer.from(bytes).toString(format);
  return { hint: text(hint.toBytes(), 'hex'), signature: text(signature.toBytes(), 'base64') };
}

function withSignature(envelope: TransactionEnvelope, signature: DecoratedSignature): TransactionEnvelope {
  if (envelope.type === 'envelopeTypeTx') {
    const { tx, signatures } = envelope.v1;
    return TransactionEnvelope.envelopeTypeTx(
      new TransactionV1Envelope({ tx, signatures: [...signatures, signature] }),
    );
  }
  if (envelope.type === 'envelopeTypeTxV0')
    throw new EnvelopeError('envelopes of protocol 12 and older are not signed');
  const { tx, signatures } = envelope.feeBump;
  const signed = new FeeBumpTransactionEnvelope({ tx, signatures: [...signatures, signature] });
  return TransactionEnvelope.envelopeTypeTxFeeBump(signed);
}

function hashOf(envelope: TransactionEnvelope, passphrase: string): string {
  if (envelope.type === 'envelopeTypeTxV0') throw new EnvelopeError('envelopes of protocol 12 and older are not read');
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

function decode(envelopeXdr: string): TransactionEnvelope {
  if (envelopeXdr.length > longestEnvelope) throw new EnvelopeError('the envelope is too long');
  return TransactionEnvelope.fromXdr(envelopeXdr, 'base64');
}

function keyOf(address: string): Uint8Array {
  const account = parsePaymentAddress(address)?.account;
  const key = account === undefined ? null : decodeStrkey('G', account);
  if (key === null) throw new EnvelopeError(`“${address.slice(0, 80)}” is no address`);
  return key;
}

/** What the codec says of impossible bytes and values is said in the words of this file’s error, too. */
function withEnvelopeError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof EnvelopeError) throw error;
    throw new EnvelopeError(`not a transaction: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
