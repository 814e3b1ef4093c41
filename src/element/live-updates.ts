import { readServerSentEvents } from '../api/client/server-sent-events.ts';
import type { Payment } from '../api/payment.ts';
import type { CheckoutState, LiveEars } from './checkout-store.ts';

/** What live updates need of the outside. */
export interface LiveDeps extends LiveEars {
  /** Opens the event stream after the given event id (empty: from now). */
  readonly open: (lastEventId: string, signal: AbortSignal) => Promise<Response>;
}

interface Line {
  readonly deps: LiveDeps;
  lastEventId: string;
  /** Bytes have come over the open stream. */
  isFlowing: boolean;
  connection: AbortController | undefined;
  streamTries: number;
  pollTries: number;
  streamTimer: ReturnType<typeof setTimeout> | undefined;
  pollTimer: ReturnType<typeof setTimeout> | undefined;
}

/** A stream that says nothing for this long is taken for dead; the service sends a heartbeat every few seconds. */
const silenceMs = 45_000;
const longestPauseMs = 20_000;
/** How soon it is noticed that all is not well any more. */
const wellPauseMs = 2000;

/** Between questions after a payment is over: from 5 seconds to a minute. */
const afterPause = (tries: number) => Math.min(5000 * 1.2 ** tries, 60_000);

const backoff = (tries: number) => Math.min(1000 * 2 ** tries, longestPauseMs) * (0.75 + Math.random() / 2);

/**
 * Follows a payment: a stream read by `fetch` (so that secrets stay in headers), taken up again after `Last-Event-ID`;
 * while nothing flows (a broken line, a proxy that holds streams back) questions with growing pauses; and a question at
 * once when the page is shown again or the device is back on line, since a sleeping page hears nothing.
 * Returns the function that ends it.
 */
export function followPayment(deps: LiveDeps): () => void {
  const line: Line = {
    deps,
    lastEventId: '',
    isFlowing: false,
    connection: undefined,
    streamTries: 0,
    pollTries: 0,
    streamTimer: undefined,
    pollTimer: undefined,
  };
  const wake = () => {
    if (document.visibilityState === 'hidden') return;
    void deps.look();
    begin(line);
  };
  const ears = [
    ['visibilitychange', wake, document],
    ['online', wake, window],
    ['offline', () => deps.onLine(false), window],
    // A page in the back-forward cache must hold no connection, or the browser throws it out of there.
    ['pagehide', () => rest(line), window],
    ['pageshow', wake, window],
  ] as const;
  for (const [name, ear, target] of ears) target.addEventListener(name, ear);
  begin(line);
  const around = lookAround(deps);
  return () => {
    rest(line);
    clearInterval(around);
    for (const [name, ear, target] of ears) target.removeEventListener(name, ear);
  };
}

/** How often, and how many times, what is missing is looked for. */
const aroundMs = 5000;
const mostLooks = 6;

/** A service that was just started may not take the shop's own asset yet. */
function lookAround({ state, lookAround: look }: LiveDeps): ReturnType<typeof setInterval> {
  let looks = 0;
  const timer = setInterval(() => {
    if (looks++ < mostLooks && isAssetMissing(state())) void look();
    else clearInterval(timer);
  }, aroundMs);
  return timer;
}

function isAssetMissing({ payment, options }: CheckoutState): boolean {
  const assets = options?.crypto?.assets;
  return Boolean(
    payment?.status === 'pending' && assets && !assets.some(({ asset }) => asset.startsWith(payment.settlement_asset)),
  );
}

const isOpen = ({ payment }: CheckoutState) => payment?.status === 'pending';

function begin(line: Line): void {
  rest(line);
  line.streamTries = line.pollTries = 0;
  if (isOpen(line.deps.state())) void stream(line);
  poll(line);
}

function rest(line: Line): void {
  clearTimeout(line.streamTimer);
  clearTimeout(line.pollTimer);
  line.isFlowing = false;
  const { connection } = line;
  line.connection = undefined;
  connection?.abort();
}

/**
 * Asks now and then for as long as the stream says nothing, or a call got no answer. Once the payment is over the stream
 * is let go; late money and refunds still come, so a page that is looked at asks, less and less often.
 */
function poll(line: Line): void {
  const { look, state } = line.deps;
  const isWell = () => line.isFlowing && state().up;
  if (line.connection && !isOpen(state())) {
    rest(line);
    line.pollTries = 0;
  }
  clearTimeout(line.pollTimer);
  line.pollTimer = setTimeout(
    () => {
      if (!isWell() && (isOpen(state()) || document.visibilityState === 'visible')) void look();
      poll(line);
    },
    isWell() ? wellPauseMs : isOpen(state()) ? backoff(++line.pollTries) : afterPause(line.pollTries++),
  );
}

async function stream(line: Line): Promise<void> {
  const mine = new AbortController();
  line.connection = mine;
  await listen(line, mine).catch(() => undefined);
  if (line.connection !== mine) return;
  line.isFlowing = false;
  line.streamTimer = setTimeout(() => void stream(line), backoff(line.streamTries++));
}

async function listen(line: Line, mine: AbortController): Promise<void> {
  const { body } = await line.deps.open(line.lastEventId, mine.signal);
  if (!body) return;
  for await (const { id, event, data } of readServerSentEvents(body.pipeThrough(pulse(line, mine)))) {
    line.lastEventId = id;
    if (event === 'payment') line.deps.onPayment(JSON.parse(data) as Payment);
  }
}

/** Passes bytes through, notices the first of them, and ends a stream that has gone silent. */
function pulse(line: Line, mine: AbortController): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let silence = setTimeout(() => mine.abort(), silenceMs);
  mine.signal.addEventListener('abort', () => clearTimeout(silence));
  return new TransformStream({
    transform(bytes, out) {
      // Bytes may be on their way here when the line is let go.
      if (mine.signal.aborted) return;
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), silenceMs);
      line.streamTries = line.pollTries = 0;
      // What happened between the last answer and the opening of the stream is in neither.
      if (!line.isFlowing) void line.deps.look();
      line.isFlowing = true;
      out.enqueue(bytes);
    },
    flush: () => clearTimeout(silence),
  });
}
