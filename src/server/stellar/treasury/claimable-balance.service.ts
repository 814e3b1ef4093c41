import type { Sweep } from '../../platform/jobs/sweeper.ts';
import type { ClaimableBalance, StellarAccount, StellarMarket } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { mostOperations } from './batch.ts';
import { runAsTreasury, type TreasurySetupDeps } from './treasury-setup.service.ts';

export interface ClaimDeps extends TreasurySetupDeps {
  readonly network: TreasurySetupDeps['network'] & Pick<StellarMarket, 'claimableBalances'>;
}

/** The smallest claimed amount, in stroops (0.01). A smaller amount would not repay the fee. */
const least = 100_000n;

/**
 * Claims balances that payers created for the treasury instead of a payment (CAP-23). A claimed balance counts as a
 * deposit. Stores no state: each run reads one page of the open balances, and the first page follows the last. Anyone
 * can create balances, so a page may be full of balances that are never claimed. This process does not retry a balance
 * that it could not claim.
 */
export function createClaimSweep(deps: ClaimDeps): Sweep {
  const failed = new Set<string>();
  let cursor: string | null = null;
  return {
    name: 'submission.claims',
    everyMs: 60_000,
    run: async () => {
      try {
        const page = await deps.network.claimableBalances(deps.signer.treasury, cursor);
        const count = await claimBalances(deps, page.balances, failed);
        // One transaction may not claim a whole page, so the next run reads such a page again.
        if (count === 0) cursor = page.next;
        return count;
      } catch (error) {
        if (!(error instanceof SigningRefused)) throw error;
        deps.log.error({ reason: error.message }, 'the signer refused to claim balances for the treasury');
        return 0;
      }
    },
  };
}

/** Claims those of the balances that are worth it. Returns the number of claimed and failed balances. */
async function claimBalances(
  deps: ClaimDeps,
  balances: readonly ClaimableBalance[],
  failed: Set<string>,
): Promise<number> {
  const { network, signer, log } = deps;
  const open = balances.filter(({ id }) => !failed.has(id));
  const account = open.length === 0 ? null : await network.account(signer.treasury);
  if (account === null) return 0;
  const chosen = claimable(account, open).slice(0, mostOperations);
  if (chosen.length === 0) return 0;
  const operations = chosen.map(({ id }) => ({ type: 'claimClaimableBalance', balanceId: id }) as const);
  const outcome = await runAsTreasury(deps, account, operations);
  if (outcome?.successful === true) {
    log.info({ hash: outcome.hash, balances: chosen.length }, 'claimed balances for the treasury');
    return chosen.length;
  }
  const culprit = outcome?.codes.operations.findIndex(code => code !== 'op_success') ?? -1;
  const balance = chosen[culprit];
  if (balance === undefined) return 0;
  failed.add(balance.id);
  log.warn({ balance: balance.id, codes: outcome?.codes }, 'a claimable balance for the treasury cannot be claimed');
  return 1;
}

/** The balances of at least `least` that the account has room for, in the order of the list. */
function claimable(account: StellarAccount, open: readonly ClaimableBalance[]): ClaimableBalance[] {
  const rooms = new Map(account.balances.map(({ asset, room, authorized }) => [asset, authorized ? room : 0n]));
  return open.filter(({ asset, amount }) => {
    const room = rooms.get(asset);
    if (amount < least || room === undefined || (room !== null && room < amount)) return false;
    rooms.set(asset, room === null ? null : room - amount);
    return true;
  });
}
