import { Asset, Networks, Operation, TransactionBuilder } from '@stellar/stellar-sdk/base';
import { TransactionResult } from '@stellar/stellar-sdk/xdr';
import { describe, expect, it } from 'vitest';
import type { Submission } from '../../../../src/sandbox/stellar/core/ledger.ts';
import { MalformedEnvelope } from '../../../../src/sandbox/stellar/core/transactions/transaction.ts';
import { currentRules } from '../../../../src/sandbox/stellar/core/transactions/transaction-queue.ts';
import { addressOf, entryOf, keypairOf, World, type WorldOptions } from './world.ts';

const names = ['ann', 'ben', 'cid', 'dee', 'eve'];

/** Five accounts with 100 XLM each, by default with the current rules. */
function open(options: WorldOptions = {}): World {
  const entries = names.map(name => entryOf(name, 1_000_000_000n));
  return new World({ rules: currentRules, entries, ...options });
}

const bump = (to = '1') => Operation.bumpSequence({ bumpTo: to });
const pay = (to: string, amount = '1') =>
  Operation.payment({ destination: addressOf(to), asset: Asset.native(), amount });

const bumps = (count: number) => Array.from({ length: count }, () => bump());

/** The code and the fee of a transaction’s result. */
function refusal({ status, resultXdr }: Submission): { status: string; code?: number; fee?: bigint } {
  if (resultXdr === null) return { status };
  const { result, feeCharged } = TransactionResult.schema.decode(Buffer.from(resultXdr, 'base64'));
  return { status, code: result.code, fee: feeCharged };
}

function feeBump(inner: string, payer: string, fee: number): string {
  const innerTransaction = TransactionBuilder.fromXdr(inner, Networks.TESTNET);
  if (!('operations' in innerTransaction) || 'innerTransaction' in innerTransaction)
    throw new TypeError('no inner transaction');
  const bumped = TransactionBuilder.buildFeeBumpTransaction(
    keypairOf(payer),
    String(fee),
    innerTransaction,
    Networks.TESTNET,
  );
  bumped.sign(keypairOf(payer));
  return bumped.toEnvelope().toXdr('base64');
}

describe('the queue of the current protocol', () => {
  it('holds one transaction for each source', () => {
    const world = open();
    const first = world.envelope('ann', [bump()]);
    expect(world.submit(first).status).toBe('PENDING');
    expect(world.submit(first).status).toBe('DUPLICATE');
    expect(world.submit(world.envelope('ann', [bump()], { after: 1 })).status).toBe('TRY_AGAIN_LATER');
    expect(world.close().transactions).toHaveLength(1);
    expect(world.submit(world.envelope('ann', [bump()])).status).toBe('PENDING');
  });

  it('lets a fee bump replace a transaction at ten times its fee rate, and reports a sufficient fee', () => {
    const world = open();
    const inner = world.envelope('ann', [bump()]);
    const { hash } = world.submit(inner);
    expect(refusal(world.submit(feeBump(inner, 'ben', 500)))).toEqual({ status: 'ERROR', code: -9, fee: 2000n });
    const bumped = world.submit(feeBump(inner, 'ben', 1000));
    expect(bumped.status).toBe('PENDING');
    expect(world.submit(inner).status).toBe('DUPLICATE');
    const closed = world.close();
    expect(closed.transactions.map(transaction => transaction.hash)).toEqual([bumped.hash]);
    expect(closed.transactions[0]?.innerHash).toBe(hash);
    expect(closed.dropped).toEqual([hash]);
  });

  it('reports a fee of 0 in the inner result of a fee bump', () => {
    const world = open();
    world.submit(feeBump(world.envelope('ann', [bump()]), 'ben', 400));
    const [applied] = world.close().transactions;
    const { result } = TransactionResult.schema.decode(Buffer.from(applied?.resultXdr ?? '', 'base64'));
    expect(applied?.feeCharged).toBe(200n);
    expect(result).toMatchObject({ code: 1, innerResultPair: { result: { feeCharged: 0n } } });
  });

  it('refuses bids that the payer cannot afford together', () => {
    const world = open({ entries: [entryOf('ann', 10_000_150n), entryOf('ben', 1_000_000_000n)] });
    expect(world.submit(feeBump(world.envelope('ben', [bump()]), 'ann', 200)).status).toBe('ERROR');
    expect(world.submit(world.envelope('ann', [bump()])).status).toBe('PENDING');
  });

  it('refuses text that is no envelope', () => {
    expect(() => open().submit('AAAA')).toThrow(MalformedEnvelope);
    expect(() => open().submit('not base64 at all')).toThrow(MalformedEnvelope);
  });
});

