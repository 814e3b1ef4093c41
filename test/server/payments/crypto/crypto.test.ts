import { Claimant, Keypair, Memo, Operation } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../../src/api/payment.ts';
import type { Refund } from '../../../../src/api/refund.ts';
import type { Transfer } from '../../../../src/api/transfer.ts';
import { isStellarAddress } from '../../../../src/core/stellar/strkey.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { instructionsOf, refusal } from '../payment-lab.ts';
import { askedOf, assetOf, type CryptoLab, cryptoOrder, percentOf, plus, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
beforeAll(async () => {
  lab = await startCryptoLab();
}, 60_000);
afterAll(async () => {
  await lab?.expectSoundBooks();
  await lab?.close();
});

const usdc = sandboxAssets.USDC;
/** 128.40 EUR at 1.09 dollars, and at 0.12 dollars for an XLM. */
const inUsdc = '139.9560000';
const inXlm = '1166.3000000';
/** One cent of a payment in EUR: dust. */
const aCent = '0.0109000';

/** Whether the filter `requires_decision` of the list finds the payment. */
async function isListed({ id }: Payment): Promise<boolean> {
  const { body } = await lab.request('GET /v1/payments?requires_decision=true&limit=100');
  return body.data.some((payment: Payment) => payment.id === id);
}

describe('the options of a payer', () => {
  it('include each asset that the service accepts, with its price, the merchant’s own first', async () => {
    const { id } = await lab.create(cryptoOrder);
    const { crypto } = await lab.options(id);
    expect(crypto?.assets.slice(0, 2).map(({ asset, amount }) => [asset, amount])).toEqual([
      [usdc, inUsdc],
      ['XLM', inXlm],
    ]);
    expect(crypto?.assets.map(({ asset }) => asset).sort()).toEqual([...Object.values(sandboxAssets), 'XLM'].sort());
    expect(crypto?.assets[1]).toEqual({
      chain: 'stellar',
      chain_name: 'Stellar',
      asset: 'XLM',
      amount: inXlm,
      rate: '9.0833333333',
      network_fee: expect.stringMatching(/^0\.0\d+$/),
      confirmations: 1,
      eta_seconds: expect.any(Number),
      wallets: ['freighter', 'sep7'],
      network: 'TESTNET',
      network_passphrase: 'Test SDF Network ; September 2015',
    });
    expect(crypto).not.toHaveProperty('wallet');
  });

  it('exclude crypto when the payment does not accept it', async () => {
    const { id } = await lab.create({ payment_methods: ['card'] });
    expect(await lab.options(id)).not.toHaveProperty('crypto');
    const body = { method: 'crypto', chain: 'stellar', asset: 'XLM' };
    expect(refusal(await lab.act(id, 'confirm', body))).toEqual([400, 'payment_method_not_allowed', 'method']);
  });

  it.each([
    ['another chain', { chain: 'bitcoin', asset: 'BTC' }, 'parameter_invalid', 'chain'],
    ['an unknown asset', { chain: 'stellar', asset: 'DOGE' }, 'invalid_asset', 'asset'],
    [
      'an asset with a known code and another issuer',
      { chain: 'stellar', asset: `USDC:${'G'.padEnd(56, 'A')}` },
      'invalid_asset',
      'asset',
    ],
    [
      'an asset that the service does not accept',
      { chain: 'stellar', asset: 'USDC:GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX' },
      'invalid_asset',
      'asset',
    ],
    ['an invalid address', { chain: 'stellar', asset: 'XLM', payer_address: 'me' }, 'invalid_address', 'payer_address'],
  ])('exclude %s', async (_, body, code, param) => {
    const { id } = await lab.create(cryptoOrder);
    expect(refusal(await lab.act(id, 'confirm', { method: 'crypto', ...body }))).toEqual([400, code, param]);
    expect((await lab.read(id)).phase).toBe('awaiting_payer');
  });
});

describe('a payer who selected an asset', () => {
  it('receives the payment’s own address, the amount, and a signed link with both', async () => {
    const payment = await lab.createForCrypto();
    expect(payment).toMatchObject({ status: 'pending', phase: 'awaiting_funds', method: 'crypto' });
    const action = askedOf(payment);
    expect(action).toMatchObject({
      chain: 'stellar',
      asset: usdc,
      base_address: lab.treasury,
      memo_type: 'id',
      amount: inUsdc,
      amount_received: '0.0000000',
      confirmations: 0,
      required_confirmations: 1,
      expires_at: payment.expires_at,
      qr: { format: 'sep7', payload: action.uri },
    });
    expect(action.address).toMatch(/^M/);
    expect(isStellarAddress(action.address)).toBe(true);
    expect(Number.isSafeInteger(Number(action.memo))).toBe(true);
    const { searchParams } = new URL(action.uri ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      destination: action.address,
      amount: '139.956',
      asset_code: 'USDC',
      asset_issuer: usdc.split(':')[1],
      msg: 'Payment to Test shop',
      signature: expect.any(String),
    });
    expect(askedOf(await lab.createForCrypto()).address).not.toBe(action.address);
  });

  it('keeps address and price when the same asset is selected again, and the address with another', async () => {
    const payment = await lab.createForCrypto();
    const again = (await lab.payInCrypto(payment.id)).body;
    expect(askedOf(again)).toEqual(askedOf(payment));
    const other = askedOf((await lab.payInCrypto(payment.id, 'XLM')).body);
    expect(other).toMatchObject({ asset: 'XLM', amount: inXlm, address: askedOf(payment).address });
  });

  it('gets a new price with a new quote, at the same address', async () => {
    const payment = await lab.createForCrypto({}, 'XLM');
    lab.clock.advance(901);
    expect(refusal(await lab.payInCrypto(payment.id))).toEqual([409, 'quote_expired', null]);
    const { body } = await lab.act(payment.id, 'quotes');
    expect(askedOf(body)).toMatchObject({
      address: askedOf(payment).address,
      amount: inXlm,
      expires_at: body.expires_at,
    });
    expect(body.expires_at).not.toBe(payment.expires_at);
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.quote_refreshed']);
  });

  it('needs only a client secret, and sees no private fields of the merchant', async () => {
    const created = await lab.create({ ...cryptoOrder, metadata: { order: 'A-1' } });
    const headers = { 'pay-client-secret': created.client_secret ?? '' };
    const key = lab.merchant.publishableKey;
    const body = { method: 'crypto', chain: 'stellar', asset: 'USDC' };
    const confirmed = await lab.request(`POST /v1/payments/${created.id}/confirm`, { key, headers, body });
    expect([confirmed.status, confirmed.body.next_action.amount, confirmed.body.metadata]).toEqual([
      200,
      inUsdc,
      undefined,
    ]);
  });
});

