import { ExchangeError, type HttpAnswer, type HttpExchange } from './http-exchange.ts';
import { type JsonRecord, parseRecord } from './json-record.ts';
import { StellarUnavailable } from './network.ts';

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
