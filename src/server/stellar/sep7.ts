import { parseAsset } from '../../core/asset.ts';
import { formatUnits } from '../../core/money.ts';
import { stellarDecimals } from '../../core/stellar/stellar-amount.ts';
import { publicPassphrase } from '../../core/stellar/stellar-network.ts';
import type { BytesSigner } from './transaction/signing-key.ts';

/** A request to pay. `asset` is a wire text. The payer's wallet may convert another asset into it. */
export interface Sep7Payment {
  readonly destination: string;
  readonly asset: string;
  /** Stroops. Null: the payer chooses the amount. */
  readonly amount: bigint | null;
  /** The wallet shows the message, but the ledger does not store it. Cut to 300 characters. */
  readonly message?: string | null;
}

/** Makes payment links for one network. */
export interface Sep7Links {
  payUri(payment: Sep7Payment): string;
}

const longestMessage = 300;

/**
 * Creates links that ask a wallet to pay (`web+stellar:pay`, SEP-7 2.1.0). A link names the service's domain and ends
 * with a signature. Wallets check the signature with the `URI_REQUEST_SIGNING_KEY` in the domain's stellar.toml.
 * Without a domain, links are not signed.
 */
export function createSep7Links(options: {
  readonly passphrase: string;
  readonly originDomain: () => string | null;
  readonly signer: BytesSigner;
}): Sep7Links {
  return {
    payUri: ({ destination, asset, amount, message }) => {
      const domain = options.originDomain();
      const { code, issuer } = parseAsset(asset, {}) ?? { code: asset, issuer: null };
      const link = `web+stellar:pay?${encode([
        ['destination', destination],
        ['amount', amount === null ? null : formatUnits(amount, stellarDecimals).replace(/\.?0+$/, '')],
        ['asset_code', issuer === null ? null : code],
        ['asset_issuer', issuer],
        ['msg', message ? shorten(message) : null],
        ['network_passphrase', options.passphrase === publicPassphrase ? null : options.passphrase],
        ['origin_domain', domain],
      ])}`;
      if (domain === null) return link;
      const signature = options.signer.sign(payloadOf(link)).toString('base64');
      return `${link}&${encode([['signature', signature]])}`;
    },
  };
}

/**
 * The domain of the service's URL. Null if wallets cannot reach it over HTTPS on the usual port. For localhost, the
 * host with its port, which wallets for test networks accept.
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

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1).toWellFormed()}…`;
}

/** The signed bytes: 35 zero bytes, a byte 4, the name of the scheme, and the link without its signature. */
function payloadOf(link: string): Buffer {
  return Buffer.concat([Buffer.alloc(35), Buffer.from([4]), Buffer.from(`stellar.sep.7 - URI Scheme${link}`)]);
}
