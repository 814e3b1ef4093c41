import type pg from 'pg';
import { paymentMachine, statusOf } from '../../src/server/payments/payment.ts';

/**
 * Checks the rules of money in a database. Compares the audit views with the payments, and with the records of the
 * sandbox's acquirer and banks. All due work must be done before, and no work may run meanwhile. `now` is the service's
 * time. Returns the rows that break a rule, by rule; `{}`: the books are sound.
 */
export async function findUnsoundBooks(pool: pg.Pool, now = new Date()): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const [rule, sql] of Object.entries({
    ...ledgerRules,
    ...moneyRules,
    ...invoiceRules,
    ...linkRules,
    ...reservationRules(now),
    ...railRules,
    ...payoutRules,
    ...historyRules,
  })) {
    const { rows } = await pool.query(sql);
    if (rows.length > 0) found[rule] = rows.slice(0, 5);
  }
  for (const statement of ['update ledger_entries set amount = 1', 'delete from ledger_transactions']) {
    const code = await pool.query(statement).then(
      () => 'done',
      error => error.code,
    );
    if (code !== '42501') found['the ledger can be changed'] = [statement, code];
  }
  return found;
}

const linkRules: Readonly<Record<string, string>> = {
  'a link counts each payment of it that completed, once, and what came and was kept': `
    select l.id, l.uses, l.collected, l.received, paid.count, paid.kept from payment_links l
    join merchants m on m.id = l.merchant_id
    cross join lateral (
      select count(*)::int4 as count, coalesce(sum(p.amount_received - p.amount_suspense - given.back)
        filter (where p.currency = l.currency), 0) as kept
      from payments p cross join lateral (
        select coalesce(sum(r.amount_from_suspense), 0) as back from refunds r
        where r.merchant_id = p.merchant_id and r.payment_id = p.id and r.status <> 'failed') given
      where p.merchant_id = l.merchant_id and p.owner_id = l.id and p.completed_at is not null) paid
    where coalesce(l.received ->> l.currency, '0')::int8 <> paid.kept
      or l.collected - paid.kept not between 0 and case when l.allow_partial
        then l.uses * greatest(l.amount * m.tolerance_basis_points / 10000, m.tolerance_units) else 0 end
      or l.uses <> case when l.allow_partial then least(div(l.collected, l.amount), l.max_uses) else least(paid.count, l.max_uses) end`,
  'a link is used no oftener than it is for, and completed when it is used up': `
    select id, uses, max_uses, status from payment_links
    where uses > max_uses or (status = 'completed') <> coalesce(uses = max_uses, false)`,
  'money of a payment that lost its use of a link is refunded, or is on its way back': `
    select id, amount_suspense from payments where failure_code = 'link_used' and amount_suspense > 0`,
};

/** Duration of a reservation in seconds: after the payer's last action, and in total without a payment. */
const [wait, patience] = [900, 2_700];

/** `since`: the start of 3-D Secure, or the time of the last partial payment. */
const reservationRules = (now: Date): Readonly<Record<string, string>> => ({
  'payments on their way have a reservation, except those that can have lost it': `
    select p.id, p.phase, c.state, since.at, l.status, l.unpaid_reservation_seconds from payments p
    join payment_links l on l.merchant_id = p.merchant_id and l.id = p.owner_id and l.max_uses is not null
    join merchants m on m.id = p.merchant_id
    left join payment_link_reservations c on c.merchant_id = p.merchant_id and c.payment_id = p.id and c.state = 'reserved'
    left join lateral (
      select from_phase, at from transitions t
      where t.merchant_id = p.merchant_id and t.resource_id = p.id order by seq desc limit 1) step on true
    cross join lateral (
      select case p.phase when 'requires_action' then step.at else max(t.created_at) end as at
      from transfers t where t.merchant_id = p.merchant_id and t.payment_id = p.id) since
    where c.state is not null and p.phase not in ('processing', 'requires_action', 'confirming', 'partially_paid')
      or c.state is null and (
        p.phase in ('processing', 'confirming') and step.from_phase <> 'requires_action'
        or p.phase in ('requires_action', 'partially_paid') and l.unpaid_reservation_seconds < ${patience}
          and '${now.toISOString()}'::timestamptz + m.test_clock_offset_ms * interval '1 millisecond'
            < since.at + interval '${wait} seconds'
          and not exists (select from payments o
            where o.merchant_id = l.merchant_id and o.owner_id = l.id and o.completed_at >= since.at))`,
  'no part waits for its rest on a link that is used up': `
    select p.id, p.amount_received from payments p
    join payment_links l on l.merchant_id = p.merchant_id and l.id = p.owner_id and l.status = 'completed'
    where p.phase = 'partially_paid' and not exists (select from payment_link_reservations c
      where c.merchant_id = p.merchant_id and c.payment_id = p.id and c.state = 'reserved')`,
});

