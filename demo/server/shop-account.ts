import { readFile } from 'node:fs/promises';
import type { PayClient } from '../../src/api/client.ts';

/** The name of an account that nobody has named yet. */
const unnamed = 'Test shop';

/**
 * Gives the account the shop's name and logo, so that a payer sees the same shop on the hosted page. An account that
 * its owner has named stays as it is.
 */
export async function nameAccount(pay: PayClient): Promise<void> {
  const { name, branding } = await pay.account.retrieve();
  if (name !== unnamed || branding.logo !== null) return;
  // The path also holds in the bundled server: dist/server is as deep below the root as demo/server.
  const logo = await readFile(new URL('../../demo/pictures/logo.png', import.meta.url), 'base64');
  await pay.account.update({ name: 'Nordlys Supply', branding: { logo: `data:image/png;base64,${logo}` } });
}
