import type { Selectable } from 'kysely';
import type { WalletTransaction } from '../../../api/crypto.ts';
import { PayError } from '../../../core/error.ts';
import { defineMachine } from '../../../core/machine.ts';
import { formatUnits } from '../../../core/money.ts';
import { unitText } from '../../../core/unit.ts';
import type { ChainWallets, CryptoRail, WalletOutcome } from '../../chains/chain.ts';
import type { WalletTransactionsTable } from '../tables.ts';

/** A row of `wallet_transactions`: a transaction built for a payer's wallet. */
export type WalletTransactionRow = Selectable<WalletTransactionsTable>;

/** The states of a wallet transaction. The transaction stays `built` until the wallet has signed it. */
export const walletTransactionMachine = defineMachine<WalletTransactionRow['state']>({
  built: ['submitted'],
  submitted: ['applied', 'failed'],
  applied: [],
  failed: [],
});

export interface WalletFailure {
  readonly code: string;
  readonly message: string;
}

/** The next step for a transaction after a response of the chain. */
export type WalletVerdict =
  | { readonly do: 'end'; readonly state: 'applied' }
  | { readonly do: 'end'; readonly state: 'failed'; readonly failure: WalletFailure }
  /** The chain refused this submission. An earlier one may have been accepted, so the outcome is still unknown. */
  | { readonly do: 'record_refusal'; readonly failure: WalletFailure }
  /** The outcome is unknown: submit the same transaction again. */
  | { readonly do: 'resubmit' };

/** The newest ledgers of servers behind one URL may differ by this time. */
const marginMs = 30_000;

const timedOut: WalletFailure = {
  code: 'stellar_timeout',
  message: 'The network did not take the payment in time, and nothing was taken. Try again.',
};

/**
 * Judges a response of the chain. A transaction outside all blocks has failed when the chain has a newer block than the
 * transaction's time limit or refusal. `attempts` counts submissions.
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
      : { do: 'record_refusal', failure: outcome };
  }
  const seen = outcome.seenUntil === null ? null : outcome.seenUntil.getTime() - marginMs;
  if (seen === null) return { do: 'resubmit' };
  if (row.refused_at !== null && seen > row.refused_at.getTime()) {
    const failure = { code: row.failure_code ?? timedOut.code, message: row.failure_message ?? timedOut.message };
    return { do: 'end', state: 'failed', failure };
  }
  return seen > row.valid_until.getTime() ? { do: 'end', state: 'failed', failure: timedOut } : { do: 'resubmit' };
}

export function walletTransactionToWire(
  rail: CryptoRail,
  row: WalletTransactionRow,
  expiresAt: Date,
): WalletTransaction {
  const wallets = walletsOf(rail);
  const isExchanged = row.asset !== row.destination_asset;
  return {
    id: row.id,
    object: 'wallet_transaction',
    chain: row.chain,
    address: row.address,
    asset: row.asset,
    amount: unitText(row.amount, row.asset),
    amount_max: unitText(row.amount_max, row.asset),
    slippage_percent: formatUnits(isExchanged ? BigInt(wallets.slippageBasisPoints) : 0n, 2),
    destination_asset: row.destination_asset,
    destination_amount: unitText(row.destination_amount, row.destination_asset),
    path: row.path,
    ...networkOf(wallets),
    envelope_xdr: row.envelope,
    expires_at: expiresAt.toISOString(),
  };
}

/** The wallets of the chain. Throws `parameter_invalid` for `chain` if the service builds no transactions for any. */
export function walletsOf({ chain, wallets }: CryptoRail): ChainWallets {
  if (wallets !== null) return wallets;
  const message = `No wallet of ${chain.name} can be connected. Send to the address of the payment.`;
  throw new PayError('parameter_invalid', message, { param: 'chain' });
}

/** The network that the payer's wallet must use, if the chain names it. */
export function networkOf({ networkName, passphrase }: ChainWallets) {
  return {
    ...(networkName !== undefined && { network: networkName }),
    ...(passphrase !== undefined && { network_passphrase: passphrase }),
  };
}
