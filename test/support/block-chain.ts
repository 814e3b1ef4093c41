import type { Block, Chain, OpenDeposit, Scan, ScanRequest, Seen } from '../../src/server/chains/chain.ts';

/** A payment in the simulated ledger. */
interface Transaction {
  readonly hash: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
}

/** A ledger with a mempool, blocks and reorganizations, like Bitcoin's. */
export interface BlockLedger {
  /** Sends money, which waits in the mempool. Returns the hash of the transaction. */
  send(to: string, asset: string, amount: bigint): string;
  /** Mines blocks. The first one takes the mempool. */
  mine(count?: number): void;
  /** Removes the newest blocks. Their transactions wait in the mempool again. */
  reorg(count: number): void;
  /** Replaces a waiting transaction by one that pays another address. */
  replace(hash: string): void;
}

interface MinedBlock extends Block {
  readonly hash: string;
  readonly transactions: readonly Transaction[];
}

interface LedgerState {
  readonly blocks: MinedBlock[];
  mempool: Transaction[];
}

/** A simulated chain of derived addresses. A deposit is final after 3 blocks, a large one after 6. */
export function createBlockChain(asset: string): { readonly chain: Chain; readonly ledger: BlockLedger } {
  const state: LedgerState = { blocks: [], mempool: [] };
  const ledger = createLedger(state);
  ledger.mine();
  return { chain: chainOf(state, asset), ledger };
}

function createLedger(state: LedgerState): BlockLedger {
  let made = 0;
  const next = (kind: string) => `${kind}${++made}`;
  return {
    send: (to, asset, amount) => {
      const hash = next('tx');
      state.mempool.push({ hash, to, asset, amount });
      return hash;
    },
    mine: (count = 1) => {
      for (let block = 0; block < count; block++) {
        const transactions = state.mempool;
        state.mempool = [];
        state.blocks.push({ height: state.blocks.length, hash: next('block'), transactions });
      }
    },
    reorg: count => {
      const gone = state.blocks.splice(state.blocks.length - count);
      state.mempool.unshift(...gone.flatMap(({ transactions }) => transactions));
    },
    replace: hash => {
      state.mempool = state.mempool.map(each =>
        each.hash === hash ? { ...each, hash: next('tx'), to: 'other' } : each,
      );
    },
  };
}

const isAddress = (text: string) => /^blk1[a-z0-9]+$/.test(text);

function chainOf(state: LedgerState, asset: string): Chain {
  const account = 'blk1account';
  return {
    id: 'blocks',
    name: 'Blocks',
    network: 'blocks:test',
    nativeAsset: asset,
    assets: [asset],
    dust: 10n,
    isAddress,
    destination: ({ address = '' }) => ({ address: address.toLowerCase() }),
    acceptedAssets: async text => (isAddress(text) ? [asset] : null),
    networkFee: async () => ({ asset, amount: 1n }),
    transactionUrl: () => null,
    receive: {
      tags: 'counted',
      etaSeconds: 1_800,
      uriFormat: 'bip21',
      isBaseAddress: () => false,
      accountOf: () => account,
      newTarget: (_account, tag) => {
        const address = `blk1t${tag}`;
        return { address, baseAddress: address, memo: null, memoType: null, key: address };
      },
      uri: ({ target, amount }) => `blocks:${target.address}${amount === null ? '' : `?amount=${amount}`}`,
      finality: (_asset, amount) => ({ blocks: amount > 10n ** 12n ? 6 : 3, byTag: false }),
      start: async () => cursorAt(state, state.blocks.length - 1),
      scan: request => scan(state, request),
      follow: () => {},
    },
  };
}

/** The cursor names the hashes of the blocks, so that a later scan finds where the branch was left. */
function cursorAt({ blocks }: LedgerState, height: number): string {
  return blocks
    .slice(0, height + 1)
    .map(({ hash }) => hash)
    .join(' ');
}

async function scan(state: LedgerState, { cursor, limit, open, isWatched }: ScanRequest): Promise<Scan> {
  const known = cursor.split(' ');
  const fork = known.findIndex((hash, height) => state.blocks[height]?.hash !== hash);
  const from = fork === -1 ? known.length : fork;
  const fresh = state.blocks.slice(from, from + limit);
  const to = from + fresh.length - 1;
  const mined = fresh.flatMap(block => block.transactions.map(each => seenOf(each, block)));
  const waiting = state.mempool.map(each => seenOf(each, null));
  const watched = await isWatched([...mined, ...waiting].map(({ account }) => account));
  const seen = [...mined, ...waiting].filter(
    each => watched.has(each.account) && !open.some(old => old.ref === each.ref && isSame(old, each)),
  );
  const all = [...state.blocks.flatMap(({ transactions }) => transactions), ...state.mempool];
  const dropped = open.map(({ ref }) => ref).filter(ref => !all.some(({ hash }) => `${hash}:0` === ref));
  const head = { height: to, finalized: null };
  return { cursor: cursorAt(state, to), head, seen, dropped, more: to < state.blocks.length - 1 };
}

function isSame(old: OpenDeposit, { block }: Seen): boolean {
  return old.block?.hash === block?.hash;
}

function seenOf({ hash, to, asset, amount }: Transaction, block: MinedBlock | null): Seen {
  return {
    ref: `${hash}:0`,
    transactionHash: hash,
    account: to,
    asset,
    amount,
    keys: [to],
    memo: null,
    memoType: null,
    sender: null,
    block: block && { height: block.height, hash: block.hash },
    at: null,
  };
}