const ledgerRules: Readonly<Record<string, string>> = {
  'a transaction sums to zero in every currency': `
    select tx_id, currency, sum(amount) from audit_entries group by merchant_id, tx_id, currency having sum(amount) <> 0`,
  'all accounts together sum to zero in every currency': `
    select currency, sum(amount) from audit_entries group by currency having sum(amount) <> 0`,
  'the kept sums of a merchant’s accounts are those of the entries': `
    select merchant_id, livemode, account, currency, sum(amount) from (
      select merchant_id, livemode, account, currency, amount from ledger_entries where account like 'merchant.%'
      union all select merchant_id, livemode, account, currency, -amount from ledger_sums
      union all select merchant_id, livemode, account, currency, -amount from ledger_sum_changes) e
    group by 1, 2, 3, 4 having sum(amount) <> 0`,
  'no account of a merchant is overdrawn': `
    select merchant_id, account, currency, sum(amount) from audit_entries
    where account like 'merchant.%' and account <> 'merchant.receivable'
    group by 1, 2, 3 having sum(amount) < 0`,
  'no merchant owes less than nothing': `
    select merchant_id, currency, sum(amount) from audit_entries where account = 'merchant.receivable'
    group by 1, 2 having sum(amount) > 0`,
};

const moneyRules: Readonly<Record<string, string>> = {
  'what a payment received is the sum of its transfers': `
    select p.id, p.amount_received from audit_payments p
    where amount_received <> coalesce((select sum(amount_applied + amount_excess) from transfers t
      where t.merchant_id = p.merchant_id and t.payment_id = p.id), 0)`,
  'what the books hold of a payment is what it received and did not give back': `
    with held as (
      -- Payments can also hold money in a wrong asset, which does not count.
      select merchant_id, payment_id,
        coalesce(sum(amount) filter (where account = 'merchant.pending'), 0) as pending,
        coalesce(sum(amount) filter (where account = 'merchant.reserved'), 0) as reserved,
        coalesce(sum(amount) filter (where account = 'merchant.suspense'), 0) as suspense,
        coalesce(sum(amount) filter (where account = 'merchant.receivable'), 0) as receivable,
        coalesce(sum(amount) filter (where account = 'merchant.available'), 0) as available
      from merchant_entries
      where (merchant_id, payment_id, currency) in (select merchant_id, id, currency from payments) group by 1, 2
    ), lost as (
      select merchant_id, payment_id, sum(amount) as disputed from disputes
      where outcome is distinct from 'won' group by 1, 2
    )
    select p.id, p.amount_received, p.amount_refunded, p.amount_suspense, p.amount_refunding, p.amount_settling,
      p.amount_settled, p.amount_receivable, p.amount_available, h.*, l.disputed
    from payments p
    left join held h on h.merchant_id = p.merchant_id and h.payment_id = p.id
    left join lost l on l.merchant_id = p.merchant_id and l.payment_id = p.id
    where coalesce(h.suspense, 0) <> p.amount_suspense
      or coalesce(h.reserved, 0) <> p.amount_refunding + case when not p.settlement_in_fiat then p.amount_settling
        when p.settlement_asset = p.currency then p.settling_amount + p.settlement_amount else 0 end
      or coalesce(h.receivable, 0) <> -p.amount_receivable
      or h.pending < 0
      or coalesce(h.available, 0) <> p.amount_available
      or p.amount_disputed <> coalesce(l.disputed, 0)
      or coalesce(h.pending + h.reserved + h.suspense + h.receivable + h.available, 0)
        <> p.amount_received - p.amount_refunded - coalesce(l.disputed, 0) - case when not p.settlement_in_fiat
          then p.amount_settled when p.settlement_asset = p.currency then 0 else p.amount_settled + p.amount_settling end`,
  'what was paid straight to a merchant is the sum of its transfers, and on no books': `
    select p.id, p.amount_direct from payments p
    where p.amount_direct <> coalesce((select sum(amount_applied + amount_excess) from transfers t
      where t.merchant_id = p.merchant_id and t.payment_id = p.id and not t.custodial), 0)`,
  'what was asked for on a chain counts what came under it': `
    select merchant_id, payment_id, o.counted, t.counted from
      (select merchant_id, payment_id, sum(counted) as counted from crypto_offers group by 1, 2) o
      full join (select merchant_id, payment_id, sum(amount_applied + amount_excess) as counted from transfers
        where chain is not null and payment_id is not null and problem is null and not at_market group by 1, 2) t
      using (merchant_id, payment_id)
    where coalesce(o.counted, 0) <> coalesce(t.counted, 0)`,
  'money that was sent back belongs to no payment': `
    select t.id, t.status, r.state from transfers t
    left join audit_returns r on r.merchant_id = t.merchant_id and r.transfer_id = t.id and r.state <> 'failed'
    where (t.status = 'returning') <> (coalesce(r.state, '') = 'pending')
      or (t.status = 'returned') <> (coalesce(r.state, '') = 'completed')`,
  'what a payment gave back is the sum of what was sent': `
    select p.id, p.amount_refunded, p.amount_refunding, sent.*
    from payments p cross join lateral (
      select coalesce(sum(r.amount) filter (where r.state = 'completed'), 0) as done,
             coalesce(sum(r.amount) filter (where r.state = 'pending'), 0) as under_way
      from refund_parts r join refunds f on f.merchant_id = r.merchant_id and f.id = r.refund_id
      where f.merchant_id = p.merchant_id and f.payment_id = p.id) sent
    where p.amount_refunded <> sent.done or p.amount_refunding <> sent.under_way`,
  'a completed payment was paid, or taken as enough': `
    select id, amount, amount_received, exception from payments p
    where status = 'completed' and amount_received * 1000 < amount * 995 - 1000
      and capture_method = 'automatic' and amount_direct = 0
      and not exists (
        select from ledger_transactions t
        where t.merchant_id = p.merchant_id and t.payment_id = p.id and t.kind = 'accepted')`,
  'a transfer is counted once': `
    select chain, tx_hash, op_index from audit_transfers group by merchant_id, 1, 2, 3 having count(*) > 1`,
};

