import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Account, Asset, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type IncomingPayment,
  type LedgerOutcome,
  type StellarNetwork,
  StellarUnavailable,
  type SubmitOutcome,
} from '../../src/server/stellar/network.ts';
import { muxedAddress } from '../../src/server/stellar/transaction/muxed-address.ts';
import { memoRequiredEntry, type StellarOperation } from '../../src/server/stellar/transaction/operation.ts';
import { localKey, type SigningKey } from '../../src/server/stellar/transaction/signing-key.ts';
import {
  attachSignatures,
  buildEnvelope,
  hashEnvelope,
  type TransactionData,
  wrapFeeBump,
} from '../../src/server/stellar/transaction/transaction.ts';

/** A fault: its kind, the prefix of paths, and the number of times. */
export type FaultSwitch = Readonly<Record<string, string | number | boolean>>;

/** A network under test, with its test tools. */
export interface NetworkUnderTest {
  readonly network: StellarNetwork;
  /** Gives a new account XLM. */
  open(address: string): Promise<void>;
  /** An asset that trades against XLM. */
  readonly tradedAsset: string;
  close(): Promise<void>;
}

/** The facts about a network that are known before it starts. */
export interface NetworkTraits {
  /** Whether a claimed balance names its creator and memo. */
  readonly namesCreator: boolean;
  /** Switches on these faults of the server, and all others off. Null: the server has no switches. */
  readonly setFaults: ((faults: readonly FaultSwitch[]) => Promise<void>) | null;
}

