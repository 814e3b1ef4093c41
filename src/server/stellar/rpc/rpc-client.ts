import type { HttpExchange } from '../http-exchange.ts';
import { StellarUnavailable } from '../network.ts';
import { askServer, createNetworkCheck, type JsonRecord, parseRecord } from '../server-answer.ts';

/** A Stellar RPC server, and the network that it must belong to. */
export interface RpcTarget {
  readonly url: string;
  readonly passphrase: string;
  readonly http: HttpExchange;
}

/** Calls a Stellar RPC server (JSON-RPC 2.0). */
export interface RpcClient extends RpcTarget {
  /** Returns the result. Throws `RpcRefusal` for an error of the method, `StellarUnavailable` without an answer. */
  call(method: string, params?: object): Promise<JsonRecord>;
}

/** The server answered with an error. `code` is that of JSON-RPC: -32602 for invalid parameters. */
export class RpcRefusal extends StellarUnavailable {
  readonly code: number;
  constructor(code: number, message: string) {
    super(`Stellar RPC refuses: ${message} (${code})`);
    this.name = 'RpcRefusal';
    this.code = code;
  }
}

/** Makes a client. Before its first answer it checks the network of the server. */
export function createRpcClient(target: RpcTarget): RpcClient {
  const check = createNetworkCheck('server at PAY_STELLAR_RPC_URL', target.passphrase, async () =>
    (await send(target, 'getNetwork')).text('passphrase'),
  );
  return {
    ...target,
    call: async (method, params) => {
      await check();
      return await send(target, method, params);
    },
  };
}

async function send({ url, http }: RpcTarget, method: string, params?: object): Promise<JsonRecord> {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
  const request = { url: new URL(url), body: { type: 'application/json', text } };
  const answer = await askServer(http, 'Stellar RPC', request);
  const body = parseRecord(answer.text, method);
  if (body?.has('error')) {
    const error = body.record('error');
    throw new RpcRefusal(errorCode(answer.text), error.optionalText('message') ?? 'without a word');
  }
  if (answer.status === 200 && body !== null) return body.record('result');
  throw new StellarUnavailable(`Stellar RPC answers ${answer.status}${body === null ? ' without JSON' : ''}`, {
    retryAfterSeconds: answer.retryAfterSeconds,
  });
}

/** Reads the code from the text: it is the only negative number, which `JsonRecord` does not read. */
function errorCode(text: string): number {
  return Number(/"code"\s*:\s*(-?\d{1,6})/.exec(text)?.[1] ?? 0);
}
