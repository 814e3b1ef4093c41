import { publicPassphrase } from '../../src/core/stellar/stellar-network.ts';
import { decodeStrkey, isStellarAddress } from '../../src/core/stellar/strkey.ts';
import type { LinkMemo } from '../wallet-messages.ts';

/** Fields that payment links and transaction links share. */
interface LinkBase {
  /** The requester's message, at most 300 characters. */
  readonly message: string | null;
  /** The claimed origin, which only the signature proves. */
  readonly originDomain: string | null;
  /** The signature in base64. It covers the part of the link before the parameter `signature`. */
  readonly signature: string | null;
  /** The text that was signed. */
  readonly signedText: string;
  readonly networkPassphrase: string;
}

/** A request to pay (`web+stellar:pay`). */
interface PayLink extends LinkBase {
  readonly kind: 'pay';
  readonly destination: string;
  /** Null when the payer chooses the amount. */
  readonly amount: string | null;
  /** `XLM` or `CODE:ISSUER`. */
  readonly asset: string;
  readonly memo: LinkMemo | null;
}

/** A request to sign a transaction (`web+stellar:tx`). */
export interface TransactionLink extends LinkBase {
  readonly kind: 'tx';
  readonly xdr: string;
  /** Fields that the wallet fills in. */
  readonly replace: string[];
  /** The key that must sign, if the link names a key. */
  readonly publicKey: string | null;
}

export type Sep7Link = PayLink | TransactionLink;

/** An invalid link. The message says why. */
export class LinkProblem extends Error {}

/** Reads a link of SEP-7 (`web+stellar:pay?…`, `web+stellar:tx?…`). Throws LinkProblem. */
export function readSep7Link(text: string): Sep7Link {
  const match = /^web\+stellar:(pay|tx)\?(.*)$/s.exec(text.trim());
  if (match === null) throw new LinkProblem('This is not a Stellar payment link.');
  const fields = readFields(match[2] ?? '');
  if (fields.has('callback')) {
    throw new LinkProblem(
      'This link wants the signed payment sent to a web page instead of the network. This wallet does not do that.',
    );
  }
  const base = baseOf(text.trim(), fields);
  return match[1] === 'pay' ? payLink(base, fields) : transactionLink(base, fields);
}

type Fields = ReadonlyMap<string, string>;

/** Reads the fields without decoding `+`, which is part of base64. Refuses a repeated field as ambiguous. */
function readFields(query: string): Fields {
  const fields = new Map<string, string>();
  for (const part of query.split('&').filter(part => part !== '')) {
    const [name = '', ...rest] = part.split('=');
    if (fields.has(name)) throw new LinkProblem('This payment link says the same thing twice.');
    fields.set(name, decoded(rest.join('=')));
  }
  return fields;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new LinkProblem('This payment link is damaged.');
  }
}

function baseOf(text: string, fields: Fields): LinkBase {
  const message = fields.get('msg') ?? null;
  if (message !== null && message.length > 300) throw new LinkProblem('The message in this payment link is too long.');
  return {
    message,
    originDomain: fields.get('origin_domain') ?? null,
    signature: fields.get('signature') ?? null,
    signedText: text.replace(/&signature=[^&]*$/, ''),
    // A link without a network means the public network.
    networkPassphrase: fields.get('network_passphrase') ?? publicPassphrase,
  };
}

function payLink(base: LinkBase, fields: Fields): PayLink {
  const destination = fields.get('destination') ?? '';
  if (!isStellarAddress(destination)) throw new LinkProblem('The address in this payment link is damaged.');
  const amount = fields.get('amount') ?? null;
  if (amount !== null && !isAmount(amount)) throw new LinkProblem('The amount in this payment link is not one.');
  return { ...base, kind: 'pay', destination, amount, asset: assetOf(fields), memo: memoOf(fields) };
}

/** Whether the text is a positive amount with at most seven decimals. */
export function isAmount(text: string): boolean {
  return /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,7})?$/.test(text) && /[1-9]/.test(text);
}

function assetOf(fields: Fields): string {
  const code = fields.get('asset_code');
  const issuer = fields.get('asset_issuer');
  if (code === undefined || (code === 'XLM' && issuer === undefined)) return 'XLM';
  const isFine = /^[A-Za-z0-9]{1,12}$/.test(code) && issuer?.startsWith('G') && isStellarAddress(issuer);
  if (!isFine) throw new LinkProblem('The asset in this payment link is damaged.');
  return `${code}:${issuer}`;
}

