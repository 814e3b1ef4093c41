import type { MuxedAccountWire } from '@stellar/stellar-sdk/xdr';
import { divideRounded, formatUnits } from '../../../../core/money.ts';
import { stellarDecimals } from '../../../../core/stellar/stellar-amount.ts';
import { encodeStrkey } from '../../../../core/stellar/strkey.ts';
import { accountOf, native } from '../../core/state/identifiers.ts';

/** Fields of an object in a JSON answer. */
export type Fields = Readonly<Record<string, unknown>>;

/** An amount of stroops as text with 7 decimals. */
export function amountText(stroops: bigint): string {
  return formatUnits(stroops, stellarDecimals);
}

/** A price as text, rounded to 7 decimals. */
export function priceText({ n, d }: { readonly n: number | bigint; readonly d: number | bigint }): string {
  return formatUnits(divideRounded(BigInt(n) * 10n ** BigInt(stellarDecimals), BigInt(d)), stellarDecimals);
}

/** `asset_type`, and for issued assets `asset_code` and `asset_issuer`, each with the prefix. */
export function assetFields(asset: string, prefix = ''): Fields {
  if (asset === native) return { [`${prefix}asset_type`]: 'native' };
  const [code = '', issuer] = asset.split(':');
  return {
    [`${prefix}asset_type`]: code.length > 4 ? 'credit_alphanum12' : 'credit_alphanum4',
    [`${prefix}asset_code`]: code,
    [`${prefix}asset_issuer`]: issuer,
  };
}

/** The account under `name`. A muxed account also has `<name>_muxed` and `<name>_muxed_id`. */
export function accountFields(account: MuxedAccountWire, name: string): Fields {
  return { [name]: accountOf(account), ...muxedFields(account, name) };
}

/** `<name>_muxed` and `<name>_muxed_id` of a muxed account. No fields for another account. */
export function muxedFields(account: MuxedAccountWire, name: string): Fields {
  if (account.type === 0) return {};
  return { [`${name}_muxed`]: muxedText(account), [`${name}_muxed_id`]: String(account.med25519.id) };
}

/** The `M…` address of a muxed account (SEP-23). */
function muxedText({ med25519 }: Extract<MuxedAccountWire, { type: 256 }>): string {
  const payload = Buffer.alloc(40);
  payload.set(med25519.ed25519);
  payload.writeBigUInt64BE(med25519.id, 32);
  return encodeStrkey('M', payload);
}

/** The values and the names of all flags that are set. No fields if no flag is set. */
export function flagFields(flags: number, names: Readonly<Record<number, string>>, prefix: string): Fields {
  const set = Object.entries(names).filter(([bit]) => (flags & Number(bit)) !== 0);
  if (set.length === 0) return {};
  return {
    [`${prefix}_flags`]: set.map(([bit]) => Number(bit)),
    [`${prefix}_flags_s`]: set.map(([, name]) => name),
  };
}

export const accountFlagNames = {
  1: 'auth_required',
  2: 'auth_revocable',
  4: 'auth_immutable',
  8: 'auth_clawback_enabled',
} as const;

/** Horizon’s names of trust line flags. The misspelling `liabilites` is Horizon’s. */
export const lineFlagNames = {
  1: 'authorized',
  2: 'authorized_to_maintain_liabilites',
  4: 'clawback_enabled',
} as const;

/** A time in ISO 8601, whole seconds, UTC. */
export function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** All flags of an account as booleans. */
export function authorizationFlags(flags: number): Fields {
  return Object.fromEntries(Object.entries(accountFlagNames).map(([bit, name]) => [name, (flags & Number(bit)) !== 0]));
}

/** The fields whose value is not undefined. */
export function present(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
