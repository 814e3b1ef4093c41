import {
  type ClaimAtomWire,
  type FeeBumpTransactionWire,
  type OperationResultTrWire,
  type OperationResultWire,
  type OperationWire,
  TransactionEnvelope,
  TransactionResult,
  type TransactionResultWire,
  type TransactionV1EnvelopeWire,
  type TransactionWire,
} from '@stellar/stellar-sdk/xdr';
import { testPassphrase } from '../../../core/stellar/stellar-network.ts';
import { networkId, readTransaction, toVersion1 } from '../core/transactions/transaction.ts';

type Signatures = TransactionV1EnvelopeWire['signatures'];

export interface DecodedEnvelope {
  /** The transaction, or the inner transaction of a fee bump. Version 0 is converted to version 1. */
  readonly transaction: TransactionWire;
  readonly signatures: Signatures;
  readonly feeBump: { readonly transaction: FeeBumpTransactionWire; readonly signatures: Signatures } | null;
}

/** Decodes a `TransactionEnvelope`, base64. Throws for other text. */
export function decodeEnvelope(envelopeXdr: string): DecodedEnvelope {
  const envelope = TransactionEnvelope.schema.decode(Buffer.from(envelopeXdr, 'base64'));
  if (envelope.type === 5) {
    const { tx: transaction, signatures } = envelope.feeBump;
    const { v1 } = transaction.innerTx;
    return { transaction: v1.tx, signatures: v1.signatures, feeBump: { transaction, signatures } };
  }
  const { tx: transaction, signatures } = envelope.type === 2 ? envelope.v1 : toVersion1(envelope.v0);
  return { transaction, signatures, feeBump: null };
}

/** Decodes a `TransactionResult`, base64. */
export function decodeResult(resultXdr: string): TransactionResultWire {
  return TransactionResult.schema.decode(Buffer.from(resultXdr, 'base64'));
}

/** The results of the operations. For a fee bump: of its inner transaction. Empty if no operation was applied. */
export function operationResults({ result }: TransactionResultWire): readonly OperationResultWire[] {
  if ('results' in result) return result.results;
  if (!('innerResultPair' in result)) return [];
  const inner = result.innerResultPair.result.result;
  return 'results' in inner ? inner.results : [];
}

/** The result of an operation that was applied, or null. */
export function innerResult(result: OperationResultWire | undefined): OperationResultTrWire | null {
  return result?.code === 0 ? result.tr : null;
}

/** The trades of an operation with offers and pools, in order. */
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
    case 12:
      return result.manageBuyOfferResult.code === 0 ? result.manageBuyOfferResult.success.offersClaimed : [];
    default:
      return [];
  }
}

export function sourceOf(operation: OperationWire, transaction: TransactionWire): TransactionWire['sourceAccount'] {
  return operation.sourceAccount ?? transaction.sourceAccount;
}

/** The network id of the sandbox network. */
export const sandboxNetworkId = networkId(testPassphrase);

/** The hash of a transaction in hex. For a fee bump, the outer hash. Throws `MalformedEnvelope`. */
export function transactionHash(envelopeXdr: string): string {
  return readTransaction(sandboxNetworkId, envelopeXdr).hash;
}
