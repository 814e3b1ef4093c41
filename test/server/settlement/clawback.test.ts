import {
  Account,
  Asset,
  AuthClawbackEnabledFlag,
  type AuthFlag,
  AuthRevocableFlag,
  type Keypair,
  Operation,
  TransactionBuilder,
} from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../../src/api/event.ts';
import { bookClawbacks } from '../../../src/server/settlement/clawback.service.ts';
import { type SettlementLab, startSettlementLab } from './settlement-lab.ts';

const unit = 10_000_000n;
let lab: SettlementLab;
beforeAll(async () => {
  lab = await startSettlementLab();
}, 60_000);
afterAll(() => lab.close());

/** The issuer sends an operation that the service does not support. */
async function send(issuer: Keypair, operation: ReturnType<typeof Operation.clawback>): Promise<void> {
  const { sequence } = (await lab.account(issuer.publicKey())) ?? { sequence: 0n };
  const options = { fee: '1000', networkPassphrase: 'Test SDF Network ; September 2015' };
  const transaction = new TransactionBuilder(new Account(issuer.publicKey(), sequence.toString()), {
    ...options,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(operation)
    .build();
  transaction.sign(issuer);
  const envelope = transaction.toXdr();
  const { hash } = await lab.network.submit(envelope);
  await lab.until('it is applied', async () => (await lab.network.status(hash)).state === 'applied');
}

/** The issuer takes the asset back from the account (CAP-35). */
async function clawBack(issuer: Keypair, from: string, amount: string): Promise<void> {
  await send(issuer, Operation.clawback({ asset: new Asset('CBK', issuer.publicKey()), amount, from }));
}

describe('a clawback from the treasury', () => {
  it('is booked as a loss once, reported to the operator, and leaves the books balanced', async () => {
    const issuer = await lab.openAccount();
    const flags = (AuthRevocableFlag | AuthClawbackEnabledFlag) as AuthFlag;
    await send(issuer, Operation.setOptions({ setFlags: flags }));
    const asset = `CBK:${issuer.publicKey()}`;
    const treasury = (await lab.openAccount(asset)).publicKey();
    const other = (await lab.openAccount(asset)).publicKey();
    const deps = {
      db: lab.database.db,
      network: lab.network,
      treasury,
      livemode: false,
      floors: () => 0n,
      clock: { now: () => new Date() },
      operator: async () => lab.merchant.id,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    };
    expect(await bookClawbacks(deps)).toBe(0);
    for (const destination of [treasury, other]) {
      await lab.onLedger(issuer, { type: 'payment', destination, asset, amount: 100n * unit });
    }
    expect(await bookClawbacks(deps)).toBe(0);
    await clawBack(issuer, treasury, '30');
    await clawBack(issuer, other, '50');
    await Promise.all(Array.from({ length: 4 }, () => bookClawbacks(deps)));
    expect(await bookClawbacks(deps)).toBe(0);

    const { rows } = await lab.database.pool.query(
      `select account, amount::text from audit_entries where currency = $1 order by account`,
      [asset],
    );
    expect(rows).toEqual([
      { account: 'losses', amount: String(-30n * unit) },
      { account: 'treasury.stellar', amount: String(30n * unit) },
    ]);
    const { data } = (await lab.request('GET /v1/events?limit=100')).body as { data: Event[] };
    const alarms = data.filter(({ type }) => type === 'treasury.clawed_back');
    expect(alarms.map(({ data: { object } }) => object)).toMatchObject([
      { account: treasury, asset, clawed_back: '30.0000000', spendable: '70.0000000' },
    ]);
    await lab.expectSoundBooks();
  }, 40_000);
});
