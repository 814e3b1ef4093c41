import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../core/clock.ts';
import { idPrefixes } from '../../../../core/id.ts';
import type { Db } from '../../db/database.ts';
import type { Log } from '../../jobs/sweeper.ts';
import { isGuest } from '../access/caller.ts';
import { type CallRow, insertCalls } from './call.store.ts';

/** The log of API calls for merchants. It collects calls in memory and writes them in groups. */
export type CallLog = ReturnType<typeof createCallLog>;

interface CallLogDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Maximum number of calls in memory. Further calls are not logged, but counted in `dropped`. */
const mostWaiting = 10_000;
const batchSize = 500;
const pauseMs = 1_000;

/** Creates the log. A crash loses the calls of about the last second. */
export function createCallLog({ db, clock, log }: CallLogDeps) {
  let waiting: CallRow[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      waiting = waiting.slice(batchSize);
      try {
        await insertCalls(db, batch);
      } catch (error) {
        dropped += batch.length;
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'calls are missing in the log');
        return;
      }
    }
  }
  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing = writing.then(writeAll);
    return writing;
  };
  return {
    /** Logs a call. Omits calls without a known merchant, and successful calls of payers. */
    note: (request: FastifyRequest, reply: FastifyReply): void => {
      const row = rowOf(request, reply, clock.now());
      if (row === null) return;
      if (waiting.length >= mostWaiting) dropped++;
      else waiting.push(row);
      if (timer === null) timer = setTimeout(() => void flush(), pauseMs).unref();
    },
    /** Writes all calls that this process has in memory. */
    flush,
    dropped: () => dropped,
  };
}

function rowOf(request: FastifyRequest, reply: FastifyReply, now: Date): CallRow | null {
  const { asker, caller, refusal, routeOptions } = request;
  const known = asker ?? (caller && { merchantId: caller.merchant.id, livemode: caller.livemode });
  const { statusCode: status } = reply;
  if (!known || routeOptions.url?.startsWith('/v1/') !== true) return null;
  const isPayer = asker === null || (caller !== null && isGuest(caller));
  if (isPayer && status < 400) return null;
  return {
    merchant_id: known.merchantId,
    id: request.id,
    livemode: known.livemode,
    method: request.method,
    path: pathOf(routeOptions.url, request.params as Readonly<Record<string, string>>),
    status,
    code: refusal?.code ?? null,
    param: plainParam(refusal?.param ?? null),
    key_id: asker?.keyId ?? null,
    person_id: asker?.personId ?? null,
    duration_ms: Math.round(reply.elapsedTime),
    created_at: now,
  };
}

const prefixes = Object.values(idPrefixes).join('|');
const idPattern = new RegExp(`^(${prefixes})_[0-9A-Za-z]{1,32}$`);

/** The path with the ids of the request. Other texts could be secrets, so their parameter's name replaces them. */
function pathOf(pattern: string, params: Readonly<Record<string, string>>): string {
  return pattern.replace(/:(\w+)/g, (name, key: string) =>
    idPattern.test(params[key] ?? '') ? (params[key] ?? '') : name,
  );
}

/** The parameter of an error, or null. Callers can send any name, so names that may contain secrets are left out. */
function plainParam(param: string | null): string | null {
  if (param === null || !/^[A-Za-z][A-Za-z0-9_.[\]-]{0,80}$/.test(param)) return null;
  return /\d{5}|(sk|pk)_(test|live)|whsec|_secret/.test(param) ? null : param;
}
