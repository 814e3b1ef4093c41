import { Type } from 'typebox';
import { Dispute, DisputeOutcome, DisputeStatus, SubmitEvidence } from '../../../api/disputes/dispute.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { readPage } from '../../platform/db/page.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { assertAnswerable, bookEvidence, closeDispute, sendAcceptance, sendEvidence } from './dispute.service.ts';
import { findDispute } from './dispute.store.ts';
import { type DisputeRow, disputeToWire } from './dispute.ts';

const path = '/v1/disputes';
const tags = ['Disputes'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const reading = { access: 'secret', scope: 'payments:read' } as const;
const writing = { access: 'secret', scope: 'payments:write' } as const;

const DisputeQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional(DisputeStatus),
  outcome: Type.Optional({ ...DisputeOutcome, description: 'How the dispute ended.' }),
  payment: Type.Optional(Type.String({ maxLength: 64, description: 'A payment’s id.' })),
});

/** `/v1/disputes`: read disputes, answer them with evidence, or accept the loss. */
export function registerDisputeRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  const lists = { querystring: DisputeQuery, response: { 200: ListOf(Dispute) }, tags };
  app.get(path, { schema: { ...lists, summary: 'List disputes' }, config: reading }, async request => {
    const { status, outcome, payment: payment_id } = request.query;
    const list = { table: 'disputes' as const, ...scopeOf(callerOf(request)) };
    const equal = { status, outcome, payment_id };
    const page = await readPage(deps.db, list, parseListQuery(request.query), { equal });
    return listAnswer(path, page, disputeToWire);
  });
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Dispute }, tags, summary: 'Read a dispute' }, config: reading },
    async request => disputeToWire(await readDispute(deps, callerOf(request), request.params.id)),
  );
  registerEvidence(app, deps);
  registerAcceptance(app, deps);
}

function registerEvidence(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    `${path}/:id/evidence`,
    {
      schema: {
        params,
        body: SubmitEvidence,
        response: { 200: Dispute },
        tags,
        summary: 'Answer a dispute',
        description:
          'Sends your evidence to the cardholder’s bank, once. In test mode the bank decides a minute later: the ' +
          'text `losing_evidence` loses, other evidence wins.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { body: evidence } = request;
        const dispute = await readDispute(deps, caller, request.params.id);
        assertAnswerable(dispute, caller.now);
        await sendEvidence(deps, dispute, evidence, caller.now);
        return await execution.commit(async tx => ({
          status: 200,
          body: disputeToWire(await bookEvidence(deps, tx, dispute, evidence, caller.now)),
        }));
      }),
  );
}

function registerAcceptance(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    `${path}/:id/accept`,
    {
      schema: {
        params,
        response: { 200: Dispute },
        tags,
        summary: 'Accept a dispute',
        description: 'You give in: the amount stays with the cardholder, and the dispute is closed at once.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const dispute = await readDispute(deps, caller, request.params.id);
        assertAnswerable(dispute, caller.now);
        const outcome = await sendAcceptance(deps, dispute, caller.now);
        return await execution.commit(async tx => ({
          status: 200,
          body: disputeToWire(await closeDispute(deps, tx, dispute, outcome, caller.now)),
        }));
      }),
  );
}

async function readDispute(deps: PaymentRouteDeps, caller: Caller, id: string): Promise<DisputeRow> {
  const row = await findDispute(deps.db, scopeOf(caller), id);
  if (row !== null) return row;
  throw new PayError('resource_missing', 'There is no dispute with this id.', { param: 'id' });
}
