import { setTimeout as sleep } from 'node:timers/promises';
import { type Keypair, Transaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk/base';
import type { ProblemCode, Progress, Submission } from '../../wallet-messages.ts';
import { findAccount, type Horizon, type LedgerDeps, WalletError } from './horizon.ts';
import { newTransaction } from './transactions.ts';

/** Adds the signature to the envelope and submits the envelope. Submitting it twice pays once. */
export async function submitSigned(horizon: Horizon, { from, envelopeXdr, signature }: Submission): Promise<Progress> {
  const transaction = signed(envelopeXdr, await horizon.passphrase(), from, signature);
  const hash = Buffer.from(transaction.hash()).toString('hex');
  const answer = await horizon.submit(transaction.toXdr());
  switch (answer.status) {
    case 'PENDING':
    case 'DUPLICATE':
      return { state: 'waiting', hash };
    case 'TRY_AGAIN_LATER':
      return { state: 'retry', hash };
    case 'ERROR':
      return await refused(horizon, hash, answer.resultXdr);
  }
}

/** The result of a refused envelope. An earlier submission of the same envelope may already be in a ledger. */
async function refused(horizon: Horizon, hash: string, resultXdr: string | null): Promise<Progress> {
  const earlier = await inLedger(horizon, hash);
  return earlier ?? { state: 'failed', hash, problem: refusalOf(resultXdr).problem };
}

function signed(envelopeXdr: string, passphrase: string, from: string, signature: string): Transaction {
  try {
    const transaction = TransactionBuilder.fromXdr(envelopeXdr, passphrase);
    if (!(transaction instanceof Transaction)) throw new TypeError('a fee bump is not signed here');
    transaction.addSignature(from, signature);
    return transaction;
  } catch (cause) {
    throw new WalletError('unreadable', 'The signature does not fit the transaction.', { cause });
  }
}

/**
 * The state of a transaction. Without a result, the transaction has failed only if a ledger closed after its time bound
 * (`until`, RFC 3339). Reads the newest ledger before the transaction, so that no ledger is missed.
 */
export async function progressOf(horizon: Horizon, hash: string, until: string | null): Promise<Progress> {
  const [newest] = await horizon.list<{ closed_at: string }>('/ledgers?order=desc&limit=1');
  const found = await inLedger(horizon, hash);
  if (found !== null) return found;
  const isOver = until !== null && newest !== undefined && Date.parse(newest.closed_at) > Date.parse(until);
  if (!isOver) return { state: 'waiting', hash };
  const problem = { code: 'expired', message: 'The network did not take it in time, so nothing was paid.' } as const;
  return { state: 'failed', hash, problem };
}

async function inLedger(horizon: Horizon, hash: string): Promise<Progress | null> {
  const found = await horizon.find<{ successful: boolean; ledger: number; result_xdr: string }>(
    `/transactions/${hash}`,
  );
  if (found === null) return null;
  if (found.successful) return { state: 'applied', hash, ledger: found.ledger };
  return { state: 'failed', hash, problem: refusalOf(found.result_xdr).problem };
}

type Words = readonly [ends: RegExp, code: ProblemCode, message: string];

/** Messages for the network's refusals. The first pattern that matches the result's name applies. */
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
  [/TooFewOffers$/, 'no_path', 'No offers exchange these assets right now. Nothing was paid.'],
  [/OverSendmax$|UnderDestmin$/, 'price_moved', 'The price moved past the limit shown. Nothing was paid.'],
  [/LineFull$/, 'refused', 'The receiver cannot hold that much of this asset. Nothing was paid.'],
];

const otherwise = 'The network did not take the transaction. Nothing was paid.';

/** The error for a refused `TransactionResult` (base64). */
function refusalOf(resultXdr: string | null): WalletError {
  const name = resultXdr === null ? '' : resultName(resultXdr);
  const found = words.find(([ends]) => ends.test(name));
  return found ? new WalletError(found[1], found[2]) : new WalletError('refused', otherwise);
}

/** Name of the result: of the first failed operation, otherwise of the transaction. */
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

const pauseMs = 500;

/**
 * Signs and submits a transaction for an account whose key the demo holds, and waits for its ledger. Throws
 * WalletError.
 */
export async function carryOut(deps: LedgerDeps, key: Keypair, operations: readonly xdr.Operation[]): Promise<void> {
  const { horizon } = deps;
  const account = await findAccount(horizon, key.publicKey());
  if (account === null) throw new WalletError('account_missing', 'The account is not on the ledger.');
  const { transaction, expiresAt } = await newTransaction(deps, account, operations);
  const submission = {
    from: key.publicKey(),
    envelopeXdr: transaction.toXdr(),
    signature: transaction.getKeypairSignature(key),
  };
  let progress: Progress = await submitSigned(horizon, submission);
  while (progress.state === 'waiting' || progress.state === 'retry') {
    await sleep(pauseMs);
    progress =
      progress.state === 'retry'
        ? await submitSigned(horizon, submission)
        : await progressOf(horizon, progress.hash, expiresAt);
  }
  if (progress.state === 'failed') throw new WalletError(progress.problem.code, progress.problem.message);
}
