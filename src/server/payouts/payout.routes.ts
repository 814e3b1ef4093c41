import { Type } from 'typebox';
import { Payout, PayoutStatus } from '../../api/payout.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Executor } from '../platform/db/database.ts';
import { readPage } from '../platform/db/page.ts';
import { findRow } from '../platform/db/rows.ts';
import { type Caller, callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { type ActionDeps, actOn, type PayoutAction, prepareAction } from './actions.service.ts';
import { inFlight } from './payout.ts';
import { payoutToWire } from './payout.view.ts';
import { payoutSweep } from './sending/payout-queue.service.ts';
import type { PayoutRow } from './tables.ts';

export interface PayoutRouteDeps extends ActionDeps {
  readonly db: Db;
  readonly once: Once;
  readonly wake: (sweep: string) => void;
}

const path = '/v1/payouts';
const tags = ['Payouts'];
const reading = { access: 'secret', scope: 'payouts:read' } as const;
const writing = { access: 'secret', scope: 'payouts:write', keepsAnswersDays: 30 } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Query filters of payout lists. */
export const payoutFilters = {
  id: Type.Optional(Type.String({ maxLength: 64, description: 'A payout’s id.' })),
  status: Type.Optional(PayoutStatus),
  reference: Type.Optional(Type.String({ maxLength: 100 })),
  currency: Type.Optional(Type.String({ minLength: 3, maxLength: 3 })),
  recipient: Type.Optional(Type.String({ maxLength: 64 })),
};

/** The column values of the filters. */
export function equalOf(
  query: {
    readonly [Name in keyof typeof payoutFilters]?: string | undefined;
  },
): Readonly<Record<string, string | undefined>> {
  const { id, status, reference, currency, recipient: recipient_id } = query;
  return { id, status, reference, currency: currency?.toUpperCase(), recipient_id };
}

/** Routes that read payouts, and apply an action to one payout. */
export function registerPayoutRoutes(app: HttpApp, deps: PayoutRouteDeps): void {
  const querystring = Type.Object({ ...ListQuery.properties, ...payoutFilters });
  app.get(
    path,
    { schema: { querystring, response: { 200: ListOf(Payout) }, tags, summary: 'List payouts' }, config: reading },
    async request => {
      const caller = callerOf(request);
      const list = { table: 'payouts' as const, ...scopeOf(caller) };
      const equal = equalOf(request.query);
      const page = await readPage(deps.db, list, parseListQuery(request.query), { equal });
      return listAnswer(path, page, row => payoutToWire(deps, row));
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Payout }, tags, summary: 'Read a payout' }, config: reading },
    async request => payoutToWire(deps, await readPayout(deps.db, callerOf(request), request.params.id)),
  );
  for (const action of Object.keys(summaries) as PayoutAction[]) registerAction(app, deps, action);
}

const summaries: Readonly<Record<PayoutAction, string>> = {
  cancel: 'Cancel a payout that has not been sent',
  hold: 'Hold a payout that has not been sent',
  resume: 'Send a payout on hold at the current rate',
  retry: 'Send a failed payout again',
};

function registerAction(app: HttpApp, deps: PayoutRouteDeps, action: PayoutAction): void {
  app.post(
    `${path}/:id/${action}`,
    { schema: { params, response: { 200: Payout }, tags, summary: summaries[action] }, config: writing },
    async (request, reply) => {
      const answer = await deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const before = await readPayout(deps.db, caller, request.params.id);
        const prepared = await prepareAction(deps.db, deps, before, action);
        return await execution.commit(async tx => {
          const [payout] = await actOn(tx, deps, caller, [before.id], prepared);
          if (payout === undefined) throw await tooLate(tx, caller, before.id, action);
          return { status: 200, body: payoutToWire(deps, payout) };
        });
      });
      deps.wake(payoutSweep);
      return answer;
    },
  );
}

async function tooLate(db: Executor, caller: Caller, id: string, action: PayoutAction): Promise<PayError> {
  const { status, hold_message: held } = await readPayout(db, caller, id);
  if (action === 'resume' && held !== null) return inFlight(held);
  const isOnItsWay = status === 'queued' || status === 'processing';
  return inFlight(
    `The payout ${isOnItsWay ? 'is being sent' : `is ${status}`}, so the action ${action} is not possible.`,
  );
}

/** A payout of the caller. Throws `resource_missing`. */
export async function readPayout(db: Executor, { merchant, livemode }: Caller, id: string): Promise<PayoutRow> {
  const row = await findRow(db, 'payouts', { merchant_id: merchant.id, id, livemode });
  if (row !== null) return row;
  throw new PayError('resource_missing', 'There is no payout with this id.', { param: 'id' });
}