describe('a full ledger', () => {
  const small = { header: { maxTxSetSize: 10 } };

  it('takes the best bids, charges the lowest of them from all, and leaves the others pending', () => {
    const world = open(small);
    for (const [index, name] of names.entries()) world.submit(world.envelope(name, bumps(3), { fee: 100 + index }));
    const { transactions } = world.close();
    expect(transactions).toHaveLength(3);
    expect(transactions.map(({ feeCharged }) => feeCharged)).toEqual([306n, 306n, 306n]);
    const rest = world.close();
    expect(rest.transactions.map(({ feeCharged }) => feeCharged)).toEqual([300n, 300n]);
  });

  it('charges the base fee when everything fits', () => {
    const world = open(small);
    for (const name of names) world.submit(world.envelope(name, bumps(2), { fee: 500 }));
    expect(world.close().transactions.map(({ feeCharged }) => feeCharged)).toEqual([200n, 200n, 200n, 200n, 200n]);
  });

  it('evicts the lowest bid of a full queue, bans it for ten ledgers, and then accepts it again', () => {
    const world = open(small);
    const cheap = world.envelope('ann', bumps(5), { fee: 100 });
    const { hash } = world.submit(cheap);
    for (const name of ['ben', 'cid', 'dee']) world.submit(world.envelope(name, bumps(5), { fee: 300 }));
    expect(refusal(world.submit(world.envelope('eve', bumps(5), { fee: 100 })))).toEqual({
      status: 'ERROR',
      code: -9,
      fee: 501n,
    });
    expect(world.submit(world.envelope('eve', bumps(5), { fee: 200 })).status).toBe('PENDING');
    expect(world.ledger.queued(hash)).toBe(false);
    expect(world.close().dropped).toContain(hash);
    for (let ledger = 1; ledger < 10; ledger++) {
      expect(world.submit(cheap).status).toBe('TRY_AGAIN_LATER');
      world.close();
    }
    expect(world.submit(cheap).status).toBe('PENDING');
  });

  it('drops a transaction after four ledgers', () => {
    const world = open({ header: { maxTxSetSize: 3 } });
    const { hash } = world.submit(world.envelope('ann', bumps(3), { fee: 100 }));
    const dropped: string[] = [];
    for (let ledger = 1; ledger <= 4; ledger++) {
      expect(world.ledger.queued(hash)).toBe(true);
      world.submit(world.envelope('ben', bumps(3), { fee: 200 }));
      dropped.push(...world.close().dropped);
    }
    expect(dropped).toEqual([hash]);
  });
});

describe('time bounds', () => {
  const until = (maxTime: number) => ({ shape: (builder: TransactionBuilder) => builder.setTimebounds(0, maxTime) });

  it('are compared with the ledger’s own close time; an expired transaction is dropped without a fee', () => {
    const world = open();
    const now = Number(world.ledger.header.closeTime);
    expect(refusal(world.submit(world.envelope('ann', [bump()], until(now + 9)))).code).toBe(-3);
    const { hash } = world.submit(world.envelope('ann', [bump()], until(now + 10)));
    const closed = world.close(11n);
    expect(closed.transactions).toEqual([]);
    expect(closed.dropped).toEqual([hash]);
    expect(world.ledger.account(addressOf('ann'))?.balance).toBe(1_000_000_000n);
  });
});

describe('the queue before one transaction per source', () => {
  it('applies transactions of a source by sequence, with those of others between', () => {
    const world = new World({ entries: names.map(name => entryOf(name, 1_000_000_000n)) });
    const hashes = [0, 1, 2].map(after => world.submit(world.envelope('ann', [pay('ben')], { after })).hash);
    world.submit(world.envelope('cid', [pay('ben')]));
    const applied = world.close().transactions.map(({ hash }) => hash);
    expect(applied.filter(hash => hashes.includes(hash))).toEqual(hashes);
    expect(applied).toHaveLength(4);
  });
});

describe('ledgers that another process closed', () => {
  it('are loaded, and their transactions leave the queue', () => {
    const [mine, other] = [open(), open()];
    const envelopes = [mine.envelope('ann', [pay('ben', '7')]), mine.envelope('ben', [pay('cid')])];
    const [first, second] = envelopes.map(envelope => mine.submit(envelope).hash);
    other.submit(envelopes[0] as string);
    mine.ledger.load(other.close());
    expect(mine.ledger.queued(first as string)).toBe(false);
    expect(mine.ledger.queued(second as string)).toBe(true);
    expect(mine.ledger.header).toEqual(other.ledger.header);
    expect(mine.ledger.account(addressOf('ben'))?.balance).toBe(1_070_000_000n);
    expect(mine.ledger.close(mine.ledger.header.closeTime + 5n).transactions.map(({ hash }) => hash)).toEqual([second]);
  });
});
