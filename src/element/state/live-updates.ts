import { readServerSentEvents } from '../../api/client/server-sent-events.ts';
import type { Payment } from '../../api/payment.ts';
import type { CheckoutState } from './checkout-state.ts';
import type { CheckoutStore } from './checkout-store.ts';

/** Opens the event stream after the event id. Blank: the stream begins now. */
export type OpenStream = (lastEventId: string, signal: AbortSignal) => Promise<Response>;

interface Feed {
  readonly store: CheckoutStore;
  readonly open: OpenStream;
  lastEventId: string;
  /** Whether the open stream has delivered bytes. */
  isFlowing: boolean;
  stream: AbortController | undefined;
  streamTries: number;
  pollTries: number;
  streamTimer: ReturnType<typeof setTimeout> | undefined;
  pollTimer: ReturnType<typeof setTimeout> | undefined;
}

/** Milliseconds without bytes after which a stream is broken. The service sends a heartbeat every 15 seconds. */
const silenceMs = 45_000;
const longestPauseMs = 20_000;
/** Milliseconds between two checks of a working stream. */
const workingPauseMs = 2000;

/** Milliseconds between polls after the payment has ended: from 5 seconds to a minute. */
const endedPause = (tries: number) => Math.min(5000 * 1.2 ** tries, 60_000);

const backoff = (tries: number) => Math.min(1000 * 2 ** tries, longestPauseMs) * (0.75 + Math.random() / 2);

/**
 * Keeps the store's payment up to date. Returns a function that ends the updates. Reads a stream by `fetch`, so that
 * the secret is not in the URL. Reopens a lost stream after the last received event. While no bytes arrive (network
 * failure, a buffering proxy), polls with growing pauses. Polls at once when the page becomes visible or the device is
 * online again.
 */
export function followPayment(store: CheckoutStore, open: OpenStream): () => void {
  const feed: Feed = {
    store,
    open,
    lastEventId: '',
    isFlowing: false,
    stream: undefined,
    streamTries: 0,
    pollTries: 0,
    streamTimer: undefined,
    pollTimer: undefined,
  };
  const wake = () => {
    if (document.visibilityState === 'hidden') return;
    void store.readPayment();
    begin(feed);
  };
  const handlers = [
    ['visibilitychange', wake, document],
    ['online', wake, window],
    ['offline', () => store.report(false), window],
    // A page with an open connection cannot stay in the browser's back-forward cache.
    ['pagehide', () => close(feed), window],
    ['pageshow', wake, window],
  ] as const;
  for (const [name, handler, target] of handlers) target.addEventListener(name, handler);
  begin(feed);
  const assetTimer = lookForAsset(store);
  return () => {
    close(feed);
    clearInterval(assetTimer);
    for (const [name, handler, target] of handlers) target.removeEventListener(name, handler);
  };
}

/** Milliseconds between attempts to find a missing asset, and the number of attempts. */
const assetPauseMs = 5000;
const mostReads = 6;

/** Reads the options again while the settlement asset is missing. Its chain or its price may be unavailable briefly. */
function lookForAsset(store: CheckoutStore): ReturnType<typeof setInterval> {
  let reads = 0;
  const timer = setInterval(() => {
    if (reads++ < mostReads && isAssetMissing(store.state)) void store.readOptions();
    else clearInterval(timer);
  }, assetPauseMs);
  return timer;
}

function isAssetMissing({ payment, options }: CheckoutState): boolean {
  const assets = options?.crypto?.assets;
  return Boolean(
    payment?.status === 'pending' && assets && !assets.some(({ asset }) => asset.startsWith(payment.settlement_asset)),
  );
}

const isOpen = ({ payment }: CheckoutState) => payment?.status === 'pending';

function begin(feed: Feed): void {
  close(feed);
  feed.streamTries = feed.pollTries = 0;
  if (isOpen(feed.store.state)) void openStream(feed);
  poll(feed);
}

function close(feed: Feed): void {
  clearTimeout(feed.streamTimer);
  clearTimeout(feed.pollTimer);
  feed.isFlowing = false;
  const { stream } = feed;
  feed.stream = undefined;
  stream?.abort();
}

/**
 * Polls while the stream is silent or the service does not answer. After the payment has ended, the stream is closed.
 * Late money and refunds may still arrive, so a visible page continues to poll, at growing intervals.
 */
function poll(feed: Feed): void {
  const { store } = feed;
  const isWorking = () => feed.isFlowing && store.state.up;
  if (feed.stream && !isOpen(store.state)) {
    close(feed);
    feed.pollTries = 0;
  }
  clearTimeout(feed.pollTimer);
  feed.pollTimer = setTimeout(
    () => {
      if (!isWorking() && (isOpen(store.state) || document.visibilityState === 'visible')) void store.readPayment();
      poll(feed);
    },
    isWorking() ? workingPauseMs : isOpen(store.state) ? backoff(++feed.pollTries) : endedPause(feed.pollTries++),
  );
}

async function openStream(feed: Feed): Promise<void> {
  const mine = new AbortController();
  feed.stream = mine;
  await listen(feed, mine).catch(() => undefined);
  if (feed.stream !== mine) return;
  feed.isFlowing = false;
  feed.streamTimer = setTimeout(() => void openStream(feed), backoff(feed.streamTries++));
}

async function listen(feed: Feed, mine: AbortController): Promise<void> {
  const { body } = await feed.open(feed.lastEventId, mine.signal);
  if (!body) return;
  for await (const { id, event, data } of readServerSentEvents(body.pipeThrough(watchBytes(feed, mine)))) {
    feed.lastEventId = id;
    if (event === 'payment') feed.store.receive(JSON.parse(data) as Payment);
  }
}

/** Passes bytes on, records the first bytes, and ends a silent stream. */
function watchBytes(
  feed: Feed,
  mine: AbortController,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let silence = setTimeout(() => mine.abort(), silenceMs);
  mine.signal.addEventListener('abort', () => clearTimeout(silence));
  return new TransformStream({
    transform(bytes, out) {
      // Bytes may still arrive after the stream was closed.
      if (mine.signal.aborted) return;
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), silenceMs);
      feed.streamTries = feed.pollTries = 0;
      feed.isFlowing = true;
      // The stream begins with the current payment, so the service has answered.
      feed.store.report(true);
      out.enqueue(bytes);
    },
    flush: () => clearTimeout(silence),
  });
}
