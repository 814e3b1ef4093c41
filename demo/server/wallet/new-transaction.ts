import { Account, type Memo, type Transaction, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base';
import type { Clock } from '../../../src/core/clock.ts';
import type { Horizon, HorizonAccount } from './horizon.ts';

/** What making transactions needs. */
export interface LedgerDeps {
  readonly horizon: Horizon;
  readonly clock: Clock;
}

/** A transaction without signatures, and when it ends (RFC 3339). */
export interface NewTransaction {
  readonly transaction: Transaction;
  readonly expiresAt: string;
}

/** How long a transaction may wait for its signature and its ledger. */
const lifeSeconds = 180;
/** Stroops per operation at most; the network takes what it needs of it, usually 100. */
const feeBid = '10000';

/** The account's next transaction. Throws what the SDK throws for operations that cannot be. */
export async function newTransaction(
  { horizon, clock }: LedgerDeps,
  account: HorizonAccount,
  operations: readonly xdr.Operation[],
  memo?: Memo,
): Promise<NewTransaction> {
  const maxTime = Math.floor(clock.now().getTime() / 1000) + lifeSeconds;
  const builder = new TransactionBuilder(new Account(account.account_id, account.sequence), {
    fee: feeBid,
    networkPassphrase: await horizon.passphrase(),
    timebounds: { minTime: 0, maxTime },
    ...(memo && { memo }),
  });
  for (const operation of operations) builder.addOperation(operation);
  return { transaction: builder.build(), expiresAt: new Date(maxTime * 1000).toISOString() };
}
