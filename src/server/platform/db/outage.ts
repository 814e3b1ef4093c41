import { codeOf } from '../../../core/error.ts';

/**
 * SQLSTATEs of temporary faults: 08 (connection), 53 (resources), 57 (shutdown), 25006 (read-only), 40001, 40P01 and
 * 55P03 (locks).
 */
const passingStates = /^(08...|53...|57...|25006|40001|40P01|55P03)$/;

/**
 * Whether a migration has changed the result of a prepared statement ("cached plan must not change result type"). The
 * next attempt succeeds, because `prepared.ts` has forgotten the statement. The routine's name is the same in all
 * languages of PostgreSQL.
 */
export function isOldPlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery';
}

const socketCodes = /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;

/** Messages of `pg` and `pg-pool`, which give these errors no code. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/**
 * Whether the database cannot be reached or cannot work now. A later attempt may succeed. Does not read the cause of an
 * error: no error of the database is wrapped, and a broken socket as the cause belongs to another server.
 */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (passingStates.test(code) || isOldPlan(error) || driverMessages.test(error.message)) return true;
  if (socketCodes.test(code)) return code !== 'ENOENT' || (error as NodeJS.ErrnoException).syscall === 'connect';
  return error instanceof AggregateError && error.errors.some(isDatabaseOutage);
}

/** SQLSTATEs of errors in one statement only: lost races, locks, and statements that took too long. */
const ownStates = /^(40001|40P01|55P03|57014)$/;

/** Whether other work would fail for the same reason: the database, or a server such as Horizon, cannot be reached. */
export function failsForAll(error: unknown): boolean {
  if (!(error instanceof Error) || ownStates.test(codeOf(error)) || isOldPlan(error)) return false;
  return isDatabaseOutage(error) || failsForAll(error.cause);
}