describe('a deposit', () => {
  it.each([
    ['to the muxed address', {}],
    ['to the account, with the memo as an id', { byMemo: 'id' }],
    ['to the account, with the memo as a text', { byMemo: 'text' }],
  ])('%s completes the payment', async (_, { byMemo }: { byMemo?: string }) => {
    const payment = await lab.createForCrypto();
    const { base_address: address, memo } = askedOf(payment);
    const before = await lab.balance();
    const transfer = byMemo
      ? await lab.pay(payment, undefined, { address: address ?? '', memo: memo ?? '', memo_type: byMemo as 'id' })
      : await lab.pay(payment);
    expect(transfer).toMatchObject({
      rail: 'stellar',
      chain: 'stellar',
      payment: payment.id,
      status: 'matched',
      problem: null,
      asset: usdc,
      asset_amount: inUsdc,
      amount: null,
      currency: null,
      amount_applied: 12_840,
      address: lab.treasury,
      tx_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      memo: byMemo ? memo : null,
    });
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'completed',
      phase: 'paid',
      exception: null,
      amount_received: 12_840,
      next_action: null,
      completed_at: lab.clock.now().toISOString(),
    });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed']);
    expect((await lab.balance())['pending EUR']).toBe((before['pending EUR'] ?? 0) + 12_840);
  });

  it('in another quoted asset counts at that asset’s price', async () => {
    const payment = await lab.createForCrypto({}, 'XLM');
    const { address } = askedOf(payment);
    await lab.payInCrypto(payment.id, 'USDC');
    await lab.send({ address, asset: 'XLM', amount: inXlm });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  it('may be partial; the remaining amount is exact to the stroop', async () => {
    const payment = await lab.createForCrypto({ amount: 9_999 }, 'NGNC');
    const whole = askedOf(payment).amount;
    await lab.pay(payment, percentOf(whole, 33));
    const short = await lab.read(payment.id);
    expect(short).toMatchObject({ status: 'pending', phase: 'partially_paid', exception: 'underpaid' });
    expect(askedOf(short)).toMatchObject({
      amount_received: percentOf(whole, 33),
      confirmations: 1,
      address: askedOf(payment).address,
      amount: plus(whole, -BigInt(percentOf(whole, 33).replace('.', ''))),
    });
    await lab.pay(short, '1.0000000');
    const left = askedOf(await lab.read(payment.id));
    await lab.pay(short, left.amount);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 9_999, exception: null });
    expect(await lab.eventsOf(payment.id)).toEqual([
      ...['payment.created', 'payment.partially_paid', 'payment.partially_paid', 'payment.completed'],
    ]);
  });

  it.each([
    ['a stroop less than due', -1n, 'paid', 12_839, null],
    ['a stroop more', 1n, 'paid', 12_840, null],
    ['slightly within the tolerance', -5_000_000n, 'paid', 12_794, null],
    ['below the tolerance', -10_000_000n, 'partially_paid', 12_748, 'underpaid'],
    ['above the tolerance', 10_000_000n, 'paid', 12_931, 'overpaid'],
  ])('is checked against the tolerance: %s', async (_, difference, phase, received, exception) => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, plus(inUsdc, difference));
    expect(await lab.read(payment.id)).toMatchObject({ phase, amount_received: received, exception });
  });

  it('one stroop short is underpaid without a tolerance, and one stroop more completes the payment', async () => {
    await lab.request('PATCH /v1/account', { body: { tolerance: { percent: 0, units: 0 } } });
    const payment = await lab.createForCrypto();
    await lab.pay(payment, plus(inUsdc, -1n));
    const short = await lab.read(payment.id);
    expect([short.phase, askedOf(short).amount]).toEqual(['partially_paid', '0.0000001']);
    await lab.pay(short);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_received: 12_840, exception: null });
    await lab.request('PATCH /v1/account', { body: { tolerance: { percent: 0.5, units: 1 } } });
  });

  it('of dust only reduces the remaining amount', async () => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, '0.0000100');
    const after = await lab.read(payment.id);
    expect([after.phase, after.exception, askedOf(after).amount]).toEqual(['awaiting_funds', null, '139.9559900']);
    await lab.pay(after);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_received: 12_840 });
  });

  it.each<[string, (payment: Payment) => Promise<unknown>, object]>([
    ['a cancellation', ({ id }) => lab.act(id, 'cancel'), { phase: 'canceled', amount_received: 1 }],
    ['the end of the session', async () => lab.clock.advance(86_400), { phase: 'expired', amount_received: 1 }],
    ['the rest', payment => lab.pay(payment), { phase: 'paid', amount_received: 12_840 }],
    ['the whole amount', payment => lab.pay(payment, inUsdc), { phase: 'paid', amount_received: 12_841 }],
    ['a part', payment => lab.pay(payment, '1.0900'), { phase: 'partially_paid', exception: 'underpaid' }],
    ['a card', ({ id }) => lab.payByCard(id), { phase: 'paid', amount_received: 12_840 }],
    ['a declined card', ({ id }) => lab.payByCard(id, 'tok_declined'), { phase: 'awaiting_payer' }],
    ['3-D Secure', ({ id }) => lab.payByCard(id, 'tok_3ds'), { phase: 'requires_action' }],
    ['a choice of the bank', ({ id }) => lab.payByBank(id), { phase: 'awaiting_funds', method: 'bank_transfer' }],
    ['another cent', payment => lab.pay(payment, aCent), { phase: 'partially_paid', exception: 'underpaid' }],
  ])('of a cent of dust changes nothing for %s', async (_, next, expected) => {
    const created = await lab.createForCrypto();
    await lab.pay(created, aCent);
    const payment = await lab.read(created.id);
    const open = { phase: 'awaiting_funds', exception: null, requires_decision: false, amount_received: 1 };
    expect(payment).toMatchObject(open);
    expect(askedOf(payment).amount).toBe('139.9451000');
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created']);
    expect(refusal(await lab.act(payment.id, 'resolve', { action: 'accept' }))[1]).toBe('illegal_state');
    await next(payment);
    expect(await lab.read(payment.id)).toMatchObject({ exception: null, ...expected });
  });

  it.each(['cancel', 'expire'])('of a cent of dust can be refunded after the payment has ended: %s', async end => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, aCent);
    if (end === 'cancel') await lab.act(payment.id, 'cancel');
    else lab.clock.advance(86_400);
    expect((await lab.read(payment.id)).status).toBe('failed');
    expect((await lab.refund(payment.id)).amount).toBe(1);
  });

  it('of a cent of dust leaves the payer in 3-D Secure', async () => {
    const payment = await lab.createForCrypto();
    const { body: asked } = await lab.payByCard(payment.id, 'tok_3ds');
    await lab.pay(payment, aCent);
    const after = await lab.read(payment.id);
    expect([after.amount_received, after.next_action]).toEqual([1, asked.next_action]);
    await lab.answerChallenge(after, 'approve');
    lab.clock.advance(16);
    await lab.sweep('payments.attempts');
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_received: 12_841, exception: null });
  });

  it('in two operations of one transaction counts each once', async () => {
    const wallet = await lab.openWallet('USDC');
    const payment = await lab.createForCrypto();
    const half = { destination: askedOf(payment).address, asset: assetOf('USDC'), amount: percentOf(inUsdc, 50) };
    const hash = await lab.transact(wallet, [Operation.payment(half), Operation.payment(half)]);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    const transfers = (await lab.transfersOf('matched')).filter(transfer => transfer.tx_hash === hash);
    expect(transfers.map(({ payment: id, sender }) => [id, sender])).toEqual([
      [payment.id, wallet.publicKey()],
      [payment.id, wallet.publicKey()],
    ]);
  });

  it('by a path payment counts the received amount', async () => {
    const wallet = await lab.openWallet();
    const payment = await lab.createForCrypto();
    const way = {
      sendAsset: assetOf('XLM'),
      sendMax: '3000',
      destAsset: assetOf('USDC'),
      destAmount: inUsdc,
      path: [],
    };
    const operation = Operation.pathPaymentStrictReceive({ ...way, destination: askedOf(payment).address });
    await lab.transact(wallet, [operation]);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
  });

  it('by a claimable balance counts once the service has claimed it, by its creator’s memo', async () => {
    const wallet = await lab.openWallet('USDC');
    const payment = await lab.createForCrypto();
    const claimants = [new Claimant(lab.treasury)];
    const aside = Operation.createClaimableBalance({ asset: assetOf('USDC'), amount: inUsdc, claimants });
    const dust = Operation.createClaimableBalance({ asset: assetOf('USDC'), amount: '0.0000001', claimants });
    // Anyone can create balances that are never claimed. They fill the first page of the list.
    const dusty = Array.from({ length: 100 }, () => dust);
    for (let half = 0; half < 2; half++) await lab.transact(wallet, dusty);
    await lab.transact(wallet, [aside], Memo.id(askedOf(payment).memo ?? ''));
    lab.clock.advance(5);
    await lab.sweep('payments.deposits');
    expect((await lab.read(payment.id)).amount_received).toBe(0);
    for (let run = 0; run < 2; run++) await lab.sweep('submission.claims');
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
    const [transfer] = (await lab.transfersOf('matched')).filter(({ payment: id }) => id === payment.id);
    expect(transfer).toMatchObject({ sender: wallet.publicKey(), memo: askedOf(payment).memo });
  });

  it('by an account merge counts its whole balance', async () => {
    const wallet = await lab.openWallet();
    const payment = await lab.createForCrypto({ amount: 100_000 }, 'XLM');
    await lab.transact(wallet, [Operation.accountMerge({ destination: askedOf(payment).address })]);
    await lab.until(async () => (await lab.read(payment.id)).amount_received > 0);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: 'overpaid' });
  });

  it('that completes a partly paid card payment is counted with it', async () => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, percentOf(inUsdc, 50));
    const instructions = askedOf(await lab.read(payment.id));
    expect(instructions.amount).toBe(percentOf(inUsdc, 50));
    expect((await lab.payByCard(payment.id)).body).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });
});

