import { Type } from 'typebox';
import { BankAnswer } from '../../../../api/dashboard/bank-answer.ts';
import { ListOf, ListQuery } from '../../../../api/schema.ts';
import type { Clock } from '../../../../core/clock.ts';
import { currencyDecimals } from '../../../../core/currency.ts';
import { PayError } from '../../../../core/error.ts';
import { formatUnits } from '../../../../core/money.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Caller, callerOf } from '../../../platform/http/access/caller.ts';
import type { HttpApp } from '../../../platform/http/http-app.ts';
import type { Once } from '../../../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../../../platform/http/list.ts';
import type { PutAsideRow } from '../tables.ts';
import { findAside, listAsides, markHandled } from './bank-answer.store.ts';

export interface BankAnswerRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly once: Once;
  /** Returns the id of the operator's own merchant. */
  readonly testKeys: () => Promise<{ readonly merchantId: string }>;
}

const path = '/v1/bank-answers';
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Bank answers'];
const { limit, starting_after, ending_before } = ListQuery.properties;

/** Answers that changed nothing. The banks are the operator's, so other merchants cannot see them. */
export function registerBankAnswerRoutes(app: HttpApp, deps: BankAnswerRouteDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: Type.Object({
          limit,
          starting_after,
          ending_before,
          handled: Type.Optional(
            Type.Boolean({ description: '`false`: only answers that wait for the operator. Default: all.' }),
          ),
        }),
        response: { 200: ListOf(BankAnswer) },
        tags,
        summary: 'List bank answers that were put aside',
        description:
          'Answers, or parts of answers, that changed nothing or were not understood. For keys and people of the ' +
          'operator’s merchant.',
      },
      config: { access: 'secret', scope: 'payouts:read' },
    },
    async request => {
      await checkOperator(deps, callerOf(request));
      const page = await listAsides(deps.db, parseListQuery(request.query), request.query.handled ?? null);
      return listAnswer(path, page, answerToWire);
    },
  );
  app.get(
    `${path}/:id`,
    {
      schema: { params, response: { 200: BankAnswer }, tags, summary: 'Read a bank answer that was put aside' },
      config: { access: 'secret', scope: 'payouts:read' },
    },
    async request => {
      await checkOperator(deps, callerOf(request));
      return answerToWire(await findAside(deps.db, request.params.id));
    },
  );
  registerDismissal(app, deps);
}

function registerDismissal(app: HttpApp, deps: BankAnswerRouteDeps): void {
  app.post(
    `${path}/:id/dismiss`,
    {
      schema: {
        params,
        response: { 200: BankAnswer },
        tags,
        summary: 'Dismiss a bank answer',
        description:
          'Marks it as handled. Payments of its files that the bank accepted then complete on their day of arrival. ' +
          'Moves no money. A repeated call changes nothing.',
      },
      config: { access: 'secret', scope: 'payouts:write' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      await checkOperator(deps, caller);
      return await deps.once(request, reply, execution =>
        execution.commit(async tx => {
          const { id } = request.params;
          await markHandled(tx, id, caller.person?.personId ?? caller.keyId ?? '', deps.clock.now());
          return { status: 200, body: answerToWire(await findAside(tx, id)), resourceId: id };
        }),
      );
    },
  );
}

async function checkOperator({ testKeys }: BankAnswerRouteDeps, { merchant }: Caller): Promise<void> {
  if (merchant.id === (await testKeys()).merchantId) return;
  throw new PayError('role_not_allowed', 'Only the operator’s merchant sees the answers of the banks.');
}

function answerToWire(row: PutAsideRow): BankAnswer {
  const { order_amount: amount, order_currency: currency } = row;
  return {
    id: row.id,
    object: 'bank_answer',
    reason: row.reason,
    message: row.message,
    file_name: row.name,
    bank_files: row.file_ids,
    reference: row.reference,
    amount: row.amount,
    currency: row.currency,
    payment_amount: amount === null || currency === null ? null : formatUnits(amount, currencyDecimals(currency)),
    payment_currency: currency,
    received_at: row.received_at.toISOString(),
    handled_at: row.handled_at?.toISOString() ?? null,
    handled_by: row.handled_by,
  };
}