const memoTypes: Readonly<Record<string, LinkMemo['type']>> = {
  MEMO_TEXT: 'text',
  MEMO_ID: 'id',
  MEMO_HASH: 'hash',
  MEMO_RETURN: 'return',
};

function memoOf(fields: Fields): LinkMemo | null {
  const value = fields.get('memo');
  if (value === undefined) return null;
  const type = memoTypes[fields.get('memo_type') ?? 'MEMO_TEXT'];
  if (type === undefined) throw new LinkProblem('The memo in this payment link is damaged.');
  const memo = { type, value: type === 'hash' || type === 'return' ? hexOf(value) : value };
  const isFine =
    type === 'id' ? /^[0-9]{1,20}$/.test(value) : type !== 'text' || new TextEncoder().encode(value).length <= 28;
  if (!isFine) throw new LinkProblem('The memo in this payment link is damaged.');
  return memo;
}

/** Converts a hash to hex. Links contain it as base64 of 32 bytes. */
function hexOf(base64: string): string {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(base64)) throw new LinkProblem('The memo in this payment link is damaged.');
  return [...atob(base64)].map(byte => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

function transactionLink(base: LinkBase, fields: Fields): TransactionLink {
  const xdr = fields.get('xdr') ?? '';
  if (!/^[A-Za-z0-9+/]+=*$/.test(xdr)) throw new LinkProblem('The transaction in this link is damaged.');
  const named = (fields.get('replace') ?? '').split(';')[0] ?? '';
  const replace = named.split(',').flatMap(part => part.split(':')[0] || []);
  return { ...base, kind: 'tx', xdr, replace, publicKey: fields.get('pubkey') ?? null };
}

/**
 * Origin of a link. `unsigned`: the link has neither domain nor signature. `verified`: the domain signed the link.
 * `unknown`: the domain did not answer. `forged`: the domain, its key or the signature is missing or wrong.
 */
export type LinkOrigin =
  | { readonly state: 'unsigned' | 'unknown' | 'forged' }
  | { readonly state: 'verified'; readonly domain: string };

const prefixText = 'stellar.sep.7 - URI Scheme';

/**
 * Checks a link's signature against the key that its domain publishes (SEP-7 “signature”, SEP-1
 * `URI_REQUEST_SIGNING_KEY`).
 */
export async function checkOrigin(link: Sep7Link): Promise<LinkOrigin> {
  const { originDomain: domain, signature, signedText } = link;
  if (domain === null && signature === null) return { state: 'unsigned' };
  if (domain === null || signature === null || !isDomain(domain)) return { state: 'forged' };
  const toml = await readToml(domain);
  if (toml === null) return { state: 'unknown' };
  const key = signingKey(toml);
  const isReal = key !== null && (await isSignedBy(key, signature, signedText));
  return isReal ? { state: 'verified', domain } : { state: 'forged' };
}

/** A fully qualified domain name, as SEP-7 requires, or localhost for development. */
function isDomain(text: string): boolean {
  return /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i.test(text) || isLoopback(text);
}

function isLoopback(text: string): boolean {
  return /^(localhost|127\.0\.0\.1)(:\d{1,5})?$/.test(text);
}

async function readToml(domain: string): Promise<string | null> {
  const scheme = isLoopback(domain) ? 'http' : 'https';
  try {
    const answer = await fetch(`${scheme}://${domain}/.well-known/stellar.toml`, {
      credentials: 'omit',
      signal: AbortSignal.timeout(8_000),
    });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** Top-level keys of a TOML file precede its first table. */
function signingKey(toml: string): Uint8Array<ArrayBuffer> | null {
  const [top = ''] = toml.split(/^\s*\[/m);
  const text = /^\s*URI_REQUEST_SIGNING_KEY\s*=\s*["'](G[A-Z2-7]{55})["']/m.exec(top)?.[1];
  const bytes = text === undefined ? null : decodeStrkey('G', text);
  return bytes === null ? null : Uint8Array.from(bytes);
}

/** Verifies the signature over 35 zero bytes, the byte 4, the scheme's name, and the signed text (SEP-7). */
async function isSignedBy(key: Uint8Array<ArrayBuffer>, signature: string, signedText: string): Promise<boolean> {
  const text = new TextEncoder().encode(prefixText + signedText);
  const payload = new Uint8Array(36 + text.length);
  payload[35] = 4;
  payload.set(text, 36);
  try {
    const bytes = Uint8Array.from(atob(signature), byte => byte.charCodeAt(0));
    const publicKey = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, publicKey, bytes, payload);
  } catch {
    return false;
  }
}
