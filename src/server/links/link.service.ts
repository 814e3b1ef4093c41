import type { UpdatePaymentLink } from '../../api/link.ts';
import { PayError } from '../../core/error.ts';
import { assertRedirect } from '../payments/checkout/redirect.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { changeLink, findLink, type LinkChange, type LinkKey, linkMissing, lockLink } from './link.store.ts';
import { isOver, type LinkRow } from './link.ts';
import type { LinkViewContext } from './link.view.ts';
import { assertTimes } from './link-draft.service.ts';

/** What reading and changing links needs. */
export interface LinkChangeDeps extends LinkViewContext {
  readonly db: Db;
}

/**
 * The link as it is now: one whose time ended on the clock has expired, whether or not the sweep has come by. Throws
 * `resource_missing`.
 */
export async function readLink(
  deps: LinkChangeDeps,
  caller: Pick<Caller, 'merchant' | 'livemode' | 'now'>,
  linkId: string,
): Promise<LinkRow> {
  const key = { merchantId: caller.merchant.id, linkId };
  const link = await findLink(deps.db, key);
  if (link === null || link.livemode !== caller.livemode) throw linkMissing(linkId);
  return needsExpiry(link, caller.now) ? await expireLink(deps, key, caller.now) : link;
}

function needsExpiry(link: LinkRow, now: Date): boolean {
  return (link.status === 'active' || link.status === 'disabled') && isOver(link, now);
}

/** Ends a link whose time is over, once. Payments that nobody has begun to pay end with it. */
export async function expireLink(deps: LinkChangeDeps, key: LinkKey, now: Date): Promise<LinkRow> {
  return await deps.db.transaction().execute(async tx => {
    const link = await lockLink(tx, key);
    if (!needsExpiry(link, now)) return link;
    return await changeLink(tx, deps, link, {
      set: { status: 'expired', closing_at: now },
      events: ['payment_link.expired'],
      now,
    });
  });
}

/** Changes what of a link may be changed. Throws `illegal_state` where its state forbids it, or what is wrong with a field. */
export async function updateLink(
  deps: LinkChangeDeps,
  tx: Tx,
  caller: Caller,
  linkId: string,
  body: UpdatePaymentLink,
): Promise<LinkRow> {
  const link = await lockLink(tx, { merchantId: caller.merchant.id, linkId });
  if (body.redirect_url) assertRedirect(body.redirect_url, caller.merchant, caller.livemode, 'redirect_url');
  if (body.expires_at !== undefined || body.starts_at !== undefined) assertTimeChange(link, body, caller.now);
  const { status, starts_at: startsAt, expires_at: expiresAt, metadata, ...texts } = body;
  const set = {
    ...texts,
    ...(startsAt !== undefined && { starts_at: momentOf(startsAt) }),
    ...(expiresAt !== undefined && { expires_at: momentOf(expiresAt) }),
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...statusColumns(link, status, expiresAt !== undefined, caller.now),
  };
  if (Object.keys(set).length === 0) return link;
  const change: LinkChange = { set, events: ['payment_link.updated'], now: caller.now };
  return await changeLink(tx, deps, link, change);
}

function assertTimeChange(link: LinkRow, body: UpdatePaymentLink, now: Date): void {
  if (link.status === 'completed') {
    throw new PayError('illegal_state', 'The payment link is completed; its times mean nothing any more.');
  }
  const startsAt = body.starts_at === undefined ? (link.starts_at?.toISOString() ?? null) : body.starts_at;
  const expiresAt = body.expires_at === undefined ? (link.expires_at?.toISOString() ?? null) : body.expires_at;
  assertTimes({ startsAt, expiresAt }, now);
}

/** The columns of a change of status. An expired link that is given more time is active again. */
function statusColumns(link: LinkRow, wanted: UpdatePaymentLink['status'], hasNewEnd: boolean, now: Date) {
  if (link.status === 'expired' && wanted !== undefined && !hasNewEnd) {
    throw new PayError(
      'illegal_state',
      'The payment link has expired. Give it a later expires_at, or null for no end.',
    );
  }
  const to = wanted ?? (link.status === 'expired' && hasNewEnd ? 'active' : link.status);
  if (to === link.status) return {};
  return { status: to, closing_at: to === 'active' ? null : now };
}

function momentOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
