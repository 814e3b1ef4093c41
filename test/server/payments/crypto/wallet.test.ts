import { Keypair, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WalletTransaction } from '../../../../src/api/crypto.ts';
import type { Payment } from '../../../../src/api/payment.ts';
import { testPassphrase } from '../../../../src/core/stellar/stellar-network.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { inspectEnvelope } from '../../../../src/server/stellar/transaction/transaction.ts';
import { refusal } from '../payment-lab.ts';
import { askedOf, assetOf, type CryptoLab, cryptoOrder, percentOf, signed, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
/** The payer's account, which holds XLM and EURC. */
let wallet: Keypair;
beforeAll(async () => {
  lab = await startCryptoLab();
  wallet = await lab.openWallet('EURC');
}, 60_000);
afterAll(async () => {
  await faults();
  await lab?.expectSoundBooks();
  await lab?.close();
});

const usdc = sandboxAssets.USDC;
/** A fault between the service and the ledger, in the form of the sandbox’s fault switch. */
type Fault = Readonly<Record<string, string | number | boolean>>;
const faults = (...on: Fault[]) => lab.request('PUT /sandbox/stellar/faults' as 'GET /', { body: { faults: on } });
const made = async (payment: Payment, asset = 'XLM', by = wallet): Promise<WalletTransaction> => {
  const answer = await lab.makeTransaction(payment.id, by, asset);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const completed = (id: string) => lab.until(async () => (await lab.read(id)).status === 'completed');
const sequenceOf = async (key: Keypair) => BigInt((await lab.horizon.loadAccount(key.publicKey())).sequence);

describe('the payer’s wallet', () => {
  it('is shown with the cost in each of its assets, at the highest slippage', async () => {
    const { id } = await lab.create(cryptoOrder);
    const { body } = await lab.request(`GET /v1/payments/${id}/options?payer_address=${wallet.publicKey()}`);
    const { address, problem, assets } = body.crypto.wallet;
    expect([address, problem]).toEqual([wallet.publicKey(), null]);
    const held = Object.fromEntries(assets.map((holding: { asset: string }) => [holding.asset, holding]));
    expect(Object.keys(held).sort()).toEqual([sandboxAssets.EURC, 'XLM'].sort());
    for (const { amount, amount_max: most, balance } of assets) {
      const ratio = (Number(most) / Number(amount)) * 1000;
      expect([ratio > 1004.9 && ratio < 1005.1, Number(balance) > 0]).toEqual([true, true]);
    }
    expect(Number(held['XLM'].amount)).toBeGreaterThan(1_100);
    expect(Number(held['XLM'].amount)).toBeLessThan(1_250);
  });

  it('with the asset itself pays without slippage', async () => {
    const rich = await lab.openWallet('USDC');
    const { id } = await lab.create(cryptoOrder);
    const { body } = await lab.request(`GET /v1/payments/${id}/options?payer_address=${rich.publicKey()}`);
    const own = body.crypto.wallet.assets.find(({ asset }: { asset: string }) => asset === usdc);
    expect(own).toMatchObject({ amount: '139.9560000', amount_max: '139.9560000', path: [], balance: '500.0000000' });
  });

  it.each([
    ['does not exist yet', () => Keypair.random().publicKey(), 'account_missing'],
    ['is no account', () => 'GNOSUCH', 'wrong_address'],
  ])('that %s gets an error', async (_, address, problem) => {
    const { id } = await lab.create(cryptoOrder);
    const { body } = await lab.request(`GET /v1/payments/${id}/options?payer_address=${address()}`);
    expect(body.crypto.wallet).toMatchObject({ problem, assets: [] });
    expect(body.crypto.assets.length).toBeGreaterThan(2);
  });
});

describe('calls to the network for a payer', () => {
  it('are cached for repeated requests, for a minute', async () => {
    const { id } = await lab.create(cryptoOrder);
    const look = () => lab.request(`GET /v1/payments/${id}/options?payer_address=${wallet.publicKey()}`);
    const asked = () => lab.logs.filter(line => line.includes('GET /sandbox/horizon/accounts/:account_id')).length;
    const before = asked();
    const answers = await Promise.all(Array.from({ length: 40 }, look));
    expect(asked() - before).toBeLessThanOrEqual(2);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(10);
    const { status, body, headers } = refused[0] ?? {};
    expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers?.['retry-after'])).toBeGreaterThan(0);
    expect((await lab.makeTransaction(id, wallet, 'XLM')).status).toBe(429);
    // Other payments, and calls that do not use the network, still work.
    expect((await lab.request(`GET /v1/payments/${id}/options`)).status).toBe(200);
    const other = await lab.create(cryptoOrder);
    expect((await lab.makeTransaction(other.id, wallet, 'XLM')).status).toBe(201);
  });

  it('are limited to 20 transactions that could still be signed', async () => {
    const { id } = await lab.create(cryptoOrder);
    const answers = [];
    for (let i = 0; i < 21; i++) answers.push(await lab.makeTransaction(id, wallet, 'XLM'));
    expect(answers.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(201));
    const { status, body, headers } = answers[20] ?? {};
    expect([status, body.error.code]).toEqual([429, 'too_many_attempts']);
    expect(Number(headers?.['retry-after'])).toBeGreaterThan(60);
  });
});

