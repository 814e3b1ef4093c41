import { parseAsset } from '../../core/asset.ts';
import { formatUnits, stellarDecimals } from '../../core/money.ts';
import { publicPassphrase } from '../../core/stellar/stellar-network.ts';
import { encodeStrkey } from '../../core/stellar/strkey.ts';
import type { TransactionMemo } from './network.ts';
import { privateKeyOf, publicKeyBytes, signEd25519 } from './signing/ed25519.ts';

/**
 * Links that ask a wallet to pay (SEP-7 2.1.0): `web+stellar:pay?…`. A signed one names the domain it comes from and ends
 * with a signature that wallets check against `URI_REQUEST_SIGNING_KEY` of that domain’s stellar.toml. Wallets read them;
 * the demo’s reader is `demo/wallet/sep7-link.ts`.
 */

/** A request to pay. */
export interface Sep7Payment {
  /** For the person at the wallet; it does not go on the ledger. At most 300 characters, what is beyond is cut off. */
  readonly message?: string | null;
  /** Where the wallet is to send the signed transaction instead of to the network. */
  readonly callback?: string | null;
  readonly destination: string;
  /** Wire text of what is to arrive; the payer may spend anything. */
  readonly asset: string;
  /** In stroops; null leaves it to the payer. */
  readonly amount: bigint | null;
  readonly memo?: TransactionMemo | null;
}

/** Makes links of one network. */
export interface Sep7Links {
  payUri(payment: Sep7Payment): string;
}

/** Signs links for a domain. */
export interface UriSigner {
  /** `URI_REQUEST_SIGNING_KEY` (G…). */
  readonly address: string;
  /** Base64. */
  sign(payload: Uint8Array): string;
}

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
  return {
    payUri: payment => {
      const domain = options.originDomain();
      const link = `web+stellar:pay?${encode([
        ...paymentFields(payment),
        ['callback', payment.callback ? `url:${payment.callback}` : null],
        ['msg', payment.message ? shorten(payment.message) : null],
        ['network_passphrase', options.passphrase === publicPassphrase ? null : options.passphrase],
        ['origin_domain', domain],
      ])}`;
      return domain === null ? link : `${link}&${encode([['signature', options.signer.sign(payloadOf(link))]])}`;
    },
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