const invoiceRules: Readonly<Record<string, string>> = {
  'what is paid and credited of an invoice is the sum of what was written': `
    select i.id, i.amount_paid, i.amount_credited, sums.*
    from audit_invoices i cross join lateral (
      select coalesce(sum(amount) filter (where type not in ('refund', 'credit_note')), 0) as paid,
             coalesce(sum(amount) filter (where type = 'credit_note'), 0) as credited
      from audit_invoice_transactions t where t.merchant_id = i.merchant_id and t.invoice_id = i.id) sums
    where i.amount_paid <> sums.paid or i.amount_credited <> sums.credited or i.amount_paid + i.amount_credited > i.total`,
  'a credit note is written once on its invoice': `
    select n.id, n.amount, n.amount_to_credit, t.amount, t.amount_overpaid from audit_credit_notes n
    left join audit_invoice_transactions t on t.merchant_id = n.merchant_id and t.credit_note_id = n.id
    where t.id is null or n.amount < t.amount + t.amount_overpaid or n.amount_to_credit <> t.amount_overpaid`,
  'an invoice is paid when nothing is left of it': `
    select id, status, total, amount_paid, amount_credited from audit_invoices
    where number is not null and (status in ('paid', 'void')) <> (amount_paid + amount_credited = total)
      and not (status = 'void' and amount_paid + amount_credited = 0)`,
  'customers have the credit that their invoices made and did not use': `
    select merchant_id, holder, currency, made.amount, kept.amount from (
      select t.merchant_id, t.livemode, coalesce(i.customer_id, i.id) as holder, t.currency,
        sum(t.amount_overpaid) - coalesce(sum(t.amount) filter (where t.type = 'credit_applied'), 0) as amount
      from audit_invoice_transactions t join audit_invoices i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
      group by 1, 2, 3, 4) made
    full join audit_customer_credits kept using (merchant_id, livemode, holder, currency)
    where coalesce(made.amount, 0) <> coalesce(kept.amount, 0)`,
  'the ledger holds of each invoice what the invoice says': 'select * from audit_invoice_differences',
  'the ledger holds the credit of each customer': 'select * from audit_customer_credit_differences',
  'an invoice counts no more of a payment than came': `
    select t.payment_id, sum(t.amount + t.amount_overpaid), p.amount, p.amount_received
    from invoice_transactions t join payments p on p.merchant_id = t.merchant_id and p.id = t.payment_id
    where t.type = 'payment' group by t.merchant_id, t.payment_id, p.amount, p.amount_received
    having sum(t.amount + t.amount_overpaid) > greatest(p.amount, p.amount_received)`,
  'no customer has credit of forgiven money': `
    select t.payment_id, sum(t.amount), sum(t.amount_overpaid), p.amount_received, p.amount_suspense
    from invoice_transactions t join payments p on p.merchant_id = t.merchant_id and p.id = t.payment_id
    where t.type = 'payment' group by t.merchant_id, t.payment_id, p.amount_received, p.amount_suspense
    having sum(t.amount_overpaid) > 0 and sum(t.amount + t.amount_overpaid) > p.amount_received - p.amount_suspense`,
  'numbers have no gap': `
    select c.prefix, c.last, count(n.number) from invoice_counters c
    left join (
      select merchant_id, livemode, number from invoices where number is not null
      union all select merchant_id, livemode, number from credit_notes) n
      on n.merchant_id = c.merchant_id and n.livemode = c.livemode
      and regexp_replace(n.number, '[0-9]+$', '') = c.prefix
    group by c.merchant_id, c.livemode, c.prefix, c.last having count(n.number) <> c.last`,
};

