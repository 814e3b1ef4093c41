import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { type ClaimableBalance, type StellarAccount, type StellarMarket, StellarUnavailable } from '../network.ts';
import { SigningRefused } from '../signing/signing-rules.ts';
import { mostOperations } from './batch.ts';
import { runAsTreasury, type TreasurySetupDeps } from './treasury-setup.service.ts';

/** What claiming needs. */
export interface ClaimDeps extends TreasurySetupDeps {
  readonly network: TreasurySetupDeps['network'] & Pick<StellarMarket, 'claimableBalances'>;
}

/** The sweep that takes what was put aside for the treasury. */
export const claimSweep = 'submission.claims';

/** How often to look, in milliseconds. */
const lookMs = 30_000;
/** The least that is claimed, in stroops (0.01): below, the fee is not worth it, and dust is no payment. */
const least = 100_000n;

/**
 * Claims balances that payers created for the treasury instead of paying it (CAP-23). The claimed money is then read as
 * a deposit. No state is stored: after a crash the next run lists the open balances again. This process does not retry
 * a balance that it could not claim.
 */
export function createClaimSweep(deps: ClaimDeps): Sweep {
  const givenUp = new Set<string>();
  return {
    name: claimSweep,
    everyMs: lookMs,
    run: async () => {
      try {
        return await claimWaiting(deps, givenUp);
      } catch (error) {
        if (error instanceof SigningRefused) {
          deps.log.error({ reason: error.message }, 'the signer lets what was put aside for the treasury wait');
        } else if (!(error instanceof StellarUnavailable)) throw error;
        return 0;
      }
    },
  };
}

async function claimWaiting(deps: ClaimDeps, givenUp: Set<string>): Promise<number> {
  const { network, signer, log } = deps;
  const waiting = (await network.claimableBalances(signer.treasury)).filter(({ id }) => !givenUp.has(id));
  const account = waiting.length === 0 ? null : await network.account(signer.treasury);
  if (account === null) return 0;
  const taken = takeable(account, waiting).slice(0, mostOperations);
  if (taken.length === 0) return 0;
  const operations = taken.map(({ id }) => ({ type: 'claimClaimableBalance', balanceId: id }) as const);
  const outcome = await runAsTreasury(deps, account, operations);
  if (outcome?.successful === true) {
    log.info({ hash: outcome.hash, balances: taken.length }, 'took what was put aside for the treasury');
    return taken.length;
  }
  const culprit = outcome?.codes.operations.findIndex(code => code !== 'op_success') ?? -1;
  const stuck = taken[culprit];
  if (stuck === undefined) return 0;
  givenUp.add(stuck.id);
  log.warn({ balance: stuck.id, codes: outcome?.codes }, 'what was put aside for the treasury cannot be taken');
  return 1;
}

/** What the account has room for, in the order in which it was put aside. */
function takeable(account: StellarAccount, waiting: readonly ClaimableBalance[]): ClaimableBalance[] {
  const rooms = new Map(account.balances.map(({ asset, room, authorized }) => [asset, authorized ? room : 0n]));
  return waiting.filter(({ asset, amount }) => {
    const room = rooms.get(asset);
    if (amount < least || room === undefined || (room !== null && room < amount)) return false;
    rooms.set(asset, room === null ? null : room - amount);
    return true;
  });
}
