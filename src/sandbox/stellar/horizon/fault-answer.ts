import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultKind } from '../fault.ts';
import { HorizonProblem, problems } from './horizon-problem.ts';

/** How long a silent server keeps the line open, in milliseconds. */
const silenceMs = 30_000;

/** Lets a request meet its fault. `answer` gives the body that would have been sent, for the fault that cuts it. */
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
