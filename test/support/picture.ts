import { join } from 'node:path';
import type { Page } from 'playwright';

/** Whether tests save pictures for manual checks. */
export const picturesAreKept = process.env['PICTURES'] === '1';

/** With `PICTURES=1`, saves a picture of the whole page in `test-results/pictures` for manual checks. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!picturesAreKept) return;
  const path = join('test-results', 'pictures', `${name}.png`);
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}
