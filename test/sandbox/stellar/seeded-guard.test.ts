import { createHash } from 'node:crypto';
import {
  Asset,
  AuthRevocableFlag,
  BASE_FEE,
  Keypair,
  Networks,
  Operation,
  rpc,
  TransactionBuilder,
} from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf, codesOf, envelopeOf, issuerOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let vandal: Keypair;

beforeAll(async () => {
  lab = await startStellarLab();
  vandal = await lab.newAccount();
  await lab.send(vandal, [Operation.changeTrust({ asset: usdc })]);
}, 60_000);
afterAll(() => lab.close());

const usdc = assetOf('USDC');
const xlm = Asset.native();
const seeded = (label: string) =>
  Keypair.fromRawEd25519Seed(createHash('sha256').update(`pay-checkout sandbox/${label}`).digest());
const root = Keypair.fromRawEd25519Seed(createHash('sha256').update(Networks.TESTNET).digest());
const [issuer, market, faucet] = [issuerOf('USDC'), seeded('market'), seeded('faucet')];

/** An operation of another account in the attacker’s transaction, signed by both. */
const as = async (key: Keypair, operation: (source: string) => ReturnType<typeof Operation.payment>) =>
  await lab.build(vandal, [operation(key.publicKey())], { signers: [key] });
const gift = (source: string, amount: string, destination = vandal.publicKey()) =>
  Operation.payment({ source, destination, asset: usdc, amount });

describe('public seeds', () => {
  it('may be used to issue test money', async () => {
    const { hash } = await lab.sdk.submitTransaction(await as(issuer, source => gift(source, '1000000')));
    expect((await lab.get(`/transactions/${hash}`)).body.successful).toBe(true);
  });

  it.each<readonly [string, () => ReturnType<typeof as>]>([
    [
      'merge an issuer into another account',
      () => as(issuer, source => Operation.accountMerge({ source, destination: vandal.publicKey() })),
    ],
    ['let an issuer freeze', () => as(issuer, source => Operation.setOptions({ source, setFlags: AuthRevocableFlag }))],
    ['lock an issuer', () => as(issuer, source => Operation.setOptions({ source, masterWeight: 0 }))],
    [
      'pay out an issuer’s lumens',
      () =>
        as(issuer, source => Operation.payment({ source, destination: vandal.publicKey(), asset: xlm, amount: '1' })),
    ],
    ['fill the market’s trust line', () => as(issuer, source => gift(source, '1', market.publicKey()))],
    ['make more at a time than the faucet gives', () => as(issuer, source => gift(source, '1000000.0000001'))],
    ['empty the faucet', () => as(faucet, source => gift(source, '1'))],
    [
      'empty the friendbot',
      () =>
        as(seeded('friendbot'), source =>
          Operation.payment({ source, destination: vandal.publicKey(), asset: xlm, amount: '1' }),
        ),
    ],
    [
      'take the market’s lumens',
      () =>
        as(market, source => Operation.payment({ source, destination: vandal.publicKey(), asset: xlm, amount: '1' })),
    ],
    [
      'close a channel',
      () => as(seeded('channel/0'), source => Operation.accountMerge({ source, destination: vandal.publicKey() })),
    ],
    [
      'spend the coins of the root account',
      () => as(root, source => Operation.payment({ source, destination: vandal.publicKey(), asset: xlm, amount: '1' })),
    ],
    ['use up a sequence number', () => lab.build(issuer, [gift(issuer.publicKey(), '1')])],
  ])('may not be used to %s', async (_, made) => {
    const transaction = await made();
    const balance = async () => (await lab.sdk.loadAccount(vandal.publicKey())).balances;
    const before = await balance();
    expect(await codesOf(lab.sdk.submitTransaction(transaction))).toEqual({ transaction: 'tx_bad_auth' });
    const { status, body } = await lab.post('/transactions_async', envelopeOf(transaction));
    expect([status, body.tx_status]).toEqual([400, 'ERROR']);
    const client = new rpc.Server(lab.url.replace(/horizon$/, 'rpc'), { allowHttp: true });
    const sent = await client.sendTransaction(transaction);
    expect([sent.status, sent.errorResult?.result.type]).toEqual(['ERROR', 'txBadAuth']);
    expect(await balance()).toEqual(before);
  });

  it('may not pay the fee of another account', async () => {
    const inner = await lab.build(vandal, [Operation.manageData({ name: 'a', value: 'b' })]);
    const bump = TransactionBuilder.buildFeeBumpTransaction(
      faucet,
      String(10 * Number(BASE_FEE)),
      inner,
      Networks.TESTNET,
    );
    bump.sign(faucet);
    expect(await codesOf(lab.sdk.submitTransaction(bump))).toEqual({ transaction: 'tx_bad_auth' });
  });
});
