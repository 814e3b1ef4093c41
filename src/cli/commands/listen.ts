import type { Command } from 'commander';
import type { PayClient } from '../../api/client.ts';
import { type Event, matchesType } from '../../api/event.ts';
import { parseWebAddress } from '../../core/web-address.ts';
import { UsageError } from '../cli-error.ts';
import { action, type Context } from '../context.ts';
import { type Delivered, forward, listenSecret } from '../forward.ts';

const examples = `
Examples:
  $ pay-checkout listen --forward-to localhost:3000/webhooks
  $ pay-checkout listen --forward-to localhost:3000/webhooks --events payment.completed,refund.*
  $ pay-checkout listen --print-secret

The deliveries are signed with a secret of their own, which stays the same for an API key. Give it to your program as
the webhook secret. A delivery that fails is shown, and not tried again.`;

interface ListenOptions {
  readonly forwardTo?: string;
  readonly events: string;
  readonly printSecret?: boolean;
}

/** `listen`: forwards the account's events as webhooks to an address that this machine can reach. */
export function addListen(program: Command): void {
  program
    .command('listen')
    .description('Forward webhooks to a program on this machine')
    .option('--forward-to <url>', 'address that receives the webhooks')
    .option('--events <types>', 'types or families, separated by commas', '*')
    .option('--print-secret', 'show the secret that signs the deliveries, and end')
    .addHelpText('after', examples)
    .action(action<ListenOptions>(listen));
}

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const target = options.printSecret ? null : targetOf(options.forwardTo);
  const { pay, apiKey, url } = await context.connect();
  const secret = listenSecret(apiKey);
  if (target === null) {
    context.show({ secret }, secret);
    return;
  }
  const patterns = await patternsOf(pay, options.events);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const start = () => {
    const ready = { object: 'listener', url, forward_to: target, events: patterns, secret };
    const what = patterns.includes('*') ? 'all events' : patterns.join(', ');
    context.show(ready, `Ready: ${what} of ${url} go to ${target}.\nWebhook secret: ${secret}\n`);
  };
  await forEachAtOnce(eventsFromNow(pay, stop.signal, start), async event => {
    if (!matchesType(patterns, event.type)) return;
    const delivered = await forward(event, target, secret);
    context.show(deliveryLine(event, delivered), textOf(event, delivered));
  });
}

function targetOf(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--forward-to takes the address that receives the webhooks.');
  const url = parseWebAddress(/^https?:/i.test(text) ? text : `http://${text}`);
  if (url !== null) return url.href;
  throw new UsageError(`"${text}" is not an address. An example is http://localhost:3000/webhooks.`);
}

/** The patterns of `--events`. Throws UsageError for a pattern that matches no event type. */
async function patternsOf(pay: PayClient, text: string): Promise<readonly string[]> {
  const patterns = text.split(',').flatMap(pattern => pattern.trim() || []);
  const types = await pay.events.types();
  const wrong = patterns.find(pattern => !types.some(type => matchesType([pattern], type)));
  if (wrong === undefined && patterns.length > 0) return patterns;
  throw new UsageError(
    `No event type is called "${wrong ?? text}". "pay-checkout trigger --list" lists the types; a family is payment.*.`,
  );
}

/** Maximum number of remembered event ids. An event that arrives again after a reconnection is skipped by its id. */
const rememberedIds = 5_000;

/**
 * Yields each new event once. After a lost connection, continues after the last event. Calls `onStart` at the first
 * connection.
 */
async function* eventsFromNow(pay: PayClient, signal: AbortSignal, onStart: () => void): AsyncGenerator<Event> {
  const { data } = await pay.events.list({ limit: 1 }, { signal });
  const seen = new Set<string>();
  let state: 'new' | 'open' | 'lost' = 'new';
  const stream = pay.events.stream({
    signal,
    lastEventId: data[0]?.id ?? '0',
    onOpen: () => {
      if (state === 'new') onStart();
      else console.error('The connection to the service is back.');
      state = 'open';
    },
    onLost: () => {
      if (state === 'open' && !signal.aborted) console.error('The connection to the service is lost; trying again.');
      state = state === 'new' ? 'new' : 'lost';
    },
  });
  for await (const event of stream) {
    if (seen.has(event.id)) continue;
    if (seen.size >= rememberedIds) seen.clear();
    seen.add(event.id);
    yield event;
  }
}

/** Maximum number of deliveries that wait for an answer. */
const deliveriesAtOnce = 8;

async function forEachAtOnce<T>(source: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const item of source) {
    const task = work(item).finally(() => running.delete(task));
    running.add(task);
    if (running.size >= deliveriesAtOnce) await Promise.race(running);
  }
  await Promise.all(running);
}

function deliveryLine({ id, type }: Event, { status, error, durationMs }: Delivered): object {
  return { object: 'delivery', event: id, type, status, error, duration_ms: durationMs };
}

function textOf({ id, type, timestamp }: Event, { status, error, durationMs }: Delivered): string {
  const outcome = status === null ? `failed: ${error}` : `${status} (${durationMs} ms)`;
  return `${timestamp.slice(11, 19)}  ${type.padEnd(28)}  ${id}  ${outcome}`;
}
