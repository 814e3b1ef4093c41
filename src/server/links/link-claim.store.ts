import { sql } from 'kysely';
import type { Db, Executor, Tx } from '../db/database.ts';
import { dueRows } from '../db/due.ts';
import type { PaymentLinkClaimsTable } from '../db/link-tables.ts';
import type { PaymentKey } from '../payments/payment.store.ts';
import type { PaymentRow } from '../payments/payment.view.ts';
import type { LinkKey } from './link.store.ts';
import type { HeldPlaces } from './link.ts';

/** What is known of a payment's place: `held`, `lost`, or null when it has neither. */
export async function findClaim(db: Executor, key: PaymentKey): Promise<PaymentLinkClaimsTable['state'] | null> {
  const row = await db
    .selectFrom('payment_link_claims')
    .select('state')
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .executeTakeFirst();
  return row?.state ?? null;
}

/** The places that are held on a link. Exact while the transaction holds the link locked. */
export async function heldPlaces(tx: Tx, key: LinkKey): Promise<HeldPlaces> {
  const { count, amount } = await tx
    .selectFrom('payment_link_claims')
    .select([sql<number>`count(*)::int4`.as('count'), sql<bigint>`coalesce(sum(amount), 0)::int8`.as('amount')])
    .where('merchant_id', '=', key.merchantId)
    .where('link_id', '=', key.linkId)
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow();
  return { count, amount };
}

/** Notes a place as held or lost; `dueAt` as in the table. */
export async function saveClaim(
  tx: Tx,
  payment: PaymentRow,
  state: PaymentLinkClaimsTable['state'],
  dueAt: Date | null,
): Promise<void> {
  await tx
    .insertInto('payment_link_claims')
    .values({
      merchant_id: payment.merchant_id,
      payment_id: payment.id,
      link_id: payment.payment_link ?? '',
      livemode: payment.livemode,
      amount: payment.amount,
      state,
      due_at: dueAt,
    })
    .onConflict(conflict => conflict.columns(['merchant_id', 'payment_id']).doUpdateSet({ state, due_at: dueAt }))
    .execute();
}

/** Gives a held place up. */
export async function releaseClaim(tx: Tx, key: PaymentKey): Promise<void> {
  await tx
    .deleteFrom('payment_link_claims')
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .where('state', '=', 'held')
    .execute();
}

/** A claim whose turn it is. */
export interface DueClaim extends PaymentKey {
  readonly livemode: boolean;
  readonly state: PaymentLinkClaimsTable['state'];
  readonly clock: Date;
}

/** Takes claims whose turn it is, and puts their next turn off so that nobody else takes them meanwhile. */
export async function claimDueClaims(
  db: Db,
  now: Date,
  options: { readonly againSeconds: number; readonly limit: number },
): Promise<DueClaim[]> {
  const due = dueRows({
    table: 'payment_link_claims',
    dueAt: 'due_at',
    columns: ['merchant_id', 'payment_id'],
    where: sql`t.due_at is not null`,
    now,
    limit: options.limit,
  });
  const result = await sql<DueClaim>`
    with ${due}
    update payment_link_claims c set due_at = due.clock + ${options.againSeconds} * interval '1 second'
    from due where c.merchant_id = due.merchant_id and c.payment_id = due.payment_id
    returning c.merchant_id as "merchantId", c.payment_id as "paymentId", c.livemode, c.state, due.clock`.execute(db);
  return result.rows;
}

/** Nothing is to be done about the claim any more. */
export async function settleClaim(tx: Tx, key: PaymentKey): Promise<void> {
  await tx
    .updateTable('payment_link_claims')
    .set({ due_at: null })
    .where('merchant_id', '=', key.merchantId)
    .where('payment_id', '=', key.paymentId)
    .execute();
}