export function describeStellarNetwork(
  name: string,
  { namesCreator, setFaults }: NetworkTraits,
  make: () => Promise<NetworkUnderTest>,
): void {
  describe(`the contract of a Stellar network: ${name}`, () => {
    let lab: NetworkUnderTest;
    let network: StellarNetwork;
    let treasury: SigningKey;
    let payer: SigningKey;
    let asset: string;

    beforeAll(async () => {
      lab = await make();
      network = lab.network;
      asset = lab.tradedAsset;
      [treasury, payer] = [await newAccount(), await newAccount()];
      for (const each of [treasury, payer]) {
        await apply(each, [{ type: 'changeTrust', asset, limit: 10n ** 18n }]);
      }
      const own = { destination: payer.address, sendAsset: 'XLM', destinationAsset: asset, path: [] };
      await apply(payer, [
        { type: 'pathPaymentStrictReceive', ...own, sendMax: 10n ** 10n, destinationAmount: 100_000_000n },
      ]);
    }, 60_000);
    afterAll(() => lab?.close());

    const newKey = () => localKey(randomBytes(32));
    async function newAccount(): Promise<SigningKey> {
      const key = newKey();
      await lab.open(key.address);
      return key;
    }

    async function build(source: SigningKey, change: Partial<TransactionData>, ...cosigners: SigningKey[]) {
      const account = await network.account(source.address);
      const operations = change.operations ?? [pay(1n)];
      const unsigned = buildEnvelope({
        source: source.address,
        sequence: (account?.sequence ?? 0n) + 1n,
        fee: 1_000n * BigInt(operations.length),
        timeBounds: { min: 0, max: await seconds(60) },
        operations,
        ...change,
      });
      return await sign(unsigned, source, ...cosigners);
    }

    async function sign(envelopeXdr: string, ...keys: SigningKey[]): Promise<string> {
      const hash = hashEnvelope(envelopeXdr, network.passphrase);
      let signed = envelopeXdr;
      for (const key of keys) {
        const signature = await key.sign({ hash, envelopeXdr });
        signed = attachSignatures(signed, network.passphrase, { address: key.address, signature });
      }
      return signed;
    }

    /** A transaction made by the SDK, with an operation that the service does not know. */
    async function buildBySdk(from: SigningKey, operation: ReturnType<typeof Operation.accountMerge>): Promise<string> {
      const account = await network.account(from.address);
      const builder = new TransactionBuilder(new Account(from.address, String(account?.sequence)), {
        fee: '100',
        networkPassphrase: network.passphrase,
        timebounds: { minTime: 0, maxTime: await seconds(60) },
      });
      return await sign(builder.addOperation(operation).build().toXdr(), from);
    }

    /** A payment that converts XLM to the traded asset. */
    function strictSend(destination: string, sendAmount: string) {
      const [code = '', issuer] = asset.split(':');
      const assets = { sendAsset: Asset.native(), destAsset: new Asset(code, issuer), path: [] };
      return Operation.pathPaymentStrictSend({ ...assets, destination, sendAmount, destMin: '0.0000001' });
    }

    /** The time `ahead` seconds after the newest ledger, in seconds since 1970. */
    async function seconds(ahead: number): Promise<number> {
      return Math.floor((await network.latestLedger()).closedAt.getTime() / 1000) + ahead;
    }

    const pay = (amount: bigint, change: object = {}) =>
      ({ type: 'payment', destination: treasury.address, asset: 'XLM', amount, ...change }) as StellarOperation;

    /** Submits the same envelope until it is in a ledger, as the treasury does. */
    async function settle(envelope: string): Promise<LedgerOutcome> {
      const hash = hashEnvelope(envelope, network.passphrase);
      for (;;) {
        const outcome = await network.submit(envelope);
        if (outcome.state === 'applied') return outcome;
        if (outcome.state === 'refused' && outcome.codes.transaction !== 'tx_bad_seq') {
          throw new Error(`refused: ${outcome.codes.transaction} ${outcome.codes.operations}`);
        }
        await sleep(60);
        const status = await network.status(hash).catch(() => null);
        if (status?.state === 'applied') return status;
      }
    }

    async function apply(
      source: SigningKey,
      operations: readonly StellarOperation[],
      change = {},
      ...cosigners: SigningKey[]
    ) {
      const outcome = await settle(await build(source, { operations, ...change }, ...cosigners));
      expect(outcome).toMatchObject({ successful: true });
      return outcome;
    }

    /** All payments to the account after the cursor, page by page. */
    async function readAll(account: string, cursor: string | null, limit = 200): Promise<IncomingPayment[]> {
      const page = await network.incoming(account, cursor, limit);
      return page.more ? [...page.payments, ...(await readAll(account, page.cursor, limit))] : [...page.payments];
    }

    async function cursorNow(account: string): Promise<string> {
      let page = await network.incoming(account, null, 200);
      while (page.more) page = await network.incoming(account, page.cursor, 200);
      return page.cursor;
    }

    const refusal = (outcome: SubmitOutcome) => (outcome.state === 'refused' ? outcome.codes : outcome.state);

    describe('a transaction', () => {
      it('is pending, then in a ledger, and can be found from then on', async () => {
        const envelope = await build(payer, {});
        const hash = hashEnvelope(envelope, network.passphrase);
        const before = await network.status(hash);
        expect(before).toMatchObject({ state: 'not_found' });
        if (before.state === 'not_found') expect(before.oldest).toBeLessThanOrEqual(before.ingested.sequence);
        expect(await network.submit(envelope)).toEqual({ state: 'pending', hash });
        const outcome = await settle(envelope);
        expect(outcome).toMatchObject({
          hash,
          successful: true,
          codes: { transaction: 'tx_success', operations: ['op_success'] },
        });
        expect(outcome.feeCharged).toBeGreaterThanOrEqual(100n);
        expect(outcome.feeCharged).toBeLessThanOrEqual(1_000n);
        expect(outcome.ledger).toBeLessThanOrEqual((await network.latestLedger()).sequence);
        // A repeated submission changes nothing.
        expect(['applied', 'pending']).toContain((await network.submit(envelope)).state);
        expect(await network.status(hash)).toMatchObject({ state: 'applied', ledger: outcome.ledger });
      });

      it('that fails in its ledger reports the failed operation and the reason', async () => {
        const unheld = { asset: `NONE:${payer.address}`, source: treasury.address, destination: payer.address };
        const envelope = await build(payer, { operations: [pay(1n), pay(1n, unheld)] }, treasury);
        expect(await settle(envelope)).toMatchObject({
          successful: false,
          codes: { transaction: 'tx_failed', operations: ['op_success', 'op_src_no_trust'] },
        });
      });

      it('with a wrong sequence, time, fee or signature is refused and is in no ledger', async () => {
        const account = await network.account(payer.address);
        const future = await build(payer, { sequence: (account?.sequence ?? 0n) + 100n });
        expect(refusal(await network.submit(future))).toEqual({ transaction: 'tx_bad_seq', operations: [] });
        const late = await build(payer, { timeBounds: { min: 0, max: await seconds(-60) } });
        expect(refusal(await network.submit(late))).toEqual({ transaction: 'tx_too_late', operations: [] });
        const cheap = await build(payer, { fee: 1n });
        expect(refusal(await network.submit(cheap))).toEqual({ transaction: 'tx_insufficient_fee', operations: [] });
        const sequence = (account?.sequence ?? 0n) + 1n;
        const timeBounds = { min: 0, max: await seconds(60) };
        const data = { source: payer.address, sequence, fee: 100n, timeBounds, operations: [pay(1n)] };
        const forged = await sign(buildEnvelope(data), treasury);
        expect(refusal(await network.submit(forged))).toMatchObject({ transaction: 'tx_bad_auth' });
        for (const envelope of [future, late, cheap, forged]) {
          expect((await network.status(hashEnvelope(envelope, network.passphrase))).state).toBe('not_found');
        }
      });

      it('with a fee bump is found by both hashes', async () => {
        const inner = await build(payer, { fee: 100n });
        const bump = await sign(wrapFeeBump(inner, { feeSource: treasury.address, fee: 5_000n }), treasury);
        const outcome = await settle(bump);
        expect(outcome).toMatchObject({
          successful: true,
          codes: { transaction: 'tx_success', operations: ['op_success'] },
        });
        expect(await network.status(hashEnvelope(inner, network.passphrase))).toMatchObject({
          state: 'applied',
          ledger: outcome.ledger,
          successful: true,
        });
      });
    });

    describe('ledgers', () => {
      it('advance', async () => {
        const { sequence, closedAt } = await network.latestLedger();
        await apply(payer, [pay(1n)]);
        const next = await network.latestLedger();
        expect(next.sequence).toBeGreaterThan(sequence);
        expect(next.closedAt.getTime()).toBeGreaterThanOrEqual(closedAt.getTime());
      });

      it('report their fees', async () => {
        const { base, usual } = await network.fees();
        expect(base).toBeGreaterThanOrEqual(100n);
        expect(usual).toBeGreaterThanOrEqual(base);
      });
    });

    describe('payments to an account', () => {
      it('are reported with their recipient: muxed address, memo or neither', async () => {
        const cursor = await cursorNow(treasury.address);
        await apply(payer, [
          pay(5n, { destination: muxedAddress(treasury.address, 2n ** 63n + 5n) }),
          pay(7n, { asset }),
        ]);
        await apply(payer, [pay(11n)], { memo: { type: 'text', value: 'order 17' } });
        await apply(payer, [pay(13n)], { memo: { type: 'id', value: '18446744073709551615' } });
        await apply(payer, [pay(17n)], { memo: { type: 'hash', value: 'ab'.repeat(32) } });
        const payments = await readAll(treasury.address, cursor);
        expect(payments.map(({ amount, asset: of, operationIndex }) => [amount, of, operationIndex])).toEqual([
          [5n, 'XLM', 0],
          [7n, asset, 1],
          [11n, 'XLM', 0],
          [13n, 'XLM', 0],
          [17n, 'XLM', 0],
        ]);
        // An id memo may appear as the id of the address: both mean the same.
        expect(payments.map(({ toMuxedId, memo }) => toMuxedId ?? memo?.value ?? null)).toEqual([
          String(2n ** 63n + 5n),
          null,
          'order 17',
          '18446744073709551615',
          'ab'.repeat(32),
        ]);
        expect(new Set(payments.map(({ from, to }) => `${from} ${to}`))).toEqual(
          new Set([`${payer.address} ${treasury.address}`]),
        );
        expect(
          new Set(payments.map(({ transactionHash, operationIndex }) => `${transactionHash}:${operationIndex}`)).size,
        ).toBe(5);
      });

      it('by path payment have the received amount', async () => {
        const cursor = await cursorNow(treasury.address);
        const path = { destination: treasury.address, sendAsset: 'XLM', destinationAsset: asset, path: [] };
        await apply(payer, [
          { type: 'pathPaymentStrictReceive', ...path, sendMax: 10n ** 9n, destinationAmount: 1_234_567n },
        ]);
        await settle(await buildBySdk(payer, strictSend(treasury.address, '10')));
        const payments = await readAll(treasury.address, cursor);
        expect(payments).toMatchObject([{ asset, amount: 1_234_567n }, { asset }]);
        expect(payments[1]?.amount).toBeGreaterThan(1n);
      });

      it('include the creation of the account, and the merge of another account', async () => {
        const fresh = newKey();
        await apply(payer, [{ type: 'createAccount', destination: fresh.address, startingBalance: 50_000_000n }]);
        expect(await readAll(fresh.address, null)).toMatchObject([
          { asset: 'XLM', amount: 50_000_000n, from: payer.address },
        ]);
        const cursor = await cursorNow(treasury.address);
        const { feeCharged } = await settle(
          await buildBySdk(fresh, Operation.accountMerge({ destination: treasury.address })),
        );
        expect(await readAll(treasury.address, cursor)).toMatchObject([
          { asset: 'XLM', amount: 50_000_000n - feeCharged, from: fresh.address },
        ]);
      });

      it('include a claimed balance', async () => {
        const claimants = [{ destination: treasury.address, predicate: { type: 'unconditional' } as const }];
        const cursor = await cursorNow(treasury.address);
        const aside = { type: 'createClaimableBalance', asset, amount: 99n, claimants } as const;
        await apply(payer, [aside], { memo: { type: 'id', value: '4711' } });
        expect(await readAll(treasury.address, cursor)).toEqual([]);
        const [balance] = (await network.claimableBalances(treasury.address, null)).balances;
        expect(balance).toMatchObject({ asset, amount: 99n });
        await apply(treasury, [{ type: 'claimClaimableBalance', balanceId: balance?.id ?? '' }]);
        const payments = await readAll(treasury.address, cursor);
        expect(payments).toMatchObject([{ asset, amount: 99n }]);
        if (namesCreator)
          expect(payments).toMatchObject([{ from: payer.address, memo: { type: 'id', value: '4711' } }]);
        expect(await network.claimableBalances(treasury.address, null)).toEqual({ balances: [], next: null });
      });

      it('exclude failed, outgoing and converting transactions', async () => {
        const cursor = await cursorNow(treasury.address);
        await settle(await build(payer, { operations: [pay(1n), pay(10n ** 17n, { asset })] }));
        await apply(treasury, [pay(3n, { destination: payer.address })]);
        await settle(await buildBySdk(treasury, strictSend(treasury.address, '1')));
        expect(await readAll(treasury.address, cursor)).toEqual([]);
      });

      it('are read in pages of any size, from any cursor, in order and once', async () => {
        const cursor = await cursorNow(treasury.address);
        await apply(
          payer,
          Array.from({ length: 7 }, (_, index) => pay(BigInt(index + 1))),
        );
        await apply(
          payer,
          Array.from({ length: 6 }, (_, index) => pay(BigInt(index + 8))),
        );
        const all = await readAll(treasury.address, cursor, 3);
        expect(all.map(({ amount }) => amount)).toEqual(Array.from({ length: 13 }, (_, index) => BigInt(index + 1)));
        const [first] = all;
        const rest = await readAll(treasury.address, first?.cursor ?? '', 200);
        expect(rest.map(({ amount }) => amount)).toEqual(all.slice(1).map(({ amount }) => amount));
      });

      it('are hinted at to followers of the account', async () => {
        const ending = new AbortController();
        let hints = 0;
        network.follow(treasury.address, () => hints++, ending.signal);
        await expect.poll(() => hints, { timeout: 5_000 }).toBeGreaterThan(0);
        const before = hints;
        await apply(payer, [pay(1n)]);
        await expect.poll(() => hints, { timeout: 8_000 }).toBeGreaterThan(before);
        ending.abort();
      });
    });

    describe('an account', () => {
      it('has the balances of the ledger', async () => {
        const account = await network.account(treasury.address);
        expect(account).toMatchObject({
          address: treasury.address,
          memoRequired: false,
          signers: [{ key: treasury.address, weight: 1 }],
          mediumThreshold: 0,
        });
        const [xlm, other] = [balanceOf(account, 'XLM'), balanceOf(account, asset)];
        // Two base reserves, and one for the trust line.
        expect(xlm?.balance).toBe((xlm?.spendable ?? 0n) + 15_000_000n);
        expect(other).toMatchObject({ authorized: true, room: 10n ** 18n - (other?.balance ?? 0n) });
        await apply(treasury, [{ type: 'manageData', ...memoRequiredEntry }]);
        expect(await network.account(treasury.address)).toMatchObject({ memoRequired: true });
      });

      it('that does not exist is null', async () => {
        expect(await network.account(newKey().address)).toBeNull();
      });
    });

    describe('paths', () => {
      it('convert assets to an exact amount, and a payment costs the stated amount', async () => {
        const request = { sourceAssets: ['XLM', asset], asset, amount: 5_000_000n };
        const found = await network.strictReceivePaths(request);
        const xlm = found.find(({ sourceAsset }) => sourceAsset === 'XLM');
        expect(xlm).toMatchObject({ destinationAsset: asset, destinationAmount: 5_000_000n });
        const amounts = found.filter(path => path.sourceAsset === 'XLM').map(path => path.sourceAmount);
        expect(amounts).toEqual([...amounts].sort((a, b) => (a < b ? -1 : 1)));
        await apply(payer, [
          {
            type: 'pathPaymentStrictReceive',
            destination: treasury.address,
            sendAsset: 'XLM',
            sendMax: xlm?.sourceAmount ?? 0n,
            destinationAsset: asset,
            destinationAmount: 5_000_000n,
            path: xlm?.path ?? [],
          },
        ]);
      });

      it('convert an exact amount to assets', async () => {
        const send = await network.strictSendPaths({ asset, amount: 10_000_000n, destinationAssets: ['XLM'] });
        expect(send[0]).toMatchObject({ sourceAsset: asset, sourceAmount: 10_000_000n, destinationAsset: 'XLM' });
        expect(send[0]?.destinationAmount).toBeGreaterThan(0n);
      });

      it('do not exist for an asset without a market', async () => {
        const nothing = `NONE:${treasury.address}`;
        expect(await network.strictSendPaths({ asset: nothing, amount: 1n, destinationAssets: ['XLM'] })).toEqual([]);
      });
    });

    // A network without fault switches cannot be made to fail.
    if (setFaults === null) return;
    describe('a faulty server', () => {
      const faulty: readonly (readonly [string, FaultSwitch])[] = [
        ['answers 504 and applies it', { fault: 'timeout_after_apply' }],
        ['answers 504 and applies it later', { fault: 'timeout_before_apply', ledgers: 3 }],
        ['resets the connection', { fault: 'connection_reset' }],
        ['resets the connection and applies it', { fault: 'connection_reset', applied: true }],
        ['answers 429', { fault: 'rate_limited' }],
        ['answers 503', { fault: 'unavailable' }],
        ['answers with an HTML page', { fault: 'html' }],
        ['answers with an HTML page and applies it', { fault: 'html', applied: true }],
        ['sends half of the response and applies it', { fault: 'truncated', applied: true }],
        ['reports a duplicate', { fault: 'duplicate' }],
      ];
      it.each(faulty)('%s: the transaction is applied once when it is submitted again', async (_, fault) => {
        const before = balanceOf(await network.account(treasury.address), 'XLM')?.balance ?? 0n;
        const envelope = await build(payer, { operations: [pay(1_000n)] });
        await setFaults([{ ...fault, count: 1, path: '/transactions' }]);
        const first = await network.submit(envelope);
        expect(['unknown', 'pending']).toContain(first.state);
        await setFaults([]);
        expect(await settle(envelope)).toMatchObject({ successful: true });
        expect(balanceOf(await network.account(treasury.address), 'XLM')?.balance).toBe(before + 1_000n);
      });

      it.each([['rate_limited'], ['unavailable'], ['connection_reset'], ['html'], ['truncated']])(
        'that answers %s causes an error instead of an empty page, and later reports all payments',
        async fault => {
          const cursor = await cursorNow(treasury.address);
          const { hash } = await apply(payer, [pay(1n)]);
          // A GET whose connection was lost is repeated once automatically.
          await setFaults([{ fault, count: 4 }]);
          await expect(network.incoming(treasury.address, cursor, 10)).rejects.toThrow(StellarUnavailable);
          await setFaults([{ fault, count: 4 }]);
          await expect(network.status(hash)).rejects.toThrow(StellarUnavailable);
          await setFaults([]);
          expect(await readAll(treasury.address, cursor)).toHaveLength(1);
          expect(await network.status(hash)).toMatchObject({ state: 'applied' });
        },
      );

      it('that shows an older ledger does not report a missing transaction as failed', async () => {
        const envelope = await build(payer, {});
        const hash = hashEnvelope(envelope, network.passphrase);
        await setFaults([{ fault: 'stale', ledgers: 10 }]);
        // The first request fixes the ledger that the server shows.
        await network.latestLedger();
        await network.submit(envelope);
        await sleep(400);
        const status = await network.status(hash);
        await setFaults([]);
        const { ledger } = await settle(envelope);
        expect(status.state).toBe('not_found');
        if (status.state === 'not_found') expect(status.ingested.sequence).toBeLessThan(ledger);
      });
    });
  });
}

function balanceOf(account: Awaited<ReturnType<StellarNetwork['account']>>, asset: string) {
  return account?.balances.find(balance => balance.asset === asset);
}
