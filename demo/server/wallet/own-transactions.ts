import { setTimeout as sleep } from 'node:timers/promises';
import { Account, type Keypair, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base';
import type { Progress } from '../../wallet-wire.ts';
import { findAccount } from './account-view.ts';
import type { DraftDeps } from './drafts.ts';
import { handIn, progressOf } from './submissions.ts';
import { WalletError } from './wallet-error.ts';

const lifeSeconds = 60;
const pauseMs = 500;

/** Makes, signs and hands in a transaction of an account whose key the demo has, and waits for its ledger. Throws WalletError. */
export async function carryOut(deps: DraftDeps, key: Keypair, operations: readonly xdr.Operation[]): Promise<void> {
  const { horizon, clock } = deps;
  const account = await findAccount(horizon, key.publicKey());
  if (account === null) throw new WalletError('account_missing', 'The account is not on the ledger.');
  const maxTime = Math.floor(clock.now().getTime() / 1000) + lifeSeconds;
  const builder = new TransactionBuilder(new Account(account.account_id, account.sequence), {
    fee: '10000',
    networkPassphrase: await horizon.passphrase(),
    timebounds: { minTime: 0, maxTime },
  });
  for (const operation of operations) builder.addOperation(operation);
  const transaction = builder.build();
  const submission = {
    from: key.publicKey(),
    envelopeXdr: transaction.toXdr(),
    signature: transaction.getKeypairSignature(key),
  };
  const until = new Date(maxTime * 1000).toISOString();
  let progress: Progress = await handIn(horizon, submission);
  while (progress.state === 'waiting' || progress.state === 'retry') {
    await sleep(pauseMs);
    progress =
      progress.state === 'retry' ? await handIn(horizon, submission) : await progressOf(horizon, progress.hash, until);
  }
  if (progress.state === 'failed') throw new WalletError(progress.problem.code, progress.problem.message);
}
