import { createHash } from 'node:crypto';
import { PayError } from '../../core/error.ts';
import { stellarDecimals } from '../../core/money.ts';
import { publicPassphrase, testPassphrase } from '../../core/stellar/stellar-network.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { createAnswerCache } from '../stellar/answer-cache.ts';
import {
  type IncomingPayment,
  type StellarAccount,
  type StellarNetwork,
  StellarUnavailable,
  type TransactionMemo,
} from '../stellar/network.ts';
import { muxedAddress, parsePaymentAddress } from '../stellar/transaction/muxed-address.ts';
import { memoIn } from '../stellar/treasury/batch.ts';
import { type Destinations, failure, isAddressFault } from '../stellar/treasury/destination.ts';
import type { Chain, ChainPayees, Deposit, DepositTarget } from './chain.ts';
import { asked } from './stellar-failure.ts';

/** What the chain is made of. */
export interface StellarChainDeps {
  readonly network: StellarNetwork;
  /** A SEP-7 link, signed where the service has a key for it. */
  readonly payUri: (request: {
    readonly destination: string;
    readonly asset: string;
    readonly amount: bigint;
    readonly message: string;
  }) => string;
}

/** Stellar as a chain on which payers pay: an account with a muxed address (SEP-23) or a memo for each payment. */
export function createStellarChain({ network, payUri }: StellarChainDeps): Chain {
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
    decimals: () => stellarDecimals,
    isAddress: isStellarAddress,
    isBaseAddress: text => text.startsWith('G') && isStellarAddress(text),
    baseAddressOf: address => parsePaymentAddress(address)?.account ?? address,
    newDepositTarget,
    paymentUri: ({ target, ...request }) => payUri({ destination: target.address, ...request }),
    acceptedAssets: account => asked(() => accepted.read(account)),
    networkFee: () => asked(async () => ({ asset: 'XLM', amount: (await fee.read('')).usual })),
    // The first place of the newest ledger (SEP-35): what is sent from now on is in a later one.
    latestCursor: () => asked(async () => String(BigInt((await network.latestLedger()).sequence) << 32n)),
    findDeposits: async (account, cursor, limit) => {
      const page = await asked(() => network.incoming(account, cursor, limit));
      return { deposits: page.payments.map(depositOf), cursor: page.cursor, more: page.more };
    },
    follow: network.follow,
  };
}

/** The network’s id as CAIP-2 has it; a network of one’s own by the beginning of its passphrase’s hash. */
function networkId(passphrase: string): string {
  if (passphrase === publicPassphrase) return 'stellar:pubnet';
  if (passphrase === testPassphrase) return 'stellar:testnet';
  return `stellar:${createHash('sha256').update(passphrase).digest('hex').slice(0, 32)}`;
}

function newDepositTarget(account: string, tag: string): DepositTarget {
  return { address: muxedAddress(account, BigInt(tag)), baseAddress: account, memo: tag, memoType: 'id' };
}

function acceptedBy(account: StellarAccount | null): readonly string[] | null {
  if (account === null) return null;
  const usable = account.balances.filter(({ authorized, room }) => authorized && (room === null || room > 0n));
  return usable.map(({ asset }) => asset);
}

function depositOf(payment: IncomingPayment): Deposit {
  const { transactionHash, operationIndex, memo } = payment;
  return {
    railReference: `${transactionHash}:${operationIndex}`,
    transactionHash,
    operationIndex,
    account: payment.to,
    asset: payment.asset,
    amount: payment.amount,
    tags: [payment.toMuxedId, taggedBy(memo)].filter(tag => tag !== null),
    memo: memo === null ? null : storable(memo.value),
    memoType: memo?.type ?? null,
    sender: senderOf(payment),
    block: payment.ledger,
    confirmations: 1,
    at: payment.createdAt,
  };
}

/** The tag in a memo: an id, or a text that is the same number as people copy it. */
function taggedBy(memo: TransactionMemo | null): string | null {
  if (memo === null || (memo.type !== 'id' && memo.type !== 'text')) return null;
  const text = memo.value.trim();
  return /^[1-9][0-9]{0,19}$/.test(text) ? text : null;
}

/** Where money could go back to: not to a contract, nor to a balance whose maker nobody knows any more. */
function senderOf({ from, fromMuxedId }: IncomingPayment): string | null {
  if (!isStellarAddress(from)) return null;
  return fromMuxedId === null ? from : muxedAddress(from, BigInt(fromMuxedId));
}

/** Memos are whatever bytes somebody sent; NUL and halves of characters are kept by no database. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Checks who can take money out of the treasury. */
export function createStellarPayees(destinations: Destinations): ChainPayees {
  return {
    objection: async ({ destination, asset, amount }) => {
      const money = { destination: destination.address, asset, amount, hasMemo: memoIn(destination) !== null };
      const problem = await destinations.problem(money).catch(unavailable);
      return problem === null ? null : failure(problem);
    },
    isAddressFault,
  };
}

function unavailable(error: unknown): never {
  if (!(error instanceof StellarUnavailable)) throw error;
  throw new PayError('unavailable', 'The network cannot be asked right now. Try again in a minute.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 60,
    cause: error,
  });
}
