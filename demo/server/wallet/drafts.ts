import { Account, Asset, Memo, Operation, TransactionBuilder, type xdr } from '@stellar/stellar-sdk/base';
import type { Clock } from '../../../src/core/clock.ts';
import type { Draft, DraftWish, LinkMemo, PaymentWish, PayWay, SetAside } from '../../wallet-wire.ts';
import { findAccount, stroopsOf, textOf } from './account-view.ts';
import { baseAddress } from './addresses.ts';
import { envelopeDraft } from './envelope-link.ts';
import type { Horizon, HorizonAccount } from './horizon.ts';
import { assetName } from './horizon-asset.ts';
import { memoText, stepsOf } from './operation-words.ts';
import { type TestAsset, testAssets } from './test-money.ts';
import { WalletError } from './wallet-error.ts';

/** What making drafts needs. */
export interface DraftDeps {
  readonly horizon: Horizon;
  readonly clock: Clock;
}

/** How long a draft may wait for its signature and its ledger. */
export const draftSeconds = 180;
/** Stroops per operation at most; the network takes what it needs of it, usually 100. */
const feeBid = '10000';

/** Builds the transaction that is wanted. Throws WalletError where it cannot be. */
export async function makeDraft(deps: DraftDeps, wanted: DraftWish): Promise<Draft> {
  const account = await findAccount(deps.horizon, wanted.from);
  if (account === null) throw new WalletError('account_missing', 'This wallet has no money yet. Get some first.');
  switch (wanted.kind) {
    case 'payment':
      return await build(deps, account, [await paymentOf(deps, wanted.wish, wanted.way)], wanted.wish.memo);
    case 'add_asset':
      return await build(deps, account, [Operation.changeTrust({ asset: assetOf(wanted.asset) })]);
    case 'test_money':
      return await giftOf(deps, account, wanted.asset);
    case 'claim':
      return await build(deps, account, claimOf(account, wanted.claim));
    case 'envelope':
      return await envelopeDraft(deps, account, wanted.link);
  }
}

async function build(
  { horizon, clock }: DraftDeps,
  account: HorizonAccount,
  operations: readonly xdr.Operation[],
  memo: LinkMemo | null = null,
  coSigner?: TestAsset,
): Promise<Draft> {
  const maxTime = Math.floor(clock.now().getTime() / 1000) + draftSeconds;
  const builder = new TransactionBuilder(new Account(account.account_id, account.sequence), {
    fee: feeBid,
    networkPassphrase: await horizon.passphrase(),
    timebounds: { minTime: 0, maxTime },
    ...(memo && { memo: memoOf(memo) }),
  });
  for (const operation of operations) builder.addOperation(operation);
  const transaction = builder.build();
  if (coSigner) transaction.sign(coSigner.issuer);
  return {
    hash: Buffer.from(transaction.hash()).toString('hex'),
    envelopeXdr: transaction.toXdr(),
    steps: stepsOf(transaction.operations, account.account_id),
    memo: memoText(transaction.memo),
    fee: textOf(BigInt(transaction.fee)),
    expiresAt: new Date(maxTime * 1000).toISOString(),
  };
}

/** The operation that makes the payment arrive exactly, whatever it is paid with. */
async function paymentOf({ horizon }: DraftDeps, wish: PaymentWish, way: PayWay): Promise<xdr.Operation> {
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

/** Takes what was set aside, and makes room for it where there is none. */
function claimOf(account: HorizonAccount, { id: balanceId, asset }: SetAside): xdr.Operation[] {
  const claim = Operation.claimClaimableBalance({ balanceId });
  const isHeld = account.balances.some(balance => assetName(balance) === asset);
  return isHeld ? [claim] : [Operation.changeTrust({ asset: assetOf(asset) }), claim];
}

/** Test money: the issuer pays it out in the wallet's own transaction, so that no two wallets wait for one another. */
async function giftOf(deps: DraftDeps, account: HorizonAccount, name: string): Promise<Draft> {
  const found = testAssets.find(({ asset }) => asset === name);
  if (found === undefined) throw new WalletError('refused', 'There is no faucet for this asset.');
  const asset = assetOf(found.asset);
  const isHeld = account.balances.some(balance => assetName(balance) === name);
  const source = found.issuer.publicKey();
  const pay = Operation.payment({ source, destination: account.account_id, asset, amount: found.gift });
  return await build(deps, account, isHeld ? [pay] : [Operation.changeTrust({ asset }), pay], null, found);
}

/** The SDK's asset of a name. Throws WalletError for a text that names none. */
export function assetOf(name: string): Asset {
  const [code = '', issuer] = name.split(':');
  try {
    return issuer === undefined && code === 'XLM' ? Asset.native() : new Asset(code, issuer);
  } catch (cause) {
    throw new WalletError('unreadable', 'That is no asset of this network.', { cause });
  }
}

function memoOf({ type, value }: LinkMemo): Memo {
  try {
    return new Memo(type, type === 'hash' || type === 'return' ? Buffer.from(value, 'hex') : value);
  } catch (cause) {
    throw new WalletError('unreadable', 'The memo is not one that the network takes.', { cause });
  }
}

/** Whether the text is an amount that can be paid. */
export function isPayable(amount: string): boolean {
  return stroopsOf(amount) > 0n && stroopsOf(amount) < 2n ** 63n;
}
