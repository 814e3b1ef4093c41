import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright';

/** Figures of one load of a page without a cache. */
export interface PageLoad {
  /** Time from the navigation until the payer can press the first method and a frame is painted. */
  readonly readyMs: number;
  /** The sum of each main-thread task's time above 50 ms, until half a second after `readyMs`. */
  readonly blockingMs: number;
  /** Answers received until `readyMs`, including the document. `bytes` is the sum of their bodies in brotli. */
  readonly requests: number;
  readonly bytes: number;
}

/** A page and the selectors of its first method. Each selector except the last names the host of a shadow tree. */
export interface MeasuredPage {
  readonly url: string;
  readonly method: readonly string[];
  /** Cookies of a signed-in person. */
  readonly session?: BrowserContextOptions['storageState'];
}

type Ready = Pick<PageLoad, 'readyMs' | 'requests' | 'bytes'>;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: start, duration, and the thread's CPU time. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly documentLoaderURL?: string } };
}

/** A slow line: 150 ms, 1.6 Mbit/s down, 0.75 Mbit/s up. */
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const slowerCpu = 4;
const longTaskMs = 50;
const settleMs = 500;

/**
 * Loads a page cold, twice, over a slow line on a phone's screen. Time to interactive is real time with the CPU
 * throttled four times. Blocking time is four times the CPU time of the page's thread, so other load of the machine
 * does not matter.
 */
export async function loadPage(browser: Browser, measured: MeasuredPage): Promise<PageLoad> {
  const ready = await visit(browser, measured, async (page, session) => {
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowerCpu });
    return await openUntilReady(page, measured);
  });
  const blockingMs = await visit(browser, measured, async (page, session) => {
    const endTrace = await startTrace(session);
    await openUntilReady(page, measured);
    await page.waitForTimeout(settleMs);
    return blockingTime(await endTrace(), measured.url);
  });
  return { ...ready, blockingMs };
}

async function visit<T>(
  browser: Browser,
  { session: storageState }: MeasuredPage,
  look: (page: Page, session: CDPSession) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({
    viewport: { width: 412, height: 900 },
    ...(storageState && { storageState }),
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', slowLine);
  try {
    return await look(page, session);
  } finally {
    await context.close();
  }
}

async function openUntilReady(page: Page, { url, method }: MeasuredPage): Promise<Ready> {
  await page.addInitScript(selectors => {
    if (window !== top) return;
    const first = () =>
      selectors.reduce<Element | null | undefined>(
        (host, selector) => (host && (host.shadowRoot ?? host).querySelector(selector)) ?? null,
        document.documentElement,
      );
    const report = () => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      const bodies = entries.map(entry => (entry as PerformanceResourceTiming).encodedBodySize);
      const bytes = bodies.reduce((sum, size) => sum + size, 0);
      console.debug(JSON.stringify({ readyMs: performance.now(), requests: entries.length, bytes }));
    };
    const look = () => requestAnimationFrame(first() ? report : look);
    requestAnimationFrame(look);
  }, method);
  // Playwright's own waits would run a large script in the page while it loads.
  const [message] = await Promise.all([
    page.waitForEvent('console', { predicate: message => /^{"readyMs"/.test(message.text()), timeout: 60_000 }),
    page.goto(url),
  ]);
  return JSON.parse(message.text()) as Ready;
}

/** Records the tasks of all threads, with the microtasks at the end of each. */
async function startTrace(session: CDPSession): Promise<() => Promise<TraceEvent[]>> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = {
    includedCategories: ['disabled-by-default-devtools.timeline', 'blink.user_timing'],
    excludedCategories: ['*'],
  };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  return async () => {
    const complete = new Promise<void>(resolve => session.once('Tracing.tracingComplete', () => resolve()));
    await session.send('Tracing.end');
    await complete;
    return events;
  };
}

/** The sum of each main-thread task's time above 50 ms on the slower CPU. */
function blockingTime(events: readonly TraceEvent[], url: string): number {
  const navigation = events.find(
    ({ name, args }) => name === 'navigationStart' && args?.data?.documentLoaderURL?.startsWith(url),
  );
  if (navigation === undefined) throw new Error(`no trace of ${url}`);
  const { pid, tid, ts: start } = navigation;
  return events
    .filter(event => event.pid === pid && event.tid === tid && event.name === 'RunTask')
    .filter(({ ts, dur = 0 }) => ts + dur > start)
    .reduce((sum, { tdur = 0 }) => sum + Math.max(0, (tdur / 1000) * slowerCpu - longTaskMs), 0);
}
