import { setTimeout as sleep } from 'node:timers/promises';
import type { Keypair, xdr } from '@stellar/stellar-sdk/base';
import type { Progress } from '../../wallet-wire.ts';
import { findAccount } from './account-view.ts';
import { type LedgerDeps, newTransaction } from './new-transaction.ts';
import { handIn, progressOf } from './submissions.ts';
import { WalletError } from './wallet-error.ts';

const pauseMs = 500;

/** Makes, signs and hands in a transaction of an account whose key the demo has, and waits for its ledger. Throws WalletError. */
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
  let progress: Progress = await handIn(horizon, submission);
  while (progress.state === 'waiting' || progress.state === 'retry') {
    await sleep(pauseMs);
    progress =
      progress.state === 'retry'
        ? await handIn(horizon, submission)
        : await progressOf(horizon, progress.hash, expiresAt);
  }
  if (progress.state === 'failed') throw new WalletError(progress.problem.code, progress.problem.message);
}
