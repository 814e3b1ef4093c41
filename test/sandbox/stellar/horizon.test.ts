import {
  Account,
  Asset,
  Claimant,
  getLiquidityPoolId,
  Keypair,
  LiquidityPoolAsset,
  Memo,
  MuxedAccount,
  Networks,
  Operation,
  TransactionBuilder,
} from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf, codesOf, envelopeOf, issuerOf, type StellarLab, startStellarLab } from './stellar-lab.ts';

let lab: StellarLab;
let alice: Keypair;
let bob: Keypair;

beforeAll(async () => {
  lab = await startStellarLab();
  [alice, bob] = await Promise.all([lab.newAccount(), lab.newAccount()]);
}, 60_000);
afterAll(() => lab.close());

const xlm = Asset.native();
const pay = (destination: Keypair, amount: string, asset = xlm) =>
  Operation.payment({ destination: destination.publicKey(), asset, amount });
const balanceOf = async (key: Keypair, asset: Asset) => {
  const { balances } = await lab.sdk.loadAccount(key.publicKey());
  const found = balances.find(line =>
    asset.isNative()
      ? line.asset_type === 'native'
      : 'asset_issuer' in line && line.asset_code === asset.getCode() && line.asset_issuer === asset.getIssuer(),
  );
  return found?.balance ?? null;
};

describe('the root document', () => {
  it('has the network passphrase and the newest ledger', async () => {
    const { body, type } = await lab.get('/');
    expect(type).toBe('application/hal+json; charset=utf-8');
    expect(body.network_passphrase).toBe(Networks.TESTNET);
    expect(body.history_latest_ledger).toBeGreaterThan(4);
    expect(body.history_elder_ledger).toBe(1);
  });
});

