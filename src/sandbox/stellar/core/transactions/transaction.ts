import { createHash } from 'node:crypto';
import {
  type DecoratedSignatureWire,
  type FeeBumpTransactionEnvelopeWire,
  type OperationResultWire,
  type OperationWire,
  type PreconditionsV2Wire,
  TransactionEnvelope,
  type TransactionEnvelopeWire,
  TransactionResult,
  type TransactionResultWire,
  type TransactionV0EnvelopeWire,
  type TransactionV1EnvelopeWire,
} from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../state/identifiers.ts';

/** A decoded transaction. */
export interface Frame {
  /** The transaction hash, in hex and as bytes. For a fee bump, the outer hash. */
  readonly hash: string;
  readonly hashBytes: Uint8Array;
  /**
   * The hash of the whole envelope with its signatures. The queue recognizes duplicate and banned envelopes by this
   * hash.
   */
  readonly fullHash: string;
  /** The envelope, base64. Version 0 envelopes are converted to version 1. */
  readonly envelopeXdr: string;
  readonly source: string;
  readonly feeSource: string;
  readonly sequence: bigint;
  /** The highest fee that the transaction may cost, in stroops. */
  readonly feeBid: bigint;
  /** The number of operations for which a fee is due. A fee bump counts as one more operation. */
  readonly operationCount: number;
  readonly operations: readonly OperationWire[];
  readonly conditions: PreconditionsV2Wire;
  readonly signatures: readonly DecoratedSignatureWire[];
  /** Cached results of signature checks, by key and signature. */
  readonly verified: Map<string, boolean>;
  /** Whether the transaction has contract data, which makes a classic transaction malformed. */
  readonly hasContractData: boolean;
  /** The inner transaction of a fee bump, or null. */
  readonly inner: Frame | null;
}

/** Thrown for text that is not a transaction envelope. */
export class MalformedEnvelope extends Error {}

const noConditions: PreconditionsV2Wire = {
  timeBounds: null,
  ledgerBounds: null,
  minSeqNum: null,
  minSeqAge: 0n,
  minSeqLedgerGap: 0,
  extraSigners: [],
};

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The id of a network: the hash of its passphrase. A signature covers this id and the transaction. */
export const networkId = (passphrase: string): Uint8Array => sha256(Buffer.from(passphrase));

const envelopeTag = (tag: number): Uint8Array => Uint8Array.of(0, 0, 0, tag);

/** Reads an envelope, base64. Throws {@link MalformedEnvelope}. */
export function readTransaction(network: Uint8Array, envelopeXdr: string): Frame {
  const bytes = Buffer.from(envelopeXdr, 'base64');
  let envelope: TransactionEnvelopeWire;
  try {
    // Copies the bytes. The codec returns views, and a view of a Buffer would keep Node’s whole buffer pool in memory.
    envelope = TransactionEnvelope.schema.decode(new Uint8Array(bytes));
  } catch (error) {
    throw new MalformedEnvelope('The envelope is not the XDR of a transaction.', { cause: error });
  }
  if (envelope.type === 5) return feeBumpFrame(network, envelope.feeBump, bytes);
  return envelope.type === 0 ? plainFrame(network, toVersion1(envelope.v0)) : plainFrame(network, envelope.v1, bytes);
}

/** Converts a version 0 envelope to version 1. Both have the same hash (CAP-15). */
export function toVersion1({ tx, signatures }: TransactionV0EnvelopeWire): TransactionV1EnvelopeWire {
  const { sourceAccountEd25519, timeBounds, ext, ...rest } = tx;
  return {
    tx: {
      ...rest,
      sourceAccount: { type: 0, ed25519: sourceAccountEd25519 },
      cond: timeBounds === null ? { type: 0 } : { type: 1, timeBounds },
      ext: { v: ext.v },
    },
    signatures,
  };
}

function conditionsOf({ cond }: TransactionV1EnvelopeWire['tx']): PreconditionsV2Wire {
  if (cond.type === 2) return cond.v2;
  return cond.type === 1 ? { ...noConditions, timeBounds: cond.timeBounds } : noConditions;
}

/**
 * The signed bytes: the part between the envelope’s type and its signatures. XDR is canonical, so this part needs no
 * new encoding.
 */