describe('an unexpected deposit', () => {
  const late = async (changes: object = {}): Promise<Payment> => {
    const payment = await lab.createForCrypto(changes);
    lab.clock.advance(86_400);
    return payment;
  };

  it('that is late waits for the merchant’s decision', async () => {
    const payment = await late();
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'failed',
      phase: 'expired',
      exception: 'paid_late',
      amount_received: 12_840,
    });
    const money = ['payment.paid_late', 'payment.quote_refreshed'];
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.failed', ...money]);
    const accepted = await lab.act(payment.id, 'resolve', { action: 'accept' });
    expect(accepted.body).toMatchObject({ status: 'completed', phase: 'paid' });
  });

  it('on its way when the quote ended counts at the quote', async () => {
    const payment = await lab.createForCrypto({}, 'XLM');
    lab.clock.advance(900 + 590);
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  describe('after the quote and its grace', () => {
    const late = async () => {
      const payment = await lab.createForCrypto({}, 'XLM');
      lab.clock.advance(900 + 601);
      await lab.pay(payment);
      return payment;
    };
    const lateTransfers = async ({ id }: Payment) =>
      (await lab.request(`GET /v1/transfers?payment=${id}`)).body.data
        .filter(({ chain }: Transfer) => chain !== null)
        .map(({ status, problem }: Transfer) => [status, problem]);
    const resolve = (id: string, action: string) => lab.act(id, 'resolve', { action });

    it('counts nothing and waits, beside a payment that can still be paid', async () => {
      const before = await lab.balance();
      const payment = await late();
      expect(await lab.read(payment.id)).toMatchObject({
        status: 'pending',
        phase: 'awaiting_funds',
        exception: 'paid_late',
        requires_decision: true,
        amount_received: 0,
        received: [{ asset: 'XLM', amount: inXlm, credited: 0 }],
      });
      expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.paid_late']);
      expect(await lateTransfers(payment)).toEqual([['matched', 'late']]);
      const kept = Number((await lab.balance())['suspense XLM'] ?? 0) - Number(before['suspense XLM'] ?? 0);
      expect(kept).toBeCloseTo(Number(inXlm), 6);
      await lab.act(payment.id, 'quotes');
      expect((await lab.payByCard(payment.id)).body).toMatchObject({ status: 'completed', amount_received: 12_840 });
      const refunded = await resolve(payment.id, 'refund');
      expect([refunded.status, refunded.body.exception]).toEqual([200, null]);
      expect(await lateTransfers(payment)).toEqual([['returning', 'late']]);
      expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', exception: null, amount_refunded: 0 });
    });

    it('completes the payment when the merchant accepts it', async () => {
      const payment = await late();
      const { status, body } = await resolve(payment.id, 'accept');
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'completed', exception: null, amount_received: 12_840, method: 'crypto' });
      expect(body.received).toMatchObject([{ amount: inXlm, credited: 12_840 }]);
      expect(await lateTransfers(payment)).toEqual([['matched', null]]);
      expect(refusal(await resolve(payment.id, 'accept'))).toEqual([409, 'illegal_state', null]);
    });

    it('is a surplus that the merchant may keep when the payment was paid meanwhile', async () => {
      const payment = await late();
      await lab.act(payment.id, 'quotes');
      await lab.payByCard(payment.id);
      const { body } = await resolve(payment.id, 'accept');
      expect(body).toMatchObject({ status: 'completed', exception: null, amount_received: 25_680 });
    });

    it('goes back, and the payment waits on', async () => {
      const payment = await late();
      expect((await resolve(payment.id, 'refund')).body).toMatchObject({ phase: 'awaiting_funds', exception: null });
      expect(await lateTransfers(payment)).toEqual([['returning', 'late']]);
      expect(await lab.read(payment.id)).toMatchObject({ phase: 'awaiting_funds', exception: null });
    });

    it('is not counted when it is sent back at the same moment', async () => {
      const payment = await late();
      const [transfer] = (await lab.request(`GET /v1/transfers?payment=${payment.id}`)).body.data;
      const other = await lab.database.pool.connect();
      await other.query('begin');
      await other.query('select 1 from crypto_offers where payment_id = $1 for update', [payment.id]);
      const accepting = resolve(payment.id, 'accept');
      await new Promise(done => setTimeout(done, 500));
      const returning = lab.request(`POST /v1/transfers/${transfer.id}/return`, { body: {} });
      await new Promise(done => setTimeout(done, 500));
      await other.query('commit');
      other.release();
      const [accepted, returned] = await Promise.all([accepting, returning]);
      const both = [accepted.status, returned.status];
      const { amount_received } = await lab.read(payment.id);
      const { rows } = await lab.database.pool.query(
        "select count(*)::int as n from outbound_transfers where resource_id = $1 and purpose = 'return'",
        [transfer.id],
      );
      expect({ both, amount_received, sentBack: rows[0].n }).not.toMatchObject({
        amount_received: 12_840,
        sentBack: 1,
      });
    });

    it('counts at the rate of its arrival where the account says so, and within another grace', async () => {
      const set = (body: object) => lab.request('PATCH /v1/account', { body });
      expect((await set({ late_money: 'market' })).body).toMatchObject({
        late_money: 'market',
        quote_grace_seconds: 600,
      });
      const first = await late();
      await set({ late_money: 'wait', quote_grace_seconds: 602 });
      const second = await late();
      await set({ quote_grace_seconds: 600 });
      for (const { id } of [first, second]) {
        expect(await lab.read(id)).toMatchObject({ status: 'completed', exception: null, amount_received: 12_840 });
      }
    });
  });

  it('by bank counts in full until the session ends, long after the quote', async () => {
    const payment = await lab.createForBank();
    lab.clock.advance(80_000);
    await lab.credit({ reference: instructionsOf(payment).reference, amount: 12_840 });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  it('after a new quote still counts at the old address', async () => {
    const payment = await lab.createForCrypto();
    lab.clock.advance(1_000);
    const { body } = await lab.act(payment.id, 'quotes');
    await lab.pay(payment, askedOf(body).amount);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  it('for a completed payment is a surplus', async () => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment);
    await lab.pay(payment, '1.0900000');
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', exception: 'overpaid', amount_received: 12_940 });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed', 'payment.overpaid']);
  });

  it.each<[string, 'USDC' | 'EURC', (payment: Payment) => Promise<unknown>]>([
    ['paid', 'USDC', payment => lab.pay(payment)],
    ['paid', 'EURC', payment => lab.pay(payment)],
    ['canceled', 'USDC', payment => lab.act(payment.id, 'cancel')],
    ['canceled', 'EURC', payment => lab.act(payment.id, 'cancel')],
    ['expired', 'USDC', async () => lab.clock.advance(86_400)],
    ['expired', 'EURC', async () => lab.clock.advance(86_400)],
  ])('of dust for a payment that is %s sets no exception, in %s', async (phase, asset, end) => {
    const payment = await lab.createForCrypto();
    const { address } = askedOf(payment);
    await end(payment);
    const before = await lab.read(payment.id);
    const events = await lab.eventsOf(payment.id);
    const transfer = await lab.send({ address, asset, amount: '0.0000001' });
    expect(transfer).toMatchObject({ payment: payment.id, status: 'matched' });
    expect(before).toMatchObject({ phase, exception: null });
    expect(await lab.read(payment.id)).toMatchObject({ phase, exception: null, received: before.received });
    expect(await lab.eventsOf(payment.id)).toEqual(events);
  });

  it('of dust after dust adds up to an exception beyond the tolerance', async () => {
    const payment = await lab.createForCrypto({ amount: 100 });
    const { address } = askedOf(payment);
    await lab.pay(payment);
    const states = [];
    for (const amount of [aCent, aCent]) {
      await lab.send({ address, asset: 'USDC', amount });
      const { exception, requires_decision: waits } = await lab.read(payment.id);
      states.push([exception, waits, await isListed(payment)]);
    }
    expect(states).toEqual([
      [null, false, false],
      ['overpaid', true, true],
    ]);
  });

  it.each<[string, (payment: Payment) => Promise<unknown>, 'accept' | 'refund', string]>([
    ['paid', payment => lab.pay(payment), 'accept', 'paid'],
    ['paid', payment => lab.pay(payment), 'refund', 'paid'],
    ['canceled', payment => lab.act(payment.id, 'cancel'), 'accept', 'paid'],
    ['canceled', payment => lab.act(payment.id, 'cancel'), 'refund', 'canceled'],
  ])('of dust for a payment that is %s needs no decision, but allows one', async (_, end, action, ended) => {
    const payment = await lab.createForCrypto({ currency: 'EUR', amount: 100 });
    await end(payment);
    const before = await lab.read(payment.id);
    const suspense = async () => (await lab.balance())['suspense EUR'] ?? 0;
    const kept = await suspense();
    await lab.send({ address: askedOf(payment).address, asset: 'USDC', amount: aCent });
    const after = await lab.read(payment.id);
    expect(after).toMatchObject({ phase: before.phase, exception: null, requires_decision: false });
    expect([after.amount_received - before.amount_received, (await suspense()) - kept]).toEqual([1, 1]);
    expect(await isListed(payment)).toBe(false);
    const resolved = await lab.act(payment.id, 'resolve', { action });
    expect(resolved.status, resolved.text).toBe(200);
    expect(await lab.read(payment.id)).toMatchObject({ phase: ended, exception: null, requires_decision: false });
    const { data: refunds } = (await lab.request(`GET /v1/payments/${payment.id}/refunds`)).body;
    expect(refunds.map(({ amount }: Refund) => amount)).toEqual(action === 'refund' ? [1] : []);
    expect(await suspense()).toBe(kept);
  });

  it.each(['accept', 'refund'] as const)('in another asset is decided by %s', async action => {
    const payment = await lab.createForCrypto();
    const wrong = await lab.send({ address: askedOf(payment).address, asset: 'EURC', amount: '3' });
    const decided = await lab.act(payment.id, 'resolve', { action });
    expect([decided.status, decided.body.phase, decided.body.exception]).toEqual([200, 'awaiting_funds', null]);
    const found = await lab.transfersOf(action === 'refund' ? 'returning' : 'matched');
    expect(found.map(({ id }) => id)).toContain(wrong?.id);
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  it.each<['late' | 'wrong_asset', 'accept' | 'refund', string]>([
    ['late', 'refund', 'returning'],
    ['wrong_asset', 'refund', 'returning'],
    ['wrong_asset', 'accept', 'matched'],
  ])('beside dust and an authorized card leaves the card: %s, %s', async (problem, action, status) => {
    const payment = await lab.createForCrypto({ capture_method: 'manual' });
    await lab.pay(payment, aCent);
    expect((await lab.payByCard(payment.id)).body.phase).toBe('authorized');
    if (problem === 'late') lab.clock.advance(900 + 601);
    await lab.pay(payment, '3', { asset: problem === 'late' ? 'USDC' : 'EURC' });
    const waiting = { exception: problem === 'late' ? 'paid_late' : 'wrong_asset', amount_received: 1 };
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'authorized', ...waiting });
    const { body: resolved } = await lab.act(payment.id, 'resolve', { action });
    expect(resolved).toMatchObject({ phase: 'authorized', exception: null, amount_capturable: 12_839 });
    const { data } = (await lab.request(`GET /v1/transfers?payment=${payment.id}`)).body;
    const found = data.find((transfer: Transfer) => transfer.problem !== null);
    expect([found.problem, found.status]).toEqual([problem, status]);
    const { body: captured } = await lab.act(payment.id, 'capture');
    expect(captured).toMatchObject({ phase: 'paid', exception: null, amount_received: 12_840 });
  });

  it('in an asset that was never quoted is stored with the payment, and does not count', async () => {
    const payment = await lab.createForCrypto();
    const before = await lab.balance();
    const transfer = await lab.send({ address: askedOf(payment).address, asset: 'EURC', amount: '128.4' });
    expect(transfer).toMatchObject({
      payment: payment.id,
      status: 'matched',
      problem: 'wrong_asset',
      amount_applied: 0,
      asset: sandboxAssets.EURC,
      asset_amount: '128.4000000',
    });
    const after = await lab.read(payment.id);
    expect(after).toMatchObject({ phase: 'awaiting_funds', exception: 'wrong_asset', amount_received: 0 });
    expect(after.received).toMatchObject([{ asset: sandboxAssets.EURC, amount: '128.4000000', credited: 0 }]);
    expect(askedOf(after)).toEqual(askedOf(payment));
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.unrecognized_asset']);
    const kept = `suspense ${sandboxAssets.EURC}`;
    expect((await lab.balance())[kept]).toBeCloseTo(Number(before[kept] ?? 0) + 128.4, 7);
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: 'wrong_asset' });
  });

  it.each([
    ['without a memo', undefined, undefined],
    ['with an unknown id', '424242424242424', 'id'],
    ['with another text', 'order 7', 'text'],
    ['with a hash', 'ab'.repeat(32), 'hash'],
  ] as const)('%s is unmatched', async (_, memo, type) => {
    const coins = { address: lab.treasury, amount: '3.0000000' };
    const transfer = await lab.send(memo === undefined ? coins : { ...coins, memo, memo_type: type });
    expect(transfer).toMatchObject({
      status: 'unmatched',
      payment: null,
      asset_amount: '3.0000000',
      memo: memo ?? null,
    });
    expect((await lab.transfersOf('unmatched')).map(({ id }) => id)).toContain(transfer?.id);
    expect(await lab.eventsOf(transfer?.id ?? '')).toEqual(['transfer.unmatched']);
  });

  it('for another merchant’s payment belongs to that merchant', async () => {
    const stranger = await lab.addMerchant();
    const created = await lab.request('POST /v1/payments', {
      key: stranger.secretKey,
      body: {
        amount: 100,
        currency: 'EUR',
        settlement_asset: 'USDC',
        settlement_network: 'stellar',
        payment_methods: ['crypto'],
        customer: { email: 'a@b.example' },
      },
    });
    const body = { method: 'crypto', chain: 'stellar', asset: 'USDC' };
    const confirmed = await lab.request(`POST /v1/payments/${created.body.id}/confirm`, {
      key: stranger.secretKey,
      body,
    });
    expect(await lab.pay(confirmed.body)).toBeNull();
    const { data } = (await lab.request('GET /v1/transfers', { key: stranger.secretKey })).body;
    expect(data).toMatchObject([{ payment: created.body.id, status: 'matched' }]);
    expect((await lab.transfersOf('unmatched')).map(({ payment }) => payment)).not.toContain(created.body.id);
  });

  it('with a memo that the database cannot store is stored without the invalid characters', async () => {
    const wallet = await lab.openWallet('USDC');
    const memo = Memo.text('a\u0000b\ud800');
    const payment = { destination: lab.treasury, asset: assetOf('USDC'), amount: '4' };
    const hash = await lab.transact(wallet, [Operation.payment(payment)], memo);
    const find = async () => (await lab.transfersOf('unmatched')).find(({ tx_hash: found }) => found === hash);
    await lab.until(async () => (await find()) !== undefined);
    expect((await find())?.memo).not.toContain('\u0000');
  });
});

