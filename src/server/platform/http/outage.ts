/** SQLSTATEs that say "not now": classes 08 (connection), 53 (resources), 57 (shutdown, cancelled), 25006 (read-only standby), 40 (lost race). */
const passingStates = /^(08...|53...|57...|25006|40001|40P01|55P03)$/;

const socketCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of `pg` and `pg-pool`, which give these errors no code. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/** Whether the error says that the database cannot be reached or cannot work now, so that asking again later makes sense. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (passingStates.test(code) || socketCodes.has(code) || driverMessages.test(error.message)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseOutage);
  return error.cause !== undefined && isDatabaseOutage(error.cause);
}