const railRules: Readonly<Record<string, string>> = {
  'money the acquirer took is a transfer, and the other way round': `
    select c.id, c.attempt_id, t.tx_hash, c.amount, t.amount
    from (select * from sandbox.charges where state = 'captured') c
    full join (select * from audit_transfers where chain like 'sandbox%') t
      on t.tx_hash = c.id and t.chain = c.rail and t.merchant_id = c.merchant_id and t.amount = coalesce(c.captured_amount, c.amount)
        and t.currency = c.currency
    where c.id is null or t.tx_hash is null`,
  'an attempt was charged once': `
    select attempt_id from sandbox.charges group by 1 having count(*) > 1`,
  'money the bank credited is a transfer, and the other way round': `
    select c.bank_reference, t.tx_hash
    from sandbox.bank_credits c
    full join (select * from audit_transfers where chain not like 'sandbox%' and account is null
      and tx_hash not like 'sbx_prompt%') t
      on t.chain = c.rail and t.tx_hash = c.bank_reference and t.merchant_id = c.merchant_id
      and t.amount = c.amount and t.currency = c.currency
    where c.rail is null or t.tx_hash is null`,
  'money that operators collected is a transfer, and the other way round': `
    select c.id, t.tx_hash, c.amount, t.amount
    from (select * from sandbox.mobile_prompts where code is null and answered_at is not null) c
    full join (select * from audit_transfers where tx_hash like 'sbx_prompt%') t
      on t.chain = c.rail and t.tx_hash = c.id and t.merchant_id = c.merchant_id and t.amount = c.amount
      and t.currency = c.currency
    where c.id is null or t.tx_hash is null`,
  'a final deposit is a transfer of its chain, and the other way round': `
    select d.ref, t.rail_reference from (select * from deposits where state = 'final') d
    full join (select * from transfers where chain is not null) t
      on t.rail_reference = d.ref and t.amount = d.amount and t.currency = d.asset
    where d.ref is null or t.id is null`,
  'what went back by a rail is what refunds sent': `
    select s.refund_id, o.id, s.amount, o.amount
    from (select * from sandbox.refunds where outcome = 'completed') s
    full join (select * from outbound_transfers where state = 'completed' and rail <> 'stellar'
      and rail not like 'payout:%' and purpose <> 'payout') o
      on o.id = s.refund_id and o.rail = s.rail and o.amount = s.amount and o.asset = s.currency
    where s.refund_id is null or o.id is null`,
  'what left for a refund is what its parts say': `
    select p.id, p.state, o.state, p.rail_amount, o.amount from refund_parts p
    left join lateral (
      select * from outbound_transfers o where o.merchant_id = p.merchant_id and o.purpose = 'refund'
        and o.resource_id = p.id order by attempt desc limit 1) o on true
    where not coalesce(p.rail_amount = o.amount and p.rail_currency = o.asset
        and p.rail = regexp_replace(o.rail, '^payout:', '')
        and (p.state = case when o.id in (select order_id from payout_returns where booked) then 'failed' else o.state end
          or p.state = 'pending' and (o.state not in ('completed', 'failed') or not o.booked
          or p.requires_destination)), p.requires_destination)
      and not exists (select from refunds f where f.merchant_id = p.merchant_id and f.id = p.refund_id and o.id is null
        and (f.status = 'awaiting_approval' or f.failure_code = 'canceled'))`,
  'what the rails owe is what they took and did not give back': `
    select rail, currency, sum(amount) from (
      select substr(account, 10) as rail, currency, amount from audit_entries where account like 'clearing.%'
      union all select chain, currency, amount from audit_transfers where custodial
      union all select rail, currency, -amount from audit_returns where state = 'completed'
      union all select rail, rail_currency, -rail_amount from refund_parts where state = 'completed'
      union all select rail, currency, -amount from disputes where outcome is distinct from 'won'
      union all select rail, unit, -paid_amount from payouts where status = 'completed' and rail <> 'stellar'
      union all select p.rail, p.unit, least(sum(r.amount), p.paid_amount) from payouts p
        join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id and o.state = 'completed'
        join payout_returns r on r.merchant_id = o.merchant_id and r.order_id = o.id and r.booked
        where p.status = 'completed' and p.rail <> 'stellar' group by p.merchant_id, p.id
    ) both_sides group by 1, 2 having sum(amount) <> 0`,
  'what payouts hold of the balance is what waits or is on its way': `
    select merchant_id, currency, sum(amount) from (
      select e.merchant_id, e.currency, e.amount from ledger_entries e
      join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
      where t.kind like 'payout%' and e.account = 'merchant.reserved'
      union all select merchant_id, source_currency, -source_amount from payouts
      where status not in ('completed', 'failed', 'returned', 'canceled')
      -- The first payout of a settlement, and those of a ramp, pay money that their owner reserved.
      union all select merchant_id, source_currency, source_amount from payouts p
      where (settlement_id is not null or ramp_id is not null) and not exists (select from ledger_transactions t
        where t.merchant_id = p.merchant_id and t.kind = 'payouts_reserved' and t.resource_id = p.batch_id)
    ) both_sides group by 1, 2 having sum(amount) <> 0`,
  'a payout is sent once if it arrived, and never if it did not': `
    select p.id, p.status, count(o.id) from payouts p
    left join outbound_transfers o on o.merchant_id = p.merchant_id and o.purpose = 'payout' and o.resource_id = p.id
      and o.state = 'completed' and o.booked
    group by p.merchant_id, p.id, p.status
    having count(o.id) <> case when p.status in ('completed', 'returned') then 1 else 0 end`,
};

