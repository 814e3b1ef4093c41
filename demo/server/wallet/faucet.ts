import { Keypair, Operation } from '@stellar/stellar-sdk/base';
import { findAccount } from './account-view.ts';
import type { LedgerDeps } from './new-transaction.ts';
import { carryOut } from './own-transactions.ts';

/**
 * Gives the account XLM. The network's friendbot only opens accounts; an account that is there gets what a new one was
 * given, which is then closed into it.
 */
export async function giveLumens(deps: LedgerDeps, address: string): Promise<void> {
  if ((await findAccount(deps.horizon, address)) === null) {
    await deps.horizon.befriend(address);
    return;
  }
  const giver = Keypair.random();
  await deps.horizon.befriend(giver.publicKey());
  await carryOut(deps, giver, [Operation.accountMerge({ destination: address })]);
}
