import type { FastifyInstance } from 'fastify';

/** Longest time a request under way may still take, in milliseconds; then its connection is closed. */
const drainMs = 7_000;

/** Closing the server ends idle connections once; those that fall idle later, their last answer given, are ended here. */
export async function closeGently(http: FastifyInstance): Promise<void> {
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