const payoutRules: Readonly<Record<string, string>> = {
  'a settlement pays what its payout sends': `
    select s.id, s.status, s.gross, s.deducted, s.carried, p.status, p.source_amount from settlements s
    left join payouts p on p.merchant_id = s.merchant_id and p.id = s.payout_id
    where coalesce(p.source_amount, 0) <> case when s.status = 'open' or s.status = 'kept' and s.payout_id is null then 0
        else s.gross - s.deducted + s.carried end
      or s.status = 'paid' and p.status <> 'completed' or s.status = 'returned' and p.status <> 'returned'
      or s.status = 'kept' and p.status not in ('failed', 'returned', 'canceled')`,
  'a kept settlement gave its reserved money to the balance, and those that were paid out did not': `
    select coalesce(s.id, k.resource_id), s.status, s.payout_id, k.reserved, k.available from settlements s
    full join (select merchant_id, resource_id, coalesce(sum(amount) filter (where account = 'merchant.reserved'), 0) as reserved,
        coalesce(sum(amount) filter (where account = 'merchant.available'), 0) as available
      from merchant_entries where kind = 'settlement_kept' group by 1, 2) k
      on k.merchant_id = s.merchant_id and k.resource_id = s.id
    where coalesce(-k.reserved, 0) <> coalesce(k.available, 0) or coalesce(k.available, 0) <>
      case when s.status = 'kept' and s.payout_id is null then s.gross - s.deducted + s.carried else 0 end`,
  'what was reserved for settlements is what they pay, less what they deducted': `
    select merchant_id, livemode, currency, reserved, owed from (
      select merchant_id, livemode, currency, sum(amount) as reserved from merchant_entries
      where kind in ('settlement', 'settlement_deducted') and account = 'merchant.reserved'
        and (merchant_id, payment_id) in (select merchant_id, id from payments where settlement_in_fiat) group by 1, 2, 3) r
    full join (select merchant_id, livemode, currency, sum(gross - deducted + carried) as owed from settlements group by 1, 2, 3) s
      using (merchant_id, livemode, currency)
    where coalesce(reserved, 0) <> coalesce(owed, 0)`,
  'what payments got in a currency is what their settlements took and deducted': `
    select merchant_id, livemode, currency, p.got, s.owed from (
      select merchant_id, livemode, settlement_asset as currency, sum(settlement_amount + settling_amount) as got
      from payments where settlement_in_fiat group by 1, 2, 3) p
    full join (select merchant_id, livemode, currency, sum(gross - deducted) as owed from settlements group by 1, 2, 3) s
      using (merchant_id, livemode, currency)
    where coalesce(p.got, 0) <> coalesce(s.owed, 0)`,
  'a completed payout tells what its transfer sent': `
    select p.id, p.paid_amount, o.amount, p.source_amount, o.value from payouts p
    join outbound_transfers o on o.merchant_id = p.merchant_id and o.purpose = 'payout' and o.resource_id = p.id
      and o.state = 'completed'
    where p.paid_amount <> o.amount or p.source_amount <> o.value or p.attempt <> o.attempt`,
  'what mobile-money operators paid is what payouts sent': `
    select m.order_id, o.id, m.amount, o.amount from
      (select * from sandbox.mobile_transfers where outcome = 'completed') m
    full join (select * from outbound_transfers where state = 'completed' and reference <> 'test_helper'
      and rail in (select 'payout:' || rail from sandbox.mobile_transfers)) o
      on o.id = m.order_id and o.rail = 'payout:' || m.rail and o.amount = m.amount and o.asset = m.currency
    where (m.order_id is null or o.id is null) and not exists (
      select from outbound_transfers h where h.id = m.order_id
        and (h.reference = 'test_helper' or h.failure_code = 'account_closed'))`,
  'a refund that an operator gave back has failed': `
    select r.order_id, p.id, p.state from sandbox.mobile_returns r
    join outbound_transfers o on o.id = r.order_id and o.purpose = 'refund'
    left join refund_parts p on p.merchant_id = o.merchant_id and p.id = o.resource_id and p.state = 'failed'
    where p.id is null`,
  'money that an operator gave back is a returned payout': `
    select r.order_id, p.id, p.status from sandbox.mobile_returns r
    join outbound_transfers o on o.id = r.order_id and o.purpose = 'payout'
    left join payouts p on p.merchant_id = o.merchant_id and p.id = o.resource_id and p.status = 'returned'
    where p.id is null`,
  'what came back of a payout is credited once, and all of it when it is returned': `
    select p.id, p.status, p.returned_amount, p.source_amount, credited.amount from payouts p
    left join (select merchant_id, resource_id, sum(amount) as amount from merchant_entries
      where kind = 'payout_returned' and account = 'merchant.available' group by 1, 2) credited
      on credited.merchant_id = p.merchant_id and credited.resource_id = p.id
    where p.returned_amount <> coalesce(credited.amount, 0) or p.returned_amount > p.source_amount
      or (p.status = 'returned') <> (p.returned_amount = p.source_amount)`,
  'no bank order got back more than was sent': `
    select o.id, o.amount, o.returned_amount, r.amount as returned from bank_orders o
    join (select rail, order_id, sum(amount) as amount from bank_returns where position is not null group by 1, 2) r
      on r.rail = o.rail and r.order_id = o.id
    where r.amount > o.amount or o.returned_amount <> r.amount`,
  'a batch has ended with its last payout': `
    select b.id, b.status, b.completed_at, count(*) from payout_batches b
    join payouts p on p.merchant_id = b.merchant_id and p.batch_id = b.id
      and p.status not in ('completed', 'failed', 'returned', 'canceled')
    where b.status in ('completed', 'partially_completed', 'failed', 'canceled')
    group by b.merchant_id, b.id`,
};

