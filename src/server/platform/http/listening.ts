import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Longest time a request under way may still take, in milliseconds; then its connection is closed. */
const drainMs = 7_000;

/** How long the server goes on taking what was sent to it before, in milliseconds: each answer now ends its connection. */
const readMs = 100;

/**
 * Ends the server so that each request is answered that came before. On connections that seem idle one may lie unread, so they
 * are ended a moment later, and not before all that has come was read; those that fall idle after that, their last answer
 * given, as they do.
 */
export async function closeGently(http: FastifyInstance): Promise<void> {
  await sleep(readMs);
  // Timers run before sockets are read, and this runs after.
  await nextTurn();
  const reaper = setInterval(() => http.server.closeIdleConnections(), 50);
  const deadline = setTimeout(() => http.server.closeAllConnections(), drainMs);
  await http.close();
  clearInterval(reaper);
  clearTimeout(deadline);
}

/** Where the server listens, as this machine reaches it, or null before it does. */
export function ownUrlOf({ server }: FastifyInstance): string | null {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return null;
  const { address, family, port } = bound;
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
