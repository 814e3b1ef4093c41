import type { MemoWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import { formatUnits } from '../../../core/money.ts';
import { mostStroops, stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
import { accountOf, native } from '../core/state/identifiers.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { TransactionRow } from '../tables.ts';
import { type SandboxKey, seededKeys } from './accounts.ts';
import { OwnTransactionFailed, type Sender } from './sender.ts';
import { addressWire, createAccount, memoWire, operation, payment, trust } from './transaction-builder.ts';

/** A payment from a seeded account. */
export interface SandboxPayment {
  /** The receiver, `G…` or `M…`. */
  readonly address: string;
  /** `XLM` or `CODE:ISSUER`. */
  readonly asset: string;
  /** The amount in stroops. */
  readonly amount: bigint;
  readonly memo?: string;
  readonly memoType?: 'text' | 'id' | 'hash' | 'return';
}

export interface SandboxReceipt {
  /** The hash of the transaction, hex. */
  readonly hash: string;
  readonly ledger: number;
}

export type MoneyProblem =
  | 'no_account'
  | 'account_exists'
  | 'no_trust'
  | 'line_full'
  | 'too_much'
  | 'malformed'
  | 'refused';

/** Thrown for a failed payment. The message is for users. */
export class SandboxMoneyError extends Error {
  override readonly name = 'SandboxMoneyError';
  readonly problem: MoneyProblem;
  constructor(problem: MoneyProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Pays test money. Each call resolves as soon as its transaction is in a ledger. */
export interface SandboxMoney {
  /** Pays from a seeded account. A payment of XLM creates a missing account. Throws `SandboxMoneyError`. */
  pay(payment: SandboxPayment, from?: 'payer' | 'faucet'): Promise<SandboxReceipt>;
  /** Pays 1,000,000 XLM. Creates the account if it is missing. */
  open(address: string): Promise<SandboxReceipt>;
  /** Pays 1,000,000 units of an asset. Throws `SandboxMoneyError`, for example `no_trust` without a trust line. */
  fill(address: string, asset: string): Promise<SandboxReceipt>;
  /** Creates an account with 10,000 XLM, like friendbot. Throws `SandboxMoneyError` (`malformed`, `account_exists`). */
  fundNewAccount(address: string): Promise<TransactionRow>;
  /** Creates the key's account with 10,000 XLM and its trust lines for the assets, if they are missing. */
  openHolder(key: SandboxKey, assets: readonly string[]): Promise<void>;
}

const xlm = 10n ** BigInt(stellarDecimals);

/** The amount that the faucet pays per call, in stroops. */
export const gift = 1_000_000n * xlm;
const friendbotGift = 10_000n * xlm;

export function createSandboxMoney({ node, sender }: { node: LedgerNode; sender: Sender }): SandboxMoney {
  async function pay(request: SandboxPayment, from: 'payer' | 'faucet' = 'payer'): Promise<SandboxReceipt> {
    const key = seededKeys()[from];
    const { body, memo } = await paymentBody(node, request);
    const transaction = { operations: [operation(body, key.address)], signers: [key] };
    try {
      const row = await sender.send({ ...transaction, ...(memo !== undefined && { memo }) });
      return { hash: row.hash, ledger: row.ledger };
    } catch (error) {
      throw error instanceof OwnTransactionFailed ? explained(error, request) : error;
    }
  }

  return {
    pay,
    open: address => pay({ address, asset: 'XLM', amount: gift }, 'faucet'),
    fill: (address, asset) => pay({ address, asset, amount: gift }, 'faucet'),
    fundNewAccount: async address => {
      if (!isStellarAddress(address)) throw new SandboxMoneyError('malformed', 'this is not a Stellar address');
      const { friendbot } = seededKeys();
      const body = createAccount(address, friendbotGift);
      try {
        return await sender.send({ operations: [operation(body, friendbot.address)], signers: [friendbot] });
      } catch (error) {
        if (!(error instanceof OwnTransactionFailed) || !error.codes.includes('op_already_exists')) throw error;
        throw new SandboxMoneyError('account_exists', 'account already funded to starting balance');
      }
    },
    openHolder: async (key, assets) => {
      const { friendbot } = seededKeys();
      const ledger = await node.current();
      const isNew = ledger.account(key.address) === null;
      const held = new Set(isNew ? [] : ledger.trustlines(key.address).map(({ asset }) => asset));
      const operations = [
        ...(isNew ? [operation(createAccount(key.address, friendbotGift), friendbot.address)] : []),
        ...assets.filter(asset => !held.has(asset)).map(asset => operation(trust(asset), key.address)),
      ];
      if (operations.length > 0) await sender.send({ operations, signers: isNew ? [friendbot, key] : [key] });
    },
  };
}

async function paymentBody(
  node: LedgerNode,
  { address, asset, amount, memo, memoType }: SandboxPayment,
): Promise<{ readonly body: OperationWire['body']; readonly memo?: MemoWire }> {
  if (amount > mostStroops) {
    const most = formatUnits(mostStroops, stellarDecimals);
    throw new SandboxMoneyError('too_much', `A payment on Stellar moves at most ${most} of an asset.`);
  }
  try {
    const account = accountOf(addressWire(address));
    const ledgerAsset = asset === 'XLM' ? native : asset;
    const exists = (await node.current()).account(account) !== null;
    const opens = !exists && ledgerAsset === native;
    return {
      body: opens ? createAccount(account, amount) : payment(address, ledgerAsset, amount),
      ...(memo !== undefined && { memo: memoWire(memoType ?? 'text', memo) }),
    };
  } catch (error) {
    throw error instanceof RangeError ? new SandboxMoneyError('malformed', error.message) : error;
  }
}

/** The error for users, from the result codes of a failed payment. */
function explained({ codes }: OwnTransactionFailed, { address, asset, amount }: SandboxPayment): SandboxMoneyError {
  const about = `${formatUnits(amount, stellarDecimals)} ${asset.split(':')[0]} to ${address}`;
  if (codes.includes('op_no_destination')) {
    return new SandboxMoneyError(
      'no_account',
      `The account ${address} does not exist. It must first be opened with XLM.`,
    );
  }
  if (codes.includes('op_no_trust') || codes.includes('op_not_authorized')) {
    return new SandboxMoneyError('no_trust', `${address} has no trustline to ${asset}, so it cannot hold it.`);
  }
  if (codes.includes('op_line_full')) {
    return new SandboxMoneyError(
      'line_full',
      `The amount exceeds the limit of the trustline of ${address} to ${asset}.`,
    );
  }
  if (codes.includes('op_src_no_trust') || codes.includes('op_underfunded')) {
    return new SandboxMoneyError('refused', `The sandbox has no ${asset} to give.`);
  }
  return new SandboxMoneyError(
    'refused',
    `The sandbox network refused to pay ${about}: ${codes.join(', ') || 'no answer'}.`,
  );
}