describe('accounts', () => {
  it('are created by friendbot with 10,000 XLM, once', async () => {
    expect(await balanceOf(alice, xlm)).toBe('10000.0000000');
    const { status, body } = await lab.get(`/friendbot?addr=${alice.publicKey()}`);
    expect([status, body.detail]).toEqual([400, 'account already funded to starting balance']);
  });

  it('are found by signer or asset, and not without a filter', async () => {
    const signer = Keypair.random();
    await lab.send(alice, [
      Operation.setOptions({ signer: { ed25519PublicKey: signer.publicKey(), weight: 1 } }),
      Operation.changeTrust({ asset: assetOf('BRLC') }),
    ]);
    const signed = await lab.sdk.accounts().forSigner(signer.publicKey()).call();
    expect(signed.records.map(({ id }) => id)).toEqual([alice.publicKey()]);
    const holders = await lab.sdk.accounts().forAsset(assetOf('BRLC')).limit(200).call();
    expect(holders.records.map(({ id }) => id)).toContain(alice.publicKey());
    expect(await lab.get('/accounts')).toMatchObject({ status: 400, body: { title: 'Invalid Accounts Parameters' } });
  });

  it('have their data entries, which SEP-29 needs', async () => {
    await lab.send(bob, [Operation.manageData({ name: 'config.memo_required', value: '1' })]);
    const { data_attr } = await lab.sdk.loadAccount(bob.publicKey());
    expect(data_attr['config.memo_required']).toBe('MQ==');
    expect((await lab.get(`/accounts/${bob.publicKey()}/data/config.memo_required`)).body).toEqual({ value: 'MQ==' });
    const payment = [pay(bob, '1')];
    await expect(lab.sdk.submitTransaction(await lab.build(alice, payment))).rejects.toThrow(/memo/);
    await lab.send(bob, [Operation.manageData({ name: 'config.memo_required', value: null })]);
  });

  it('that do not exist are problem documents like Horizon’s', async () => {
    const { status, type, body } = await lab.get(`/accounts/${Keypair.random().publicKey()}`);
    expect([status, type]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({
      type: 'https://stellar.org/horizon-errors/not_found',
      title: 'Resource Missing',
      status: 404,
    });
    expect(await lab.get('/accounts/GNOBODY')).toMatchObject({
      status: 400,
      body: { extras: { invalid_field: 'account_id' } },
    });
  });
});

describe('invalid requests', () => {
  it.each([
    ['/accounts/%00', 404],
    ['/transactions/a%00b', 404],
    ['/ledgers?cursor=%00', 400],
    ['/friendbot?addr=G%00', 400],
    ['/friendbot?addr=GNOBODY', 400],
  ])('are refused: %s is answered by %i', async (path, expected) => {
    const { status, type, body } = await lab.get(path);
    expect([status, type, body.status]).toEqual([expected, 'application/problem+json; charset=utf-8', expected]);
  });

  it('include a transaction above Horizon’s limit', async () => {
    expect((await lab.post('/transactions', 'A'.repeat(300 * 1024))).status).toBe(400);
  });
});

describe('a submitted payment', () => {
  it('is answered with its transaction once that is in a ledger, and again with the same', async () => {
    const memo = Memo.text('order 66');
    const operations = [pay(bob, '12.3456789')];
    const transaction = await lab.build(alice, operations, { memo });
    const answer = await lab.sdk.submitTransaction(transaction);
    expect(answer.successful).toBe(true);
    expect(answer.hash).toBe(Buffer.from(transaction.hash()).toString('hex'));
    expect((await lab.post('/transactions', envelopeOf(transaction))).body.id).toBe(answer.hash);
    const shown = await lab.sdk.transactions().transaction(answer.hash).call();
    expect(shown).toMatchObject({
      memo: 'order 66',
      memo_type: 'text',
      memo_bytes: Buffer.from('order 66').toString('base64'),
      operation_count: 1,
      fee_charged: '100',
      max_fee: '100',
      source_account: alice.publicKey(),
    });
    expect(shown).not.toHaveProperty('result_meta_xdr');
    const { records } = await lab.sdk.payments().forTransaction(answer.hash).call();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      type: 'payment',
      from: alice.publicKey(),
      to: bob.publicKey(),
      amount: '12.3456789',
      asset_type: 'native',
      transaction_hash: answer.hash,
    });
  });

  it('has both muxed addresses and ids, and the memo of a joined transaction', async () => {
    const { sequence } = await lab.sdk.loadAccount(alice.publicKey());
    const from = new MuxedAccount(new Account(alice.publicKey(), sequence), '18446744073709551615');
    const to = new MuxedAccount(new Account(bob.publicKey(), '0'), '7');
    const transaction = new TransactionBuilder(from, { fee: '100', networkPassphrase: Networks.TESTNET })
      .addOperation(Operation.payment({ destination: to.accountId(), asset: xlm, amount: '1' }))
      .addMemo(Memo.id('42'))
      .setTimeout(60)
      .build();
    transaction.sign(alice);
    const { hash } = await lab.sdk.submitTransaction(transaction);
    const { body } = await lab.get(`/transactions/${hash}/payments?join=transactions`);
    const [record] = body._embedded.records;
    expect(record).toMatchObject({
      from: alice.publicKey(),
      from_muxed: from.accountId(),
      from_muxed_id: '18446744073709551615',
      to: bob.publicKey(),
      to_muxed: to.accountId(),
      to_muxed_id: '7',
      source_account_muxed: from.accountId(),
    });
    expect(record.transaction).toMatchObject({
      hash,
      memo: '42',
      memo_type: 'id',
      account_muxed: from.accountId(),
      account_muxed_id: '18446744073709551615',
    });
  });

  it('that fails costs its fee and is listed only with failed ones', async () => {
    const missing = Keypair.random().publicKey();
    const operations = [Operation.payment({ destination: missing, asset: xlm, amount: '1' })];
    const transaction = await lab.build(alice, operations);
    const { status, body } = await lab.post('/transactions', envelopeOf(transaction));
    expect(status).toBe(400);
    expect(body.extras.result_codes).toEqual({ transaction: 'tx_failed', operations: ['op_no_destination'] });
    expect(body.extras.envelope_xdr).toBe(envelopeOf(transaction));
    const hash = Buffer.from(transaction.hash()).toString('hex');
    const list = (query: string) => lab.get(`/accounts/${alice.publicKey()}/transactions?order=desc&limit=1${query}`);
    expect((await list('')).body._embedded.records[0].hash).not.toBe(hash);
    expect((await list('&include_failed=true')).body._embedded.records[0]).toMatchObject({ hash, successful: false });
    expect((await lab.get(`/transactions/${hash}/operations`)).body._embedded.records).toHaveLength(1);
  });

  it('is refused at once when it is invalid', async () => {
    const stale = await lab.build(alice, [pay(bob, '1')]);
    await lab.send(alice, [pay(bob, '2')]);
    expect(await codesOf(lab.sdk.submitTransaction(stale))).toEqual({ transaction: 'tx_bad_seq' });
    const unsigned = await lab.build(bob, [pay(alice, '1')]);
    unsigned.signatures.length = 0;
    expect(await codesOf(lab.sdk.submitTransaction(unsigned))).toEqual({ transaction: 'tx_bad_auth' });
    expect(await lab.post('/transactions', 'AAAA')).toMatchObject({
      status: 400,
      body: { title: 'Transaction Malformed' },
    });
    const json = await fetch(`${lab.url}/transactions`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
  });

  it('is accepted asynchronously, reported as a duplicate when repeated, and limited to one per source', async () => {
    const sendTwice = async () => {
      const transaction = await lab.build(bob, [pay(alice, '1')]);
      const [envelope, hash] = [envelopeOf(transaction), Buffer.from(transaction.hash()).toString('hex')];
      const both = await Promise.all([1, 2].map(() => lab.post('/transactions_async', envelope)));
      return { envelope, hash, answers: both.map(({ status, body }) => [status, body]).sort() };
    };
    const first = await sendTwice();
    // If a ledger closes between the two answers, the second is late. That does not happen twice in a row.
    const isLate = first.answers.some(([status]) => status === 400);
    const { envelope, hash, answers } = isLate ? await sendTwice() : first;
    expect(answers).toEqual([
      [201, { tx_status: 'PENDING', hash }],
      [409, { tx_status: 'DUPLICATE', hash }],
    ]);
    expect((await lab.post('/transactions', envelope)).body).toMatchObject({ hash, successful: true });
    const late = await lab.post('/transactions_async', envelope);
    expect([late.status, late.body.tx_status]).toEqual([400, 'ERROR']);
    expect(late.body.error_result_xdr).toBe('AAAAAAAAAGT////7AAAAAA==');
  });
});

