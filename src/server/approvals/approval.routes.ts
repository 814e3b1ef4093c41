import { Type } from 'typebox';
import { Approval, ApprovalKind, ApprovalStatus } from '../../api/balance/approval.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../platform/db/database.ts';
import { type Caller, callerOf, scopeOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { cancelApprovals } from './approval.service.ts';
import { findApproval, listApprovals } from './approval.store.ts';
import { type ApprovalPurpose, notWaiting } from './approval.ts';
import { approvalToWire } from './approval.view.ts';
import type { ApprovalRow } from './tables.ts';

export interface ApprovalDeps {
  readonly db: Db;
  readonly once: Once;
  readonly approvalPurposes: readonly ApprovalPurpose[];
}

const url = '/v1/approvals';
const tags = ['Approvals'];
const reading = { access: 'secret', scope: 'approvals:read' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** `/v1/approvals`: money and changes that need a second person, and money that left without one. */
export function registerApprovalRoutes(app: HttpApp, deps: ApprovalDeps): void {
  registerReads(app, deps);
  for (const action of ['approve', 'cancel'] as const) registerDecision(app, deps, action);
}

function registerReads(app: HttpApp, { db }: ApprovalDeps): void {
  const querystring = Type.Object({
    ...ListQuery.properties,
    status: Type.Optional(ApprovalStatus),
    kind: Type.Optional(ApprovalKind),
    subject: Type.Optional(Type.String({ maxLength: 64, description: 'Id of the object that waits or left.' })),
  });
  const summary = 'List approvals, and money that left without one';
  app.get(
    url,
    { schema: { querystring, response: { 200: ListOf(Approval) }, tags, summary }, config: reading },
    async request => {
      const { status, kind, subject } = request.query;
      const equal = { status, kind, object_id: subject };
      const page = await listApprovals(db, scopeOf(callerOf(request)), parseListQuery(request.query), equal);
      return listAnswer(url, page, approvalToWire);
    },
  );
  app.get(
    `${url}/:id`,
    { schema: { params, response: { 200: Approval }, tags, summary: 'Read an approval' }, config: reading },
    async request => approvalToWire(await requireApproval(db, callerOf(request), request.params.id)),
  );
}

const texts = {
  approve: {
    summary: 'Approve what another person asked for',
    description:
      'The money is sent. The person that asked cannot approve it, and neither can a key that this person made. A ' +
      'withdrawal is priced again; a conversion too, if its quote has ended.',
  },
  cancel: {
    summary: 'Cancel what waits for an approval',
    description: 'The money is available again. The person that asked may cancel too.',
  },
};

function registerDecision(app: HttpApp, deps: ApprovalDeps, action: 'approve' | 'cancel'): void {
  app.post(
    `${url}/:id/${action}`,
    {
      schema: { params, response: { 200: Approval }, tags, ...texts[action] },
      config: { access: 'secret', scope: 'approvals:write', keepsAnswersDays: 30 },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { id } = request.params;
        const row = await requireApproval(deps.db, caller, id);
        assertMayDecide(caller, row);
        const purpose = deps.approvalPurposes.find(({ kind }) => kind === row.kind);
        if (purpose === undefined) throw new Error(`no module decides about ${row.kind}`);
        if (row.status !== 'awaiting_approval') throw notWaiting();
        const approve = action === 'approve' ? await purpose.prepare(caller, row) : null;
        const answer = await execution.commit(async tx => {
          await (approve?.(tx, caller) ?? purpose.cancel(tx, caller, row));
          if (approve === null) await cancelApprovals(tx, caller, [row.object_id]);
          const decided = (await findApproval(tx, scopeOf(caller), id)) ?? row;
          return { status: 200, body: approvalToWire(decided) };
        });
        purpose.wake?.(caller.merchant.id);
        return answer;
      }),
  );
}

/** Changes of the account that wait for another person. */
const accountChanges: readonly ApprovalRow['kind'][] = ['approval_limit', 'settlement_destination'];

/** Only those who may change the account decide about its changes. */
function assertMayDecide({ scopes }: Caller, { kind }: ApprovalRow): void {
  if (!accountChanges.includes(kind) || scopes.includes('*')) return;
  const message = 'Only an owner or admin, or a key with the scope *, may decide about changes of the account.';
  throw new PayError('operation_not_allowed', message);
}

async function requireApproval(db: Db, caller: Caller, id: string): Promise<ApprovalRow> {
  const row = await findApproval(db, scopeOf(caller), id);
  if (row !== null) return row;
  throw new PayError('resource_missing', `No approval ${id} exists.`, { param: 'id' });
}
