import type { LedgerView } from '../../core/ledger.ts';

/** A conversion path. Amounts are in stroops. */
export interface FoundPath {
  /** All assets of the path, from the sent asset to the received asset. */
  readonly assets: readonly string[];
  readonly sent: bigint;
  readonly received: bigint;
}

/** The maximum number of steps of a path. */
const longestPath = 4;

/** The maximum number of paths per end asset. */
const pathsPerAsset = 5;

/** The direction of a search: forwards from the sent asset, or backwards from the received asset. */
interface Direction {
  /** The assets that one step from `asset` reaches. */
  readonly next: (asset: string) => readonly string[];
  /** The amount after a step. Null if offers and pool do not suffice. */
  readonly step: (from: string, to: string, amount: bigint) => bigint | null;
  readonly isBetter: (amount: bigint, known: bigint) => boolean;
  readonly toPath: (assets: readonly string[], amount: bigint) => FoundPath | null;
}

interface Reached {
  readonly amount: bigint;
  readonly assets: readonly string[];
}

/**
 * Paths for an exact `amount` of `start`. `send`: the paths lead from `start` to one of `ends`. `receive`: the paths
 * lead from one of `ends` to `start`. Sorted by end asset, then best path first.
 */
export function findPaths(
  view: LedgerView,
  strict: 'send' | 'receive',
  start: string,
  amount: bigint,
  ends: readonly string[],
): readonly FoundPath[] {
  const isSend = strict === 'send';
  const ordered = (assets: readonly string[]) => (isSend ? assets : assets.toReversed());
  const found = search(start, amount, ends, {
    next: isSend ? neighbours(view, 'from', 'to') : neighbours(view, 'to', 'from'),
    step: (from, to, exact) => view.quote({ path: ordered([from, to]), amount: exact, strict }),
    isBetter: (a, b) => (isSend ? a > b : a < b),
    toPath: reached => {
      const assets = ordered(reached);
      const other = assets.length === 1 ? amount : view.quote({ path: assets, amount, strict });
      if (other === null || other <= 0n) return null;
      return { assets, sent: isSend ? amount : other, received: isSend ? other : amount };
    },
  });
  return isSend
    ? best(
        found,
        path => path.assets.at(-1) ?? '',
        (a, b) => compare(b.received, a.received),
      )
    : best(
        found,
        path => path.assets[0] ?? '',
        (a, b) => compare(a.sent, b.sent),
      );
}

function neighbours(view: LedgerView, here: 'from' | 'to', there: 'from' | 'to'): (asset: string) => readonly string[] {
  const byAsset = new Map<string, string[]>();
  for (const pair of view.pairs()) {
    const known = byAsset.get(pair[here]);
    if (known === undefined) byAsset.set(pair[here], [pair[there]]);
    else known.push(pair[there]);
  }
  return asset => byAsset.get(asset) ?? [];
}

/**
 * Horizon’s algorithm. Each step keeps the best amount of every reached asset. A better amount of an end asset adds a
 * result. The amount of a result is quoted for the whole path.
 */
function search(start: string, amount: bigint, ends: readonly string[], direction: Direction): readonly FoundPath[] {
  const wanted = new Set(ends);
  const results: FoundPath[] = [];
  const keep = (assets: readonly string[], reached: bigint) => {
    const path = wanted.has(assets.at(-1) ?? '') ? direction.toPath(assets, reached) : null;
    if (path !== null) results.push(path);
  };
  let reached = new Map<string, Reached>([[start, { amount, assets: [start] }]]);
  keep([start], amount);
  for (let steps = 0; steps < longestPath; steps++) {
    const further = new Map(reached);
    for (const [asset, way] of reached) {
      for (const next of direction.next(asset)) {
        if (way.assets.includes(next)) continue;
        const got = direction.step(asset, next, way.amount);
        if (got === null || got <= 0n) continue;
        const known = further.get(next);
        if (known !== undefined && !direction.isBetter(got, known.amount)) continue;
        further.set(next, { amount: got, assets: [...way.assets, next] });
        keep([...way.assets, next], got);
      }
    }
    reached = further;
  }
  return results;
}

/** The best paths of each group, at most `pathsPerAsset`. Groups are sorted by asset. */
function best(
  paths: readonly FoundPath[],
  groupOf: (path: FoundPath) => string,
  order: (a: FoundPath, b: FoundPath) => number,
): readonly FoundPath[] {
  const shortFirst = (a: FoundPath, b: FoundPath) => order(a, b) || a.assets.length - b.assets.length;
  const groups = new Map<string, FoundPath[]>();
  for (const path of paths) {
    const group = groups.get(groupOf(path)) ?? [];
    groups.set(groupOf(path), group);
    group.push(path);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => withoutRepeats(group.sort(shortFirst)).slice(0, pathsPerAsset));
}

function withoutRepeats(paths: readonly FoundPath[]): readonly FoundPath[] {
  return [...new Map(paths.map(path => [path.assets.join(' '), path])).values()];
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
