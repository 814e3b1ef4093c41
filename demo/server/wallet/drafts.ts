import { Asset, Memo, Operation, type Transaction, type xdr } from '@stellar/stellar-sdk/base';
import type { ClaimableBalance, Draft, DraftWish, LinkMemo, PaymentWish, PayWay } from '../../wallet-messages.ts';
import { baseAddress, textOf } from './account-view.ts';
import { assetName, findAccount, type HorizonAccount, type LedgerDeps, WalletError } from './horizon.ts';
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
    // The SDK throws for an invalid amount or address.
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
function claimOf(account: HorizonAccount, { id: balanceId, asset }: ClaimableBalance): xdr.Operation[] {
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

type OperationRecord = Transaction['operations'][number];

const codeOf = (asset: { readonly code?: string }) => asset.code ?? 'pool shares';
const plain = (amount: string) => amount.replace(/\.?0+$/, '');
const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-6)}`;

type Say = {
  readonly [Type in OperationRecord['type']]?: (operation: Extract<OperationRecord, { type: Type }>) => string;
};

/** The wallet signs only operations that it can explain. */
const say: Say = {
  createAccount: ({ destination, startingBalance }) =>
    `Opens the account ${short(destination)} with ${plain(startingBalance)} XLM`,
  payment: ({ amount, asset, destination }) => `Pays ${plain(amount)} ${codeOf(asset)} to ${short(destination)}`,
  pathPaymentStrictReceive: ({ destAmount, destAsset, destination, sendMax, sendAsset }) =>
    `Pays ${plain(destAmount)} ${codeOf(destAsset)} to ${short(destination)} with at most ${plain(sendMax)} ${codeOf(sendAsset)}`,
  pathPaymentStrictSend: ({ sendAmount, sendAsset, destination, destMin, destAsset }) =>
    `Pays ${plain(sendAmount)} ${codeOf(sendAsset)} so that at least ${plain(destMin)} ${codeOf(destAsset)} reach ${short(destination)}`,
  changeTrust: ({ line, limit }) =>
    Number(limit) === 0 ? `Stops holding ${lineCode(line)}` : `Lets the account hold ${lineCode(line)}`,
  claimClaimableBalance: () => 'Takes money that was set aside for this account',
};

function lineCode(line: object): string {
  return 'code' in line ? String(line.code) : 'pool shares';
}

/** Describes each operation. Throws WalletError for an operation that the wallet cannot explain. */
function stepsOf(operations: readonly OperationRecord[], account: string): string[] {
  return operations.map(operation => {
    const speak = say[operation.type] as ((operation: OperationRecord) => string) | undefined;
    if (speak === undefined) {
      throw new WalletError(
        'unreadable',
        'This transaction does something that this wallet cannot explain, so it does not sign it.',
      );
    }
    const isOther = operation.source !== undefined && operation.source !== account;
    return isOther ? `${speak(operation)}, from ${short(operation.source ?? '')}` : speak(operation);
  });
}

/** The memo as text, or null. */
function memoText({ type, value }: Memo): string | null {
  if (type === 'none' || value === null) return null;
  if (typeof value === 'string') return value;
  return type === 'text' ? new TextDecoder().decode(value) : Buffer.from(value).toString('hex');
}
