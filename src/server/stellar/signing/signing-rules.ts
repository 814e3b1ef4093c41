import { formatAsset, parseAsset } from '../../../core/asset.ts';
import { parseUnits } from '../../../core/money.ts';
import { stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import { parsePaymentAddress } from '../transaction/muxed-address.ts';
import { memoRequiredEntry, type OperationOf, type StellarOperationType } from '../transaction/operation.ts';
import type { InspectedTransaction } from '../transaction/transaction.ts';

/**
 * The signer refuses to sign. `cap`: above a limit per transaction; `day_cap`: above the daily limit; `unknown`: not
 * allowed at all.
 */
export class SigningRefused extends Error {
  readonly reason: 'cap' | 'day_cap' | 'unknown';
  /** The asset whose limit is reached, or null. */
  readonly asset: string | null;
  constructor(reason: SigningRefused['reason'], message: string, asset: string | null = null) {
    super(`the signer refuses: ${message}`);
    this.name = 'SigningRefused';
    this.reason = reason;
    this.asset = asset;
  }
}

/** `transfer` sends money out, `claim` takes money in, `setup` prepares the treasury's account. */
export type SigningPurpose = 'transfer' | 'claim' | 'setup';

/** The service's accounts and assets that the rules check. */
export interface SigningAccounts {
  readonly treasury: string;
  isChannel(address: string): boolean;
  isHeld(asset: string): boolean;
}

interface Rule<T extends StellarOperationType> {
  readonly purpose: SigningPurpose;
  /**
   * The asset and the largest amount (stroops) that the operation takes out of the treasury. Null if it takes nothing.
   */
  outflow(operation: OperationOf<T>): readonly [asset: string, amount: bigint] | null;
  /** Why the operation is refused, or null. */
  objection?(operation: OperationOf<T>, accounts: SigningAccounts): string | null;
}

/** The largest starting balance of a channel, in stroops. Channels pay no fees. */
const largestChannelBalance = 50_000_000n;

/** The operations that the signer signs, each with its rule. */
const rules: { readonly [T in StellarOperationType]: Rule<T> } = {
  payment: { purpose: 'transfer', outflow: ({ asset, amount }) => [asset, amount] },
  pathPaymentStrictReceive: { purpose: 'transfer', outflow: ({ sendAsset, sendMax }) => [sendAsset, sendMax] },
  createClaimableBalance: { purpose: 'transfer', outflow: ({ asset, amount }) => [asset, amount] },
  claimClaimableBalance: { purpose: 'claim', outflow: () => null },
  createAccount: {
    purpose: 'setup',
    outflow: ({ startingBalance }) => ['XLM', startingBalance],
    objection: ({ destination, startingBalance }, { isChannel }) =>
      isChannel(destination) && startingBalance <= largestChannelBalance
        ? null
        : 'it opens an account that is not a channel, or gives a channel too much XLM',
  },
  changeTrust: {
    purpose: 'setup',
    outflow: () => null,
    objection: ({ asset, limit }, { isHeld }) =>
      limit > 0n && isHeld(asset)
        ? null
        : `it adds a trustline for ${asset} that the treasury must not have, or removes one that it needs`,
  },
  manageData: {
    purpose: 'setup',
    outflow: () => null,
    objection: ({ name }) => (name === memoRequiredEntry.name ? null : `it sets the data entry “${name}”`),
  },
};

/**
 * Returns the purpose of a transaction and its largest outflow by asset (stroops). Throws `SigningRefused` if a rule
 * forbids the transaction.
 */
export function judgeTransaction(
  { source, operations }: Pick<InspectedTransaction, 'source' | 'operations'>,
  accounts: SigningAccounts,
): { readonly purpose: SigningPurpose; readonly outflows: ReadonlyMap<string, bigint> } {
  const outflows = new Map<string, bigint>();
  const purposes = new Set<SigningPurpose>();
  for (const operation of operations) {
    // The type of `rules` matches each rule to its operation, but TypeScript cannot see this through `operation.type`.
    const rule = rules[operation.type] as Rule<StellarOperationType>;
    const owner = parsePaymentAddress(operation.source ?? source)?.account;
    if (owner !== accounts.treasury)
      throw refused(`the operation ${operation.type} is not from the treasury’s account`);
    const objection = rule.objection?.(operation, accounts) ?? null;
    if (objection !== null) throw refused(objection);
    purposes.add(rule.purpose);
    const [asset, amount] = rule.outflow(operation) ?? [];
    if (asset !== undefined && amount !== undefined) outflows.set(asset, (outflows.get(asset) ?? 0n) + amount);
  }
  const [purpose] = purposes;
  if (purpose === undefined || purposes.size > 1)
    throw refused(`it must have one purpose, not ${[...purposes].join(' and ')}`);
  return { purpose, outflows };
}

/** The error for a transaction that no rule allows. */
export function refused(message: string): SigningRefused {
  return new SigningRefused('unknown', message);
}

/**
 * Outflow limits in stroops by asset (wire text). `*` applies to all assets without their own limit. Null: no limits.
 */
export type SpendingCaps = ReadonlyMap<string, bigint> | null;

/** The limit of an asset, in stroops. An asset outside the limits has limit 0. Null: no limits exist. */
export function capOf(caps: SpendingCaps, asset: string): bigint | null {
  return caps === null ? null : (caps.get(asset) ?? caps.get('*') ?? 0n);
}

/**
 * Reads `XLM=5000,USDC=2500.50,EURT:G…=100,*=0`. A code without issuer must be one of the network's known assets. An
 * empty text means no limits. Throws Error with the accepted form of the setting.
 */
export function parseCaps(text: string, knownAssets: Readonly<Record<string, string>>): SpendingCaps {
  if (text === '') return null;
  const entries = text.split(',').map(entry => {
    const [name = '', amount = '', ...rest] = entry.trim().split('=');
    const asset = name === '*' ? '*' : parseAsset(name, knownAssets);
    const cap = parseUnits(amount, stellarDecimals);
    if (asset === null || cap === null || rest.length > 0) {
      throw new Error(`takes amounts by asset such as XLM=5000,USDC=2500.50,*=0; “${entry.trim()}” is not one`);
    }
    return [asset === '*' ? asset : formatAsset(asset), cap] as const;
  });
  const caps = new Map(entries);
  if (caps.size < entries.length) throw new Error('names an asset twice');
  return caps;
}
