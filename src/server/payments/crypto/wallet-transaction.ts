import type { Selectable } from 'kysely';
import type { WalletTransaction } from '../../../api/crypto.ts';
import { defineMachine } from '../../../core/machine.ts';
import { formatUnits } from '../../../core/money.ts';
import type { ChainWallets, CryptoRail, WalletOutcome } from '../../chains/chain.ts';
import type { WalletTransactionsTable } from './tables.ts';

/** A transaction made for a payer's wallet, as the database holds it. */
export type WalletTransactionRow = Selectable<WalletTransactionsTable>;

/** The life of a transaction made for a wallet. One that was never signed stays `built`. */
export const walletTransactionMachine = defineMachine<WalletTransactionRow['state']>({
  built: ['submitted'],
  submitted: ['applied', 'failed'],
  applied: [],
  failed: [],
});

/** Why a transaction failed. */
export interface WalletFailure {
  readonly code: string;
  readonly message: string;
}

/** What is to be done about a transaction after an answer of the chain. */
export type WalletVerdict =
  | { readonly do: 'end'; readonly state: 'applied' }
  | { readonly do: 'end'; readonly state: 'failed'; readonly failure: WalletFailure }
  /** It was refused now; an earlier sending may have been taken, so that is not the end yet. */
  | { readonly do: 'note_refusal'; readonly failure: WalletFailure }
  /** Nobody knows: hand the same in again. */
  | { readonly do: 'go_on' };

/** Servers behind one address differ by this much in what they have taken in. */
const marginMs = 30_000;

const timedOut: WalletFailure = {
  code: 'stellar_timeout',
  message: 'The network did not take the payment in time, and nothing was taken. Try again.',
};

/**
 * Judges an answer of the chain. A transaction that is in no block is over only when a block has been seen that closed
 * after its time, or after the network refused it. `attempts` counts how often it was handed in.
 */
export function judgeOutcome(
  row: Pick<WalletTransactionRow, 'valid_until' | 'refused_at' | 'failure_code' | 'failure_message' | 'attempts'>,
  outcome: WalletOutcome,
): WalletVerdict {
  if (outcome.state === 'applied') return { do: 'end', state: 'applied' };
  if (outcome.state === 'failed') return { do: 'end', state: 'failed', failure: outcome };
  if (outcome.state === 'refused') {
    return row.attempts <= 1
      ? { do: 'end', state: 'failed', failure: outcome }
      : { do: 'note_refusal', failure: outcome };
  }
  const seen = outcome.seenUntil === null ? null : outcome.seenUntil.getTime() - marginMs;
  if (seen === null) return { do: 'go_on' };
  if (row.refused_at !== null && seen > row.refused_at.getTime()) {
    const failure = { code: row.failure_code ?? timedOut.code, message: row.failure_message ?? timedOut.message };
    return { do: 'end', state: 'failed', failure };
  }
  return seen > row.valid_until.getTime() ? { do: 'end', state: 'failed', failure: timedOut } : { do: 'go_on' };
}

/** The transaction in its wire form. */
export function walletTransactionToWire(
  rail: CryptoRail,
  row: WalletTransactionRow,
  expiresAt: Date,
): WalletTransaction {
  const { chain, wallets } = rail;
  const isExchanged = row.asset !== row.destination_asset;
  return {
    id: row.id,
    object: 'wallet_transaction',
    chain: row.chain,
    address: row.address,
    asset: row.asset,
    amount: formatUnits(row.amount, chain.decimals(row.asset)),
    amount_max: formatUnits(row.amount_max, chain.decimals(row.asset)),
    slippage_percent: formatUnits(isExchanged ? BigInt(wallets.slippageBasisPoints) : 0n, 2),
    destination_asset: row.destination_asset,
    destination_amount: formatUnits(row.destination_amount, chain.decimals(row.destination_asset)),
    path: row.path,
    ...networkOf(wallets),
    envelope_xdr: row.envelope,
    expires_at: expiresAt.toISOString(),
  };
}

/** The network that the payer’s wallet is to be on, for chains that name it. */
export function networkOf({ networkName, passphrase }: ChainWallets) {
  return {
    ...(networkName !== undefined && { network: networkName }),
    ...(passphrase !== undefined && { network_passphrase: passphrase }),
  };
}
