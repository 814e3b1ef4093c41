import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Chain, OpenDeposit, Seen } from '../../src/server/chains/chain.ts';

/** A payment by a sender. */
export interface ChainPayment {
  /** The address of a deposit target. */
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly memo?: { readonly type: 'id' | 'text' | 'hash'; readonly value: string };
}

/** A chain under test, with senders of money. Each payment resolves to its transaction when it is final. */
export interface ChainSubject {
  readonly chain: Chain;
  /** The same chain as another process would open it. */
  readonly reopened: Chain;
  /** An asset that is not the chain’s own. */
  readonly asset: string;
  /** A new account that can hold both assets and has received no payment. */
  newReceiver(): Promise<string>;
  /** A valid address without an account. */
  readonly unopened: string;
  /** The sender in the tests below. */
  readonly sender: string;
  pay(payment: ChainPayment): Promise<string>;
  /** Makes the payments in one transaction. */
  payTogether(payments: readonly ChainPayment[]): Promise<string>;
  /** A transaction that fails in its ledger. */
  payAndFail(payment: ChainPayment): Promise<string>;
  /** Sends another asset, which is converted: `amount` of the asset arrives. */
  payThrough?(payment: ChainPayment): Promise<string>;
  /** Pays from a sub-address of the sender. Returns the sub-address. */
  payFromSubaddress?(payment: ChainPayment): Promise<string>;
  /** Closes an account, so that its whole balance arrives. Returns the balance. */
  mergeInto?(to: string): Promise<bigint>;
  /** Creates a claimable balance for the account. `claim` claims it. */
  createClaimable?(payment: ChainPayment): Promise<{ readonly claim: () => Promise<string> }>;
  close(): Promise<void>;
}

const tag = '123456789012345';

