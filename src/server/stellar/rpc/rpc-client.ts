import { ExchangeError, type HttpAnswer, type HttpExchange } from '../http-exchange.ts';
import { type JsonRecord, parseRecord } from '../json-record.ts';
import { StellarUnavailable } from '../network.ts';

/** Which Stellar RPC, and of which network it must be. */
export interface RpcTarget {
  readonly url: string;
  readonly passphrase: string;
  readonly http: HttpExchange;
}

/** Calls a Stellar RPC (JSON-RPC 2.0). */
export interface RpcClient extends RpcTarget {
  /** The result. Throws RpcRefusal for an error of the method, StellarUnavailable when there is no answer. */
  call(method: string, params?: object): Promise<JsonRecord>;
}

/** The server’s own “no” to what was asked. */
export class RpcRefusal extends StellarUnavailable {
  /** Of JSON-RPC: -32602 invalid parameters, -32603 internal … */
  readonly code: number;
  constructor(code: number, message: string) {
    super(`Stellar RPC refuses: ${message} (${code})`);
    this.name = 'RpcRefusal';
    this.code = code;
  }
}

/** Makes one. The first answer is checked to come from the right network: money of another one must not count. */
export function createRpcClient(target: RpcTarget): RpcClient {
  let checked: Promise<void> | null = null;
  const check = async () => {
    checked ??= checkNetwork(target);
    await checked.catch(error => {
      checked = null;
      throw error;
    });
  };
  return {
    ...target,
    call: async (method, params) => {
      await check();
      return await send(target, method, params);
    },
  };
}

async function checkNetwork(target: RpcTarget): Promise<void> {
  const found = (await send(target, 'getNetwork')).text('passphrase');
  if (found === target.passphrase) return;
  throw new StellarUnavailable(
    `the server at PAY_STELLAR_RPC_URL is not of this network: its passphrase is “${found}”, not “${target.passphrase}”`,
  );
}

async function send({ url, http }: RpcTarget, method: string, params?: object): Promise<JsonRecord> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
  const answer = await ask(http, url, text);
  const body = parseRecord(answer.text, method);
  if (body?.has('error')) {
    const error = body.record('error');
    throw new RpcRefusal(errorCode(answer.text), error.optionalText('message') ?? 'without a word');
  }
  if (answer.status === 200 && body !== null) return body.record('result');
  const { retryAfterSeconds } = answer;
  throw new StellarUnavailable(
    `Stellar RPC answers ${answer.status}${body === null ? ' without JSON' : ''}`,
    retryAfterSeconds === null ? {} : { retryAfterSeconds },
  );
}

/** Codes are negative numbers, which no other field of an answer is. */
function errorCode(text: string): number {
  return Number(/"code"\s*:\s*(-?\d{1,6})/.exec(text)?.[1] ?? 0);
}

async function ask(http: HttpExchange, url: string, text: string): Promise<HttpAnswer> {
  try {
    return await http.send({ url: new URL(url), body: { type: 'application/json', text } });
  } catch (cause) {
    if (!(cause instanceof ExchangeError)) throw cause;
    throw new StellarUnavailable(`Stellar RPC does not answer: ${cause.message}`, { cause });
  }
}
