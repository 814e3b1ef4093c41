import type { HorizonView } from './accounts.ts';

/** A way to turn one asset into another. Amounts in stroops. */
export interface FoundPath {
  /** From the asset that is sent to the one that arrives. */
  readonly assets: readonly string[];
  readonly sent: bigint;
  readonly received: bigint;
}

/** Steps a path may have. */
const longestPath = 4;
/** Paths shown for each asset that was asked for. */
const pathsPerAsset = 5;

/** How a search goes through the markets: forwards from what is sent, or backwards from what arrives. */
interface Direction {
  /** Assets that one step leads to. */
  readonly next: (asset: string) => readonly string[];
  /** What a step makes of an amount; null where the market has not enough. */
  readonly step: (from: string, to: string, amount: bigint) => bigint | null;
  readonly isBetter: (amount: bigint, known: bigint) => boolean;
  readonly toPath: (assets: readonly string[], amount: bigint) => FoundPath | null;
}

interface Reached {
  readonly amount: bigint;
  readonly assets: readonly string[];
}

/** Ways to turn exactly `amount` of an asset into one of `destinations`, the most first for each of them. */
export function strictSendPaths(
  view: HorizonView,
  source: string,
  amount: bigint,
  destinations: readonly string[],
): readonly FoundPath[] {
  const found = search(source, amount, destinations, {
    next: neighbours(view, 'from', 'to'),
    step: (from, to, sent) => view.quoteStrictSend([from, to], sent),
    isBetter: (a, b) => a > b,
    toPath: assets => {
      const received = assets.length === 1 ? amount : view.quoteStrictSend(assets, amount);
      return received === null || received <= 0n ? null : { assets, sent: amount, received };
    },
  });
  return best(
    found,
    path => path.assets.at(-1) ?? '',
    (a, b) => compare(b.received, a.received),
  );
}

/** Ways to deliver exactly `amount` of an asset from one of `sources`, the cheapest first for each of them. */
export function strictReceivePaths(
  view: HorizonView,
  destination: string,
  amount: bigint,
  sources: readonly string[],
): readonly FoundPath[] {
  const found = search(destination, amount, sources, {
    next: neighbours(view, 'to', 'from'),
    step: (to, from, received) => view.quoteStrictReceive([from, to], received),
    isBetter: (a, b) => a < b,
    toPath: reversed => {
      const assets = reversed.toReversed();
      const sent = assets.length === 1 ? amount : view.quoteStrictReceive(assets, amount);
      return sent === null || sent <= 0n ? null : { assets, sent, received: amount };
    },
  });
  return best(
    found,
    path => path.assets[0] ?? '',
    (a, b) => compare(a.sent, b.sent),
  );
}

function neighbours(
  view: HorizonView,
  here: 'from' | 'to',
  there: 'from' | 'to',
): (asset: string) => readonly string[] {
  const byAsset = new Map<string, string[]>();
  for (const pair of view.pairs()) {
    const known = byAsset.get(pair[here]);
    if (known === undefined) byAsset.set(pair[here], [pair[there]]);
    else known.push(pair[there]);
  }
  return asset => byAsset.get(asset) ?? [];
}

/**
 * As Horizon searches: with each step the best amount of every asset that can be reached is kept, and whenever one of
 * the ends is reached in a better way than before, that way is a result. Each is reckoned once more as a whole.
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

/** The best few of each group, group by group in the order of the assets’ names. */
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
