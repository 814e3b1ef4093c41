import { mostStroops, parseUnits, stellarDecimals } from '../../../../core/money.ts';
import { isStellarAddress } from '../../../../core/stellar/strkey.ts';
import type { Fields } from '../records/fields.ts';
import { invalidField } from './problem.ts';

/** A request to Horizon, with its parameters checked as they are read. */
export interface HorizonRequest {
  /** Path below Horizon’s address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly links: Links;
  /** A parameter of the path or the query; empty when it is absent. */
  text(name: string): string;
  /** A parameter that names an account (G…), or null. Throws a problem when it is something else. */
  account(name: string): string | null;
}

/** Where a request comes from and what it says. */
interface RequestParts {
  /** Address of Horizon as the client spelt it, without a slash at the end. */
  readonly base: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

/** Reads a request. */
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

const accountReason = 'Account ID must start with `G` and contain 56 alphanum characters';

/** A parameter that must name an account. */
export function requireAccount(request: HorizonRequest, name: string): string {
  const account = request.account(name);
  if (account === null) throw invalidField(name, accountReason);
  return account;
}

const assetReason =
  'Asset must be the string "native" or a string of the form "Code:IssuerAccountID" for issued assets.';

/** An asset as one text (SEP-11), or null when it is none. */
function readAsset(text: string): string | null {
  if (text === 'native') return text;
  const [code = '', issuer = '', ...rest] = text.split(':');
  const sound = /^[A-Za-z0-9]{1,12}$/.test(code) && issuer.startsWith('G') && isStellarAddress(issuer);
  return sound && rest.length === 0 ? text : null;
}

/** A parameter that holds an asset as one text, or null when it is absent. */
export function assetParameter(request: HorizonRequest, name: string): string | null {
  const text = request.text(name);
  if (text === '') return null;
  const asset = readAsset(text);
  if (asset === null) throw invalidField(name, assetReason);
  return asset;
}

/** A comma-separated list of assets. */
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

/** An asset spelt in three parameters (`<prefix>asset_type`, `_code`, `_issuer`), or null when the type is absent. */
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

/** A positive amount, in stroops. */
export function amountParameter(request: HorizonRequest, name: string): bigint {
  const amount = parseUnits(request.text(name), stellarDecimals);
  if (amount === null || amount <= 0n || amount > mostStroops) throw invalidField(name, 'Amount must be positive');
  return amount;
}

/** The largest of Horizon’s own numbers: ids and cursors are signed integers of 64 bits. */
export const largestNumber = 2n ** 63n - 1n;

/** A whole number above 0 in the path, or null when it is none. */
export function positiveNumber(text: string): bigint | null {
  return /^[1-9][0-9]{0,18}$/.test(text) && BigInt(text) <= largestNumber ? BigInt(text) : null;
}

/** The hash of a transaction in the path. */
export function hashParameter(request: HorizonRequest, name: string): string {
  const hash = request.text(name);
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw invalidField(name, 'Transaction hash must be a hex-encoded, lowercase SHA-256 hash');
}

/** Makes addresses below the one under which Horizon is reached, without a slash at the end. */
export interface Links {
  readonly base: string;
  /** A link; `{…}` in it makes it a template. */
  to(path: string): Fields;
  /** A link to a list that takes cursor, limit and order. */
  page(path: string): Fields;
}

/** Links for one request, under the address it was sent to. */
function createLinks(base: string): Links {
  const to = (path: string): Fields => ({ href: base + path, ...(path.includes('{') && { templated: true }) });
  return { base, to, page: path => to(`${path}{?cursor,limit,order}`) };
}
