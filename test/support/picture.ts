import { join } from 'node:path';
import type { Page } from 'playwright';

/** Whether tests keep pictures, for people to look at. */
export const picturesAreKept = process.env['PICTURES'] === '1';

/**
 * Keeps a picture of the whole page in `test-results/pictures` for people to look at, when the tests run with
 * `PICTURES=1`; no test reads them.
 */
export async function picture(page: Page, name: string): Promise<void> {
  if (!picturesAreKept) return;
  const path = join('test-results', 'pictures', `${name}.png`);
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}
