import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { ListParams, PayClient } from '../../api/client.ts';
import type { ApiRequest } from '../../api/dashboard/request.ts';
import { addSeconds } from '../../core/clock.ts';
import { apiAction, type Context } from '../context.ts';

const examples = `
Examples:
  $ pay-checkout logs tail
  $ pay-checkout logs tail --errors
  $ pay-checkout logs tail --method POST --path /v1/payments --lines 50
  $ pay-checkout logs tail --json | jq 'select(.duration_ms > 500)'

A refused call shows the code of its error, and the parameter. The calls of "logs tail" itself are left out.`;

interface TailOptions {
  readonly lines: number;
  readonly errors?: boolean;
  readonly method?: string;
  readonly path?: string;
}

/** `logs tail`: shows the account's calls of the API as they happen. */
export function addLogs(program: Command): void {
  const logs = program.command('logs').description('Follow the calls of the API').addHelpText('after', examples);
  logs
    .command('tail')
    .description('Show the newest calls, and each further one until Ctrl-C')
    .option('--lines <number>', 'number of earlier calls to show first, 0 to 100', lineCount, 10)
    .option('--errors', 'only calls that were refused or failed')
    .option('--method <method>', 'only GET, POST, PATCH or DELETE')
    .option('--path <path>', 'only calls of this path, such as /v1/payments')
    .addHelpText('after', examples)
    .action(apiAction<TailOptions>(tail));
}

async function tail(pay: PayClient, { show }: Context, options: TailOptions): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  try {
    for await (const call of callsOf(pay, options, stop.signal)) show(call, textOf(call));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

/** Pause between two reads, in milliseconds. */
const pauseMs = 1_000;
/** A call may enter the log up to this many seconds after a later call, because each server writes calls in groups. */
const lateSeconds = 4;
const pageSize = 100;

/** Yields the last calls, oldest first, and then each further call once. */
async function* callsOf(pay: PayClient, options: TailOptions, signal: AbortSignal): AsyncGenerator<ApiRequest> {
  const filters = { ...filtersOf(options), limit: pageSize };
  const { data: first } = await pay.requests.list(filters, { signal });
  const seen = new Map(first.map(call => [call.id, call.created_at]));
  yield* first.filter(isForeign).slice(0, options.lines).toReversed();
  let newest = first[0]?.created_at;
  for (;;) {
    await sleep(pauseMs, undefined, { signal });
    const from = newest === undefined ? undefined : addSeconds(new Date(newest), -lateSeconds).toISOString();
    const since = from === undefined ? {} : { created_at: { gte: from } };
    const fresh: ApiRequest[] = [];
    for await (const call of pay.requests.list({ ...filters, ...since }, { signal })) {
      if (!seen.has(call.id)) fresh.push(call);
    }
    for (const { id, created_at: at } of fresh) seen.set(id, at);
    for (const [id, at] of seen) if (from !== undefined && at < from) seen.delete(id);
    const latest = fresh[0]?.created_at ?? '';
    if (latest > (newest ?? '')) newest = latest;
    yield* fresh.filter(isForeign).toReversed();
  }
}

/** False for reads of the log. With them, this command would show its own reads without end. */
function isForeign({ path }: ApiRequest): boolean {
  return path !== '/v1/requests';
}

function filtersOf({ errors, method, path }: TailOptions): ListParams {
  return {
    ...(errors && { status: { gte: 400 } }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path }),
  };
}

function textOf({ created_at: at, method, path, status, error, duration_ms: duration, id }: ApiRequest): string {
  const why = error === null ? '' : `  ${[error.code, error.param].filter(part => part !== null).join(' ')}`;
  return `${at.slice(11, 19)}  ${status}  ${method.padEnd(6)}  ${path}  ${duration} ms  ${id}${why}`;
}

function lineCount(text: string): number {
  if (/^(\d{1,2}|100)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number from 0 to 100.');
}
