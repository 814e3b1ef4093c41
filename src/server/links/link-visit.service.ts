import type { FastifyRequest } from 'fastify';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Db } from '../platform/db/database.ts';
import { isPerson, visitorOf } from '../platform/http/access/visitor.ts';
import { runEach } from '../platform/jobs/run-each.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changeLink, countVisits, findUntold, lockLink, noteVisit } from './link.store.ts';
import type { LinkRow } from './link.ts';

/** The sweep that counts visitors. */
export const openSweep = 'links.opens';

/** How many browsers of one network are told apart in a day: a household's, not those that a script makes up. */
const browsersPerNetwork = 5;

/** What noting visitors needs. */
export interface LinkOpenDeps {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'visitorHash'>;
  readonly log: Log;
  readonly wake: (sweep: string) => void;
}

/**
 * Notes that a person has opened a link, each browser once a day. It is counted and told a moment later, so that nobody
 * waits for the link's row; and nobody who came to pay is kept from it because this failed.
 */
export async function recordOpen(deps: LinkOpenDeps, link: LinkRow, request: FastifyRequest, now: Date): Promise<void> {
  if (!isPerson(request)) return;
  const { browser, network } = visitorOf(request);
  const visit = {
    ...{ merchantId: link.merchant_id, linkId: link.id, now, most: browsersPerNetwork },
    visitor: deps.secrets.visitorHash(link.id, browser),
    network: deps.secrets.visitorHash(link.id, network),
  };
  try {
    if (await noteVisit(deps.db, visit)) deps.wake(openSweep);
  } catch (error) {
    deps.log.error({ err: error, link: link.id }, 'a visit of a payment link was not noted');
  }
}

const batch = 50;

/** Counts on their links those who have come, and tells of all that came to a link together. Returns of how many links. */
export async function countOpens(deps: PaymentDeps): Promise<number> {
  return await runEach(await findUntold(deps.db, batch), async key => {
    const merchant = await deps.findMerchant(key.merchantId);
    await deps.db.transaction().execute(async tx => {
      const link = await lockLink(tx, key);
      const count = await countVisits(tx, key);
      if (count === 0) return;
      const now = merchantNow(merchant, link.livemode, deps.clock.now());
      await changeLink(tx, deps, link, { set: { opens: link.opens + count }, events: ['payment_link.opened'], now });
    });
  });
}