describe('a fee bump', () => {
  it('is found by both hashes, each with its own signatures', async () => {
    const operations = [pay(bob, '1')];
    const inner = await lab.build(alice, operations);
    const bump = TransactionBuilder.buildFeeBumpTransaction(bob, '500', inner, Networks.TESTNET);
    bump.sign(bob);
    const { hash } = await lab.sdk.submitTransaction(bump);
    const innerHash = Buffer.from(inner.hash()).toString('hex');
    const outer = (await lab.get(`/transactions/${hash}`)).body;
    expect(outer).toMatchObject({
      hash,
      fee_account: bob.publicKey(),
      source_account: alice.publicKey(),
      max_fee: '1000',
      fee_charged: '200',
      fee_bump_transaction: { hash },
      inner_transaction: { hash: innerHash, max_fee: '100' },
    });
    const shown = (await lab.get(`/transactions/${innerHash}`)).body;
    expect(shown.id).toBe(innerHash);
    expect(shown.signatures).toEqual(outer.inner_transaction.signatures);
    expect(outer.signatures).toEqual(outer.fee_bump_transaction.signatures);
  });
});

describe('paths', () => {
  it.each([
    ['XLM', 'USDC', 1],
    ['XLM', 'EURC', 1],
    ['XLM', 'NGNC', 2],
    ['BRLC', 'NGNC', 3],
  ] as const)(
    'lead from %s to %s, and a payment along the cheapest costs the quoted amount',
    async (from, to, steps) => {
      const source = from === 'XLM' ? xlm : assetOf(from);
      const target = assetOf(to);
      const { records } = await lab.sdk.strictReceivePaths([source], target, '100').call();
      expect(Math.min(...records.map(({ path }) => path.length + 1))).toBe(steps);
      const costs = records.map(({ source_amount }) => Number(source_amount));
      expect(costs).toEqual([...costs].sort((a, b) => a - b));
      if (from !== 'XLM') return;
      const [cheapest] = records;
      await lab.send(bob, [Operation.changeTrust({ asset: target })]);
      const { hash } = await lab.send(alice, [
        Operation.pathPaymentStrictReceive({
          sendAsset: source,
          sendMax: '9000',
          destination: bob.publicKey(),
          destAsset: target,
          destAmount: '100',
          path: (cheapest?.path ?? []).map(asset =>
            asset.asset_type === 'native' ? xlm : new Asset(asset.asset_code, asset.asset_issuer),
          ),
        }),
      ]);
      const { body } = await lab.get(`/transactions/${hash}/payments`);
      expect(body._embedded.records[0]).toMatchObject({
        type: 'path_payment_strict_receive',
        amount: '100.0000000',
        source_max: '9000.0000000',
        source_amount: cheapest?.source_amount,
        source_asset_type: 'native',
        asset_code: to,
      });
    },
  );

  it('have up to four steps, and start from the assets of an account', async () => {
    const kesc = new Asset('KESC', issuerOf('KESC').publicKey());
    const { records } = await lab.sdk.strictReceivePaths([assetOf('BRLC')], kesc, '5').call();
    expect(records[0]?.path).toHaveLength(3);
    const own = await lab.sdk.strictReceivePaths(alice.publicKey(), assetOf('USDC'), '1').call();
    expect(own.records.map(({ source_asset_type }) => source_asset_type)).toContain('native');
    const tooMuch = await lab.sdk.strictReceivePaths(alice.publicKey(), assetOf('USDC'), '50000').call();
    expect(tooMuch.records).toEqual([]);
  });

  it('from an exact amount are sorted by the received amount', async () => {
    const { records } = await lab.sdk.strictSendPaths(xlm, '1000', [assetOf('USDC'), assetOf('EURC')]).call();
    const dollars = records.filter(({ destination_asset_code }) => destination_asset_code === 'USDC');
    expect(Number(dollars[0]?.destination_amount)).toBeGreaterThan(119);
    expect(Number(dollars[0]?.destination_amount)).toBeLessThan(120);
    const amounts = dollars.map(({ destination_amount }) => Number(destination_amount));
    expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
  });

  it('are refused without the list of destinations or sources', async () => {
    expect((await lab.get('/paths/strict-send?source_asset_type=native&source_amount=1')).status).toBe(400);
    expect(
      await lab.get('/paths/strict-send?source_asset_type=native&source_amount=0&destination_assets=native'),
    ).toMatchObject({
      status: 400,
      body: { extras: { invalid_field: 'source_amount' } },
    });
  });
});

