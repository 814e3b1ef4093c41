import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';

/** A page, and what it complained of: errors on its console and exceptions nobody caught. */
export type Visited = Page & { readonly complaints: readonly string[] };

/** How a page is looked at. What only a person of one's own can have, such as a time zone, makes one. */
export interface Look extends Omit<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  readonly viewport?: { width: number; height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Somebody else than whoever looked at pages before: with a memory of their own. */
  readonly asStranger?: boolean;
}

/** The pages that tests of a file look at. */
export interface Visits {
  /** Opens the address in a page, of a phone unless told otherwise. */
  open(url: string, look?: Look): Promise<Visited>;
  /** Closes all that were opened. For `afterEach`. */
  end(): Promise<void>;
}

const phone = { width: 360, height: 740 };

/** Pages are of one person, who has the scripts already, unless they must not be: a new person costs a second of work. */
export function createVisits(browser: () => Browser): Visits {
  const opened: { close(): Promise<void> }[] = [];
  let person: BrowserContext | undefined;
  return {
    open: async (url, { viewport = phone, colorScheme = 'light', asStranger = false, ...own } = {}) => {
      const isOther = asStranger || Object.keys(own).length > 0;
      person ??= await browser().newContext();
      const context = isOther ? await browser().newContext(own) : person;
      const page = await context.newPage();
      opened.push(isOther ? context : page);
      const complaints: string[] = [];
      page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', error => complaints.push(error.message));
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(url);
      return Object.assign(page, { complaints });
    },
    end: async () => {
      await Promise.all(opened.splice(0).map(one => one.close()));
    },
  };
}

/** Fills the card's form with a card that is good, and submits it. */
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