describe('a transaction for a wallet', () => {
  it('delivers the exact amount due in the merchant’s asset, at most at the shown cost, until the quote ends', async () => {
    const payment = await lab.createForCrypto({}, 'XLM');
    const transaction = await made(payment);
    expect(transaction).toMatchObject({
      id: expect.stringMatching(/^wtx_/),
      object: 'wallet_transaction',
      chain: 'stellar',
      asset: 'XLM',
      address: wallet.publicKey(),
      destination_asset: usdc,
      destination_amount: '139.9560000',
      slippage_percent: '0.50',
      network: 'TESTNET',
      network_passphrase: testPassphrase,
      expires_at: payment.expires_at,
    });
    const read = inspectEnvelope(transaction.envelope_xdr, testPassphrase);
    expect(read).toMatchObject({
      kind: 'transaction',
      source: wallet.publicKey(),
      signatures: [],
      memo: null,
      sequence: (await sequenceOf(wallet)) + 1n,
      timeBounds: { min: 0, max: new Date(payment.expires_at).getTime() / 1000 },
      operations: [
        {
          type: 'pathPaymentStrictReceive',
          destination: askedOf(payment).address,
          sendAsset: 'XLM',
          destinationAsset: usdc,
          destinationAmount: 1_399_560_000n,
          sendMax: BigInt(transaction.amount_max.replace('.', '')),
        },
      ],
    });
    // The instructions still show the asset that the payer chose for a manual transfer.
    expect(askedOf(await lab.read(payment.id)).asset).toBe('XLM');
  });

  it('is signed, submitted, followed, and completes the payment', async () => {
    const { id } = await lab.create(cryptoOrder);
    const transaction = await made(await lab.read(id));
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_funds', method: 'crypto' });
    const answer = await lab.signAndSubmit(id, transaction, wallet);
    expect([answer.status, ['confirming', 'paid'].includes(answer.body.phase)]).toEqual([200, true]);
    await completed(id);
    expect(await lab.read(id)).toMatchObject({ amount_received: 12_840, exception: null, method: 'crypto' });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
    const [transfer] = (await lab.transfersOf('matched')).filter(({ payment }) => payment === id);
    expect(transfer).toMatchObject({ asset: usdc, asset_amount: '139.9560000', sender: wallet.publicKey() });
  });

  it('may have a path of three steps', async () => {
    const naira = await lab.openWallet('NGNC');
    const payment = await lab.createForCrypto({ amount: 20, settlement_asset: 'BRLC' });
    const transaction = await made(payment, 'NGNC', naira);
    expect(transaction.path.length).toBe(2);
    await lab.signAndSubmit(payment.id, transaction, naira);
    await completed(payment.id);
  });

  it('pays the rest of a partly paid payment', async () => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, percentOf('139.9560000', 25));
    const transaction = await made(payment, 'EURC');
    expect(transaction.destination_amount).toBe(percentOf('139.9560000', 75));
    await lab.signAndSubmit(payment.id, transaction, wallet);
    await completed(payment.id);
    expect((await lab.read(payment.id)).amount_received).toBe(12_840);
  });

  it('is built for and accepted from a payer with only the client secret', async () => {
    const created = await lab.create(cryptoOrder);
    const asPayer = { key: lab.merchant.publishableKey, headers: { 'pay-client-secret': created.client_secret ?? '' } };
    const path = `POST /v1/payments/${created.id}/wallet_transactions` as const;
    const body = { chain: 'stellar', address: wallet.publicKey(), asset: 'XLM' };
    const { status, headers, body: transaction } = await lab.request(path, { ...asPayer, body });
    expect([status, headers.location]).toEqual([201, `${path.slice(5)}/${transaction.id}`]);
    const handedIn = { signed_envelope_xdr: signed(transaction.envelope_xdr, wallet) };
    const answer = await lab.request(`${path}/${transaction.id}/submit`, { ...asPayer, body: handedIn });
    expect([answer.status, answer.body.metadata, answer.body.customer]).toEqual([200, undefined, undefined]);
    await completed(created.id);
    const other = await lab.create(cryptoOrder);
    const foreign = await lab.request(`POST /v1/payments/${other.id}/wallet_transactions`, { ...asPayer, body });
    expect(foreign.status).toBe(403);
  });

  it('is submitted once, however often the wallet sends it', async () => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    const answers = await Promise.all([1, 2, 3].map(() => lab.signAndSubmit(payment.id, transaction, wallet)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    await completed(payment.id);
    expect((await lab.signAndSubmit(payment.id, transaction, wallet)).status).toBe(200);
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
  });

  it('prevents canceling and paying twice while it is in flight', async () => {
    const payment = await lab.createForCrypto();
    const [one, other] = [await made(payment), await made(payment, 'EURC')];
    await faults({ fault: 'timeout_before_apply', ledgers: 30, path: '/transactions' });
    expect((await lab.signAndSubmit(payment.id, one, wallet)).body.phase).toBe('confirming');
    expect(refusal(await lab.act(payment.id, 'cancel'))).toEqual([409, 'payment_in_flight', null]);
    expect(refusal(await lab.signAndSubmit(payment.id, other, wallet))).toEqual([409, 'payment_in_flight', null]);
    expect(refusal(await lab.payByCard(payment.id))).toEqual([409, 'payment_in_flight', null]);
    await faults();
    await completed(payment.id);
  });
});

