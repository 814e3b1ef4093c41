import { Asset, Claimant, Horizon, Keypair, Networks, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { startPaymentLab } from '../../payments/payment-lab.ts';
import { startSettlementLab } from '../../settlement/settlement-lab.ts';
import { startEngine } from './engine.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe('a treasury that cannot be set up', () => {
  it('reports on /readyz that the caps allow no payments, and no sweep fails', async () => {
    const settings = { PAY_SANDBOX_LEDGER_MS: '30', PAY_TREASURY_TRANSACTION_CAPS: '*=1' };
    const lab = await startPaymentLab({ settings });
    ends.push(lab.close);
    await lab.app.http.listen({ port: 0, host: '127.0.0.1' });
    await lab.sweep('treasury');
    const { status, body } = await lab.request('GET /readyz', { key: null });
    expect([status, body.remarks]).toEqual([200, [expect.stringContaining('the signer refuses: ')]]);
    const { text } = await lab.request('GET /metrics', { key: null });
    expect(text).toContain('pay_treasury_spendable{asset="XLM"}');
  }, 30_000);
});

describe('a network without new ledgers', () => {
  it('does not keep a server from stopping', async () => {
    const lab = await startSettlementLab();
    ends.push(lab.close);
    await createClaimable(`${lab.url}/sandbox/horizon`, lab.treasury);
    const ledger = await lab.network.latestLedger();
    let asked = 0;
    const engine = startEngine(lab, {
      network: {
        latestLedger: async () => ledger,
        submit: async () => ({ state: 'pending', hash: '0'.repeat(64) }),
        status: async () => {
          asked++;
          return { state: 'not_found', ingested: ledger, oldest: 1 };
        },
      },
    });
    await lab.until('it asks after its transaction', async () => asked > 1);
    await engine.stop();
    const asks = asked;
    await new Promise(resolve => setTimeout(resolve, 1_000));
    expect(asked).toBe(asks);
  }, 40_000);
});

/** A payer creates a claimable balance of XLM for the account. */
async function createClaimable(horizonUrl: string, account: string): Promise<void> {
  const horizon = new Horizon.Server(horizonUrl, { allowHttp: true });
  const key = Keypair.random();
  await horizon.friendbot(key.publicKey()).call();
  const source = await horizon.loadAccount(key.publicKey());
  const transaction = new TransactionBuilder(source, { fee: '1000', networkPassphrase: Networks.TESTNET })
    .addOperation(
      Operation.createClaimableBalance({ asset: Asset.native(), amount: '5', claimants: [new Claimant(account)] }),
    )
    .setTimeout(60)
    .build();
  transaction.sign(key);
  await horizon.submitTransaction(transaction, { skipMemoRequiredCheck: true });
}
