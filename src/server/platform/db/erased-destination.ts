import { type RawBuilder, sql } from 'kysely';

/** The column's payout destination without what names a person: its type, and the operator of mobile money. */
export function erasedDestination(column: string): RawBuilder<unknown> {
  const destination = sql.ref(column);
  return sql`case ${destination} ->> 'type'
    when 'mobile_money' then jsonb_build_object('type', 'mobile_money', 'provider', ${destination} -> 'provider', 'number', 'erased')
    else jsonb_build_object('type', ${destination} -> 'type') end`;
}
