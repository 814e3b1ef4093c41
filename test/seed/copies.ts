import type pg from 'pg';

/** The connection of a seed: one session, so that its temporary tables stay. */
type Session = Pick<pg.PoolClient, 'query'>;

/** What to copy, and how far back the copies reach. */
export interface CopyPlan {
  readonly merchantId: string;
  readonly count: number;
  readonly days: number;
  /** Customers of the copies, with their ids. */
  readonly customers: readonly { readonly id: string; readonly email: string; readonly name: string }[];
  /** Only payments since then are copied, so that a second seed copies no copies. */
  readonly since: Date;
  /** Makes the ids of two seeds of one database differ. */
  readonly salt: string;
}

const batchSize = 10_000;

/**
 * Copies the merchant's payments of test mode, with their transfers, attempts, refunds, and the charges and credits of
 * the sandbox's rails. The copies spread over the days before now. Recent days have more copies than earlier days,
 * and daytime has more than the night.
 */
export async function copyPayments(session: Session, plan: CopyPlan, report: (done: number) => void): Promise<void> {
  await prepare(session, plan);
  for (let first = 1; first <= plan.count; first += batchSize) {
    const last = Math.min(first + batchSize - 1, plan.count);
    await session.query('begin');
    await session.query('truncate seed_batch');
    await session.query(chooseBatch, [first, last, plan.days, plan.customers.length]);
    for (const { table, alias, join, set } of copied) {
      await session.query(await copyStatement(session, table, alias, join, set));
    }
    await session.query(`insert into seed_days select original, at::date, count(*) from seed_batch group by 1, 2`);
    await session.query('commit');
    report(last);
  }
  await session.query(bookTotals, [plan.merchantId, plan.salt]);
  await session.query(bookEntries, [plan.merchantId, plan.salt]);
  await session.query(countLinks, [plan.merchantId]);
}

async function prepare(session: Session, { merchantId, customers, since, salt }: CopyPlan): Promise<void> {
  await session.query('set statement_timeout = 0; set synchronous_commit = off');
  // 22 characters of base62 after the prefix, as in all ids.
  await session.query(`
    create function pg_temp.seed_id(prefix text, name text) returns text language sql immutable as $$
      select prefix || '_' || substr(translate(encode(
        sha256(convert_to('${salt.replace(/\W/g, '')}' || name, 'utf8')), 'base64'), '+/=', ''), 1, 22) $$`);
  await session.query(`
    create temp table seed_customers (position int primary key, id text, email text, name text);
    create temp table seed_days (original text, day date, copies bigint);
    create temp sequence seed_credits;
    create temp table seed_batch (n bigint, original text, id text, at timestamptz, shift interval, customer int)`);
  await session.query(
    `insert into seed_customers select row_number() over () - 1, * from unnest($1::text[], $2::text[], $3::text[])`,
    [customers.map(({ id }) => id), customers.map(({ email }) => email), customers.map(({ name }) => name)],
  );
  await session.query('create temp table seed_originals (position serial, id text, created_at timestamptz)');
  // A partial payment needs its instructions, and a payment of an invoice needs the invoice: none is copied alone.
  await session.query(
    `insert into seed_originals (id, created_at) select id, created_at from payments
     where merchant_id = $1 and not livemode and created_at >= $2 and owner_type is distinct from 'invoice'
       and not (status = 'pending' and (amount_received > 0 or phase in ('processing', 'confirming', 'authorized')))
       and amount_settling = 0 and amount_refunding = 0 and settlement_status <> 'pending'
     order by id`,
    [merchantId, since],
  );
}

/** The originals take turns, so that the copies have their proportions. */
const chooseBatch = `
  insert into seed_batch
  select n, o.id, pg_temp.seed_id('pay', n::text), t.at, t.at - o.created_at, floor(random() * $4)
  from (select n, 1 + n % (select count(*) from seed_originals) as choice,
          now() - $3::int * interval '1 day' * power(random(), 1.3) as near,
          (random() + random() + random()) / 3 as hour
        from generate_series($1::bigint, $2::bigint) n) c
  join seed_originals o on o.position = c.choice
  cross join lateral (
    select least(date_trunc('day', c.near) + c.hour * interval '1 day', now() - random() * interval '1 hour') as at) t`;

type Columns = Readonly<Record<string, string>>;

interface CopiedTable {
  readonly table: string;
  readonly alias: string;
  readonly join: string;
  /** Columns that differ from the original, as SQL. Times in all other columns are shifted. */
  readonly set: Columns;
}

const isOpen = `p.status = 'pending'`;
const isOver = `${isOpen} and c.at < now() - interval '1 day'`;
const suffix = `|| '~' || c.id`;
const attempts = `join payment_attempts a on a.payment_id = c.original`;