describe('the market', () => {
  it('has an order book with both sides near the rate, and pools', async () => {
    const { bids, asks } = await lab.sdk.orderbook(xlm, assetOf('USDC')).call();
    expect(Number(asks[0]?.price)).toBeCloseTo(0.12, 3);
    expect(Number(bids[0]?.price)).toBeCloseTo(0.12, 3);
    expect(Number(bids[0]?.price)).toBeLessThan(Number(asks[0]?.price));
    const { records } = await lab.sdk.liquidityPools().forAssets(xlm, assetOf('EURC')).call();
    expect(records).toHaveLength(1);
    expect(records[0]?.reserves[0]?.asset).toBe('native');
    const { records: assets } = await lab.sdk.assets().forCode('USDC').call();
    expect(assets.map(({ asset_issuer }) => asset_issuer)).toContain(assetOf('USDC').getIssuer());
  });

  it('accepts offers, and lists them by seller and by pair', async () => {
    const offer = { selling: xlm, buying: assetOf('USDC'), amount: '5', price: '99' };
    await lab.send(alice, [Operation.changeTrust({ asset: assetOf('USDC') }), Operation.manageSellOffer(offer)]);
    const { records } = await lab.sdk.offers().forAccount(alice.publicKey()).call();
    expect(records[0]).toMatchObject({ seller: alice.publicKey(), amount: '5.0000000', price: '99.0000000' });
    const byPair = await lab.sdk.offers().selling(xlm).buying(assetOf('USDC')).seller(alice.publicKey()).call();
    expect(byPair.records.map(({ id }) => id)).toEqual([records[0]?.id]);
    expect((await lab.sdk.offers().offer(String(records[0]?.id)).call()).seller).toBe(alice.publicKey());
  });
});

describe('a pool', () => {
  it('reports deposits and withdrawals to the stroop', async () => {
    const pair = new LiquidityPoolAsset(xlm, assetOf('NGNC'), 30);
    const id = getLiquidityPoolId('constant_product', pair.getLiquidityPoolParameters());
    const liquidityPoolId = Buffer.from(id).toString('hex');
    const owner = await lab.newAccount();
    await lab.send(owner, [Operation.changeTrust({ asset: assetOf('NGNC') }), Operation.changeTrust({ asset: pair })]);
    const issuer = issuerOf('NGNC');
    const gift = {
      source: issuer.publicKey(),
      destination: owner.publicKey(),
      asset: assetOf('NGNC'),
      amount: '500000',
    };
    await lab.send(owner, [Operation.payment(gift)], { signers: [issuer] });
    const limits = { minPrice: '0.000001', maxPrice: '1000000' };
    const { hash } = await lab.send(owner, [
      Operation.liquidityPoolDeposit({ ...limits, liquidityPoolId, maxAmountA: '100', maxAmountB: '20000' }),
      Operation.liquidityPoolDeposit({ ...limits, liquidityPoolId, maxAmountA: '7', maxAmountB: '5000' }),
      Operation.liquidityPoolWithdraw({ liquidityPoolId, amount: '14.1421356', minAmountA: '0', minAmountB: '0' }),
    ]);
    const { body } = await lab.get(`/transactions/${hash}/operations`);
    const [first, second, third] = body._embedded.records;
    const ngnc = `NGNC:${issuerOf('NGNC').publicKey()}`;
    const amounts = (a: string, b: string) => [
      { asset: 'native', amount: a },
      { asset: ngnc, amount: b },
    ];
    expect(first).toMatchObject({
      liquidity_pool_id: liquidityPoolId,
      reserves_max: amounts('100.0000000', '20000.0000000'),
      reserves_deposited: amounts('100.0000000', '20000.0000000'),
      shares_received: '1414.2135623',
    });
    expect(second.reserves_deposited).toEqual(amounts('7.0000000', '1399.9999992'));
    expect(third).toMatchObject({ type: 'liquidity_pool_withdraw', shares: '14.1421356' });
    const pool = (await lab.get(`/liquidity_pools/${liquidityPoolId}`)).body;
    for (const [index, { amount }] of pool.reserves.entries()) {
      const [put, more, taken] = [first.reserves_deposited, second.reserves_deposited, third.reserves_received].map(
        reserves => BigInt(reserves[index].amount.replace('.', '')),
      );
      expect(BigInt(amount.replace('.', ''))).toBe((put ?? 0n) + (more ?? 0n) - (taken ?? 0n));
    }
    const operations = await lab.get(`/liquidity_pools/${liquidityPoolId}/operations`);
    expect(operations.body._embedded.records).toHaveLength(4);
  });
});

