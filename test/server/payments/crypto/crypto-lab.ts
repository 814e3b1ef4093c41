import { Asset, Horizon, Keypair, type Memo, Networks, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { expect } from 'vitest';
import type { CryptoTransfer, WalletTransaction } from '../../../../src/api/crypto.ts';
import type { Payment } from '../../../../src/api/payment.ts';
import type { Transfer } from '../../../../src/api/transfer.ts';
import { labelledKey, sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { listen, type TestAnswer, type TestAppOptions } from '../../../support/app.ts';
import { createTreasuryDatabase } from '../../../support/treasury-database.ts';
import { type PaymentLab, startPaymentLab } from '../payment-lab.ts';

/** A payment that may be paid in crypto: 128.40 EUR, settled in USDC. */
export const cryptoOrder = { payment_methods: ['crypto', 'card', 'bank_transfer'] };

/** A payer's transfer through the test helper. */
export interface TestCoins {
  readonly address: string;
  readonly asset?: string;
  readonly amount: string;
  readonly memo?: string;
  readonly memo_type?: 'text' | 'id' | 'hash' | 'return';
}

/** The real app on a port, with a sandbox network, a ready treasury, and payers on the ledger. */
export interface CryptoLab extends PaymentLab {
  readonly horizonUrl: string;
  readonly horizon: Horizon.Server;
  /** The account into which payers pay. */
  readonly treasury: string;
  /** A new payment with instructions for the payer, by default in USDC. */
  createForCrypto(changes?: object, asset?: string): Promise<Payment>;
  /** `POST /v1/payments/:id/confirm` for crypto. */
  payInCrypto(id: string, asset?: string, more?: object): Promise<TestAnswer>;
  /** The sandbox’s payer sends coins. Returns the service's transfer. */
  send(coins: TestCoins): Promise<Transfer | null>;
  /** Sends the payment's amount, or another `amount`. */
  pay(payment: Payment, amount?: string, more?: Partial<TestCoins>): Promise<Transfer | null>;
  /** A new account with 10,000 XLM, and trustlines to the assets with 500 of each. */
  openWallet(...assets: readonly string[]): Promise<Keypair>;
  /** Submits operations as one transaction and waits for its ledger. Returns its hash. */
  transact(key: Keypair, operations: readonly ReturnType<typeof Operation.payment>[], memo?: Memo): Promise<string>;
  makeTransaction(id: string, wallet: Keypair, asset: string): Promise<TestAnswer>;
  signAndSubmit(id: string, made: WalletTransaction, wallet: Keypair): Promise<TestAnswer>;
  /** Reads deposits and follows submitted transactions until the condition holds. */
  until(condition: () => Promise<boolean>): Promise<void>;
  transfersOf(status: string): Promise<Transfer[]>;
}

export async function startCryptoLab(options: TestAppOptions = {}): Promise<CryptoLab> {
  const settings = { PAY_SANDBOX_LEDGER_MS: '30', ...options.settings };
  const { now, clock, rateSource } = options;
  const isUsual = [now, clock, rateSource].every(option => option === undefined);
  const database = isUsual ? await createTreasuryDatabase('standing') : undefined;
  const lab = await startPaymentLab({ ...options, ...(database && { database }), settings });
  const port = await listen(lab);
  await lab.sweep('treasury');
  await lab.sweep('payments.deposits');
  const horizonUrl = `http://127.0.0.1:${port}/sandbox/horizon`;
  const horizon = new Horizon.Server(horizonUrl, { allowHttp: true });
  const { rows } = await lab.database.pool.query('select account from chain_cursors where custodial');
  const senders = createSenders(lab);
  const calls = createPayers(lab, horizon, senders.send);
  const treasury: string = rows[0].account;
  return {
    ...lab,
    ...calls,
    ...senders,
    horizonUrl,
    horizon,
    treasury,
    expectSoundBooks: async () => {
      await lab.expectSoundBooks();
      await expectSameAsLedger(lab, horizon, treasury);
    },
  };
}

/** Expects exactly one transfer for each payment to the account in the ledger, and no others. */
async function expectSameAsLedger(lab: PaymentLab, horizon: Horizon.Server, account: string): Promise<void> {
  const paid: string[] = [];
  // Transactions whose operations do not state the received amount.
  const silent = new Set<string>();
  let page = await horizon.operations().forAccount(account).limit(200).order('asc').call();
  for (; page.records.length > 0; page = await page.next()) {
    for (const record of page.records) {
      if (['account_merge', 'claim_claimable_balance'].includes(record.type)) silent.add(record.transaction_hash);
      if ('to' in record && record.to === account && record.from !== supplier && 'amount' in record) {
        const code = 'asset_code' in record ? record.asset_code : undefined;
        paid.push(`${record.transaction_hash} ${code ?? 'XLM'} ${record.amount}`);
      }
    }
  }
  const { rows } = await lab.database.pool.query(
    `select tx_hash || ' ' || split_part(currency, ':', 1) || ' ' || (amount / 1e7)::numeric(30, 7) as line, tx_hash as hash
     from audit_transfers where account = $1`,
    [account],
  );
  const reported = rows.filter(({ hash }) => !silent.has(hash)).map(({ line }) => line);
  expect(reported.sort()).toEqual(paid.sort());
}

/** The account that funds the treasury. */
const supplier = labelledKey('faucet').address;

function createSenders(lab: PaymentLab) {
  const payInCrypto: CryptoLab['payInCrypto'] = (id, asset = 'USDC', more = {}) =>
    lab.act(id, 'confirm', { method: 'crypto', chain: 'stellar', asset, ...more });
  const send: CryptoLab['send'] = async coins => {
    const body = { chain: 'stellar', asset: 'USDC', ...coins };
    const answer = await lab.request('POST /v1/test_helpers/deposits', { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.transfer;
  };
  return {
    payInCrypto,
    send,
    createForCrypto: async (changes: object = {}, asset?: string): Promise<Payment> => {
      const { id } = await lab.create({ ...cryptoOrder, ...changes });
      const answer = await payInCrypto(id, asset);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
    pay: (payment: Payment, amount?: string, more: Partial<TestCoins> = {}) => {
      const action = askedOf(payment);
      return send({ address: action.address, asset: action.asset, amount: amount ?? action.amount, ...more });
    },
    transfersOf: async (status: string): Promise<Transfer[]> =>
      (await lab.request(`GET /v1/transfers?limit=100&status=${status}`)).body.data,
  };
}

function createPayers(lab: PaymentLab, horizon: Horizon.Server, send: CryptoLab['send']) {
  const transact: CryptoLab['transact'] = async (key, operations, memo) => {
    const account = await horizon.loadAccount(key.publicKey());
    const builder = new TransactionBuilder(account, { fee: '1000', networkPassphrase: Networks.TESTNET });
    for (const operation of operations) builder.addOperation(operation);
    if (memo !== undefined) builder.addMemo(memo);
    const transaction = builder.setTimeout(0).build();
    transaction.sign(key);
    return (await horizon.submitTransaction(transaction, { skipMemoRequiredCheck: true })).hash;
  };
  return {
    transact,
    openWallet: async (...assets: readonly string[]) => {
      const key = Keypair.random();
      await horizon.friendbot(key.publicKey()).call();
      if (assets.length === 0) return key;
      await transact(
        key,
        assets.map(asset => Operation.changeTrust({ asset: assetOf(asset) })),
      );
      for (const asset of assets) await send({ address: key.publicKey(), asset, amount: '500' });
      return key;
    },
    makeTransaction: (id: string, wallet: Keypair, asset: string) =>
      lab.act(id, 'wallet_transactions', { chain: 'stellar', address: wallet.publicKey(), asset }),
    signAndSubmit: (id: string, made: WalletTransaction, wallet: Keypair) =>
      lab.act(id, `wallet_transactions/${made.id}/submit`, { signed_envelope_xdr: signed(made.envelope_xdr, wallet) }),
    until: async (condition: () => Promise<boolean>): Promise<void> => {
      for (let look = 0; look < 60; look++) {
        if (await condition()) return;
        lab.clock.advance(5);
        await lab.sweep('payments.wallets', 'payments.deposits');
        await new Promise(resolve => setTimeout(resolve, 30));
      }
      throw new Error('the condition did not hold in time');
    },
  };
}

export function signed(envelope: string, ...wallets: readonly Keypair[]): string {
  const transaction = TransactionBuilder.fromXDR(envelope, Networks.TESTNET);
  for (const wallet of wallets) transaction.sign(wallet);
  return transaction.toEnvelope().toXdr('base64');
}

/** The SDK's asset of a wire text or a sandbox code. */
export function assetOf(text: string): Asset {
  if (text === 'XLM') return Asset.native();
  const known = Object.hasOwn(sandboxAssets, text) ? sandboxAssets[text as keyof typeof sandboxAssets] : text;
  const [code = '', issuer] = known.split(':');
  return new Asset(code, issuer);
}

export function askedOf({ next_action: action }: Payment): CryptoTransfer {
  if (action?.type !== 'crypto_transfer') throw new Error(`the payment waits for ${action?.type}`);
  return action;
}

/** A percentage of an amount, as decimal text. */
export function percentOf(amount: string, percent: number): string {
  const stroops = (BigInt(amount.replace('.', '')) * BigInt(percent)) / 100n;
  const digits = String(stroops).padStart(8, '0');
  return `${digits.slice(0, -7)}.${digits.slice(-7)}`;
}

/** The sum of two amounts, as decimal text. */
export function plus(amount: string, stroops: bigint): string {
  const digits = String(BigInt(amount.replace('.', '')) + stroops).padStart(8, '0');
  return `${digits.slice(0, -7)}.${digits.slice(-7)}`;
}