describe('a transaction from a wallet', () => {
  const submit = (id: string, { id: wtx }: WalletTransaction, xdr: string) =>
    lab.act(id, `wallet_transactions/${wtx}/submit`, { signed_envelope_xdr: xdr });

  it.each([
    ['unsigned', 402, 'stellar_bad_signature', ({ envelope_xdr: xdr }: WalletTransaction) => xdr],
    [
      'signed by another account',
      402,
      'stellar_bad_signature',
      ({ envelope_xdr: xdr }: WalletTransaction) => signed(xdr, Keypair.random()),
    ],
    [
      'with one signature too many',
      402,
      'stellar_bad_signature',
      ({ envelope_xdr: xdr }: WalletTransaction) => signed(xdr, wallet, Keypair.random()),
    ],
    [
      'with a duplicate signature',
      402,
      'stellar_bad_signature',
      ({ envelope_xdr: xdr }: WalletTransaction) => signed(xdr, wallet, wallet),
    ],
    ['truncated', 400, 'wallet_transaction_changed', ({ envelope_xdr: xdr }: WalletTransaction) => xdr.slice(0, -8)],
    ['no envelope', 400, 'wallet_transaction_changed', () => 'AAAA'],
  ])('%s is not submitted', async (_, status, code, change) => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    const before = await sequenceOf(wallet);
    const answer = await submit(payment.id, transaction, change(transaction));
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect((await lab.read(payment.id)).phase).toBe('awaiting_funds');
    expect(await sequenceOf(wallet)).toBe(before);
  });

  it('must be the built one, even if another is validly signed', async () => {
    const payment = await lab.createForCrypto();
    const [transaction, other] = [await made(payment), await made(await lab.createForCrypto())];
    const answer = await submit(payment.id, transaction, signed(other.envelope_xdr, wallet));
    expect(refusal(answer)).toEqual([400, 'wallet_transaction_changed', 'signed_envelope_xdr']);
  });

  it('that is too late is refused', async () => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    lab.clock.advance(900);
    const answer = await submit(payment.id, transaction, signed(transaction.envelope_xdr, wallet));
    expect(refusal(answer)).toEqual([409, 'wallet_transaction_expired', null]);
  });

  it('for a completed payment is refused', async () => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    await lab.pay(payment);
    const answer = await submit(payment.id, transaction, signed(transaction.envelope_xdr, wallet));
    expect(refusal(answer)).toEqual([409, 'payment_already_settled', null]);
  });

  it('for another payment, or another merchant’s, is not found', async () => {
    const transaction = await made(await lab.createForCrypto());
    const { id } = await lab.createForCrypto();
    const answer = await submit(id, transaction, signed(transaction.envelope_xdr, wallet));
    expect([answer.status, answer.body.error.code]).toEqual([404, 'resource_missing']);
  });

  it('needs as many signatures as the account requires', async () => {
    const [shared, partner] = [await lab.openWallet(), Keypair.random()];
    const signer = { ed25519PublicKey: partner.publicKey(), weight: 1 };
    await lab.transact(shared, [Operation.setOptions({ signer }), Operation.setOptions({ medThreshold: 2 })]);
    const payment = await lab.createForCrypto({ amount: 100 });
    const transaction = await made(payment, 'XLM', shared);
    const alone = await submit(payment.id, transaction, signed(transaction.envelope_xdr, shared));
    expect([alone.status, alone.body.error.code]).toEqual([402, 'stellar_bad_signature']);
    await submit(payment.id, transaction, signed(transaction.envelope_xdr, shared, partner));
    await completed(payment.id);
  });
});