describe('other sources of money', () => {
  it('include a merged account, with both accounts', async () => {
    const closing = await lab.newAccount();
    const { hash } = await lab.send(closing, [Operation.accountMerge({ destination: bob.publicKey() })]);
    const { body } = await lab.get(`/transactions/${hash}/payments`);
    expect(body._embedded.records[0]).toMatchObject({
      type: 'account_merge',
      account: closing.publicKey(),
      into: bob.publicKey(),
    });
  });

  it('include a claimable balance, found by its claimant', async () => {
    const claimants = [
      new Claimant(bob.publicKey()),
      new Claimant(alice.publicKey(), Claimant.predicateBeforeAbsoluteTime('4000000000')),
    ];
    await lab.send(alice, [Operation.createClaimableBalance({ asset: xlm, amount: '3', claimants })]);
    const { records } = await lab.sdk.claimableBalances().claimant(bob.publicKey()).call();
    const [balance] = records;
    expect(balance).toMatchObject({ asset: 'native', amount: '3.0000000', sponsor: alice.publicKey() });
    expect(balance?.claimants.find(({ destination }) => destination === alice.publicKey())?.predicate).toMatchObject({
      abs_before: '2096-10-02T07:06:40Z',
      abs_before_epoch: '4000000000',
    });
    const id = balance?.id ?? '';
    await lab.send(bob, [Operation.claimClaimableBalance({ balanceId: id })]);
    expect((await lab.get(`/claimable_balances/${id}`)).status).toBe(404);
    const { body } = await lab.get(`/claimable_balances/${id}/operations`);
    expect(body._embedded.records.map((record: { type: string }) => record.type)).toEqual([
      'create_claimable_balance',
      'claim_claimable_balance',
    ]);
  });
});

describe('lists', () => {
  it('have pages in both orders, without gaps or repetitions', async () => {
    const all = await lab.sdk.operations().limit(200).call();
    const seen: string[] = [];
    let page = await lab.sdk.operations().limit(7).call();
    while (page.records.length > 0) {
      seen.push(...page.records.map(({ paging_token }) => paging_token));
      page = await page.next();
    }
    expect(seen.slice(0, 200)).toEqual(all.records.map(({ paging_token }) => paging_token));
    const backwards = await lab.sdk.operations().order('desc').limit(200).call();
    expect(backwards.records.map(({ id }) => id)).toEqual(seen.slice(-200).reverse());
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['order=up', 'order'],
    ['cursor=-1', 'cursor'],
    ['cursor=here', 'cursor'],
  ])('refuse ?%s', async (query, field) => {
    expect(await lab.get(`/payments?${query}`)).toMatchObject({
      status: 400,
      body: { extras: { invalid_field: field } },
    });
  });

  it('have no records before the first ledger', async () => {
    expect(await lab.get('/payments?order=desc&cursor=1')).toMatchObject({
      status: 410,
      body: { title: 'Data Requested Is Before Recorded History' },
    });
  });

  it('have CORS headers for any origin', async () => {
    expect((await lab.get('/ledgers?limit=1')).headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(`${lab.url}/transactions`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it('are not sent as HTML', async () => {
    expect((await lab.get('/payments', { accept: 'text/html' })).status).toBe(406);
    expect(await lab.get('/nothing/here')).toMatchObject({ status: 404, body: { title: 'Resource Missing' } });
  });
});
