import { parseAsset } from '../../../core/asset.ts';
import type { HttpAnswer, HttpExchange } from '../../platform/http-exchange.ts';
import { StellarUnavailable } from '../network.ts';
import { askServer, createNetworkCheck, type JsonRecord, parseRecord } from '../server-answer.ts';

/** A Horizon server, and the network that it must belong to. */
export interface HorizonTarget {
  /** The URL, without a final slash. A function, because the sandbox's URL is known only once the service listens. */
  readonly url: () => string;
  readonly passphrase: string;
  readonly http: HttpExchange;
  /** Milliseconds without a byte after which a stream counts as broken. */
  readonly silenceMs?: number;
}

/** The largest page size that Horizon accepts. */
export const largestPage = 200;

/** Query fields. Undefined fields are omitted. */
export type HorizonQuery = Readonly<Record<string, string | number | undefined>>;

/** Reads from a Horizon server. Throws `StellarUnavailable` without a usable answer. */
export interface HorizonClient extends HorizonTarget {
  /** Returns the object at the path, or null if Horizon has no such object. */
  get(path: string, query?: HorizonQuery): Promise<JsonRecord | null>;
  list(path: string, query?: HorizonQuery): Promise<JsonRecord[]>;
}

/** Creates a client. Before its first request, it checks that the server belongs to the network. */
export function createHorizonClient(target: HorizonTarget): HorizonClient {
  const fetch = async (path: string, query?: HorizonQuery) =>
    readAnswer(await askServer(target.http, 'Horizon', { url: horizonUrl(target, path, query) }), path);
  const check = createNetworkCheck('Horizon at PAY_HORIZON_URL', target.passphrase, async () =>
    (await fetch(''))?.text('network_passphrase'),
  );
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

export function horizonUrl({ url }: HorizonTarget, path: string, query: HorizonQuery = {}): URL {
  const address = URL.parse(`${url()}/${path}`);
  if (address === null) throw new StellarUnavailable('the address of Horizon is not known yet');
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) address.searchParams.set(name, String(value));
  }
  return address;
}

function readAnswer({ status, text, retryAfterSeconds }: HttpAnswer, path: string): JsonRecord | null {
  const body = parseRecord(text, path || 'horizon');
  // Only Horizon's own 404 means that there is no object. A proxy's 404 says nothing about the object.
  if (status === 404 && body?.optionalText('type')?.endsWith('not_found')) return null;
  if (status === 200 && body !== null) return body;
  throw new StellarUnavailable(
    `Horizon answers ${status} ${body === null ? 'without JSON' : (body.optionalText('title') ?? '')}`.trim() +
      (status === 410 ? ': it no longer stores the requested history. Use a Horizon that does' : ''),
    { retryAfterSeconds },
  );
}

/** The asset (wire text) in the fields `asset_type`, `asset_code`, `asset_issuer`, whose names begin with `prefix`. */
export function horizonAsset(record: JsonRecord, prefix = ''): string {
  if (record.text(`${prefix}asset_type`) === 'native') return 'XLM';
  return `${record.text(`${prefix}asset_code`)}:${record.text(`${prefix}asset_issuer`)}`;
}

/** Converts an asset in Horizon's one-word form (`native` or `CODE:ISSUER`) to its wire text. */
export function fromAssetWord(word: string): string {
  return word === 'native' ? 'XLM' : word;
}

export function assetQuery(text: string, prefix: 'source_' | 'destination_'): Record<string, string> {
  const asset = parseAsset(text, {});
  if (asset === null) throw new StellarUnavailable(`“${text}” is not an asset`);
  if (asset.issuer === null) return { [`${prefix}asset_type`]: 'native' };
  return {
    [`${prefix}asset_type`]: asset.code.length <= 4 ? 'credit_alphanum4' : 'credit_alphanum12',
    [`${prefix}asset_code`]: asset.code,
    [`${prefix}asset_issuer`]: asset.issuer,
  };
}
