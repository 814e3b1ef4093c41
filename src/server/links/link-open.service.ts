import type { Db } from '../db/database.ts';
import type { Log } from '../jobs/sweeper.ts';
import type { Secrets } from '../secrets.ts';
import { changeLink, lockLink } from './link.store.ts';
import type { LinkRow } from './link.ts';
import type { LinkPlace } from './link.view.ts';
import { noteVisit } from './link-visit.store.ts';

/** What counting visitors needs. */
export interface LinkOpenDeps extends LinkPlace {
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'visitorHash'>;
  readonly log: Log;
}

/** Somebody who looks at a link. */
export interface LinkOpening {
  readonly link: LinkRow;
  /** What tells one browser from another; null: no person looks. */
  readonly visitor: string | null;
  readonly now: Date;
}

/**
 * Counts that somebody has opened a link, each once a day, and tells of it. Nobody who came to pay is kept from it
 * because this failed.
 */
export async function recordOpen(deps: LinkOpenDeps, { link, visitor, now }: LinkOpening): Promise<void> {
  if (visitor === null) return;
  const key = { merchantId: link.merchant_id, linkId: link.id };
  const hash = deps.secrets.visitorHash(link.id, visitor);
  try {
    await deps.db.transaction().execute(async tx => {
      if (!(await noteVisit(tx, key, hash, now))) return;
      const locked = await lockLink(tx, key);
      await changeLink(tx, deps, locked, { set: { opens: locked.opens + 1 }, events: ['payment_link.opened'], now });
    });
  } catch (error) {
    deps.log.error({ err: error, link: link.id }, 'a visit of a payment link was not counted');
  }
}
