import type { Memo, Transaction } from '@stellar/stellar-sdk/base';
import { WalletError } from './horizon.ts';

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
export function stepsOf(operations: readonly OperationRecord[], account: string): string[] {
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
export function memoText({ type, value }: Memo): string | null {
  if (type === 'none' || value === null) return null;
  if (typeof value === 'string') return value;
  return type === 'text' ? new TextDecoder().decode(value) : Buffer.from(value).toString('hex');
}
