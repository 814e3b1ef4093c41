import { Asset, Memo, Operation, type xdr } from '@stellar/stellar-sdk/base';
import type { Draft, DraftWish, LinkMemo, PaymentWish, PayWay, SetAside } from '../../wallet-messages.ts';
import { baseAddress, textOf } from './account-view.ts';
import { assetName, findAccount, type HorizonAccount, type LedgerDeps, WalletError } from './horizon.ts';
import { memoText, stepsOf } from './operation-text.ts';
import { type TestAsset, testAssets } from './test-assets.ts';
import { linkedTransaction, newTransaction, type UnsignedTransaction } from './transactions.ts';

/** Builds the requested transaction. Throws WalletError when that is impossible. */
export async function makeDraft(deps: LedgerDeps, wanted: DraftWish): Promise<Draft> {
  const account = await findAccount(deps.horizon, wanted.from);
  if (account === null) throw new WalletError('account_missing', 'This wallet has no money yet. Get some first.');
  try {
    return await draftFor(deps, account, wanted);
  } catch (cause) {
    if (cause instanceof WalletError) throw cause;
    // The SDK refuses amounts and addresses that are not possible.
    throw new WalletError('unreadable', 'The network has no such payment.', { cause });
  }
}

async function draftFor(deps: LedgerDeps, account: HorizonAccount, wanted: DraftWish): Promise<Draft> {
  switch (wanted.kind) {
    case 'payment':
      return await build(deps, account, [await paymentOf(deps, wanted.wish, wanted.way)], memoOf(wanted.wish.memo));
    case 'add_asset':
      return await build(deps, account, [Operation.changeTrust({ asset: assetOf(wanted.asset) })]);
    case 'test_money':
      return await giftOf(deps, account, wanted.asset);
    case 'claim':
      return await build(deps, account, claimOf(account, wanted.claim));
    case 'envelope':
      return draftOf(account, await linkedTransaction(deps, account, wanted.link));
  }
}

async function build(
  deps: LedgerDeps,
  account: HorizonAccount,
  operations: readonly xdr.Operation[],
  memo?: Memo,
  coSigner?: TestAsset,
): Promise<Draft> {
  const unsigned = await newTransaction(deps, account, operations, memo);
  if (coSigner) unsigned.transaction.sign(coSigner.issuer);
  return draftOf(account, unsigned);
}

function draftOf(account: HorizonAccount, { transaction, expiresAt }: UnsignedTransaction): Draft {
  return {
    hash: Buffer.from(transaction.hash()).toString('hex'),
    envelopeXdr: transaction.toXdr(),
    steps: stepsOf(transaction.operations, account.account_id),
    memo: memoText(transaction.memo),
    fee: textOf(BigInt(transaction.fee)),
    expiresAt,
  };
}

/** The operation that delivers exactly the requested amount. */
async function paymentOf({ horizon }: LedgerDeps, wish: PaymentWish, way: PayWay): Promise<xdr.Operation> {
  const { to: destination, amount } = wish;
  if (way.asset === wish.asset) {
    const isThere = wish.asset !== 'XLM' || (await findAccount(horizon, baseAddress(destination))) !== null;
    return isThere
      ? Operation.payment({ destination, asset: assetOf(wish.asset), amount })
      : Operation.createAccount({ destination, startingBalance: amount });
  }
  return Operation.pathPaymentStrictReceive({
    sendAsset: assetOf(way.asset),
    sendMax: way.atMost,
    destination,
    destAsset: assetOf(wish.asset),
    destAmount: amount,
    path: way.path.map(assetOf),
  });
}

/** Claims a claimable balance, after adding a missing trustline. */
function claimOf(account: HorizonAccount, { id: balanceId, asset }: SetAside): xdr.Operation[] {
  const claim = Operation.claimClaimableBalance({ balanceId });
  return holds(account, asset) ? [claim] : [Operation.changeTrust({ asset: assetOf(asset) }), claim];
}

/**
 * Issues test money in the wallet's own transaction, so that wallets do not compete for the issuer's sequence number.
 */
async function giftOf(deps: LedgerDeps, account: HorizonAccount, name: string): Promise<Draft> {
  const found = testAssets.find(({ asset }) => asset === name);
  if (found === undefined) throw new WalletError('refused', 'There is no faucet for this asset.');
  const asset = assetOf(found.asset);
  const source = found.issuer.publicKey();
  const pay = Operation.payment({ source, destination: account.account_id, asset, amount: found.gift });
  const operations = holds(account, name) ? [pay] : [Operation.changeTrust({ asset }), pay];
  return await build(deps, account, operations, undefined, found);
}

function holds({ balances }: HorizonAccount, asset: string): boolean {
  return balances.some(balance => assetName(balance) === asset);
}

/** Parses an asset name. Throws the SDK's error for an invalid name. */
export function assetOf(name: string): Asset {
  const [code = '', issuer] = name.split(':');
  return issuer === undefined && code === 'XLM' ? Asset.native() : new Asset(code, issuer);
}

function memoOf(memo: LinkMemo | null): Memo | undefined {
  if (memo === null) return undefined;
  const isHash = memo.type === 'hash' || memo.type === 'return';
  return new Memo(memo.type, isHash ? Buffer.from(memo.value, 'hex') : memo.value);
}
