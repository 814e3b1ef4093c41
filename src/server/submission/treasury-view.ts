import type { StellarMarket } from '../stellar/network.ts';

/** What the treasury could send now. */
export interface TreasuryView {
  /** Stroops by asset; an asset it cannot send at all is not in it. Null: the account does not exist. */
  spendable(): Promise<ReadonlyMap<string, bigint> | null>;
  /** What the network says is read anew the next time. */
  forget(): void;
}

/** About as long as a ledger takes. */
const holdMs = 2_000;

/** Reads what the treasury holds, at most once a ledger. */
export function createTreasuryView(market: Pick<StellarMarket, 'account'>, treasury: string): TreasuryView {
  let held: { readonly at: number; readonly amounts: Promise<ReadonlyMap<string, bigint> | null> } | null = null;

  async function read(): Promise<ReadonlyMap<string, bigint> | null> {
    const account = await market.account(treasury);
    if (account === null) return null;
    return new Map(account.balances.filter(line => line.authorized).map(line => [line.asset, line.spendable]));
  }

  return {
    spendable: () => {
      const now = performance.now();
      if (held === null || now - held.at >= holdMs) {
        const amounts = read();
        held = { at: now, amounts };
        amounts.catch(() => {
          held = null;
        });
      }
      return held.amounts;
    },
    forget: () => {
      held = null;
    },
  };
}

/**
 * Picks, in their order, the sums that the treasury can cover together with what is on its way already; the others have
 * to wait. `reserve` is XLM that each takes besides.
 */
export function coverable<
  T extends { readonly sourceAsset: string; readonly sendMax: bigint; readonly reserve: bigint },
>(
  sums: readonly T[],
  spendable: ReadonlyMap<string, bigint>,
  committed: ReadonlyMap<string, bigint>,
): { readonly covered: T[]; readonly short: T[] } {
  const left = new Map([...spendable].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)]));
  const covered: T[] = [];
  const short: T[] = [];
  for (const sum of sums) {
    const needs = new Map([[sum.sourceAsset, sum.sendMax]]);
    if (sum.reserve > 0n) needs.set('XLM', (needs.get('XLM') ?? 0n) + sum.reserve);
    const fits = [...needs].every(([asset, amount]) => (left.get(asset) ?? 0n) >= amount);
    (fits ? covered : short).push(sum);
    if (fits) for (const [asset, amount] of needs) left.set(asset, (left.get(asset) ?? 0n) - amount);
  }
  return { covered, short };
}
