import { ExchangeError, type HttpExchange, type HttpRequest } from '../../platform/http-exchange.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

/**
 * The outcome of a request. `answered`: `body` is null if the answer is not a JSON object, for example an HTML page.
 * `unsent`: the provider did not read the request, or refused its token. `unanswered`: the provider may have executed
 * the request.
 */
export type ProviderAnswer =
  | { readonly state: 'answered'; readonly status: number; readonly body: JsonFields | null }
  | { readonly state: 'unsent' | 'unanswered' };

/** A call of the provider's API: a POST if `json` is given (null: an empty body), otherwise a GET. */
interface ProviderRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object | null;
}

/** What a client of any provider needs. */
export interface ProviderDeps {
  readonly http: Pick<HttpExchange, 'send'>;
  /** Called with a problem when it begins, and every ten minutes while it lasts. */
  readonly onProblem?: ((problem: string) => void) | undefined;
}

/** A provider's API that requires OAuth tokens. */
export interface ProviderApi {
  /** Calls with a token. Repeats the call once if the provider refused the token or did not read the request. */
  call(request: ProviderRequest): Promise<ProviderAnswer>;
  /** Fetches a token. Returns the problem, or null if the provider gives a token. */
  login(): Promise<string | null>;
  /** The last refusal or missing answer, for the operator; null after a successful call. */
  problem(): string | null;
  /** Records a refusal that did not arrive as the answer to a call. */
  note(problem: string): void;
}

interface ProviderApiDeps extends ProviderDeps {
  readonly name: string;
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The call that returns a token, as `access_token` and `expires_in` (seconds). */
  readonly token: ProviderRequest;
  /** Codes of answers that refuse the token, besides HTTP 401. */
  readonly tokenRefusals?: readonly string[];
  /** Whether an answer with an error status is no problem. */
  readonly isExpected?: (body: JsonFields) => boolean;
}

/** A token is not used in its last minute, because it could expire before the provider reads it. */
const spareSeconds = 60;

/** Creates a client of the API. Its token stays in memory, and concurrent calls share the token. */
export function createProviderApi(deps: ProviderApiDeps): ProviderApi {
  const problem = createProblem(deps);
  const send = async (request: ProviderRequest): Promise<Exchanged> => {
    const answer = await exchange(deps, request);
    problem.set(problemOf(deps, answer));
    return answer;
  };
  const tokens = createTokens(async () => {
    const answer = await send(deps.token);
    const token = tokenOf(answer);
    if (token === null && problem.get() === null) problem.set('returns no token that can be used');
    return token;
  });
  const refusesToken = (answer: ProviderAnswer) =>
    answer.state === 'answered' &&
    (answer.status === 401 || deps.tokenRefusals?.includes(textOf(answer.body, 'errorCode') ?? '') === true);
  const callOnce = async (request: ProviderRequest): Promise<ProviderAnswer> => {
    const token = await tokens.get();
    if (token === null) return { state: 'unsent' };
    const answer = await send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    if (!refusesToken(answer)) return answer;
    tokens.drop(token);
    return { state: 'unsent' };
  };
  return {
    call: async request => {
      const answer = await callOnce(request);
      return answer.state === 'unsent' ? await callOnce(request) : answer;
    },
    login: async () => ((await tokens.get()) === null ? problem.get() : null),
    problem: problem.get,
    note: problem.set,
  };
}

/** Milliseconds between two reports of the same problem. */
const reportEveryMs = 600_000;

/** The current problem of a provider, with its name. */
function createProblem({ name, onProblem }: Pick<ProviderApiDeps, 'name' | 'onProblem'>) {
  let current: string | null = null;
  const reportedAt = new Map<string, number>();
  return {
    get: (): string | null => current,
    set: (text: string | null): void => {
      current = text === null ? null : `${name}: ${text}`;
      if (current === null) return;
      const now = performance.now();
      for (const [known, at] of reportedAt) if (now - at >= reportEveryMs) reportedAt.delete(known);
      if (reportedAt.has(current)) return;
      reportedAt.set(current, now);
      onProblem?.(current);
    },
  };
}

/** An answer, and whether it has the form that the provider documents. */
type Exchanged = ProviderAnswer & { readonly isReadable: boolean };

async function exchange({ http, url, headers }: ProviderApiDeps, request: ProviderRequest): Promise<Exchanged> {
  const { path, json } = request;
  const call: HttpRequest = { url: new URL(`${url}${path}`), headers: { ...headers, ...request.headers } };
  const body = { type: 'application/json', text: json === null ? '' : JSON.stringify(json) };
  try {
    const { status, text } = await http.send(json === undefined ? call : { ...call, body });
    const fields = parseFields(text);
    // MTN accepts requests by 202 without a body, and refuses repeated ones by 409.
    const isReadable = fields !== null || (text.trim() === '' && (status === 202 || status === 409));
    return { state: 'answered', status, body: fields, isReadable };
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return { state: error.reason === 'not_sent' ? 'unsent' : 'unanswered', isReadable: false };
  }
}

interface Token {
  readonly text: string;
  /** The time by `performance.now` at which the token is no longer used. */
  readonly usableUntil: number;
}

function createTokens(read: () => Promise<Token | null>) {
  let current: Token | null = null;
  let reading: Promise<Token | null> | null = null;
  return {
    /** A token, or null if the provider gives none. */
    get: async (): Promise<string | null> => {
      if (current !== null && performance.now() < current.usableUntil) return current.text;
      reading ??= read().finally(() => {
        reading = null;
      });
      current = await reading;
      return current?.text ?? null;
    },
    /** Forgets a refused token, unless another call has already renewed it. */
    drop: (text: string): void => {
      if (current?.text === text) current = null;
    },
  };
}

function tokenOf(answer: ProviderAnswer): Token | null {
  if (answer.state !== 'answered' || answer.status !== 200) return null;
  const text = textOf(answer.body, 'access_token');
  const seconds = Number(answer.body?.['expires_in']);
  if (text === null || !/^[\x21-\x7e]+$/.test(text)) return null;
  const usableMs = seconds > spareSeconds ? (seconds - spareSeconds) * 1000 : 0;
  return { text, usableUntil: performance.now() + usableMs };
}

/** Whether a status is an expected answer. Connectors expect 404 and 409 as answers to some calls. */
const isExpectedStatus = (status: number) => status < 400 || status === 404 || status === 409;

function problemOf({ isExpected }: ProviderApiDeps, answer: Exchanged): string | null {
  if (answer.state !== 'answered') return 'does not answer';
  const { status, body } = answer;
  if (isExpectedStatus(status)) return answer.isReadable ? null : `answers ${status} without a JSON object`;
  if (body !== null && isExpected?.(body) === true) return null;
  const reason = reasonOf(body);
  return `answers ${status}${reason === null ? '' : ` (${reason})`}`;
}

/** The provider's code and text for a refusal. MTN calls the code `code`; Daraja has `errorCode` and `errorMessage`. */
export function reasonOf(body: JsonFields | null): string | null {
  const words = ['code', 'errorCode', 'errorMessage'].flatMap(field => textOf(body, field) ?? []);
  return words.length === 0
    ? null
    : words
        .join(' ')
        .replace(/[^\x20-\x7e]/g, ' ')
        .slice(0, 120);
}

/** The field as text if it is a text or a number. Null if it is missing, empty or something else. */
export function textOf(body: JsonFields | null | undefined, field: string): string | null {
  const value = body?.[field];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Parses a JSON object. Null for any other text. */
export function parseFields(text: string): JsonFields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The value if it is a JSON object, otherwise null. */
export function fieldsOf(value: unknown): JsonFields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonFields) : null;
}
