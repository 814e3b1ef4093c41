import { setTimeout as sleep } from 'node:timers/promises';
import { type Keypair, Keypair as Keys } from '@stellar/stellar-sdk/base';
import { expect } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { formatUnits } from '../../../src/core/money.ts';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createSandboxRates } from '../../../src/sandbox/rates.ts';
import type { Fault, FaultKind } from '../../../src/sandbox/stellar/index.ts';
import { createSandboxStellar } from '../../../src/sandbox/stellar/index.ts';
import { changeChannel } from '../../../src/server/platform/events/outbox.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import type { StellarAccount, StellarNetwork } from '../../../src/server/stellar/network.ts';
import type { StellarOperation } from '../../../src/server/stellar/transaction/operation.ts';
import { localKey } from '../../../src/server/stellar/transaction/signing-key.ts';
import { attachSignatures, buildEnvelope, hashEnvelope } from '../../../src/server/stellar/transaction/transaction.ts';
import { listen, type TestAppOptions } from '../../support/app.ts';
import { createTreasuryDatabase } from '../../support/treasury-database.ts';
import { type PaymentLab, startPaymentLab } from '../payments/payment-lab.ts';

const ledgerMs = 30;

/** A fault between the service and Horizon. */
export interface LabFault extends Omit<Fault, 'fault'> {
  readonly fault: FaultKind;
}

/** A service that settles on the sandbox ledger, and other accounts of that ledger. */
export interface SettlementLab extends PaymentLab {
  readonly network: StellarNetwork;
  readonly treasury: string;
  /** The service's base URL, without a slash at the end. */
  readonly url: string;
  openAccount(...assets: readonly string[]): Promise<Keypair>;
  /** The faucet sends the account some of the asset. */
  give(address: string, asset: string): Promise<void>;
  /** Submits a transaction of another account, and waits for its ledger. */
  onLedger(key: Keypair, ...operations: readonly StellarOperation[]): Promise<void>;
  account(address: string): Promise<StellarAccount | null>;
  /** The account's balance of the asset, as decimal text. */
  holds(address: string, asset: string): Promise<string>;
  /** Switches all other faults off and these on. */
  faults(...faults: readonly LabFault[]): Promise<void>;
  /** Waits for the condition; fails after 20 seconds. */
  until(what: string, condition: () => Promise<boolean>): Promise<void>;
  /** Waits until the payment's settlement is in the state. */
  settledPayment(id: string, status?: Payment['settlement']['status']): Promise<Payment>;
}

/** Starts the service with its sweeps and a ready treasury: it listens. */
export async function startSettlementLab(
  settings: Readonly<Record<string, string>> = {},
  options: Pick<TestAppOptions, 'browserDir' | 'rateSource'> = {},
): Promise<SettlementLab> {
  const lab = await startPaymentLab({
    ...options,
    database: await createTreasuryDatabase('running'),
    clock: systemClock,
    sweeping: true,
    settings: { PAY_SANDBOX_LEDGER_MS: String(ledgerMs), ...settings },
  });
  const port = await listen(lab);
  const outside = createOutsideWorld(lab);
  const http = createHttpExchange({ timeoutMs: 3_000 });
  const network = createHorizonNetwork({
    http,
    passphrase: testPassphrase,
    url: () => `http://127.0.0.1:${port}/sandbox/horizon`,
  });
  const wallet = await outside.money();
  const treasury = localKey(lab.app.secrets.stellarSeed('treasury')).address;
  await untilHolds('the treasury is ready', async () => {
    const { rows } = await lab.database.pool.query('select count(*)::int as channels from channel_accounts');
    return rows[0].channels > 0 && lab.logs.some(line => line.includes('the treasury is ready'));
  });
  return {
    ...lab,
    ...createLedgerActs(network, address => wallet.open(address)),
    network,
    treasury,
    until: untilHolds,
    url: `http://127.0.0.1:${port}`,
    give: async (address, asset) => void (await wallet.fill(address, asset)),
    faults: async (...faults) => {
      const answer = await lab.request('PUT /sandbox/stellar/faults', { body: { faults } });
      expect(answer.status, answer.text).toBe(200);
    },
    settledPayment: async (id, status = 'settled') => {
      await untilHolds(`settlement is ${status}`, async () => (await lab.read(id)).settlement.status === status);
      return await lab.read(id);
    },
    close: async () => {
      await outside.faults.replace([]);
      await outside.stop();
      http.close();
      await lab.close();
    },
  };
}

/** The network without requests to the service, for the transactions of other accounts. */
function createOutsideWorld({ database: { db } }: PaymentLab) {
  return createSandboxStellar({
    db,
    clock: systemClock,
    rates: createSandboxRates(systemClock),
    closeEveryMs: ledgerMs,
    log: { error: (details, message) => console.error(message, details) },
    notice: { channel: changeChannel, payload: JSON.stringify({ merchantId: 'sandbox', resourceId: 'stellar' }) },
    onNotice: () => () => undefined,
  });
}

async function untilHolds(what: string, condition: () => Promise<boolean>): Promise<void> {
  const giveUp = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > giveUp) throw new Error(`not in time: ${what}`);
    await sleep(20);
  }
}

function createLedgerActs(network: StellarNetwork, fund: (address: string) => Promise<unknown>) {
  const account = (address: string) => network.account(address);

  async function onLedger(key: Keypair, ...operations: readonly StellarOperation[]): Promise<void> {
    const { sequence } = (await account(key.publicKey())) ?? { sequence: 0n };
    const unsigned = buildEnvelope({
      source: key.publicKey(),
      sequence: sequence + 1n,
      fee: 1_000n * BigInt(operations.length),
      operations,
      timeBounds: null,
    });
    const hash = hashEnvelope(unsigned, testPassphrase);
    const signature = Buffer.from(key.sign(Buffer.from(hash, 'hex'))).toString('base64');
    const envelope = attachSignatures(unsigned, testPassphrase, { address: key.publicKey(), signature });
    await network.submit(envelope);
    await untilHolds('a transaction is in a ledger', async () => (await network.status(hash)).state === 'applied');
    expect(await network.status(hash)).toMatchObject({ successful: true });
  }

  return {
    account,
    onLedger,
    openAccount: async (...assets: readonly string[]): Promise<Keypair> => {
      const key = Keys.random();
      await fund(key.publicKey());
      if (assets.length > 0) {
        await onLedger(key, ...assets.map(asset => ({ type: 'changeTrust', asset, limit: 2n ** 63n - 1n }) as const));
      }
      return key;
    },
    holds: async (address: string, asset: string): Promise<string> => {
      const found = (await account(address))?.balances.find(line => line.asset === asset);
      return formatUnits(found?.balance ?? 0n, 7);
    },
  };
}
