import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach } from 'vitest';

/** A page, and its complaints: errors on its console and uncaught exceptions. */
export type Visited = Page & { readonly complaints: readonly string[] };

/** How a page is looked at. Options that belong to a browser context, such as a time zone, give the page a context of its own. */
export interface Look extends Omit<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** A new person, with a memory of their own. */
  readonly asStranger?: boolean;
  /** Lets the test move the page's time on, with `passTime`. */
  readonly hasTestTime?: boolean;
}

const phone = { width: 360, height: 740 };

/**
 * Opens pages for the tests of a file, of a phone unless told otherwise, and closes them after each test. All pages are
 * of one person, whose browser has the scripts already, unless a look says otherwise.
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

/** Lets so many milliseconds pass in a page opened with `hasTestTime`, in steps that let requests be answered between. */
export async function passTime(page: Page, ms: number): Promise<void> {
  const steps = 5;
  for (let step = 0; step < steps; step++) {
    await page.clock.runFor(ms / steps);
    await page.waitForTimeout(50);
  }
}

/** Fills the card's form with a good card, and submits it. */
export async function payByCard(page: Page): Promise<void> {
  const frame = page.frameLocator('pay-checkout iframe');
  await frame.locator('#number').fill('4242 4242 4242 4242');
  await frame.locator('#expiry').fill('12/34');
  await frame.locator('#cvc').fill('123');
  await frame.locator('#name').fill('Grace Hopper');
  await frame.locator('#name').press('Enter');
}

/** Waits until the card can be typed. */
export async function cardForm(page: Page): Promise<void> {
  await page.frameLocator('pay-checkout iframe').locator('#number').waitFor({ state: 'visible' });
}
