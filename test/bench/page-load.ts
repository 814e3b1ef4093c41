import type { Browser, CDPSession, Page } from 'playwright';

/** How one cold load of a page went. */
export interface PageLoad {
  /** From the navigation until the first tab can be pressed and a frame has passed. */
  readonly readyMs: number;
  /** What tasks of the main thread took beyond 50 ms each, until half a second after that. */
  readonly blockingMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: when it began, how long it took, and how much of that the thread was at work. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly data?: { readonly documentLoaderURL?: string } };
}

/** 150 ms, 1.6 Mbit/s down, 0.75 Mbit/s up. */
const slowLine = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const slowerCpu = 4;
const longTaskMs = 50;
const settleMs = 500;

/** Loads a page cold, over a slow line, with a CPU four times slower, on a phone's screen. `host` is the element with the tabs. */
export async function loadPage(browser: Browser, url: string, host: string): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: { width: 412, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', slowLine);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowerCpu });
  const endTrace = await startTrace(session);
  const readyMs = await timeToInteractive(page, url, host);
  await page.waitForTimeout(settleMs);
  const blockingMs = blockingTime(await endTrace(), url);
  await context.close();
  return { readyMs, blockingMs };
}

async function timeToInteractive(page: Page, url: string, host: string): Promise<number> {
  await page.addInitScript(selector => {
    const look = () => {
      if (!document.querySelector(selector)?.shadowRoot?.querySelector('[role=tab]')) requestAnimationFrame(look);
      else requestAnimationFrame(() => Object.assign(window, { readyMs: performance.now() }));
    };
    requestAnimationFrame(look);
  }, host);
  await page.goto(url);
  await page.waitForFunction(() => 'readyMs' in window, undefined, { timeout: 30_000 });
  return await page.evaluate(() => (window as unknown as { readyMs: number }).readyMs);
}

/** Records the tasks of all threads. Of the categories this one costs the page the least. */
async function startTrace(session: CDPSession): Promise<() => Promise<TraceEvent[]>> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['toplevel', 'blink.user_timing'], excludedCategories: ['*'] };
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  return async () => {
    const complete = new Promise<void>(resolve => session.once('Tracing.tracingComplete', () => resolve()));
    await session.send('Tracing.end');
    await complete;
    return events;
  };
}

/**
 * Blocking time by the thread's own clock: what else the machine is doing at the same time does not count, the four
 * times slower CPU does.
 */
function blockingTime(events: readonly TraceEvent[], url: string): number {
  const navigation = events.find(
    ({ name, args }) => name === 'navigationStart' && args?.data?.documentLoaderURL?.startsWith(url),
  );
  if (navigation === undefined) throw new Error(`no trace of ${url}`);
  const { pid, tid, ts: start } = navigation;
  return events
    .filter(event => event.pid === pid && event.tid === tid && event.name === 'ThreadControllerImpl::RunTask')
    .filter(({ ts, dur = 0 }) => ts + dur > start)
    .reduce((sum, { tdur = 0 }) => sum + Math.max(0, tdur / 1000 - longTaskMs), 0);
}
