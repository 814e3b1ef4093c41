import { formatAsset, parseAsset } from '../../core/asset.ts';
import { formatUnits, parseUnits, stellarDecimals } from '../../core/money.ts';
import { publicPassphrase } from '../../core/stellar-network.ts';
import { decodeStrkey, encodeStrkey, isStellarAddress } from '../../core/strkey.ts';
import { privateKeyOf, publicKeyBytes, signEd25519, verifyEd25519 } from './ed25519.ts';
import type { TransactionMemo } from './network.ts';

/**
 * Links that ask a wallet to pay or to sign (SEP-7 2.1.0): `web+stellar:pay?…`, `web+stellar:tx?…`. A signed one names
 * the domain it comes from and ends with a signature that wallets check against `URI_REQUEST_SIGNING_KEY` of that
 * domain’s stellar.toml.
 */

/** What every link may say. */
interface Sep7Base {
  /** For the person at the wallet; it does not go on the ledger. At most 300 characters, what is beyond is cut off. */
  readonly message?: string | null;
  /** Where the wallet is to send the signed transaction instead of to the network. */
  readonly callback?: string | null;
}

/** A request to pay. */
export interface Sep7Payment extends Sep7Base {
  readonly destination: string;
  /** Wire text of what is to arrive; the payer may spend anything. */
  readonly asset: string;
  /** In stroops; null leaves it to the payer. */
  readonly amount: bigint | null;
  readonly memo?: TransactionMemo | null;
}

/** A request to sign. */
export interface Sep7Transaction extends Sep7Base {
  readonly envelopeXdr: string;
  /** The account that is to sign. */
  readonly publicKey?: string | null;
}

/** Makes links of one network. */
export interface Sep7Links {
  payUri(payment: Sep7Payment): string;
  transactionUri(transaction: Sep7Transaction): string;
}

/** Signs links for a domain. */
export interface UriSigner {
  /** `URI_REQUEST_SIGNING_KEY` (G…). */
  readonly address: string;
  /** Base64. */
  sign(payload: Uint8Array): string;
}

/** A link as it was read. What it says of its origin is true only if `verifySep7` says so. */
export type Sep7Link = {
  readonly networkPassphrase: string;
  readonly originDomain: string | null;
  readonly message: string | null;
  readonly callback: string | null;
} & (
  | (Pick<Sep7Payment, 'destination' | 'asset' | 'amount'> & {
      readonly operation: 'pay';
      readonly memo: TransactionMemo | null;
    })
  | { readonly operation: 'tx'; readonly envelopeXdr: string; readonly publicKey: string | null }
);

const longestMessage = 300;

/** The signer with a 32-byte seed, which is overwritten. */
export function createUriSigner(seed: Buffer): UriSigner {
  const key = privateKeyOf(seed);
  seed.fill(0);
  return {
    address: encodeStrkey('G', publicKeyBytes(key)),
    sign: payload => signEd25519(key, payload).toString('base64'),
  };
}

/** Links of the network; signed when there is a domain that wallets can ask about the key. */
export function createSep7Links(options: {
  readonly passphrase: string;
  readonly originDomain: () => string | null;
  readonly signer: UriSigner;
}): Sep7Links {
  const finish = (operation: string, fields: readonly Field[], base: Sep7Base) => {
    const domain = options.originDomain();
    const link = `web+stellar:${operation}?${encode([
      ...fields,
      ['callback', base.callback ? `url:${base.callback}` : null],
      ['msg', base.message ? shorten(base.message) : null],
      ['network_passphrase', options.passphrase === publicPassphrase ? null : options.passphrase],
      ['origin_domain', domain],
    ])}`;
    return domain === null ? link : `${link}&${encode([['signature', options.signer.sign(payloadOf(link))]])}`;
  };
  return {
    payUri: payment => finish('pay', paymentFields(payment), payment),
    transactionUri: transaction =>
      finish(
        'tx',
        [
          ['xdr', transaction.envelopeXdr],
          ['pubkey', transaction.publicKey ?? null],
        ],
        transaction,
      ),
  };
}

/**
 * The domain a public address stands for in links, or null when it has none that wallets could ask over https. A
 * developer’s own machine goes by its name and port, which wallets for test networks understand.
 */
export function originDomainOf(publicUrl: string): string | null {
  const { protocol, hostname, host, port } = new URL(publicUrl);
  if (hostname === 'localhost' || hostname === '127.0.0.1') return host;
  const isDomain = /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/.test(hostname);
  return protocol === 'https:' && port === '' && isDomain ? hostname : null;
}

type Field = readonly [name: string, value: string | null];

function encode(fields: readonly Field[]): string {
  return fields.flatMap(([name, value]) => (value === null ? [] : `${name}=${encodeURIComponent(value)}`)).join('&');
}

