import { PayError } from '../../core/error.ts';
import { least } from '../../core/money.ts';
import type { StellarAccount, StellarBalance, StellarNetwork } from '../stellar/network.ts';
import type { StellarOperation } from '../stellar/transaction/operation.ts';
import { buildEnvelope, hashEnvelope, inspectEnvelope, verifySignature } from '../stellar/transaction/transaction.ts';
import { EnvelopeError } from '../stellar/transaction/xdr-values.ts';
import type { WalletEnvelope, WalletPayment } from './chain.ts';
import { payerError } from './stellar-failure.ts';
import { holdingOf, isAccount } from './stellar-holdings.ts';

/** Builds the transaction, as `ChainWallets` describes. `fee` is in stroops. */
export async function build(network: StellarNetwork, payment: WalletPayment, fee: bigint): Promise<WalletEnvelope> {
  const { address, asset, destinationAsset, destinationAmount } = payment;
  if (!isAccount(address)) {
    throw new PayError('invalid_address', 'address must be the Stellar account (G…) that will pay.', {
      param: 'address',
    });
  }
  const account = await network.account(address);
  if (account === null) throw payerError('stellar_account_missing', 'address');
  const balance = spendableOf(account, asset, fee);
  const due = { asset: destinationAsset, amount: destinationAmount };
  const isSame = asset === destinationAsset;
  const paths = isSame ? [] : await network.strictReceivePaths({ sourceAssets: [asset], ...due });
  const { amount, amountMax, path } = holdingOf(balance, due, paths);
  if (amount === null || amountMax === null) throw payerError('stellar_no_path', 'asset');
  if (amount > balance.spendable) throw payerError('stellar_underfunded', 'asset');
  const most = least(amountMax, balance.spendable);
  const envelope = buildEnvelope({
    source: address,
    sequence: account.sequence + 1n,
    fee,
    timeBounds: { min: 0, max: Math.floor(payment.validUntil.getTime() / 1000) },
    operations: [operationOf(payment, most, path)],
  });
  return { envelope, hash: hashEnvelope(envelope, network.passphrase), amount, amountMax: most, path };
}

/** The spendable balance of the asset. For XLM, the fee is subtracted. */
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

/** Checks a signed transaction, as `ChainWallets` describes. */
export async function verify(
  network: StellarNetwork,
  made: { readonly envelope: string; readonly address: string },
  signed: string,
): Promise<void> {
  const { hash, signatures } = readSigned(network.passphrase, made.envelope, signed);
  const account = await network.account(made.address);
  if (account === null) throw payerError('stellar_account_missing');
  const signers = signatures.map(signature =>
    account.signers.find(({ key, weight }) => weight > 0 && verifySignature(key, hash, signature)),
  );
  const isForeign = signers.includes(undefined) || new Set(signers).size < signers.length;
  const weight = signers.reduce((sum, signer) => sum + (signer?.weight ?? 0), 0);
  if (isForeign || weight < Math.max(account.mediumThreshold, 1)) throw payerError('stellar_bad_signature');
}

/** Reads the signed transaction. Its hash must be unchanged, because the hash covers everything except signatures. */
function readSigned(passphrase: string, made: string, signed: string) {
  try {
    const found = inspectEnvelope(signed, passphrase);
    if (found.kind === 'transaction' && found.hash === hashEnvelope(made, passphrase)) return found;
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
  }
  throw new PayError(
    'wallet_transaction_changed',
    'The wallet did not return the transaction that it was given. Nothing was sent; try again.',
    { param: 'signed_envelope_xdr' },
  );
}
