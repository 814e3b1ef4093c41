import { Type } from 'typebox';
import { Balance, BalanceEntry } from '../../api/balance/balance.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { FundBalance } from '../../api/test-helpers.ts';
import { unitText } from '../../core/unit.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { isAsset, moneyToWire, type ReadAsset, readAmount, readNewUnit } from './balance-money.ts';
import { type EntryRow, listEntries, merchantSums, post } from './ledger.store.ts';
import { move } from './posting.ts';

export interface BalanceDeps {
  readonly db: Db;
  readonly once: Once;
  readonly rates: { readonly asset: ReadAsset };
}

/** `/v1/balance`, its entries, and test money. */
export function registerBalanceRoutes(app: HttpApp, deps: BalanceDeps): void {
  const config = { access: 'secret', scope: 'balance:read' } as const;
  app.get(
    '/v1/balance',
    {
      schema: {
        response: { 200: Balance },
        tags: ['Balance'],
        summary: 'Read the money that the service holds for you',
      },
      config,
    },
    async request => await balanceOf(deps.db, callerOf(request)),
  );
  app.get(
    '/v1/balance/entries',
    {
      schema: {
        querystring: Type.Object({
          ...ListQuery.properties,
          payment: Type.Optional(Type.String({ maxLength: 60, description: 'Only entries of this payment.' })),
          source: Type.Optional(
            Type.String({ maxLength: 60, description: 'Only entries of this payout, batch, top-up or withdrawal.' }),
          ),
        }),
        response: { 200: ListOf(BalanceEntry) },
        tags: ['Balance'],
        summary: 'List the entries of your balance',
      },
      config,
    },
    async request => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const { payment: payment_id, source: resource_id } = request.query;
      const page = await listEntries(deps.db, scope, parseListQuery(request.query), { payment_id, resource_id });
      return listAnswer('/v1/balance/entries', page, row => entryToWire(row, caller.livemode));
    },
  );
  registerFunding(app, deps);
}

function registerFunding(app: HttpApp, deps: BalanceDeps): void {
  app.post(
    '/v1/test_helpers/fund',
    {
      schema: {
        body: FundBalance,
        response: { 200: Balance },
        tags: ['Test helpers'],
        summary: 'Add test money to the balance',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        const currency = readNewUnit(request.body, deps.rates.asset);
        const amount = readAmount(request.body.amount, currency);
        return execution.commit(async tx => {
          await post(tx, [
            {
              merchantId: caller.merchant.id,
              livemode: false,
              kind: 'test_funding',
              postings: move('funding', 'merchant.available', currency, amount),
              now: caller.now,
            },
          ]);
          return { status: 200, body: await balanceOf(tx, caller) };
        });
      }),
  );
}

async function balanceOf(db: Parameters<typeof merchantSums>[0], caller: Caller): Promise<Balance> {
  const sums = await merchantSums(db, caller.merchant.id, caller.livemode);
  const of = (account: string, sign = 1n) =>
    sums
      .filter(sum => sum.account === `merchant.${account}`)
      .map(({ currency, amount }) => moneyToWire({ currency, amount: sign * amount }));
  return {
    object: 'balance',
    available: of('available'),
    pending: of('pending'),
    reserved: of('reserved'),
    suspense: of('suspense'),
    receivable: of('receivable', -1n),
    livemode: caller.livemode,
  };
}

/** The entry of a merchant’s account in its wire form. */
export function entryToWire(row: EntryRow, livemode: boolean): BalanceEntry {
  const onChain = isAsset(row.currency);
  return {
    id: row.id,
    object: 'balance_entry',
    account: row.account.replace('merchant.', ''),
    kind: row.kind,
    amount: onChain ? null : Number(row.amount),
    currency: onChain ? null : row.currency,
    asset: onChain ? row.currency : null,
    asset_amount: onChain ? unitText(row.amount, row.currency) : null,
    payment: row.payment_id,
    refund: row.refund_id,
    source: row.resource_id,
    livemode,
    created_at: row.created_at.toISOString(),
  };
}
