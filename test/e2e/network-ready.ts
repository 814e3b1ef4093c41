import { expect, type Service } from './service.ts';

/** From a signature to a closed ledger, read, credited and settled. */
export const ledgerTime = { timeout: 30_000 };

/**
 * Waits until payers can pay on the sandbox network: a service that starts for the first time opens its own accounts
 * there first, and the demo shop gives the merchant one when its first visitor comes.
 */
export async function networkReady({ url, client, pay }: Service): Promise<void> {
  await fetch(`${url}/demo/api/shop`);
  const address = async () => (await client.account.retrieve()).settlement.stellar_address;
  await expect.poll(address, ledgerTime).not.toBeNull();
  const { id } = await pay({ payment_methods: ['crypto'] });
  const offered = async () => (await client.payments.options(id)).crypto?.assets.length;
  await expect.poll(offered, ledgerTime).toBeGreaterThan(3);
  await client.payments.cancel(id);
}
