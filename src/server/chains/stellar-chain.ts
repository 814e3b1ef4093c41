import { createHash } from 'node:crypto';
import { publicPassphrase, testPassphrase } from '../../core/stellar/stellar-network.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';
import type { IncomingPayment, StellarAccount, StellarNetwork, TransactionMemo } from '../stellar/network.ts';
import type { Sep7Links } from '../stellar/sep7.ts';
import { muxedAddress } from '../stellar/transaction/muxed-address.ts';
import { accountOf, hasMemo } from '../stellar/treasury/batch.ts';
import { type Destinations, failure, isAddressFault } from '../stellar/treasury/destination.ts';
import type { Chain, ChainPayees, Deposit, DepositTarget } from './chain.ts';
import { asked } from './stellar-failure.ts';
import { isAccount } from './stellar-holdings.ts';

interface StellarChainDeps extends Sep7Links, Pick<Chain, 'transactionUrl'> {
  readonly network: StellarNetwork;
}

/** Stellar as a chain for payers. Each payment has its own muxed address (SEP-23) or memo. */
export function createStellarChain({ network, payUri, transactionUrl }: StellarChainDeps): Chain {
  const accepted = createAnswerCache({ holdMs: 10_000 }, async account => acceptedBy(await network.account(account)));
  const fee = createAnswerCache({ holdMs: 10_000 }, () => network.fees());
  return {
    id: 'stellar',
    name: 'Stellar',
    network: networkId(network.passphrase),
    requiredConfirmations: 1,
    etaSeconds: 6,
    uriFormat: 'sep7',
    nativeAsset: 'XLM',
    isAddress: isStellarAddress,
    isBaseAddress: isAccount,
    baseAddressOf: accountOf,
    newDepositTarget,
    paymentUri: ({ target, ...request }) => payUri({ destination: target.address, ...request }),
    acceptedAssets: account => asked(() => accepted.read(account)),
    networkFee: () => asked(async () => ({ asset: 'XLM', amount: (await fee.read('')).usual })),
    // The first position of the newest ledger (SEP-35). All later payments are in later ledgers.
    latestCursor: () => asked(async () => String(BigInt((await network.latestLedger()).sequence) << 32n)),
    findDeposits: async (account, cursor, limit) => {
      const page = await asked(() => network.incoming(account, cursor, limit));
      return { deposits: page.payments.map(depositOf), cursor: page.cursor, more: page.more };
    },
    transactionUrl,
    follow: network.follow,
  };
}

/** The network's CAIP-2 id. The id of a private network contains the start of its passphrase's hash. */
function networkId(passphrase: string): string {
  if (passphrase === publicPassphrase) return 'stellar:pubnet';
  if (passphrase === testPassphrase) return 'stellar:testnet';
  return `stellar:${createHash('sha256').update(passphrase).digest('hex').slice(0, 32)}`;
}

function newDepositTarget(account: string, tag: string): DepositTarget {
  const key = keyOf(account, tag);
  return { address: muxedAddress(account, BigInt(tag)), baseAddress: account, memo: tag, memoType: 'id', key };
}

function keyOf(account: string, tag: string): string {
  return `${account}:${tag}`;
}

function acceptedBy(account: StellarAccount | null): readonly string[] | null {
  if (account === null) return null;
  const usable = account.balances.filter(({ authorized, room }) => authorized && (room === null || room > 0n));
  return usable.map(({ asset }) => asset);
}

function depositOf(payment: IncomingPayment): Deposit {
  const { transactionHash, operationIndex, asset, amount, memo } = payment;
  return {
    railReference: `${transactionHash}:${operationIndex}`,
    transactionHash,
    account: payment.to,
    asset,
    amount,
    keys: [payment.toMuxedId, tagIn(memo)].filter(tag => tag !== null).map(tag => keyOf(payment.to, tag)),
    memo: memo === null ? null : storable(memo.value),
    memoType: memo?.type ?? null,
    sender: senderOf(payment),
    block: payment.ledger,
    at: payment.createdAt,
  };
}

/** The tag in a memo. The memo should have the type id, but some payers send the tag as a text memo. */
function tagIn(memo: TransactionMemo | null): string | null {
  if (memo === null || (memo.type !== 'id' && memo.type !== 'text')) return null;
  const text = memo.value.trim();
  return /^[1-9][0-9]{0,19}$/.test(text) ? text : null;
}

/** The address to refund. Null if a contract paid, or if the creator of a claimed balance is unknown. */
function senderOf({ from, fromMuxedId }: IncomingPayment): string | null {
  if (!isStellarAddress(from)) return null;
  return fromMuxedId === null ? from : muxedAddress(from, BigInt(fromMuxedId));
}

/** Replaces NUL and lone surrogates, which a memo may contain but PostgreSQL refuses. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Checks destinations before the treasury sends to them. */
export function createStellarPayees(destinations: Destinations): ChainPayees {
  return {
    objection: async ({ destination, asset, amount }) => {
      const money = { destination: destination.address, asset, amount, hasMemo: hasMemo(destination) };
      const message = 'The network cannot be reached right now. Try again in a minute.';
      const problem = await asked(() => destinations.problem(money), { message, retrySeconds: 60 });
      return problem === null ? null : failure(problem);
    },
    isAddressFault,
  };
}
