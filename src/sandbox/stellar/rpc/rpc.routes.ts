import type { FastifyInstance, FastifyReply } from 'fastify';
import type {} from '../../../server/platform/http/access/caller.ts';
import { RpcError } from './rpc-request.ts';

/** Calls a method. Throws `RpcError`. */
type CallRpc = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface RpcRouteDeps {
  /** Loads the network at the first call. */
  readonly call: CallRpc;
  readonly log: { error(details: object, message: string): void };
}

const rpcPath = '/sandbox/rpc';

const longestBody = 1024 * 1024;

/** Registers Stellar RPC: JSON-RPC 2.0 with one call per request. */
export async function registerRpc(app: FastifyInstance, deps: RpcRouteDeps): Promise<void> {
  await app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: longestBody }, (_, text, done) => done(null, text));
    const options = { schema: { hide: true }, config: { access: 'public', chatty: true } } as const;
    scope.post(rpcPath, options, async (request, reply) => {
      const answer = await answerTo(String(request.body ?? ''), deps);
      return allowAnyOrigin(reply).send(JSON.stringify({ jsonrpc: '2.0', ...answer }));
    });
    scope.options(rpcPath, options, async (request, reply) =>
      allowAnyOrigin(reply)
        .header('access-control-allow-methods', 'POST, OPTIONS')
        .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
        .code(204)
        .send(),
    );
  });
}

function allowAnyOrigin(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .type('application/json; charset=utf-8');
}

async function answerTo(text: string, { call, log }: RpcRouteDeps): Promise<object> {
  const request = readCall(text);
  if (request === null) return { id: null, error: { code: -32_700, message: 'Parse error' } };
  const { id = null, method, params } = request;
  try {
    if (typeof method !== 'string') throw new RpcError(-32_600, 'Invalid Request');
    return { id, result: await call(method, params ?? {}) };
  } catch (error) {
    if (error instanceof RpcError) return { id, error: { code: error.code, message: error.message } };
    log.error({ err: error }, 'the sandbox network’s RPC could not answer');
    return { id, error: { code: -32_603, message: 'Internal error' } };
  }
}

interface Call {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Readonly<Record<string, unknown>>;
}

function readCall(text: string): Call | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