describe('canceling a payment', () => {
  it('is possible without a deposit; a later one is late', async () => {
    const payment = await lab.createForCrypto();
    expect((await lab.act(payment.id, 'cancel')).body).toMatchObject({ phase: 'canceled', next_action: null });
    await lab.pay(payment);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'canceled', exception: 'paid_late' });
  });

  it('is refused after a partial deposit', async () => {
    const payment = await lab.createForCrypto();
    await lab.pay(payment, '10');
    expect(refusal(await lab.act(payment.id, 'cancel'))).toEqual([409, 'payment_in_flight', null]);
  });
});

describe('the test helper for deposits', () => {
  it.each<[string, Record<string, string>, string, string]>([
    ['no such chain', { chain: 'dogecoin' }, 'parameter_invalid', 'chain'],
    ['no address', { address: 'nowhere' }, 'invalid_address', 'address'],
    ['too many decimals', { amount: '0.00000001' }, 'invalid_amount', 'amount'],
    ['nothing', { amount: '0' }, 'invalid_amount', 'amount'],
    ['more than the network can write down', { amount: '922337203685.4775808' }, 'parameter_invalid', 'amount'],
    ['an asset that the account does not hold', { address: 'friend' }, 'parameter_invalid', 'asset'],
    ['an account that does not exist', { address: Keypair.random().publicKey() }, 'parameter_invalid', 'address'],
  ])('refuses %s', async (_, changes, code, param) => {
    const given = changes['address'] ?? lab.treasury;
    const address = given === 'friend' ? (await lab.openWallet()).publicKey() : given;
    const body = { chain: 'stellar', asset: 'USDC', amount: '1', ...changes, address };
    expect(refusal(await lab.request('POST /v1/test_helpers/deposits', { body }))).toEqual([400, code, param]);
  });
});