describe('a wallet that cannot pay', () => {
  it.each([
    ['has no account', () => Keypair.random(), 'XLM', 402, 'stellar_account_missing', 'address'],
    ['holds none of the asset', () => wallet, 'BRLC', 402, 'stellar_no_trustline', 'asset'],
    ['holds too little', () => wallet, 'EURC', 402, 'stellar_underfunded', 'asset'],
  ])('because it %s is refused', async (_, key, asset, status, code, param) => {
    const payment = await lab.createForCrypto({ amount: 100_000 });
    expect(refusal(await lab.makeTransaction(payment.id, key(), asset))).toEqual([status, code, param]);
  });

  it('because its asset has no market is refused', async () => {
    const issuer = await lab.openWallet();
    const holder = await lab.openWallet();
    const coin = assetOf(`COIN:${issuer.publicKey()}`);
    await lab.transact(holder, [Operation.changeTrust({ asset: coin })]);
    await lab.transact(issuer, [Operation.payment({ destination: holder.publicKey(), asset: coin, amount: '1000' })]);
    const payment = await lab.createForCrypto({ amount: 100 });
    const answer = await lab.makeTransaction(payment.id, holder, `COIN:${issuer.publicKey()}`);
    expect(refusal(answer)).toEqual([402, 'stellar_no_path', 'asset']);
  });

  it('according to the ledger makes the payment wait again, with the reason', async () => {
    const poor = await lab.openWallet();
    const payment = await lab.createForCrypto({ amount: 50_000 });
    const transaction = await made(payment, 'XLM', poor);
    await lab.transact(poor, [
      Operation.bumpSequence({ bumpTo: '0' }),
      Operation.payment({ destination: wallet.publicKey(), asset: assetOf('XLM'), amount: '9900' }),
    ]);
    const again = await made(payment, 'EURC').catch(() => null);
    const answer = await lab.signAndSubmit(payment.id, transaction, poor);
    // The account has used this sequence number, so the network refuses the transaction.
    expect([answer.status, answer.body.error.code]).toEqual([402, 'stellar_refused']);
    expect(again).toBeNull();
    const after = await lab.read(payment.id);
    expect(after).toMatchObject({
      phase: 'awaiting_funds',
      last_attempt: { method: 'crypto', code: 'stellar_refused' },
    });
    await lab.pay(after);
    expect((await lab.read(payment.id)).status).toBe('completed');
  });

  it('at the agreed price keeps its money when the market moves', async () => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    await lab.transact(wallet, [Operation.manageData({ name: 'x', value: 'y' })]);
    const answer = await lab.signAndSubmit(payment.id, transaction, wallet);
    expect(answer.status).toBe(402);
    expect((await lab.read(payment.id)).phase).toBe('awaiting_funds');
  });
});

describe('a network that does not answer', () => {
  it.each<[string, Fault]>([
    ['answers 504 after it applied', { fault: 'timeout_after_apply', count: 1 }],
    ['answers 504 and applies later', { fault: 'timeout_before_apply', ledgers: 3, count: 1 }],
    ['disconnects after accepting it', { fault: 'connection_reset', applied: true, count: 1, path: '/transactions' }],
    ['disconnects before accepting it', { fault: 'connection_reset', count: 1, path: '/transactions' }],
    ['is overloaded', { fault: 'rate_limited', count: 2, path: '/transactions' }],
    ['answers with an HTML page', { fault: 'html', applied: true, count: 1, path: '/transactions' }],
    ['reports a duplicate', { fault: 'duplicate', count: 1 }],
  ])('%s: the same transaction is submitted until it is found, and counted once', async (_, fault) => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    const before = await sequenceOf(wallet);
    await faults(fault);
    const answer = await lab.signAndSubmit(payment.id, transaction, wallet);
    expect([answer.status, answer.body.phase]).toEqual([200, expect.stringMatching(/confirming|paid/)]);
    await completed(payment.id);
    await faults();
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
    expect(await sequenceOf(wallet)).toBe(before + 1n);
  });

  it('and never accepts it makes the payment wait again after its time bound has passed in a ledger', async () => {
    const payment = await lab.createForCrypto();
    const transaction = await made(payment);
    await faults({ fault: 'unavailable', path: '/transactions_async' });
    expect((await lab.signAndSubmit(payment.id, transaction, wallet)).body.phase).toBe('confirming');
    lab.clock.advance(1_000);
    await lab.until(async () => (await lab.read(payment.id)).phase === 'awaiting_funds');
    expect((await lab.read(payment.id)).last_attempt).toMatchObject({ code: 'stellar_timeout' });
    await faults();
  });
});
