import type { FastifyReply } from 'fastify';

/** What an answer may do in a browser when nothing else is said: nothing. Pages that show something set their own policy. */
const basic = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'cache-control': 'no-store',
} as const;

const transport = 'max-age=31536000; includeSubDomains';

/**
 * Makes the function that sets the headers every answer begins with. A route that serves pages or files overrides them
 * with `reply.header`, or takes one away with `reply.removeHeader`.
 */
export function createSecurityHeaders(publicUrl: () => string): (reply: FastifyReply, requestId: string) => void {
  return (reply, requestId) => {
    reply.headers(basic).header('request-id', requestId);
    if (publicUrl().startsWith('https:')) reply.header('strict-transport-security', transport);
  };
}
