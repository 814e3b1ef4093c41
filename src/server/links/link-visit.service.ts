import type { FastifyRequest } from 'fastify';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { isPerson, visitorOf } from '../platform/http/access/visitor.ts';
import { runEach } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { changeLink, findVisited, insertVisit, lockLink, takeVisits } from './link.store.ts';
import type { LinkRow } from './link.ts';

/** The sweep that counts visitors. */
export const visitSweep = 'links.opens';

/** Maximum number of browsers of one network that count per day. A household needs fewer, and scripts are limited. */
const browsersPerNetwork = 5;

/**
 * Records that a person opened a link, once a day for each browser. A sweep counts the visit later, so that visitors do
 * not wait for the link's lock. Errors are only logged, because payment is possible without the visit.
 */
export async function recordVisit(deps: PaymentDeps, link: LinkRow, request: FastifyRequest, now: Date): Promise<void> {
  if (!isPerson(request)) return;
  const { browser, network } = visitorOf(request);
  const visit = {
    merchantId: link.merchant_id,
    linkId: link.id,
    now,
    most: browsersPerNetwork,
    visitor: deps.secrets.visitorHash(link.id, browser),
    network: deps.secrets.visitorHash(link.id, network),
  };
  try {
    if (await insertVisit(deps.db, visit)) deps.wake(visitSweep);
  } catch (error) {
    deps.log.error({ err: error, link: link.id }, 'a visit of a payment link could not be stored');
  }
}

const batch = 50;

/** Adds new visits to their links, with one event per link. Returns the number of changed links. */
export async function countVisits(deps: PaymentDeps): Promise<number> {
  return await runEach(await findVisited(deps.db, batch), async key => {
    const merchant = await deps.findMerchant(key.merchantId);
    await deps.db.transaction().execute(async tx => {
      const link = await lockLink(tx, key);
      const count = await takeVisits(tx, key);
      if (count === 0) return;
      const now = merchantNow(merchant, link.livemode, deps.clock.now());
      await changeLink(tx, deps, link, { set: { opens: link.opens + count }, events: ['payment_link.opened'], now });
    });
  });
}
