import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {} from '../../../../server/platform/http/access/caller.ts';
import type { Faults } from '../../faults/fault.store.ts';
import type { FaultKind } from '../../faults/fault.ts';
import type { Horizon } from '../horizon.ts';
import { HorizonProblem, problems } from './problem.ts';
import { createHorizonRequest, type HorizonRequest } from './request.ts';

export interface HorizonRouteDeps {
  /** Loads the network at its first use. */
  readonly horizon: () => Promise<Horizon>;
  readonly faults: Faults;
  readonly log: { error(details: object, message: string): void };
}

/** The path of Horizon’s URL. */
export const horizonPrefix = '/sandbox/horizon';

/**
 * Options of each route. `chatty` logs at `debug`, except errors 5xx, because the service itself sends most requests.
 */
export const routeOptions = { schema: { hide: true }, config: { access: 'public', chatty: true } } as const;

export function readRequest(request: FastifyRequest): HorizonRequest {
  const url = new URL(request.url, 'http://sandbox');
  return createHorizonRequest({
    base: `${request.protocol}://${request.host}${horizonPrefix}`,
    path: url.pathname.slice(horizonPrefix.length) || '/',
    query: url.searchParams,
    params: request.params as Readonly<Record<string, string>>,
  });
}

/** How long the fault `silence` keeps the connection open, in milliseconds. */
const silenceMs = 30_000;

/**
 * Answers a request with a general fault. `answer` returns the body. Only the fault `truncated` calls it, and cuts the
 * body.
 */
export async function answerWithFault(
  kind: FaultKind,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => Promise<unknown>,
): Promise<FastifyReply> {
  switch (kind) {
    case 'rate_limited':
      reply.header('retry-after', '1').header('x-ratelimit-limit', '101').header('x-ratelimit-remaining', '0');
      throw new HorizonProblem(problems.rateLimited);
    case 'connection_reset':
      return hangUp(request, reply);
    case 'silence':
      await sleep(silenceMs, undefined, { ref: false });
      return hangUp(request, reply);
    case 'html':
      return reply.code(502).type('text/html').send('<html><head><title>502 Bad Gateway</title></head></html>');
    case 'truncated': {
      const text = JSON.stringify(await answer());
      return reply.type('application/hal+json; charset=utf-8').send(text.slice(0, text.length >> 1));
    }
    default:
      throw new HorizonProblem(problems.unavailable);
  }
}

function hangUp(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}