const copied: readonly CopiedTable[] = [
  {
    table: 'payments',
    alias: 'p',
    join: 'join payments p on p.id = c.original join seed_customers k on k.position = c.customer',
    set: {
      id: 'c.id',
      status: `case when ${isOver} then 'failed' else p.status end`,
      phase: `case when ${isOver} then 'expired' when ${isOpen} then 'awaiting_payer' else p.phase end`,
      failure_code: `case when ${isOver} then 'session_expired' else p.failure_code end`,
      failure_message: `case when ${isOver} then 'The time to pay ran out.' else p.failure_message end`,
      method: `case when ${isOpen} then null else p.method end`,
      next_action: 'null',
      settlement_due_at: 'null',
      customer_id: 'k.id',
      customer_email: 'k.email',
      customer_name: 'k.name',
      reference: `'ORDER-' || 100000 + c.n`,
      metadata: `jsonb_build_object('order', 'A-' || 100000 + c.n, 'channel', case c.n % 3 when 0 then 'app' else 'web' end)`,
      quote_id: `pg_temp.seed_id('quote', c.id)`,
      received: `(select jsonb_agg(r || jsonb_build_object('at', to_char(
        ((r ->> 'at')::timestamptz + c.shift) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
        from jsonb_array_elements(p.received) r)`,
    },
  },
  {
    table: 'transfers',
    alias: 't',
    join: 'join transfers t on t.payment_id = c.original',
    set: {
      id: `pg_temp.seed_id('tr', c.id || t.id)`,
      payment_id: 'c.id',
      rail_reference: `t.rail_reference ${suffix}`,
    },
  },
  {
    table: 'payment_attempts',
    alias: 'a',
    join: attempts,
    set: {
      id: `pg_temp.seed_id('att', c.id || a.id)`,
      payment_id: 'c.id',
      due_at: 'null',
      rail_reference: `a.rail_reference ${suffix}`,
    },
  },
  {
    table: 'sandbox.charges',
    alias: 's',
    join: `${attempts} join sandbox.charges s on s.attempt_id = a.id`,
    set: {
      id: `s.id ${suffix}`,
      attempt_id: `pg_temp.seed_id('att', c.id || a.id)`,
      token: 'null',
      challenge: 'null',
    },
  },
  {
    table: 'sandbox.bank_credits',
    alias: 'b',
    join: `join transfers t on t.payment_id = c.original
      join sandbox.bank_credits b on b.rail = t.rail and b.bank_reference = t.rail_reference`,
    // Positions below zero are never read as new credits.
    set: {
      position: `(select least(min(position), 0) from sandbox.bank_credits) - nextval('seed_credits')`,
      bank_reference: `b.bank_reference ${suffix}`,
    },
  },
  {
    table: 'refunds',
    alias: 'r',
    join: 'join refunds r on r.payment_id = c.original',
    set: { id: `pg_temp.seed_id('re', c.id || r.id)`, payment_id: 'c.id' },
  },
  {
    table: 'refund_parts',
    alias: 'f',
    join: 'join refunds r on r.payment_id = c.original join refund_parts f on f.refund_id = r.id',
    set: {
      id: `pg_temp.seed_id('part', c.id || f.id)`,
      refund_id: `pg_temp.seed_id('re', c.id || r.id)`,
      transfer_id: `pg_temp.seed_id('tr', c.id || f.transfer_id)`,
    },
  },
];

async function copyStatement(session: Session, table: string, alias: string, join: string, set: Columns) {
  const { rows } = await session.query<{ name: string; type: string }>(
    `select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  );
  const values = rows.map(({ name, type }) => {
    const own = set[name];
    if (own !== undefined) return own;
    return type === 'timestamptz' ? `${alias}.${name} + c.shift` : `${alias}.${name}`;
  });
  const names = rows.map(({ name }) => name).join(', ');
  return `insert into ${table} (${names}) select ${values.join(', ')} from seed_batch c ${join}`;
}

/** One transaction of the ledger for all copies of an original's transaction on a day. */
const sums = `
  from (select original, day, sum(copies) as copies from seed_days group by 1, 2) d
  join ledger_transactions t on t.merchant_id = $1 and t.payment_id = d.original`;
const totalId = `pg_temp.seed_id('txn', $2 || t.id || d.day)`;
const noon = `least(d.day + interval '12 hours', now())`;
const bookTotals = `
  insert into ledger_transactions (merchant_id, id, livemode, kind, created_at)
  select t.merchant_id, ${totalId}, t.livemode, t.kind, ${noon} ${sums}`;
const bookEntries = `
  insert into ledger_entries (merchant_id, transaction_id, line, livemode, account, currency, amount, created_at)
  select t.merchant_id, ${totalId}, e.line, e.livemode, e.account, e.currency, e.amount * d.copies, ${noon} ${sums}
  join ledger_entries e on e.merchant_id = t.merchant_id and e.transaction_id = t.id`;

const countLinks = `
  update payment_links l set uses = s.uses, collected = s.kept, received = s.received
  from (
    select owner_id, sum(uses)::int as uses, sum(kept)::bigint as kept, jsonb_object_agg(currency, received::text) as received
    from (
      select owner_id, currency, count(*) as uses, sum(amount_received - amount_refunded) as kept,
        sum(amount_received) as received
      from payments where merchant_id = $1 and owner_type = 'payment_link' and completed_at is not null group by 1, 2) c
    group by 1) s
  where l.merchant_id = $1 and l.id = s.owner_id`;
