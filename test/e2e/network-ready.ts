import { expect, type Service } from './service.ts';

/** The time from a signature to a closed ledger, a credited payment and its settlement. */
export const ledgerTime = { timeout: 30_000 };

/**
 * Waits until the sandbox network accepts payments. After its first start the service creates its accounts there. The
 * demo shop opens the merchant's account at its first visit.
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
