import type { FastifyRequest } from 'fastify';

/** Programs that look at every address in a message, to show a preview or to search it; no person has opened it. */
const machines =
  /bot\b|crawl|spider|slurp|preview|scan|facebookexternalhit|whatsapp|telegram|slack|discord|skype|linkedin|embedly|headlesschecker|curl|wget|python-requests|go-http-client/i;

/**
 * What tells one browser from another, to count each once: its address and name. Null when no person looks: a program
 * that announces itself, a page that is fetched ahead, a look at the headers alone.
 */
export function visitorOf(request: Pick<FastifyRequest, 'headers' | 'ip' | 'method'>): string | null {
  const { headers, ip, method } = request;
  const agent = headers['user-agent'] ?? '';
  const isAhead = [headers['sec-purpose'], headers['purpose'], headers['x-moz']].some(
    value => typeof value === 'string' && /prefetch|prerender/i.test(value),
  );
  return method === 'HEAD' || isAhead || machines.test(agent) ? null : `${ip} ${agent}`;
}
