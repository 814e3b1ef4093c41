import { xdr } from '@stellar/stellar-sdk/base';
import type { ProblemCode } from '../../wallet-wire.ts';
import { WalletError } from './wallet-error.ts';

type Words = readonly [ends: RegExp, code: ProblemCode, message: string];

/** What the network's refusals mean to the person who pays; the first that fits the name of the result counts. */
const words: readonly Words[] = [
  [/^txTooLate$/, 'expired', 'It took too long to confirm, so nothing was paid. Look at it again.'],
  [/^txBadSeq$/, 'out_of_turn', 'Another payment from this wallet went first, so this one was not made.'],
  [/^txNoAccount$/, 'account_missing', 'This wallet has no money yet. Get some test money first.'],
  [/^txInsufficientBalance$/, 'underfunded', 'There is not enough XLM here for the network’s fee.'],
  [/^txInsufficientFee$/, 'refused', 'The network is busy and wants a higher fee. Try again in a moment.'],
  [/LowReserve$/, 'underfunded', 'The network would hold back more XLM than there is here.'],
  [/Underfunded$|txInsufficient/, 'underfunded', 'There is not enough of it here. Nothing was paid.'],
  [/SrcNoTrust$/, 'asset_missing', 'This wallet does not hold that asset.'],
  [/NoTrust$/, 'receiver_asset_missing', 'The receiver does not take this asset. Nothing was paid.'],
  [/NoDestination$/, 'receiver_missing', 'The receiver has no account on this network. Nothing was paid.'],
  [/TooFewOffers$/, 'no_path', 'Nobody exchanges these assets right now. Nothing was paid.'],
  [/OverSendmax$|UnderDestmin$/, 'price_moved', 'The price moved past the limit shown. Nothing was paid.'],
  [/LineFull$/, 'refused', 'The receiver cannot hold that much of this asset. Nothing was paid.'],
];

const otherwise = 'The network did not take the transaction. Nothing was paid.';

/** The refusal in a `TransactionResult` (base64) as an error with a sentence for people. */
export function refusalOf(resultXdr: string | null): WalletError {
  const name = resultXdr === null ? '' : resultName(resultXdr);
  const found = words.find(([ends]) => ends.test(name));
  return found ? new WalletError(found[1], found[2]) : new WalletError('refused', otherwise);
}

/** The name of the result that decided: of the first operation that failed, otherwise of the transaction. */
function resultName(resultXdr: string): string {
  const { result } = xdr.TransactionResult.fromXdr(resultXdr, 'base64');
  if (result.type !== 'txFailed') return result.type;
  return result.results.map(operationName).find(name => !name.endsWith('Success')) ?? result.type;
}

function operationName(result: xdr.OperationResult): string {
  if (result.type !== 'opInner') return result.type;
  const inner: unknown = Reflect.get(result.tr, `${result.tr.type}Result`);
  return typeof inner === 'object' && inner !== null ? String(Reflect.get(inner, 'type')) : result.tr.type;
}
