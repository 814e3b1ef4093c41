import { parsePaymentAddress } from '../transaction/muxed-address.ts';
import { memoRequiredEntry, type OperationOf, type StellarOperationType } from '../transaction/operation.ts';
import type { InspectedTransaction } from '../transaction/transaction.ts';

/** Why the signer does not sign. `cap`: too much at once; `day_cap`: too much in a day; `unknown`: nothing it does. */
export class SigningRefused extends Error {
  readonly reason: 'cap' | 'day_cap' | 'unknown';
  /** Of which there would be too much; null where that is not why. */
  readonly asset: string | null;
  constructor(reason: SigningRefused['reason'], message: string, asset: string | null = null) {
    super(`the signer refuses: ${message}`);
    this.name = 'SigningRefused';
    this.reason = reason;
    this.asset = asset;
  }
}

/** What a transaction is for. `transfer` sends money out, `claim` takes it in, `setup` makes the treasury’s account ready. */
export type SigningPurpose = 'transfer' | 'claim' | 'setup';

/** What the rules know of the accounts. */
export interface SigningAccounts {
  readonly treasury: string;
  isChannel(address: string): boolean;
  /** Whether the treasury may hold the asset. */
  isHeld(asset: string): boolean;
}

/** An amount of an asset that may leave. */
interface Outflow {
  readonly asset: string;
  readonly amount: bigint;
}

interface Rule<T extends StellarOperationType> {
  readonly purpose: SigningPurpose;
  /** The most that the operation may take out of the treasury; null: nothing of account. */
  outflow(operation: OperationOf<T>, accounts: SigningAccounts): Outflow | null;
  /** What is wrong with it, or null. */
  objection?(operation: OperationOf<T>, accounts: SigningAccounts): string | null;
}

/** The most that a new channel is opened with, in stroops: channels hold nothing. */
const largestChannelBalance = 50_000_000n;

/** What the signer signs. An operation that is not here it does not sign. */
const rules: { readonly [T in StellarOperationType]?: Rule<T> } = {
  payment: { purpose: 'transfer', outflow: ({ asset, amount }) => ({ asset, amount }) },
  pathPaymentStrictReceive: {
    purpose: 'transfer',
    outflow: ({ sendAsset, sendMax }) => ({ asset: sendAsset, amount: sendMax }),
  },
  pathPaymentStrictSend: {
    purpose: 'transfer',
    outflow: ({ sendAsset, sendAmount }) => ({ asset: sendAsset, amount: sendAmount }),
  },
  createClaimableBalance: { purpose: 'transfer', outflow: ({ asset, amount }) => ({ asset, amount }) },
  claimClaimableBalance: { purpose: 'claim', outflow: () => null },
  createAccount: {
    purpose: 'setup',
    outflow: ({ startingBalance }) => ({ asset: 'XLM', amount: startingBalance }),
    objection: ({ destination, startingBalance }, { isChannel }) =>
      isChannel(destination) && startingBalance <= largestChannelBalance
        ? null
        : 'it opens an account of somebody else',
  },
  changeTrust: {
    purpose: 'setup',
    outflow: () => null,
    objection: ({ asset, limit }, { isHeld }) =>
      limit > 0n && isHeld(asset) ? null : `the treasury is not to hold ${asset}, or is to go on holding it`,
  },
  manageData: {
    purpose: 'setup',
    outflow: () => null,
    objection: ({ name }) => (name === memoRequiredEntry.name ? null : `it sets the data entry “${name}”`),
  },
  setOptions: {
    purpose: 'setup',
    outflow: () => null,
    objection: ({ setFlags, clearFlags }) =>
      setFlags === undefined && clearFlags === undefined ? null : 'it changes the flags of the treasury',
  },
};

/** What a transaction that may be signed is for, and the most that may leave by it, by asset. Throws SigningRefused for any other. */
export function judgeTransaction(
  { source, operations }: Pick<InspectedTransaction, 'source' | 'operations'>,
  accounts: SigningAccounts,
): { readonly purpose: SigningPurpose; readonly outflows: ReadonlyMap<string, bigint> } {
  const outflows = new Map<string, bigint>();
  const purposes = new Set<SigningPurpose>();
  for (const operation of operations) {
    const rule = ruleOf(operation.type);
    const owner = parsePaymentAddress(operation.source ?? source)?.account;
    if (rule === null) throw refused(`it does not know ${operation.type}`);
    if (owner !== accounts.treasury) throw refused(`${operation.type} is not the treasury’s`);
    const objection = rule.objection?.(operation, accounts) ?? null;
    if (objection !== null) throw refused(objection);
    purposes.add(rule.purpose);
    const out = rule.outflow(operation, accounts);
    if (out !== null) outflows.set(out.asset, (outflows.get(out.asset) ?? 0n) + out.amount);
  }
  const [purpose] = purposes;
  if (purpose === undefined || purposes.size > 1) throw refused(`it is for ${[...purposes].join(' and ')} at once`);
  return { purpose, outflows };
}

function ruleOf(type: StellarOperationType): Rule<StellarOperationType> | null {
  // The table’s type says that each rule takes its own operations; the compiler cannot follow the name through it.
  return (rules[type] as Rule<StellarOperationType> | undefined) ?? null;
}

function refused(message: string): SigningRefused {
  return new SigningRefused('unknown', message);
}