function paymentFields({ destination, asset, amount, memo }: Sep7Payment): Field[] {
  const { code, issuer } = parseAsset(asset, {}) ?? { code: asset, issuer: null };
  return [
    ['destination', destination],
    ['amount', amount === null ? null : formatUnits(amount, stellarDecimals).replace(/\.?0+$/, '')],
    ['asset_code', issuer === null ? null : code],
    ['asset_issuer', issuer],
    ['memo', memo ? memoText(memo) : null],
    ['memo_type', memo ? `MEMO_${memo.type.toUpperCase()}` : null],
  ];
}

/** Hashes go as base64, the rest as it is. */
function memoText({ type, value }: TransactionMemo): string {
  return type === 'hash' || type === 'return' ? Buffer.from(value, 'hex').toString('base64') : value;
}

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1).toWellFormed()}…`;
}

/** 35 zero bytes, a four, the name of the scheme, and the link up to its signature. */
function payloadOf(link: string): Buffer {
  return Buffer.concat([Buffer.alloc(35), Buffer.from([4]), Buffer.from(`stellar.sep.7 - URI Scheme${link}`)]);
}

/** Whether the link ends with a signature of the key (G…) over all before it. */
export function verifySep7(link: string, signingKey: string): boolean {
  const match = /^(.*)&signature=([^&]*)$/s.exec(link);
  const key = decodeStrkey('G', signingKey);
  if (match === null || key === null) return false;
  const signature = Buffer.from(decode(`signature=${match[2]}`)?.get('signature') ?? '', 'base64');
  return signature.length === 64 && verifyEd25519(key, payloadOf(match[1] ?? ''), signature);
}

/** Reads a link; null when it is none, or says one thing twice. */
export function parseSep7(link: string): Sep7Link | null {
  const match = /^web\+stellar:(pay|tx)\?(.*)$/s.exec(link);
  const fields = match === null ? null : decode(match[2] ?? '');
  if (fields === null) return null;
  const field = (name: string) => fields.get(name) ?? null;
  const callback = field('callback');
  if (callback !== null && !callback.startsWith('url:')) return null;
  const base = {
    networkPassphrase: field('network_passphrase') ?? publicPassphrase,
    originDomain: field('origin_domain'),
    message: field('msg'),
    callback: callback?.slice('url:'.length) ?? null,
  };
  if ((base.message?.length ?? 0) > longestMessage) return null;
  if (match?.[1] === 'pay') return paymentOf(base, field);
  const envelopeXdr = field('xdr');
  return envelopeXdr === null ? null : { ...base, operation: 'tx', envelopeXdr, publicKey: field('pubkey') };
}

/** A plus sign stands for itself: it is part of base64. */
function decode(query: string): ReadonlyMap<string, string> | null {
  const parts = query.split('&').map(part => /^([^=]+)=(.*)$/s.exec(part));
  try {
    const fields = new Map(parts.map(part => [part?.[1] ?? '', decodeURIComponent(part?.[2] ?? '')]));
    return fields.size === parts.length && !fields.has('') ? fields : null;
  } catch {
    return null;
  }
}

function paymentOf(
  base: Pick<Sep7Link, 'networkPassphrase' | 'originDomain' | 'message' | 'callback'>,
  field: (name: string) => string | null,
): Sep7Link | null {
  const [code, issuer] = [field('asset_code'), field('asset_issuer')];
  const asset = parseAsset(issuer === null ? (code ?? 'XLM') : `${code}:${issuer}`, {});
  const amount = field('amount');
  const stroops = amount === null ? null : parseUnits(amount, stellarDecimals);
  const destination = field('destination') ?? '';
  const memo = memoOf(field('memo'), field('memo_type'));
  if (asset === null || !isStellarAddress(destination) || memo === undefined) return null;
  if (amount !== null && stroops === null) return null;
  return { ...base, operation: 'pay', destination, asset: formatAsset(asset), amount: stroops, memo };
}

const memoTypes: Readonly<Record<string, TransactionMemo['type']>> = {
  MEMO_TEXT: 'text',
  MEMO_ID: 'id',
  MEMO_HASH: 'hash',
  MEMO_RETURN: 'return',
};

/** Undefined where it is none. Without a type it is a text, as wallets have it. */
function memoOf(text: string | null, typeName: string | null): TransactionMemo | null | undefined {
  if (text === null) return null;
  const type = memoTypes[typeName ?? 'MEMO_TEXT'];
  if (type === undefined) return undefined;
  if (type === 'text') return { type, value: text };
  if (type === 'id') return /^\d{1,20}$/.test(text) ? { type, value: text } : undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 ? { type, value: bytes.toString('hex') } : undefined;
}