function signedPart(envelope: Buffer, signatures: readonly DecoratedSignatureWire[]): Buffer {
  const lengths = signatures.map(({ signature }) => 8 + ((signature.length + 3) & ~3));
  return envelope.subarray(4, envelope.length - lengths.reduce((sum, length) => sum + length, 4));
}

const encode = (v1: TransactionV1EnvelopeWire): Buffer =>
  Buffer.from(TransactionEnvelope.schema.encode({ type: 2, v1 }));

function plainFrame(network: Uint8Array, v1: TransactionV1EnvelopeWire, bytes = encode(v1)): Frame {
  const { tx, signatures } = v1;
  const hashBytes = sha256(network, envelopeTag(2), signedPart(bytes, signatures));
  const source = accountOf(tx.sourceAccount);
  return {
    hash: hashBytes.toString('hex'),
    hashBytes,
    fullHash: sha256(bytes).toString('hex'),
    envelopeXdr: bytes.toString('base64'),
    source,
    feeSource: source,
    sequence: tx.seqNum,
    feeBid: BigInt(tx.fee),
    operationCount: tx.operations.length,
    operations: tx.operations,
    conditions: conditionsOf(tx),
    signatures,
    verified: new Map(),
    hasContractData: tx.ext.v !== 0,
    inner: null,
  };
}

function feeBumpFrame(network: Uint8Array, feeBump: FeeBumpTransactionEnvelopeWire, bytes: Buffer): Frame {
  const { tx, signatures } = feeBump;
  const inner = plainFrame(network, tx.innerTx.v1);
  const hashBytes = sha256(network, envelopeTag(5), signedPart(bytes, signatures));
  return {
    ...inner,
    hash: hashBytes.toString('hex'),
    hashBytes,
    fullHash: sha256(bytes).toString('hex'),
    envelopeXdr: bytes.toString('base64'),
    feeSource: accountOf(tx.feeSource),
    feeBid: tx.fee,
    operationCount: inner.operationCount + 1,
    signatures,
    verified: new Map(),
    inner,
  };
}

/** Codes of `TransactionResultCode`. */
export const txCode = {
  feeBumpInnerSuccess: 1,
  success: 0,
  failed: -1,
  tooEarly: -2,
  tooLate: -3,
  missingOperation: -4,
  badSequence: -5,
  badAuth: -6,
  insufficientBalance: -7,
  noAccount: -8,
  insufficientFee: -9,
  badAuthExtra: -10,
  internalError: -11,
  feeBumpInnerFailed: -13,
  badSponsorship: -14,
  badMinSequenceAgeOrGap: -15,
  malformed: -16,
} as const;

/** Result codes that have no further content. */
export type BareCode = Exclude<(typeof txCode)[keyof typeof txCode], 1 | 0 | -1 | -13>;

/** The result of a transaction, without its fee. */
export type Verdict = { readonly code: BareCode } | { readonly code: 0 | -1; readonly results: OperationResultWire[] };

export const isSuccess = (verdict: Verdict): boolean => verdict.code === 0;

const noExtension = { v: 0 } as const;

/** The result of a transaction. For a fee bump, `verdict` and `innerFeeCharged` belong to the inner transaction. */
export function resultOf(
  frame: Frame,
  verdict: Verdict,
  feeCharged: bigint,
  innerFeeCharged: bigint,
): TransactionResultWire {
  if (!frame.inner) return { feeCharged, result: verdict, ext: noExtension };
  const innerResultPair = {
    transactionHash: frame.inner.hashBytes,
    result: { feeCharged: innerFeeCharged, result: verdict, ext: noExtension },
  };
  const code = verdict.code === 0 ? txCode.feeBumpInnerSuccess : txCode.feeBumpInnerFailed;
  return { feeCharged, result: { code, innerResultPair }, ext: noExtension };
}

/** The result of a refusal. A fee bump gets this result if it is refused before the check of its inner transaction. */
export const refusalOf = (code: BareCode, feeCharged: bigint): TransactionResultWire => ({
  feeCharged,
  result: { code },
  ext: noExtension,
});

export const resultXdr = (result: TransactionResultWire): string =>
  Buffer.from(TransactionResult.schema.encode(result)).toString('base64');
