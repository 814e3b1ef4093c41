import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach } from 'vitest';

/** A page with its errors: console errors and uncaught exceptions. */
export type Visited = Page & { readonly complaints: readonly string[] };

/** How a page is opened. Options of a browser context, such as a time zone, create a separate context. */
export interface Look extends Omit<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** A new visitor, with empty storage. */
  readonly asStranger?: boolean;
  /** Lets the test advance the page's time, by `passTime`. */
  readonly hasTestTime?: boolean;
}

const phone = { width: 360, height: 740 };

/**
 * Opens pages for the tests of a file, by default on a phone, and closes them after each test. By default all pages
 * share one visitor with a warm cache.
 */
export function createVisits(browser: () => Browser): (url: string, look?: Look) => Promise<Visited> {
  const opened: { close(): Promise<void> }[] = [];
  let person: BrowserContext | undefined;
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(one => one.close()));
  });
  afterAll(() => person?.close());
  return async (url, look = {}) => {
    const { viewport = phone, colorScheme = 'light', asStranger = false, hasTestTime = false, ...own } = look;
    const isOther = asStranger || hasTestTime || Object.keys(own).length > 0;
    person ??= await browser().newContext();
    const context = isOther ? await browser().newContext(own) : person;
    const page = await context.newPage();
    opened.push(isOther ? context : page);
    const complaints: string[] = [];
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    if (hasTestTime) await page.clock.install();
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    return Object.assign(page, { complaints });
  };
}

/** Advances the time of a page with `hasTestTime` by `ms`, in steps, so that requests can be answered in between. */
export async function passTime(page: Page, ms: number): Promise<void> {
  const steps = 5;
  for (let step = 0; step < steps; step++) {
    await page.clock.runFor(ms / steps);
    await page.waitForTimeout(50);
  }
}

/** Doubles the font size that the browser's user has set. */
export async function doubleText(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
}

/** Fills the card form with a valid card, and submits it. */
export async function payByCard(page: Page): Promise<void> {
  const frame = page.frameLocator('pay-checkout iframe');
  await frame.locator('#number').fill('4242 4242 4242 4242');
  await frame.locator('#expiry').fill('12/34');
  await frame.locator('#cvc').fill('123');
  await frame.locator('#name').fill('Grace Hopper');
  await frame.locator('#name').press('Enter');
}

/** Waits until the card fields are ready. */
export async function cardForm(page: Page): Promise<void> {
  await page.frameLocator('pay-checkout iframe').locator('#number').waitFor({ state: 'visible' });
}
