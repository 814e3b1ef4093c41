import type { MemoWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import { formatUnits, mostStroops, stellarDecimals } from '../../../core/money.ts';
import { isStellarAddress } from '../../../core/stellar/strkey.ts';
import { accountOf, native } from '../core/state/identifiers.ts';
import type { AppliedRow } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import { seededKeys } from './accounts.ts';
import { OwnTransactionFailed, type Sender } from './sender.ts';
import { addressWire, createAccount, memoWire, operation, payment } from './transaction-builder.ts';

/** A payment that the sandbox makes. */
export interface SandboxPayment {
  /** `G…` or `M…`. */
  readonly address: string;
  /** `XLM` or `CODE:ISSUER`. */
  readonly asset: string;
  /** Stroops. */
  readonly amount: bigint;
  readonly memo?: string;
  readonly memoType?: 'text' | 'id' | 'hash' | 'return';
}

/** The transaction that made a payment. */
export interface SandboxReceipt {
  /** Hex. */
  readonly hash: string;
  readonly ledger: number;
}

/** Why the sandbox could not pay. */
export type MoneyProblem =
  | 'no_account'
  | 'account_exists'
  | 'no_trust'
  | 'line_full'
  | 'too_much'
  | 'malformed'
  | 'refused';

/** The sandbox could not pay; the message is a sentence for people. */
export class SandboxMoneyError extends Error {
  override readonly name = 'SandboxMoneyError';
  readonly problem: MoneyProblem;
  constructor(problem: MoneyProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Money of the sandbox network, for whoever asks. Each call is a transaction in a ledger when it resolves. */
export interface SandboxMoney {
  /** Pays from a seeded wallet. XLM to an account that does not exist makes it. Throws `SandboxMoneyError`. */
  pay(payment: SandboxPayment, from?: 'payer' | 'faucet'): Promise<SandboxReceipt>;
  /** Gives an account 1,000,000 XLM, and makes it where it does not exist. */
  open(address: string): Promise<SandboxReceipt>;
  /** Gives some of an asset (1,000,000 units). Throws `SandboxMoneyError` `no_trust` when the account cannot hold it. */
  fill(address: string, asset: string): Promise<SandboxReceipt>;
  /** Makes an account with 10,000 XLM, as the test network’s friendbot does. Throws `SandboxMoneyError` `account_exists`. */
  befriend(address: string): Promise<AppliedRow>;
}

const xlm = 10n ** BigInt(stellarDecimals);
/** What the faucet gives at a time, in smallest units. */
export const gift = 1_000_000n * xlm;
const friendbotGift = 10_000n * xlm;

/** Makes the sandbox’s purse. */
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
    befriend: async address => {
      if (!isStellarAddress(address)) throw new SandboxMoneyError('malformed', 'this is no Stellar address');
      const { friendbot } = seededKeys();
      const body = createAccount(address, friendbotGift);
      try {
        return await sender.send({ operations: [operation(body, friendbot.address)], signers: [friendbot] });
      } catch (error) {
        if (!(error instanceof OwnTransactionFailed) || !error.codes.includes('op_already_exists')) throw error;
        throw new SandboxMoneyError('account_exists', 'account already funded to starting balance');
      }
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

/** What the network’s codes mean for the payment, in words. */
function explained({ codes }: OwnTransactionFailed, { address, asset, amount }: SandboxPayment): SandboxMoneyError {
  const about = `${formatUnits(amount, stellarDecimals)} ${asset.split(':')[0]} to ${address}`;
  if (codes.includes('op_no_destination')) {
    return new SandboxMoneyError('no_account', `There is no account ${address}: it must be opened with XLM first.`);
  }
  if (codes.includes('op_no_trust') || codes.includes('op_not_authorized')) {
    return new SandboxMoneyError('no_trust', `${address} has no trustline to ${asset}, so it cannot hold it.`);
  }
  if (codes.includes('op_line_full')) {
    return new SandboxMoneyError('line_full', `The trustline of ${address} to ${asset} has no room for that much.`);
  }
  if (codes.includes('op_src_no_trust') || codes.includes('op_underfunded')) {
    return new SandboxMoneyError('refused', `The sandbox has no ${asset} to give.`);
  }
  return new SandboxMoneyError(
    'refused',
    `The sandbox network would not pay ${about}: ${codes.join(', ') || 'no answer'}.`,
  );
}
