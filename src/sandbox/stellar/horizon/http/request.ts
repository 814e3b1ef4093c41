import { parseUnits } from '../../../../core/money.ts';
import { mostStroops, stellarDecimals } from '../../../../core/stellar/stellar-amount.ts';
import { isStellarAddress } from '../../../../core/stellar/strkey.ts';
import type { Fields } from '../records/fields.ts';
import { invalidField } from './problem.ts';

/** A request to Horizon. */
export interface HorizonRequest {
  /** The path below Horizon’s URL. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly links: Links;
  /** A parameter of the path or the query. Empty if it is absent. */
  text(name: string): string;
  /** A parameter that names an account (G…), or null. Throws a problem for other text. */
  account(name: string): string | null;
}

interface RequestParts {
  /** Horizon’s URL as the client wrote it, without a trailing slash. */
  readonly base: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

export function createHorizonRequest({ base, path, query, params }: RequestParts): HorizonRequest {
  const text = (name: string) => params[name] ?? query.get(name) ?? '';
  return {
    path,
    query,
    links: createLinks(base),
    text,
    account: name => {
      const value = text(name);
      if (value === '') return null;
      if (!value.startsWith('G') || !isStellarAddress(value)) throw invalidField(name, accountReason);
      return value;
    },
  };
}

export const accountReason = 'Account ID must start with `G` and contain 56 alphanum characters';

export function requireAccount(request: HorizonRequest, name: string): string {
  const account = request.account(name);
  if (account === null) throw invalidField(name, accountReason);
  return account;
}

const assetReason =
  'Asset must be the string "native" or a string of the form "Code:IssuerAccountID" for issued assets.';

/** An asset in SEP-11 form, or null. */
function readAsset(text: string): string | null {
  if (text === 'native') return text;
  const [code = '', issuer = '', ...rest] = text.split(':');
  const sound = /^[A-Za-z0-9]{1,12}$/.test(code) && issuer.startsWith('G') && isStellarAddress(issuer);
  return sound && rest.length === 0 ? text : null;
}

/** A parameter with an asset in SEP-11 form, or null if it is absent. */
export function assetParameter(request: HorizonRequest, name: string): string | null {
  const text = request.text(name);
  if (text === '') return null;
  const asset = readAsset(text);
  if (asset === null) throw invalidField(name, assetReason);
  return asset;
}

export function assetList(request: HorizonRequest, name: string): readonly string[] {
  return request
    .text(name)
    .split(',')
    .filter(part => part !== '')
    .map(part => {
      const asset = readAsset(part);
      if (asset === null) throw invalidField(name, `${part.slice(0, 80)} is not a valid asset`);
      return asset;
    });
}

/** An asset in three parameters (`<prefix>asset_type`, `_code`, `_issuer`), or null if the type is absent. */
export function assetInParts(request: HorizonRequest, prefix: string): string | null {
  const [type, code, issuer] = ['type', 'code', 'issuer'].map(part => request.text(`${prefix}asset_${part}`));
  if (!type) {
    if (code || issuer) throw invalidField(`${prefix}asset_type`, 'Missing parameter');
    return null;
  }
  if (type === 'native') {
    if (code) throw invalidField(`${prefix}asset_code`, 'native asset does not have a code');
    if (issuer) throw invalidField(`${prefix}asset_issuer`, 'native asset does not have an issuer');
    return type;
  }
  const longest = { credit_alphanum4: 4, credit_alphanum12: 12 }[type];
  if (longest === undefined) {
    throw invalidField(`${prefix}asset_type`, 'Asset type must be native, credit_alphanum4 or credit_alphanum12');
  }
  if (!code || code.length > longest || !/^[A-Za-z0-9]+$/.test(code)) {
    throw invalidField(`${prefix}asset_code`, 'Asset code must be 1-12 alphanumeric characters');
  }
  if (!issuer) throw invalidField(`${prefix}asset_issuer`, 'Missing parameter');
  if (!issuer.startsWith('G') || !isStellarAddress(issuer)) throw invalidField(`${prefix}asset_issuer`, accountReason);
  return `${code}:${issuer}`;
}

export function amountParameter(request: HorizonRequest, name: string): bigint {
  const amount = parseUnits(request.text(name), stellarDecimals);
  if (amount === null || amount <= 0n || amount > mostStroops) throw invalidField(name, 'Amount must be positive');
  return amount;
}

/** The largest id or cursor. Horizon’s ids and cursors are signed 64-bit integers. */
export const largestNumber = 2n ** 63n - 1n;

/** A positive integer, or null for other text. */
export function positiveNumber(text: string): bigint | null {
  return /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) <= largestNumber ? BigInt(text) : null;
}

export function hashParameter(request: HorizonRequest, name: string): string {
  const hash = request.text(name);
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw invalidField(name, 'Transaction hash must be a hex-encoded, lowercase SHA-256 hash');
}

/** Makes links below Horizon’s URL. */
export interface Links {
  readonly base: string;
  /** A link to the path. A path with `{…}` becomes a link template. */
  to(path: string): Fields;
  /** The link template of a list. */
  page(path: string): Fields;
}

function createLinks(base: string): Links {
  const to = (path: string): Fields => ({ href: base + path, ...(path.includes('{') && { templated: true }) });
  return { base, to, page: path => to(`${path}{?cursor,limit,order}`) };
}
