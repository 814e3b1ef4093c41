import { type TSchema, Type } from 'typebox';
import { ApproveKyc, Kyc, RejectKyc, RequestMoreKyc, TestKyc } from '../../api/kyc/kyc.ts';
import { type Caller, callerOf } from '../platform/http/access/caller.ts';
import { accountants } from '../platform/http/access/roles.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { kycToWire } from './kyc.ts';
import type { KycDeps } from './kyc-deps.ts';
import {
  prepareApproval,
  prepareDecision,
  prepareRejection,
  prepareRequest,
  type WriteDecision,
} from './review.service.ts';

const tags = ['Identity checks'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Prepares the decision of a call. The bodies fit, because each route names the schema of its own. */
type Prepare = (deps: KycDeps, caller: Caller, customerId: string, body: never) => Promise<WriteDecision>;

interface Review {
  readonly body: TSchema;
  readonly prepare: Prepare;
  readonly summary: string;
  readonly description: string;
}

/** The decisions of the merchant's staff, by the last part of their path. */
const reviews: Readonly<Record<string, Review>> = {
  approve: {
    body: ApproveKyc,
    prepare: prepareApproval,
    summary: 'Approve a customer',
    description:
      'A decision of your staff, in the dashboard only. Hits of screens refuse the approval (409), unless the person has ' +
      'examined them and sends `override_flags`. The approval counts for every later ramp of the customer.',
  },
  request_more: {
    body: RequestMoreKyc,
    prepare: prepareRequest,
    summary: 'Ask a customer for more data',
    description:
      'A decision of your staff, in the dashboard only. The check becomes `incomplete`, and begins again once the fields ' +
      'were given.',
  },
  reject: {
    body: RejectKyc,
    prepare: prepareRejection,
    summary: 'Reject a customer',
    description: 'A decision of your staff, in the dashboard only. Staff can ask for more data afterwards.',
  },
};

/** `POST /v1/customers/:id/kyc/approve`, `request_more` and `reject`. The audit log has each of these calls. */
export function registerReviewRoutes(app: HttpApp, deps: KycDeps): void {
  for (const [action, { body, prepare, ...texts }] of Object.entries(reviews)) {
    app.post(
      `/v1/customers/:id/kyc/${action}`,
      {
        schema: { params, body, response: { 200: Kyc }, tags, ...texts },
        config: { access: 'person', roles: accountants },
      },
      (request, reply) =>
        deps.once(request, reply, async execution => {
          const { id } = request.params;
          const write = await prepare(deps, callerOf(request), id, request.body as never);
          return await execution.commit(async tx => answerOf(await write(tx)));
        }),
    );
  }
}

const answerOf = (row: Parameters<typeof kycToWire>[0]) => ({ status: 200, body: kycToWire(row), resourceId: row.id });

/** `POST /v1/test_helpers/customers/:id/kyc`: decides as the provider or the staff would. */
export function registerKycTestRoute(app: HttpApp, deps: KycDeps): void {
  app.post(
    '/v1/test_helpers/customers/:id/kyc',
    {
      schema: {
        params,
        body: TestKyc,
        response: { 200: Kyc },
        tags: ['Test helpers'],
        summary: 'Set the status of an identity check',
        description: 'Test mode only. Needs no data, and asks no screens.',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const { status: to, tier } = request.body;
        const reasons = to === 'rejected' || to === 'incomplete' ? ['The test helper decided so.'] : [];
        const words = { to, tier, reasons };
        const write = await prepareDecision(deps, callerOf(request), request.params.id, words);
        return await execution.commit(async tx => answerOf(await write(tx)));
      }),
  );
}