export function describeChain(name: string, makeSubject: () => Promise<ChainSubject>): void {
  describe(`chain: ${name}`, () => {
    let subject: ChainSubject;
    let chain: Chain;
    beforeAll(async () => {
      subject = await makeSubject();
      chain = subject.chain;
    }, 60_000);
    afterAll(() => subject?.close());

    async function readAll(account: string, from: string, limit = 100, by = chain) {
      const deposits: Seen[] = [];
      let cursor = from;
      for (;;) {
        const page = await by.receive.scan({
          account,
          cursor,
          limit,
          open: [],
          isWatched: async keys => new Set(keys),
        });
        deposits.push(...page.seen);
        if (page.cursor === cursor || !page.more) return { deposits, cursor: page.cursor };
        cursor = page.cursor;
      }
    }

    /** Waits until the account has `count` deposits, and returns them. */
    async function arrived(account: string, from: string, count: number): Promise<Seen[]> {
      for (let look = 0; look < 100; look++) {
        const { deposits } = await readAll(account, from);
        if (deposits.length >= count) return deposits;
        await sleep(50);
      }
      return (await readAll(account, from)).deposits;
    }

    async function receiver() {
      const account = await subject.newReceiver();
      return { account, cursor: await chain.receive.start() };
    }

    describe('a deposit target', () => {
      test('has its own address for each tag, which never changes', async () => {
        const { account } = await receiver();
        const target = chain.receive.newTarget(account, tag);
        expect(chain.isAddress(target.address)).toBe(true);
        expect(chain.receive.isBaseAddress(target.baseAddress)).toBe(true);
        expect(subject.reopened.receive.newTarget(account, tag)).toEqual(target);
        expect(chain.receive.newTarget(account, '123456789012346').address).not.toBe(target.address);
      });

      test('has a link with the amount that opens a wallet', async () => {
        const { account } = await receiver();
        const target = chain.receive.newTarget(account, tag);
        const uri = chain.receive.uri({
          target,
          asset: subject.asset,
          amount: 125_000_000n,
          message: 'Payment to A & B',
        });
        const { searchParams, protocol } = new URL(uri);
        expect(protocol).toMatch(/^[a-z+]+:$/);
        expect([...searchParams.values()]).toContain(target.address);
        expect([...searchParams.values()]).toContain('12.5');
      });
    });

    test.each(['', 'x', 'GAAAAAAAA', '1'.repeat(56), 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh'])(
      'does not accept “%s” as an address',
      text => {
        expect([chain.isAddress(text), chain.receive.isBaseAddress(text)]).toEqual([false, false]);
      },
    );

    test('reports which assets an account can receive, and that an account does not exist', async () => {
      const { account } = await receiver();
      expect(await chain.acceptedAssets(account)).toContain(subject.asset);
      expect(await chain.acceptedAssets(subject.unopened)).toBeNull();
      const fee = await chain.networkFee();
      expect(fee.amount).toBeGreaterThan(0n);
      expect(await chain.acceptedAssets(account)).toContain(fee.asset);
      expect(await chain.acceptedAssets(account)).toContain(chain.nativeAsset);
    });

    test('matches a deposit to its tag in every spelling, and reports an unreadable tag as none', async () => {
      const { account, cursor } = await receiver();
      const target = chain.receive.newTarget(account, tag);
      const base = { to: account, asset: subject.asset, amount: 10_000_000n };
      const hashes = [
        await subject.pay({ ...base, to: target.address, amount: 15_000_000n }),
        await subject.pay({ ...base, memo: { type: 'id', value: tag } }),
        await subject.pay({ ...base, memo: { type: 'text', value: tag } }),
        await subject.pay({ ...base, memo: { type: 'text', value: 'order 7' } }),
        await subject.pay({ ...base, memo: { type: 'hash', value: 'ab'.repeat(32) } }),
        await subject.pay(base),
      ];
      const deposits = await arrived(account, cursor, hashes.length);
      expect(deposits.map(deposit => deposit.keys)).toEqual([[target.key], [target.key], [target.key], [], [], []]);
      expect(deposits.map(deposit => deposit.transactionHash)).toEqual(hashes);
      expect(deposits.map(deposit => deposit.memo)).toEqual([null, tag, tag, 'order 7', 'ab'.repeat(32), null]);
      expect(deposits[0]).toMatchObject({
        account,
        asset: subject.asset,
        amount: 15_000_000n,
        sender: subject.sender,
        ref: expect.stringMatching(new RegExp(`^${hashes[0]}:[0-9]+$`)),
      });
    });

    test('is final in the block of the deposit, and reports no block above its head', async () => {
      const { account, cursor } = await receiver();
      await subject.pay({ to: account, asset: subject.asset, amount: 1n });
      await arrived(account, cursor, 1);
      const { seen, head, dropped } = await chain.receive.scan({
        account,
        cursor,
        limit: 100,
        open: [],
        isWatched: async keys => new Set(keys),
      });
      expect([chain.receive.finality(subject.asset, 1n).blocks, dropped]).toEqual([1, []]);
      expect(seen.map(({ block }) => (block?.height ?? 0) <= head.height)).toEqual([true]);
    });

    test('counts every operation of a transaction once, and none of a failed transaction', async () => {
      const { account, cursor } = await receiver();
      const target = chain.receive.newTarget(account, tag);
      const base = { to: target.address, asset: subject.asset, amount: 10_000_000n };
      await subject.payAndFail(base);
      const hash = await subject.payTogether([base, { ...base, amount: 20_000_000n }, base]);
      const deposits = await arrived(account, cursor, 3);
      expect(deposits.map(({ transactionHash, amount }) => [transactionHash, amount])).toEqual([
        [hash, 10_000_000n],
        [hash, 20_000_000n],
        [hash, 10_000_000n],
      ]);
      expect(new Set(deposits.map(({ ref }) => ref)).size).toBe(3);
    });

    test('continues at the cursor, page by page, also in another process', async () => {
      const { account, cursor } = await receiver();
      const base = { to: account, asset: subject.asset, amount: 1n };
      for (let amount = 1n; amount <= 5n; amount++) await subject.pay({ ...base, amount });
      const whole = await arrived(account, cursor, 5);
      const paged = await readAll(account, cursor, 1);
      expect(paged.deposits).toEqual(whole);
      expect((await readAll(account, paged.cursor)).deposits).toEqual([]);
      await subject.pay({ ...base, amount: 6n });
      await arrived(account, paged.cursor, 1);
      const rest = await readAll(account, paged.cursor, 100, subject.reopened);
      expect(rest.deposits.map(({ amount }) => amount)).toEqual([6n]);
    });

    test('starts with deposits sent from now on', async () => {
      const { account } = await receiver();
      await subject.pay({ to: account, asset: subject.asset, amount: 7n });
      await sleep(1_500);
      await subject.pay({ to: await subject.newReceiver(), asset: subject.asset, amount: 1n });
      const cursor = await chain.receive.start();
      await subject.pay({ to: account, asset: subject.asset, amount: 8n });
      expect((await arrived(account, cursor, 1)).map(({ amount }) => amount)).toEqual([8n]);
    });

    test('sends a hint for each deposit until it is stopped', async () => {
      const { account } = await receiver();
      const follower = new AbortController();
      let hints = 0;
      chain.receive.follow(account, () => hints++, follower.signal);
      await sleep(300);
      const before = hints;
      await subject.pay({ to: account, asset: subject.asset, amount: 1n });
      await expect.poll(() => hints, { timeout: 10_000 }).toBeGreaterThan(before);
      follower.abort();
      await sleep(300);
      const after = hints;
      await subject.pay({ to: account, asset: subject.asset, amount: 1n });
      await sleep(1_000);
      expect(hints).toBe(after);
    });

    test('counts the received amount, not the sent one', async context => {
      if (!subject.payThrough) return context.skip();
      const { account, cursor } = await receiver();
      const { address, key } = chain.receive.newTarget(account, tag);
      await subject.payThrough({ to: address, asset: subject.asset, amount: 12_345_678n });
      const [deposit] = await arrived(account, cursor, 1);
      expect(deposit).toMatchObject({ asset: subject.asset, amount: 12_345_678n, keys: [key] });
    });

    test('keeps the sender’s muxed address, to which a refund would be sent', async context => {
      if (!subject.payFromSubaddress) return context.skip();
      const { account, cursor } = await receiver();
      const from = await subject.payFromSubaddress({ to: account, asset: subject.asset, amount: 1n });
      expect((await arrived(account, cursor, 1))[0]?.sender).toBe(from);
    });

    test('counts the whole balance of a merged account', async context => {
      if (!subject.mergeInto) return context.skip();
      const { account, cursor } = await receiver();
      const { address, key } = chain.receive.newTarget(account, tag);
      const amount = await subject.mergeInto(address);
      const { asset } = await chain.networkFee();
      expect((await arrived(account, cursor, 1))[0]).toMatchObject({ asset, amount, keys: [key] });
    });

    test('counts a claimable balance when it is claimed, under the memo of its creator', async context => {
      if (!subject.createClaimable) return context.skip();
      const { account, cursor } = await receiver();
      const memo = { type: 'id', value: tag } as const;
      const { claim } = await subject.createClaimable({ to: account, asset: subject.asset, amount: 5n, memo });
      await sleep(1_000);
      expect((await readAll(account, cursor)).deposits).toEqual([]);
      await claim();
      expect(await arrived(account, cursor, 1)).toMatchObject([
        { asset: subject.asset, amount: 5n, keys: [chain.receive.newTarget(account, tag).key], sender: subject.sender },
      ]);
    });
  });
}

/** A ledger on which a deposit is seen before it is final. */
export interface ReplaceableSubject {
  readonly chain: Chain;
  readonly asset: string;
  /** The account of the scan. */
  readonly account: string;
  /** Sends money that no block contains yet. Returns its hash. */
  send(to: string, asset: string, amount: bigint): string;
  mine(count?: number): void;
  /** Removes the newest blocks. Their transactions wait for a block again. */
  reorg(count: number): void;
  /** Makes a waiting transaction impossible. */
  replace(hash: string): void;
}

/** The suite of a chain with a mempool or replaceable blocks. */
export function describeReplaceableChain(name: string, subject: ReplaceableSubject): void {
  const { receive } = subject.chain;
  const amount = 1_000n;

  /** Scans to the head, as the service does: it remembers the cursor and the open deposits. */
  async function createReader() {
    let cursor = await receive.start();
    let open: readonly OpenDeposit[] = [];
    const watched = new Set<string>();
    const isWatched = async (keys: readonly string[]) => new Set(keys.filter(key => watched.has(key)));
    return {
      watch: (tag: string) => {
        const target = receive.newTarget(subject.account, tag);
        watched.add(target.key);
        return target;
      },
      read: async () => {
        const scan = await receive.scan({ account: subject.account, cursor, limit: 100, open, isWatched });
        const gone = [...scan.dropped, ...scan.seen.map(({ ref }) => ref)];
        open = [...open.filter(({ ref }) => !gone.includes(ref)), ...scan.seen];
        cursor = scan.cursor;
        return scan;
      },
    };
  }

  describe(`chain with replaceable blocks: ${name}`, () => {
    test('reports a deposit when it waits, and again in its block, under one reference', async () => {
      const reader = await createReader();
      const hash = subject.send(reader.watch('101').address, subject.asset, amount);
      const [waiting] = (await reader.read()).seen;
      expect(waiting).toMatchObject({ transactionHash: hash, amount, asset: subject.asset, block: null });
      expect((await reader.read()).seen).toEqual([]);
      subject.mine();
      const { seen, head } = await reader.read();
      expect(seen).toMatchObject([{ ref: waiting?.ref, block: { height: head.height } }]);
      subject.mine(2);
      const later = await reader.read();
      expect([later.seen, later.head.height]).toEqual([[], head.height + 2]);
    });

    test('reports only deposits to watched targets, from all blocks since the cursor', async () => {
      const reader = await createReader();
      const targets = ['102', '103'].map(reader.watch);
      subject.send(receive.newTarget(subject.account, '104').address, subject.asset, amount);
      for (const { address } of targets) {
        subject.send(address, subject.asset, amount);
        subject.mine();
      }
      expect((await reader.read()).seen.map(({ keys }) => keys)).toEqual(targets.map(({ key }) => [key]));
    });

    test('reports a deposit whose block was replaced, and one that can no longer arrive', async () => {
      const reader = await createReader();
      const hashes = ['105', '106'].map(tag => subject.send(reader.watch(tag).address, subject.asset, amount));
      subject.mine();
      const [kept, lost] = (await reader.read()).seen;
      subject.reorg(1);
      const back = await reader.read();
      expect(back.seen.map(({ ref, block }) => [ref, block])).toEqual([
        [kept?.ref, null],
        [lost?.ref, null],
      ]);
      subject.replace(hashes[1] ?? '');
      subject.mine();
      const { seen, dropped } = await reader.read();
      expect([seen.map(({ ref }) => ref), dropped]).toEqual([[kept?.ref], [lost?.ref]]);
      expect(seen[0]?.block?.hash).not.toBe(kept?.block?.hash);
    });

    test('needs at least one block until a deposit is final, and no fewer for a larger amount', () => {
      const blocks = [1n, 10n ** 9n, 10n ** 20n].map(each => receive.finality(subject.asset, each).blocks);
      expect(blocks[0]).toBeGreaterThanOrEqual(1);
      expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
    });
  });
}
