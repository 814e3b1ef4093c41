import { post } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Clawback, StellarBalance, StellarClawbacks, StellarMarket } from '../stellar/network.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { raiseAlarm, type TreasuryAlarmDeps } from '../stellar/treasury/treasury-watch.service.ts';
import { lockTreasury } from '../stellar/treasury/treasury-watch.store.ts';
import { findClawbackCursor, insertClawback, saveClawbackCursor } from './clawback.store.ts';

export interface ClawbackDeps extends TreasuryAlarmDeps {
  readonly db: Db;
  readonly network: StellarClawbacks & Pick<StellarMarket, 'account'>;
}

/**
 * Books amounts that issuers clawed back from the treasury (CAP-35) as losses of the service, and logs an alarm. Books
 * each clawback once, in the transaction that moves the cursor. Returns the number of found clawbacks, but at least 1
 * if another page follows. Throws `StellarUnavailable`.
 */
export async function bookClawbacks(deps: ClawbackDeps): Promise<number> {
  const cursor = await findClawbackCursor(deps.db, deps.treasury);
  const page = await deps.network.clawbacks(deps.treasury, cursor);
  if (page.cursor !== cursor) {
    const balances = page.clawbacks.length === 0 ? [] : await balancesOf(deps);
    await deps.db.transaction().execute(async tx => {
      await lockTreasury(tx, deps.treasury);
      // Another server has read this page already.
      if ((await findClawbackCursor(tx, deps.treasury)) !== cursor) return;
      for (const clawback of page.clawbacks) await bookOne(deps, tx, clawback, balances);
      await saveClawbackCursor(tx, deps.treasury, page.cursor);
    });
  }
  return page.more ? Math.max(1, page.clawbacks.length) : page.clawbacks.length;
}

async function balancesOf({ network, treasury }: ClawbackDeps): Promise<readonly StellarBalance[]> {
  return (await network.account(treasury))?.balances ?? [];
}

async function bookOne(
  deps: ClawbackDeps,
  tx: Tx,
  clawback: Clawback,
  balances: readonly StellarBalance[],
): Promise<void> {
  if (!(await insertClawback(tx, deps.treasury, clawback))) return;
  const { asset, amount } = clawback;
  await post(tx, [
    {
      merchantId: await deps.operator(),
      livemode: deps.livemode,
      kind: 'clawback',
      postings: move('losses', `treasury.${treasuryRail}`, asset, amount),
      now: deps.clock.now(),
    },
  ]);
  await raiseAlarm(deps, tx, 'treasury.clawed_back', {
    spendable: 0n,
    authorized: true,
    ...balances.find(balance => balance.asset === asset),
    asset,
    clawedBack: amount,
  });
}
