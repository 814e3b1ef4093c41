import { createHash } from 'node:crypto';
import { PayError } from '../../core/error.ts';
import { parseMemo } from '../../core/stellar/memo.ts';
import { publicPassphrase, testPassphrase } from '../../core/stellar/stellar-network.ts';
import { isStellarAddress } from '../../core/stellar/strkey.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';
import type { IncomingPayment, StellarAccount, StellarNetwork, TransactionMemo } from '../stellar/network.ts';
import type { Sep7Links } from '../stellar/sep7.ts';
import { muxedAddress } from '../stellar/transaction/muxed-address.ts';
import { accountOf, hasMemo } from '../stellar/treasury/batch.ts';
import { type Destinations, failure, isAddressFault } from '../stellar/treasury/destination.ts';
import type { Chain, ChainDestination, ChainPayees, Receiving, Seen, Target } from './chain.ts';
import { asked } from './stellar-failure.ts';
import { isAccount } from './stellar-holdings.ts';

interface StellarChainDeps extends Sep7Links, Pick<Chain, 'transactionUrl'> {
  readonly network: StellarNetwork;
}

/** Stellar as a chain for payers. Each payment has its own muxed address (SEP-23) or memo. */
export function createStellarChain(deps: StellarChainDeps): Chain {
  const { network, transactionUrl } = deps;
  const accepted = createAnswerCache({ holdMs: 10_000 }, async account => acceptedBy(await network.account(account)));
  const fee = createAnswerCache({ holdMs: 10_000 }, () => network.fees());
  return {
    id: 'stellar',
    name: 'Stellar',
    network: networkId(network.passphrase),
    nativeAsset: 'XLM',
    assets: [],
    // 0.0001 of any asset.
    dust: 1_000n,
    receive: receivingOn(deps),
    isAddress: isStellarAddress,
    destination: stellarDestination,
    acceptedAssets: account => asked(() => accepted.read(account)),
    networkFee: () => asked(async () => ({ asset: 'XLM', amount: (await fee.read('')).usual })),
    transactionUrl,
  };
}

/** A ledger of Stellar is final, so the first sighting of a payment is final too. */
function receivingOn({ network, payUri }: StellarChainDeps): Receiving {
  return {
    // 15 digits: exact as a JavaScript number, and short to copy.
    tags: { from: 10n ** 14n, below: 10n ** 15n },
    etaSeconds: 6,
    uriFormat: 'sep7',
    isBaseAddress: isAccount,
    accountOf,
    newTarget,
    uri: ({ target, ...request }) => payUri({ destination: target.address, ...request }),
    finality: () => ({ blocks: 1, byTag: false }),
    // The first position of the newest ledger (SEP-35). All later payments are in later ledgers.
    start: () => asked(async () => String(BigInt((await network.latestLedger()).sequence) << 32n)),
    scan: async ({ account, cursor, limit }) => {
      const page = await asked(() => network.incoming(account, cursor, limit));
      const height = page.payments.at(-1)?.ledger ?? 0;
      const seen = page.payments.map(seenOf);
      return { cursor: page.cursor, head: { height, finalized: height }, seen, dropped: [], more: page.more };
    },
    follow: network.follow,
  };
}

/** The network's CAIP-2 id. The id of a private network contains the start of its passphrase's hash. */
function networkId(passphrase: string): string {
  if (passphrase === publicPassphrase) return 'stellar:pubnet';
  if (passphrase === testPassphrase) return 'stellar:testnet';
  return `stellar:${createHash('sha256').update(passphrase).digest('hex').slice(0, 32)}`;
}

function newTarget(account: string, tag: string): Target {
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

function seenOf(payment: IncomingPayment): Seen {
  const { transactionHash, operationIndex, asset, amount, memo } = payment;
  return {
    ref: `${transactionHash}:${operationIndex}`,
    transactionHash,
    account: payment.to,
    asset,
    amount,
    keys: [payment.toMuxedId, tagIn(memo)].filter(tag => tag !== null).map(tag => keyOf(payment.to, tag)),
    memo: memo === null ? null : storable(memo.value),
    memoType: memo?.type ?? null,
    sender: senderOf(payment),
    block: { height: payment.ledger, hash: null },
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

const destinationFields = ['address', 'memo', 'memo_type'];

/** The address with its memo in canonical form. */
function stellarDestination(fields: Readonly<Record<string, string>>): ChainDestination {
  const { address, memo, memo_type } = fields;
  const unknown = Object.keys(fields).find(name => !destinationFields.includes(name));
  if (unknown !== undefined) {
    const message = `A destination on Stellar has the fields ${destinationFields.join(', ')}.`;
    throw new PayError('parameter_invalid', message, { param: unknown });
  }
  if (address === undefined || !isStellarAddress(address)) {
    throw new PayError('invalid_address', 'This is not an address on Stellar.', { param: 'address' });
  }
  return { address, ...parseMemo({ memo, memo_type }) };
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
