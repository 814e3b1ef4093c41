import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { balanceUnit } from '../../api/balance/balance.ts';
import { Day, OneOf } from '../../api/schema.ts';
import { isDay } from '../../core/calendar.ts';
import { PayError } from '../../core/error.ts';
import { unitText } from '../../core/unit.ts';
import { csvHead, csvLine } from '../platform/csv.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { dayIn, daysBetween, startOfDay } from '../platform/local-day.ts';
import type { BalanceDeps } from './balance.routes.ts';
import { isAsset, readUnit } from './balance-money.ts';
import { bookingText } from './booking-text.ts';
import { camt053Entry, camt053Frame } from './camt053.ts';
import { readStatementBalances, readStatementEntries, type StatementScope } from './statement.store.ts';

const StatementQuery = Type.Object({
  from: { ...Day, description: 'The first day, YYYY-MM-DD, in the account’s time zone.' },
  to: Type.Optional({ ...Day, description: 'The last day, included. Default: today.' }),
  account: Type.Optional(
    OneOf(['available', 'pending', 'reserved', 'suspense'], {
      description: 'The part of the balance. Default: `available`.',
    }),
  ),
  ...balanceUnit,
});

interface Requested extends StatementScope {
  readonly firstDay: string;
  readonly lastDay: string;
}

/** `GET /v1/balance/statement.csv` and `.xml`: the entries of a period, with the balances before and after it. */
export function registerStatementRoutes(app: HttpApp, deps: BalanceDeps): void {
  const config = { access: 'secret', scope: 'balance:read' } as const;
  const asked = { querystring: StatementQuery, tags: ['Balance'] };
  app.get(
    '/v1/balance/statement.csv',
    {
      schema: {
        ...asked,
        summary: 'Download a statement of the balance as CSV',
        description:
          'The first line after the column names is the balance before the period. `debit` and `credit` are decimal text, and ' +
          '`balance` is the balance after the entry. `currency` or `asset` is required.',
      },
      config,
    },
    async (request, reply) => {
      const scope = requestedOf(deps, callerOf(request), request.query);
      return sendFile(reply, scope, 'csv', csvLines(deps.db, scope, await readStatementBalances(deps.db, scope)));
    },
  );
  app.get(
    '/v1/balance/statement.xml',
    {
      schema: {
        ...asked,
        summary: 'Download a statement of the balance as camt.053',
        description: 'ISO 20022 camt.053.001.08, for bookkeeping programs. It exists for `currency` only.',
      },
      config,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const scope = requestedOf(deps, caller, request.query);
      if (isAsset(scope.currency)) {
        const message = 'camt.053 has currencies only. Take the CSV statement for an asset.';
        throw new PayError('parameter_invalid', message, { param: 'asset' });
      }
      return sendFile(reply, scope, 'xml', await camtLines(deps.db, caller, scope));
    },
  );
}

function requestedOf(deps: BalanceDeps, caller: Caller, query: Static<typeof StatementQuery>): Requested {
  const { timezone } = caller.merchant;
  const { from: firstDay, to: lastDay = dayIn(timezone, caller.now), account = 'available' } = query;
  for (const [param, day] of Object.entries({ from: firstDay, to: lastDay })) {
    if (!isDay(day)) throw new PayError('parameter_invalid', `${param} takes a day like 2026-11-01.`, { param });
  }
  if (daysBetween(firstDay, lastDay) < 0) {
    throw new PayError('parameter_invalid', 'from must not be after to.', { param: 'from' });
  }
  const currency = readUnit(query, deps.rates.asset);
  const until = new Date(startOfDay(timezone, nextDay(lastDay)));
  return {
    ...scopeOf(caller),
    account: `merchant.${account}`,
    currency,
    firstDay,
    lastDay,
    from: startOfDay(timezone, firstDay),
    until,
  };
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

const types = { csv: 'text/csv; charset=utf-8', xml: 'application/xml; charset=utf-8' } as const;

function sendFile(reply: FastifyReply, scope: Requested, kind: keyof typeof types, lines: AsyncIterable<string>) {
  const name = `statement-${scope.currency.split(':')[0]}-${scope.firstDay}-${scope.lastDay}.${kind}`;
  return reply
    .type(types[kind])
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(lines, { objectMode: false }));
}

async function* csvLines(db: Db, scope: Requested, { opening }: { readonly opening: bigint }): AsyncGenerator<string> {
  const text = (amount: bigint) => unitText(amount, scope.currency);
  const unit = scope.currency;
  const names = ['date', 'id', 'kind', 'debit', 'credit', 'balance', 'currency', 'payment', 'refund', 'source', 'text'];
  const from = scope.from.toISOString();
  yield csvHead(names);
  yield csvLine([
    ...[from, null, 'opening_balance', null, null, text(opening), unit, null, null, null],
    bookingText('opening_balance'),
  ]);
  let balance = opening;
  for await (const entries of readStatementEntries(db, scope)) {
    yield entries
      .map(({ id, kind, amount, created_at: at, payment_id: payment, refund_id: refund, resource_id: source }) => {
        balance += amount;
        const [debit, credit] = amount < 0n ? [text(-amount), null] : [null, text(amount)];
        const amounts = [debit, credit, text(balance), unit];
        return csvLine([at.toISOString(), id, kind, ...amounts, payment, refund, source, bookingText(kind)]);
      })
      .join('');
  }
}

async function camtLines(db: Db, { merchant, now }: Caller, scope: Requested): Promise<AsyncGenerator<string>> {
  const balances = await readStatementBalances(db, scope);
  const holder = { id: merchant.id, name: merchant.name };
  const [before, after] = camt053Frame({ ...scope, ...balances, holder, now });
  return (async function* () {
    yield before;
    for await (const entries of readStatementEntries(db, scope)) {
      yield entries.map(entry => camt053Entry(entry, scope.currency)).join('');
    }
    yield after;
  })();
}