const pairs = paymentMachine.states.flatMap(from =>
  paymentMachine.states.filter(to => paymentMachine.can(from, to)).map(to => `('${from}', '${to}')`),
);
const statuses = Object.entries(statusOf).map(([phase, status]) => `('${phase}', '${status}')`);

const historyRules: Readonly<Record<string, string>> = {
  'a payment completes at most once': `
    select resource_id from audit_transitions where "to" = 'paid' and "from" not in ('partially_refunded', 'refunded')
    group by merchant_id, resource_id having count(*) > 1`,
  'only legal steps are made': `
    select * from audit_transitions where ("from", "to") not in (${pairs.join(', ')})`,
  'each step begins where the one before ended, from the first to where the payment is': `
    select * from (
      select p.id, t.seq, t."from", t."to", p.phase, lag(t."to", 1, 'awaiting_payer') over steps as before,
        lead(t."from", 1, p.phase) over steps as after
      from audit_payments p
      left join audit_transitions t on t.merchant_id = p.merchant_id and t.resource_id = p.id
      window steps as (partition by p.merchant_id, p.id order by t.seq)
    ) chain
    where case when seq is null then phase <> 'awaiting_payer' else "from" <> before or "to" <> after end`,
  'each change of status has exactly one event, and no event tells of another': `
    with status_of (phase, status) as (values ${statuses.join(', ')}), reported as (
      select id, resource_id, type, merchant_id from audit_events
      where type in ('payment.completed', 'payment.failed', 'payment.refunded')
    ), changes as (
      select t.resource_id, t.seq, t.event_id, t.merchant_id, b.status
      from audit_transitions t
      join status_of a on a.phase = t."from" join status_of b on b.phase = t."to"
      where a.status <> b.status and a.status <> 'refunded'
    )
    select * from changes c full join reported e
      on e.merchant_id = c.merchant_id and e.id = c.event_id and e.type = 'payment.' || c.status
      and e.resource_id = c.resource_id
    where c.seq is null or e.id is null`,
  'events of an object are numbered from 1 without gap': `
    select resource_id, count(*), max(sequence) from audit_events
    group by merchant_id, resource_id having max(sequence) <> count(*) or min(sequence) <> 1
      or count(distinct sequence) <> count(*)`,
  'one request key made one thing': `
    select merchant, path, key from audit_idempotency group by 1, 2, 3 having count(distinct resource_id) > 1`,
  'a remembered payment exists': `
    select i.key, i.resource_id from audit_idempotency i
    where i.path = '/v1/payments' and i.resource_id is not null
      and not exists (select from audit_payments p where p.id = i.resource_id and p.merchant_id = i.merchant)`,
};
