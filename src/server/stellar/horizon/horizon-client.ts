import { parseAsset } from '../../../core/asset.ts';
import { formatUnits, stellarDecimals } from '../../../core/money.ts';
import { ExchangeError, type HttpAnswer, type HttpExchange } from '../http-exchange.ts';
import { type JsonRecord, parseRecord } from '../json-record.ts';
import { StellarUnavailable } from '../network.ts';

/** Which Horizon, and of which network it must be. */
export interface HorizonTarget {
  /** Its address, without a slash at the end; may be known late. */
  readonly url: () => string;
  readonly passphrase: string;
  readonly http: HttpExchange;
  /** A stream without a byte for this long is taken for dead, in milliseconds; as the SDKs have it: 15 s. */
  readonly silenceMs?: number;
}

/** What goes behind the `?`; what is undefined is left out. */
export type HorizonQuery = Readonly<Record<string, string | number | undefined>>;

/** Reads from a Horizon. */
export interface HorizonClient extends HorizonTarget {
  /** The object at the path, or null when there is none. Everything else that is no answer throws StellarUnavailable. */
  get(path: string, query?: HorizonQuery): Promise<JsonRecord | null>;
  /** The records of a page. */
  list(path: string, query?: HorizonQuery): Promise<JsonRecord[]>;
}

/** Makes one. The first answer is checked to come from the right network: money of another one must not count. */
export function createHorizonClient(target: HorizonTarget): HorizonClient {
  let checked: Promise<void> | null = null;
  const fetch = async (path: string, query: HorizonQuery = {}) =>
    readAnswer(await ask(target, horizonUrl(target, path, query)), path);
  const check = async () => {
    checked ??= checkNetwork(target, fetch);
    // A wrong network or no answer is asked for again: the operator may have mended it.
    await checked.catch(error => {
      checked = null;
      throw error;
    });
  };
  const get: HorizonClient['get'] = async (path, query) => {
    await check();
    return await fetch(path, query);
  };
  return {
    ...target,
    get,
    list: async (path, query) => (await get(path, query))?.record('_embedded').list('records') ?? [],
  };
}

/** The address of a path below Horizon’s own. */
export function horizonUrl({ url }: HorizonTarget, path: string, query: HorizonQuery = {}): URL {
  const address = URL.parse(`${url()}/${path}`);
  if (address === null) throw new StellarUnavailable('Horizon has no address yet');
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address;
}

async function checkNetwork({ passphrase }: HorizonTarget, fetch: HorizonClient['get']): Promise<void> {
  const found = (await fetch(''))?.text('network_passphrase');
  if (found === passphrase) return;
  throw new StellarUnavailable(
    `the Horizon at PAY_HORIZON_URL is not of this network: its passphrase is “${found}”, not “${passphrase}”`,
  );
}

async function ask({ http }: HorizonTarget, url: URL): Promise<HttpAnswer> {
  try {
    return await http.send({ url });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    throw new StellarUnavailable(`Horizon does not answer: ${error.message}`, { cause: error });
  }
}

function readAnswer(answer: HttpAnswer, path: string): JsonRecord | null {
  const { status, retryAfterSeconds } = answer;
  const body = parseRecord(answer.text, path || 'horizon');
  // In Horizon’s own words only: a proxy’s 404 must not pass for “there is none”.
  if (status === 404 && body?.optionalText('type')?.endsWith('not_found')) return null;
  if (status === 200 && body !== null) return body;
  throw new StellarUnavailable(
    `Horizon answers ${status} ${body === null ? 'without JSON' : (body.optionalText('title') ?? '')}`.trim() +
      (status === 410 ? ': it no longer keeps the history that is asked for. Use a Horizon that does' : ''),
    retryAfterSeconds === null ? {} : { retryAfterSeconds },
  );
}

/** The wire text of the asset in the fields `asset_type`, `asset_code`, `asset_issuer`, or those with the prefix before. */
export function horizonAsset(record: JsonRecord, prefix = ''): string {
  if (record.text(`${prefix}asset_type`) === 'native') return 'XLM';
  return `${record.text(`${prefix}asset_code`)}:${record.text(`${prefix}asset_issuer`)}`;
}

/** The wire text of an asset in one word, as claimable balances have it: `native` or `CODE:ISSUER`. */
export function horizonAssetWord(word: string): string {
  return word === 'native' ? 'XLM' : word;
}

/** Of a list of assets in a query, one. */
export function toHorizonAssetWord(asset: string): string {
  return asset === 'XLM' ? 'native' : asset;
}

/** The query fields of an asset. */
export function toHorizonAsset(text: string, prefix: 'source_' | 'destination_'): Record<string, string> {
  const asset = parseAsset(text, {});
  if (asset === null) throw new StellarUnavailable(`“${text}” is no asset`);
  if (asset.issuer === null) return { [`${prefix}asset_type`]: 'native' };
  return {
    [`${prefix}asset_type`]: asset.code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12',
    [`${prefix}asset_code`]: asset.code,
    [`${prefix}asset_issuer`]: asset.issuer,
  };
}

/** Decimal text of stroops. */
export function toHorizonAmount(stroops: bigint): string {
  return formatUnits(stroops, stellarDecimals);
}
