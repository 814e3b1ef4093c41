import { type OperationResult, TransactionResult } from '@stellar/stellar-sdk/xdr';

/**
 * What each operation of an applied transaction took out of its source account to deliver something else: one entry an
 * operation, in stroops of the asset it sent; null where the operation is no path payment. Throws when the text is no
 * `TransactionResult` (base64).
 */
export function sentAmounts(resultXdr: string): readonly (bigint | null)[] {
  const { result: outer } = TransactionResult.fromXdr(resultXdr, 'base64');
  const isBump = outer.type === 'txFeeBumpInnerSuccess' || outer.type === 'txFeeBumpInnerFailed';
  const result = isBump ? outer.innerResultPair.result.result : outer;
  return result.type === 'txSuccess' ? result.results.map(sentAmount) : [];
}

function sentAmount(operation: OperationResult): bigint | null {
  if (operation.type !== 'opInner' || operation.tr.type !== 'pathPaymentStrictReceive') return null;
  const result = operation.tr.pathPaymentStrictReceiveResult;
  if (result.type !== 'pathPaymentStrictReceiveSuccess') return null;
  const { offers, last } = result.success;
  const [first] = offers;
  if (first === undefined) return last.amount;
  const asset = first.value.assetBought.toXdr('base64');
  let sent = 0n;
  // The first hop is all that trades the asset that was sent, up to the first offer for another one.
  for (const { value } of offers) {
    if (value.assetBought.toXdr('base64') !== asset) break;
    sent += value.amountBought;
  }
  return sent;
}
