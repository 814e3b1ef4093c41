import { formatAsset, parseAsset } from '../../../core/asset.ts';
import { parseUnits, stellarDecimals } from '../../../core/money.ts';
import { parsePaymentAddress } from '../transaction/muxed-address.ts';
import { memoRequiredEntry, type OperationOf, type StellarOperationType } from '../transaction/operation.ts';
import type { InspectedTransaction } from '../transaction/transaction.ts';

/** The signer does not sign. `cap`: above a limit per transaction; `day_cap`: above the daily limit; `unknown`: not allowed at all. */
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

/** The service's accounts, as the rules need them. */
export interface SigningAccounts {
  readonly treasury: string;
  isChannel(address: string): boolean;
  /** Whether the treasury may hold the asset. */
  isHeld(asset: string): boolean;
}

interface Rule<T extends StellarOperationType> {
  readonly purpose: SigningPurpose;
  /** The asset and the largest amount (stroops) that the operation takes out of the treasury; null: none. */
  outflow(operation: OperationOf<T>): readonly [asset: string, amount: bigint] | null;
  /** What is wrong with it, or null. */
  objection?(operation: OperationOf<T>, accounts: SigningAccounts): string | null;
}

/** The largest starting balance of a channel, in stroops. Channels pay nothing. */
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
};

/** Returns the purpose of a transaction and its largest outflow by asset (stroops). Throws `SigningRefused` when a rule forbids it. */
export function judgeTransaction(
  { source, operations }: Pick<InspectedTransaction, 'source' | 'operations'>,
  accounts: SigningAccounts,
): { readonly purpose: SigningPurpose; readonly outflows: ReadonlyMap<string, bigint> } {
  const outflows = new Map<string, bigint>();
  const purposes = new Set<SigningPurpose>();
  for (const operation of operations) {
    // The type of `rules` matches each rule to its operation; TypeScript cannot follow that through the name.
    const rule = rules[operation.type] as Rule<StellarOperationType>;
    const owner = parsePaymentAddress(operation.source ?? source)?.account;
    if (owner !== accounts.treasury) throw refused(`${operation.type} is not the treasury’s`);
    const objection = rule.objection?.(operation, accounts) ?? null;
    if (objection !== null) throw refused(objection);
    purposes.add(rule.purpose);
    const [asset, amount] = rule.outflow(operation) ?? [];
    if (asset !== undefined && amount !== undefined) outflows.set(asset, (outflows.get(asset) ?? 0n) + amount);
  }
  const [purpose] = purposes;
  if (purpose === undefined || purposes.size > 1) throw refused(`it is for ${[...purposes].join(' and ')} at once`);
  return { purpose, outflows };
}

/** The refusal of a transaction that no rule allows. */
export function refused(message: string): SigningRefused {
  return new SigningRefused('unknown', message);
}

/** Outflow limits in stroops by asset (wire text). `*` covers all assets without their own. Null: no limits. */
export type SpendingCaps = ReadonlyMap<string, bigint> | null;

/** The limit of an asset, in stroops. An asset without one may not leave. Null: there are no limits. */
export function capOf(caps: SpendingCaps, asset: string): bigint | null {
  return caps === null ? null : (caps.get(asset) ?? caps.get('*') ?? 0n);
}

/**
 * Reads `XLM=5000,USDC=2500.50,EURT:G…=100,*=0`. A code without issuer must be one of the network's known assets. An empty
 * text means no limits. Throws Error with what the setting takes.
 */
export function parseCaps(text: string, knownAssets: Readonly<Record<string, string>>): SpendingCaps {
  if (text === '') return null;
  const entries = text.split(',').map(entry => {
    const [name = '', amount = '', ...rest] = entry.trim().split('=');
    const asset = name === '*' ? '*' : parseAsset(name, knownAssets);
    const cap = parseUnits(amount, stellarDecimals);
    if (asset === null || cap === null || rest.length > 0) {
      throw new Error(`takes amounts by asset such as XLM=5000,USDC=2500.50,*=0; “${entry.trim()}” is none`);
    }
    return [asset === '*' ? asset : formatAsset(asset), cap] as const;
  });
  const caps = new Map(entries);
  if (caps.size < entries.length) throw new Error('names an asset twice');
  return caps;
}
