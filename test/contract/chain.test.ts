import { Account, Asset, Claimant, Keypair, Memo, MuxedAccount, Networks, Operation } from '@stellar/stellar-sdk';
import { sandboxAssets } from '../../src/sandbox/stellar/index.ts';
import { createStellarChain } from '../../src/server/chains/stellar-chain.ts';
import { createHttpExchange } from '../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../src/server/stellar/horizon/horizon-network.ts';
import { createSep7Links } from '../../src/server/stellar/sep7.ts';
import { bytesSigner } from '../../src/server/stellar/transaction/signing-key.ts';
import { assetOf, envelopeOf, type StellarLab, startStellarLab } from '../sandbox/stellar/stellar-lab.ts';
import { createBlockChain } from '../support/block-chain.ts';
import { type ChainPayment, type ChainSubject, describeChain, describeReplaceableChain } from './chain.ts';

const usdc = assetOf('USDC');

function assetFrom(text: string): Asset {
  if (text === 'XLM') return Asset.native();
  const [code = '', issuer] = text.split(':');
  return new Asset(code, issuer);
}

function amountText(amount: bigint): string {
  const digits = String(amount).padStart(8, '0');
  return `${digits.slice(0, -7)}.${digits.slice(-7)}`;
}

function memoOf(memo: ChainPayment['memo']): Memo {
  if (memo === undefined) return Memo.none();
  if (memo.type === 'id') return Memo.id(memo.value);
  return memo.type === 'hash' ? Memo.hash(memo.value) : Memo.text(memo.value);
}

function paymentOperation({ to, asset, amount }: ChainPayment, source?: string) {
  const payment = { destination: to, asset: assetFrom(asset), amount: amountText(amount) };
  return Operation.payment(source === undefined ? payment : { ...payment, source });
}

/** Opens an account with plenty of XLM and USDC. */
async function openPayer(lab: StellarLab): Promise<Keypair> {
  const payer = await lab.newAccount();
  await lab.send(payer, [
    Operation.changeTrust({ asset: usdc }),
    Operation.pathPaymentStrictReceive({
      sendAsset: Asset.native(),
      sendMax: '5000',
      destination: payer.publicKey(),
      destAsset: usdc,
      destAmount: '100',
      path: [],
    }),
  ]);
  return payer;
}

async function claim(lab: StellarLab, claimant: Keypair | undefined, balanceId: string): Promise<string> {
  if (claimant === undefined) throw new Error('no account may claim it');
  return (await lab.send(claimant, [Operation.claimClaimableBalance({ balanceId })])).hash;
}

async function makeSubject(): Promise<ChainSubject> {
  const lab = await startStellarLab();
  const http = createHttpExchange();
  const network = () => createHorizonNetwork({ http, passphrase: Networks.TESTNET, url: () => lab.url });
  const signer = bytesSigner(Buffer.alloc(32, 7));
  const links = createSep7Links({ passphrase: Networks.TESTNET, originDomain: () => 'pay.example', signer });
  const open = () => createStellarChain({ network: network(), payUri: links.payUri, transactionUrl: () => null });
  const payer = await openPayer(lab);
  const receivers = new Map<string, Keypair>();
  const send = async (payments: readonly ChainPayment[], source?: string) => {
    const operations = payments.map(payment => paymentOperation(payment, source));
    const { hash } = await lab.send(payer, operations, { memo: memoOf(payments[0]?.memo) });
    return hash;
  };
  return {
    chain: open(),
    reopened: open(),
    asset: sandboxAssets.USDC,
    unopened: Keypair.random().publicKey(),
    sender: payer.publicKey(),
    newReceiver: async () => {
      const account = await lab.newAccount();
      await lab.send(account, [Operation.changeTrust({ asset: usdc })]);
      receivers.set(account.publicKey(), account);
      return account.publicKey();
    },
    pay: payment => send([payment]),
    payTogether: send,
    payAndFail: async payment => {
      const operations = [paymentOperation(payment), paymentOperation({ ...payment, amount: 10n ** 17n })];
      const transaction = await lab.build(payer, operations);
      await lab.post('/transactions', envelopeOf(transaction));
      return Buffer.from(transaction.hash()).toString('hex');
    },
    payThrough: async ({ to, amount }) => {
      const way = { sendAsset: Asset.native(), sendMax: '1000', destAsset: usdc, path: [] };
      const operation = Operation.pathPaymentStrictReceive({ ...way, destination: to, destAmount: amountText(amount) });
      return (await lab.send(payer, [operation])).hash;
    },
    payFromSubaddress: async payment => {
      const muxed = new MuxedAccount(new Account(payer.publicKey(), '0'), '4711').accountId();
      await send([payment], muxed);
      return muxed;
    },
    mergeInto: async to => {
      const leaver = await lab.newAccount();
      await lab.send(leaver, [Operation.accountMerge({ destination: to })]);
      // Friendbot gave 10,000 XLM, and the fee was 100 stroops.
      return 99_999_999_900n;
    },
    createClaimable: async payment => {
      const claimants = [new Claimant(payment.to)];
      const balance = { asset: assetFrom(payment.asset), amount: amountText(payment.amount), claimants };
      await lab.send(payer, [Operation.createClaimableBalance(balance)], { memo: memoOf(payment.memo) });
      const { body } = await lab.get(`/claimable_balances?claimant=${payment.to}`);
      const balanceId = body._embedded.records[0].id;
      return { claim: () => claim(lab, receivers.get(payment.to), balanceId) };
    },
    close: async () => {
      http.close();
      await lab.close();
    },
  };
}

describeChain('Stellar by the sandbox’s Horizon', makeSubject);

const { chain, ledger } = createBlockChain(sandboxAssets.USDC);
describeReplaceableChain('the simulated ledger', {
  chain,
  ...ledger,
  asset: sandboxAssets.USDC,
  account: 'blk1account',
});
