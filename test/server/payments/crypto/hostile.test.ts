import { Keypair, Networks, Operation, TransactionBuilder } from '@stellar/stellar-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CryptoLab, startCryptoLab } from './crypto-lab.ts';

let lab: CryptoLab;
beforeAll(async () => {
  lab = await startCryptoLab();
});
afterAll(() => lab.close());

/** Merges an empty sponsored account (CAP-33) into the treasury. */
async function mergeNothing(): Promise<void> {
  const sponsor = await lab.openWallet();
  const empty = Keypair.random();
  const opening = [
    Operation.beginSponsoringFutureReserves({ sponsoredId: empty.publicKey() }),
    Operation.createAccount({ destination: empty.publicKey(), startingBalance: '0' }),
    Operation.endSponsoringFutureReserves({ source: empty.publicKey() }),
  ];
  await submit(opening, sponsor, empty);
  // An account cannot be merged in the ledger that created it.
  await submit([Operation.accountMerge({ destination: lab.treasury, source: empty.publicKey() })], sponsor, empty);
}

async function submit(operations: ReturnType<typeof Operation.payment>[], payer: Keypair, other: Keypair) {
  const source = await lab.horizon.loadAccount(payer.publicKey());
  const builder = new TransactionBuilder(source, { fee: '10000', networkPassphrase: Networks.TESTNET });
  for (const operation of operations) builder.addOperation(operation);
  const transaction = builder.setTimeout(60).build();
  transaction.sign(payer, other);
  await lab.horizon.submitTransaction(transaction, { skipMemoRequiredCheck: true });
}

describe('hostile deposits', () => {
  it('do not delay others: an account merged with a balance of zero is no deposit', async () => {
    await mergeNothing();
    const payment = await lab.createForCrypto();
    await lab.pay(payment);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    expect(await lab.transfersOf('unmatched')).toEqual([]);
  });

  it('cannot complete a payment with an amount that is worth nothing in its currency', async () => {
    const payment = await lab.createForCrypto({ amount: 1 });
    await lab.pay(payment, '0.0000001');
    const read = await lab.read(payment.id);
    expect([read.status, read.amount_received]).toEqual(['pending', 0]);
  });
});
