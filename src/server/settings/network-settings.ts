import { formatAsset, parseAsset } from '../../core/asset.ts';
import { sandboxAssets } from '../../core/stellar/sandbox-assets.ts';
import { decodeStrkey } from '../../core/stellar/strkey.ts';
import { parseKeyText } from '../platform/http/access/caller.ts';
import { knownAssets } from '../stellar/known-assets.ts';
import { parseCaps } from '../stellar/signing/signing-rules.ts';
import { baseUrl, integer, nonEmpty, oneOf, optional, SecretText, type Setting, type ValuesOf } from './setting.ts';

/** Default spending caps on the public network: for one transaction, and for 24 hours. */
export const liveCaps = { transaction: 'XLM=50000,USDC=10000,EURC=10000', day: 'XLM=250000,USDC=50000,EURC=50000' };

/** The price of XLM outside Stellar that the public network's price is compared with. */
export const publicSpotUrl = 'https://api.coinbase.com/v2/prices/XLM-USD/spot';

/** Settings of the Stellar network and of the treasury. */
export const networkSettings = {
  network: {
    name: 'PAY_NETWORK',
    parse: oneOf(['sandbox', 'testnet', 'public']),
    default: 'sandbox',
    help: 'Stellar network: sandbox (simulated by the server), testnet, or public (real money, live keys).',
  },
  horizonUrl: {
    name: 'PAY_HORIZON_URL',
    parse: optional(baseUrl),
    help: "Base URL of a Horizon server. Default: the public server of the network, or the sandbox's own.",
  },
  stellarRpcUrl: {
    name: 'PAY_STELLAR_RPC_URL',
    parse: optional(baseUrl),
    help: 'Base URL of a Stellar RPC server that submits transactions and reads payments. Horizon still finds paths and reads accounts.',
  },
  treasurySecret: {
    name: 'PAY_TREASURY_SECRET',
    parse: optional(seed),
    help: 'Secret seed (S…) of the treasury account. On sandbox and testnet the server creates one when it is not set.',
    secret: true,
  },
  treasuryKmsUrl: {
    name: 'PAY_TREASURY_KMS_URL',
    parse: optional(serviceUrl),
    help: 'URL of a signing service that keeps the seed. It receives POST {address, hash, envelope} and answers {signature}.',
  },
  treasuryAddress: {
    name: 'PAY_TREASURY_ADDRESS',
    parse: optional(account),
    help: 'Treasury account (G…) that the signing service signs for.',
  },
  treasuryKmsAuthorization: {
    name: 'PAY_TREASURY_KMS_AUTHORIZATION',
    parse: optional(header),
    help: 'Value of the Authorization header sent to the signing service.',
    secret: true,
  },
  transactionCaps: {
    name: 'PAY_TREASURY_TRANSACTION_CAPS',
    parse: nonEmpty,
    help: `Highest amount for one transaction by asset; * covers other assets, none removes the limit. Default on public: ${liveCaps.transaction}; elsewhere none.`,
  },
  dayCaps: {
    name: 'PAY_TREASURY_DAY_CAPS',
    parse: nonEmpty,
    help: `Highest amount for 24 hours by asset, in the same form. Default on public: ${liveCaps.day}; elsewhere none.`,
  },
  treasuryResume: {
    name: 'PAY_TREASURY_RESUME',
    parse: optional(nonEmpty),
    help: 'Code that /readyz shows after an older backup was restored. Set it after you have compared the payments that were sent.',
  },
  feeCap: {
    name: 'PAY_STELLAR_FEE_CAP',
    parse: integer(100, 100_000_000),
    default: '100000',
    help: 'Highest network fee offered for one operation, in stroops (0.0000001 XLM).',
  },
  assets: {
    name: 'PAY_ASSETS',
    parse: optional(nonEmpty),
    help: 'Assets that merchants may settle and convert into, separated by commas: XLM, USDC, CODE:ISSUER. An issuer can own its market, so list only issuers that you trust. Default: XLM and the well-known assets of the network.',
  },
  conversionHourCap: {
    name: 'PAY_CONVERSION_HOUR_CAP',
    parse: integer(0, 999_999_999),
    default: '10000',
    help: 'Highest value that one merchant may convert inside its balance in an hour, in US dollars; 0 means no limit.',
  },
  ecbUrl: {
    name: 'PAY_ECB_URL',
    parse: serviceUrl,
    default: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    help: 'URL of the daily euro reference rates, used on testnet and public.',
  },
  xlmPriceUrl: {
    name: 'PAY_XLM_PRICE_URL',
    parse: optional(serviceUrl),
    help: `URL of a price of XLM in US dollars outside Stellar, in the form of Coinbase's spot prices. While both differ by more than 5 %, XLM has no rate. Default on public: ${publicSpotUrl}; elsewhere none.`,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The values of these settings. `parseCaps` reads the texts of caps. A blank cap means the network's default. */
export type NetworkConfig = ValuesOf<typeof networkSettings>;

/** Contradictions between settings, each as `VARIABLE: accepted form`. An invalid setting is null here. */
export function networkProblems(
  config: NetworkConfig & { readonly secretKey: string | null; readonly publishableKey: string | null },
): string[] {
  // A wrong network is reported already.
  if (config.network === null) return [];
  return [...treasuryProblems(config), ...capProblems(config), ...keyProblems(config), ...assetProblems(config)];
}

function treasuryProblems({ network, treasurySecret, treasuryKmsUrl, treasuryAddress }: NetworkConfig): string[] {
  const problems: string[] = [];
  const isAway = treasuryKmsUrl !== null;
  if (isAway && treasuryAddress === null) {
    problems.push('PAY_TREASURY_ADDRESS: is needed with PAY_TREASURY_KMS_URL: the account (G…) for which it signs');
  }
  if (!isAway && treasuryAddress !== null) problems.push('PAY_TREASURY_KMS_URL: is needed with PAY_TREASURY_ADDRESS');
  if (isAway && treasurySecret !== null) {
    problems.push('PAY_TREASURY_SECRET: cannot be used together with PAY_TREASURY_KMS_URL');
  }
  if (network === 'public' && !isAway && treasurySecret === null) {
    problems.push(
      'PAY_TREASURY_SECRET: the public network needs the secret seed (S…) of the treasury, or PAY_TREASURY_KMS_URL and PAY_TREASURY_ADDRESS',
    );
  }
  return problems;
}

function capProblems(config: NetworkConfig): string[] {
  const { network, transactionCaps, dayCaps } = config;
  const check = ({ name }: Setting, text: string) => {
    try {
      if (text !== null && text !== 'none')
        parseCaps(text, network === 'sandbox' ? anyCodes(text) : knownAssets[network]);
      return [];
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : error}`];
    }
  };
  return [...check(networkSettings.transactionCaps, transactionCaps), ...check(networkSettings.dayCaps, dayCaps)];
}

/** Reads the listed assets as wire texts. `known`: code → issuer. Throws an Error for a text that is not an asset. */
export function parseAssets(text: string, known: Readonly<Record<string, string>>): readonly string[] {
  return text.split(',').map(entry => {
    const found = parseAsset(entry.trim(), known);
    if (found !== null && [undefined, found.issuer].includes(known[found.code])) return formatAsset(found);
    throw new Error(`"${entry.trim()}" is not an asset: takes XLM, ${Object.keys(known).join(', ')} or CODE:ISSUER`);
  });
}

const sandboxIssuers: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(sandboxAssets).map(asset => asset.split(':') as [string, string]),
);

function assetProblems({ network, assets }: NetworkConfig): string[] {
  try {
    if (assets !== null && network !== null) {
      parseAssets(assets, network === 'sandbox' ? sandboxIssuers : knownAssets[network]);
    }
    return [];
  } catch (error) {
    return [`PAY_ASSETS: ${error instanceof Error ? error.message : error}`];
  }
}

/** Accepts each asset code, because the assets of the sandbox network are not known yet. */
function anyCodes(text: string): Readonly<Record<string, string>> {
  const codes = text.split(',').map(entry => entry.split('=')[0]?.trim() ?? '');
  return Object.fromEntries(codes.map(code => [code, knownAssets.testnet['USDC'] ?? '']));
}

/** Problems of keys. Live keys work only on the public network, and test keys only on other networks. */
function keyProblems({ network, ...keys }: Parameters<typeof networkProblems>[0]): string[] {
  const livemode = network === 'public';
  const check = (name: string, text: string | null, prefix: string) =>
    text === null || parseKeyText(text)?.livemode === livemode
      ? []
      : [`${name}: on this network takes a key that begins with ${prefix}_${livemode ? 'live' : 'test'}_`];
  return [...check('PAY_SECRET_KEY', keys.secretKey, 'sk'), ...check('PAY_PUBLISHABLE_KEY', keys.publishableKey, 'pk')];
}

function seed(text: string): SecretText {
  if (decodeStrkey('S', text) === null)
    throw new Error('takes the secret seed of a Stellar account (S…, 56 characters)');
  return new SecretText(text);
}

function account(text: string): string {
  if (decodeStrkey('G', text) === null) throw new Error('takes a Stellar account (G…, 56 characters)');
  return text;
}

function header(text: string): SecretText {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new Error('takes printable ASCII characters');
  return new SecretText(text);
}

function serviceUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username !== '') {
    throw new Error('takes an http or https address without a user in it');
  }
  return url.href;
}
