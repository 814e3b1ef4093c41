import {
  type ClaimAtomWire,
  type FeeBumpTransactionWire,
  type OperationResultTrWire,
  type OperationResultWire,
  type OperationWire,
  TransactionEnvelope,
  type TransactionEnvelopeWire,
  TransactionResult,
  type TransactionResultWire,
  type TransactionV1EnvelopeWire,
  type TransactionWire,
} from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { networkId, readTransaction } from '../core/transactions/transaction-frame.ts';

type Signatures = TransactionV1EnvelopeWire['signatures'];

/** An envelope taken apart. */
export interface OpenedEnvelope {
  /** The transaction; of a fee bump what it carries. An old one of version 0 looks like one of version 1. */
  readonly transaction: TransactionWire;
  readonly signatures: Signatures;
  /** The fee bump around it, or null. */
  readonly feeBump: { readonly transaction: FeeBumpTransactionWire; readonly signatures: Signatures } | null;
}

/** Reads a `TransactionEnvelope` in base64. Throws on what is none. */
export function openEnvelope(envelopeXdr: string): OpenedEnvelope {
  return opened(TransactionEnvelope.schema.decode(Buffer.from(envelopeXdr, 'base64')));
}

function opened(envelope: TransactionEnvelopeWire): OpenedEnvelope {
  if (envelope.type === 2) {
    return { transaction: envelope.v1.tx, signatures: envelope.v1.signatures, feeBump: null };
  }
  if (envelope.type === 5) {
    const { tx: transaction, signatures } = envelope.feeBump;
    const { v1 } = transaction.innerTx;
    return { transaction: v1.tx, signatures: v1.signatures, feeBump: { transaction, signatures } };
  }
  const { sourceAccountEd25519, timeBounds, ext: _, ...rest } = envelope.v0.tx;
  const transaction: TransactionWire = {
    ...rest,
    sourceAccount: { type: 0, ed25519: sourceAccountEd25519 },
    cond: timeBounds === null ? { type: 0 } : { type: 1, timeBounds },
    ext: { v: 0 },
  };
  return { transaction, signatures: envelope.v0.signatures, feeBump: null };
}

/** Reads a `TransactionResult` in base64. */
export function openResult(resultXdr: string): TransactionResultWire {
  return TransactionResult.schema.decode(Buffer.from(resultXdr, 'base64'));
}

/** What each operation came to, also of a transaction that a fee bump carries; null where none was tried. */
export function operationResults({ result }: TransactionResultWire): readonly OperationResultWire[] | null {
  if ('results' in result) return result.results;
  if (!('innerResultPair' in result)) return null;
  const inner = result.innerResultPair.result.result;
  return 'results' in inner ? inner.results : null;
}

/** What an operation that was tried came to; null for one that was not. */
export function innerResult(result: OperationResultWire | undefined): OperationResultTrWire | null {
  return result?.code === 0 ? result.tr : null;
}

/** The offers and pools that an operation traded with, in their order. */
export function claimedBy(result: OperationResultTrWire | null): readonly ClaimAtomWire[] {
  switch (result?.type) {
    case 2:
      return result.pathPaymentStrictReceiveResult.code === 0
        ? result.pathPaymentStrictReceiveResult.success.offers
        : [];
    case 13:
      return result.pathPaymentStrictSendResult.code === 0 ? result.pathPaymentStrictSendResult.success.offers : [];
    case 3:
      return result.manageSellOfferResult.code === 0 ? result.manageSellOfferResult.success.offersClaimed : [];
    case 4:
      return result.createPassiveSellOfferResult.code === 0
        ? result.createPassiveSellOfferResult.success.offersClaimed
        : [];
    case 12:
      return result.manageBuyOfferResult.code === 0 ? result.manageBuyOfferResult.success.offersClaimed : [];
    default:
      return [];
  }
}

/** The source of an operation. */
export function sourceOf(operation: OperationWire, transaction: TransactionWire): TransactionWire['sourceAccount'] {
  return operation.sourceAccount ?? transaction.sourceAccount;
}

const network = networkId(testPassphrase);
/** The hash of an envelope’s transaction, and of a fee bump that of what it carries; hex. Throws `MalformedEnvelope`. */
export function envelopeHashes(envelopeXdr: string): { readonly hash: string; readonly innerHash: string | null } {
  const { hash, inner } = readTransaction(network, envelopeXdr);
  return { hash, innerHash: inner?.hash ?? null };
}
