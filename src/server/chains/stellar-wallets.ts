import { PayError } from '../../core/error.ts';
import { basisPointsOf } from '../../core/money.ts';
import { isStellarAddress } from '../../core/strkey.ts';
import type { PaymentPath, StellarAccount, StellarBalance, StellarNetwork } from '../stellar/network.ts';
import type { StellarOperation } from '../stellar/operation.ts';
import { buildEnvelope, hashEnvelope, inspectEnvelope, verifySignature } from '../stellar/transaction.ts';
import { EnvelopeError } from '../stellar/xdr-values.ts';
import type { ChainWallets, WalletEnvelope, WalletHolding, WalletOutcome, WalletPayment } from './chain.ts';
import { remembered } from './remembered.ts';
import { asked, failureOfCodes, payerError } from './stellar-failure.ts';

/** By how much more than expected the network may take where assets are exchanged on the way: half a percent. */
const slippageBasisPoints = 50;

/** The most a payer is asked to bid for the network’s fee, in stroops. */
const mostFee = 1_000_000n;

/** Payers’ Stellar wallets: the transaction is a payment, or a path payment that delivers an exact amount (strict receive). */
export function createStellarWallets(network: StellarNetwork): ChainWallets {
  const fees = remembered(5_000, () => network.fees());
  const fee = async () => {
    const { base, usual } = await fees('');
    const bid = usual > base ? usual : base;
    return bid < mostFee ? bid : mostFee;
  };
  return {
    names: ['freighter', 'sep7'],
    networkName: network.passphrase.startsWith('Public') ? 'PUBLIC' : 'TESTNET',
    passphrase: network.passphrase,
    slippageBasisPoints,
    holdings: (address, due) => asked(() => readHoldings(network, address, due)),
    build: payment => asked(async () => await build(network, payment, await fee())),
    verify: (made, signed) => asked(() => verify(network, made, signed)),
    submit: async signed => {
      const outcome = await network.submit(signed);
      if (outcome.state === 'applied') return settled(outcome);
      if (outcome.state === 'refused') return { state: 'refused', ...failureOfCodes(outcome.codes) };
      return { state: 'open', seenUntil: null };
    },
    status: async hash => {
      const status = await asked(() => network.status(hash));
      return status.state === 'applied' ? settled(status) : { state: 'open', seenUntil: status.ingested.closedAt };
    },
  };
}

function settled(outcome: {
  readonly successful: boolean;
  readonly codes: Parameters<typeof failureOfCodes>[0];
}): WalletOutcome {
  return outcome.successful ? { state: 'applied' } : { state: 'failed', ...failureOfCodes(outcome.codes) };
}

function isAccount(address: string): boolean {
  return address.startsWith('G') && isStellarAddress(address);
}

async function readHoldings(network: StellarNetwork, address: string, due: { asset: string; amount: bigint }) {
  if (!isAccount(address)) return { problem: 'wrong_address', assets: [] } as const;
  const account = await network.account(address);
  if (account === null) return { problem: 'account_missing', assets: [] } as const;
  const held = account.balances.filter(({ authorized, spendable }) => authorized && spendable > 0n);
  const paths = await network.strictReceivePaths({ source: { assets: held.map(({ asset }) => asset) }, ...due });
  return { problem: null, assets: held.map(balance => holdingOf(balance, due, paths)) };
}

function holdingOf(
  { asset, spendable }: StellarBalance,
  due: { readonly asset: string; readonly amount: bigint },
  paths: readonly PaymentPath[],
): WalletHolding {
  if (asset === due.asset) return { asset, balance: spendable, amount: due.amount, amountMax: due.amount, path: [] };
  const cheapest = paths.find(({ sourceAsset }) => sourceAsset === asset);
  if (cheapest === undefined) return { asset, balance: spendable, amount: null, amountMax: null, path: [] };
  const { sourceAmount: amount, path } = cheapest;
  return { asset, balance: spendable, amount, amountMax: withSlippage(amount), path };
}

function withSlippage(amount: bigint): bigint {
  return amount + basisPointsOf(amount, slippageBasisPoints);
}

async function build(network: StellarNetwork, payment: WalletPayment, fee: bigint): Promise<WalletEnvelope> {
  const { address, asset, destinationAsset, destinationAmount } = payment;
  if (!isAccount(address)) {
    throw new PayError('invalid_address', 'address takes the Stellar account (G…) that is to pay.', {
      param: 'address',
    });
  }
  const account = await network.account(address);
  if (account === null) throw payerError('stellar_account_missing', 'address');
  const balance = spendableOf(account, asset, fee);
  const due = { asset: destinationAsset, amount: destinationAmount };
  const isSame = asset === destinationAsset;
  const paths = isSame ? [] : await network.strictReceivePaths({ source: { assets: [asset] }, ...due });
  const { amount, amountMax, path } = holdingOf(balance, due, paths);
  if (amount === null || amountMax === null) throw payerError('stellar_no_path', 'asset');
  if (amount > balance.spendable) throw payerError('stellar_underfunded', 'asset');
  const most = amountMax < balance.spendable ? amountMax : balance.spendable;
  const envelope = buildEnvelope({
    source: address,
    sequence: account.sequence + 1n,
    fee,
    timeBounds: { min: 0, max: Math.floor(payment.validUntil.getTime() / 1000) },
    operations: [operationOf(payment, most, path)],
  });
  return { envelope, hash: hashEnvelope(envelope, network.passphrase), amount, amountMax: most, path };
}

/** What the account can spend of the asset; of XLM the fee goes off. */
function spendableOf(account: StellarAccount, asset: string, fee: bigint): StellarBalance {
  const balance = account.balances.find(held => held.asset === asset);
  if (balance === undefined || !balance.authorized) throw payerError('stellar_no_trustline', 'asset');
  return asset === 'XLM' ? { ...balance, spendable: balance.spendable - fee } : balance;
}

function operationOf(payment: WalletPayment, sendMax: bigint, path: readonly string[]): StellarOperation {
  const { asset, destination, destinationAsset, destinationAmount } = payment;
  if (asset === destinationAsset) return { type: 'payment', destination, asset, amount: destinationAmount };
  const delivery = { destination, destinationAsset, destinationAmount };
  return { type: 'pathPaymentStrictReceive', sendAsset: asset, sendMax, path, ...delivery };
}

async function verify(
  network: StellarNetwork,
  made: { readonly envelope: string; readonly address: string },
  signed: string,
): Promise<void> {
  const { hash, signatures } = readSigned(network.passphrase, made.envelope, signed);
  const account = await network.account(made.address);
  if (account === null) throw payerError('stellar_account_missing');
  const signers = signatures.map(({ signature }) =>
    account.signers.find(({ key, weight }) => weight > 0 && verifySignature(key, hash, signature)),
  );
  const isForeign = signers.includes(undefined) || new Set(signers).size < signers.length;
  const weight = signers.reduce((sum, signer) => sum + (signer?.weight ?? 0), 0);
  if (isForeign || weight < Math.max(account.thresholds.medium, 1)) throw payerError('stellar_bad_signature');
}

/** The hash covers every byte of a transaction but its signatures: with the same hash it is the same transaction. */
function readSigned(passphrase: string, made: string, signed: string) {
  try {
    const found = inspectEnvelope(signed, passphrase);
    if (found.kind === 'transaction' && found.hash === hashEnvelope(made, passphrase)) return found;
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
  }
  throw new PayError(
    'wallet_transaction_changed',
    'What the wallet gave back is not the transaction that was made for it. Nothing was sent; try again.',
    { param: 'signed_envelope_xdr' },
  );
}
