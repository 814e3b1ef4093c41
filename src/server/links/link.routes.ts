import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  CreatePaymentLink,
  LinkStatus,
  PaymentLink,
  PayPaymentLink,
  PublicPaymentLink,
  UpdatePaymentLink,
} from '../../api/link.ts';
import { Payment } from '../../api/payment.ts';
import { Currency, ListOf, ListQuery, rangeParameters, Sum } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { AnswerCreation } from '../payments/checkout/payment-create.routes.ts';
import { readingsFor } from '../payments/listing/payment-reading.ts';
import { listPayments } from '../payments/payment.store.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import { readPage } from '../platform/db/page.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import { networkOf, type RateLimiter } from '../platform/http/access/rate-limit.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery, readAmount, readRange } from '../platform/http/list.ts';
import { metadataFilters, metadataIn } from '../platform/http/metadata-filter.ts';
import { draftLink, readLink, updateLink } from './link.service.ts';
import { insertLink } from './link.store.ts';
import { linkOwner } from './link.ts';
import { linkToPublic, linkToWire } from './link.view.ts';
import { choicesOf, draftLinkPayment } from './link-pay.service.ts';
import { recordVisit } from './link-visit.service.ts';

export interface LinkDeps extends PaymentRouteDeps {
  readonly answerCreation: AnswerCreation;
  /** Limits payments that are started without a key, by network and link. */
  readonly starts: RateLimiter;
}

const tags = ['Payment links'];
const path = '/v1/payment-links';
const reading = { access: 'secret', scope: 'payments:read' } as const;
const writing = { access: 'secret', scope: 'payments:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Registers all routes under `/v1/payment-links`. */
export function registerLinkRoutes(app: HttpApp, deps: LinkDeps): void {
  registerCreate(app, deps);
  registerList(app, deps);
  registerPaymentList(app, deps);
  registerRead(app, deps);
  registerUpdate(app, deps);
  registerPayment(app, deps);
}

function registerCreate(app: HttpApp, deps: LinkDeps): void {
  app.post(
    path,
    {
      schema: {
        body: CreatePaymentLink,
        response: { 201: PaymentLink },
        tags,
        summary: 'Create a payment link',
        description:
          'With `amount`, the price is fixed. Without it, the payer chooses the amount within `custom_amount`. `url` opens ' +
          'the page, and `qr_code_url` is its QR code. `<pay-checkout link="plink_…">` takes the payment in your own page, ' +
          'without a key or server code.\n\nA link can limit its payments (`single_use`, `max_uses`). Each payer then ' +
          'reserves a use when their money is on its way. A payer who finds no free use gets `link_used` before paying; ' +
          'money that still arrives is sent back. Money that was on its way when the link expired still counts. The ' +
          'fields are checked when the link is created, so payers see no errors caused by them.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const draft = await draftLink(deps, caller, request.body);
        return await execution.commit(async tx => {
          const link = await insertLink(tx, deps, draft);
          const body = linkToWire(deps, link, caller.now);
          return { status: 201, body, location: `${path}/${link.id}`, resourceId: link.id };
        });
      }),
  );
}

const ListLinksQuery = Type.Object(
  {
    ...ListQuery.properties,
    status: Type.Optional(LinkStatus),
    reference: Type.Optional(Type.String({ maxLength: 200 })),
    currency: Type.Optional(Currency),
    ...rangeParameters('amount', Sum),
  },
  metadataFilters,
);

function registerList(app: HttpApp, deps: LinkDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: ListLinksQuery,
        response: { 200: ListOf(PaymentLink) },
        tags,
        summary: 'List payment links',
      },
      config: reading,
    },
    async request => {
      const caller = callerOf(request);
      const { status, reference, currency } = request.query;
      const list = { table: 'payment_links' as const, ...scopeOf(caller) };
      const page = await readPage(deps.db, list, parseListQuery(request.query), {
        equal: { status, reference, currency: currency?.toUpperCase() },
        ranges: { amount: readRange(request.query, 'amount', readAmount) },
        metadata: metadataIn(request.query),
      });
      return listAnswer(path, page, link => linkToWire(deps, link, caller.now));
    },
  );
}

function registerPaymentList(app: HttpApp, deps: LinkDeps): void {
  app.get(
    `${path}/:id/payments`,
    {
      schema: {
        params,
        querystring: ListQuery,
        response: { 200: ListOf(Payment) },
        tags,
        summary: 'List the payments of a link',
      },
      config: reading,
    },
    async request => {
      const caller = callerOf(request);
      const { id } = await readLink(deps, caller, request.params.id);
      const page = await listPayments(
        deps.db,
        scopeOf(caller),
        { owners: [linkOwner(id)] },
        parseListQuery(request.query),
      );
      return listAnswer(`${path}/${id}/payments`, page, await readingsFor(deps, caller, page.rows));
    },
  );
}

function registerRead(app: HttpApp, deps: LinkDeps): void {
  app.get(
    `${path}/:id`,
    {
      schema: {
        params,
        response: { 200: Type.Union([PaymentLink, PublicPaymentLink]) },
        tags,
        summary: 'Read a payment link',
        description:
          'With a secret key, returns the link. Without a key, returns the fields for payers. `opens` counts the visit a ' +
          'moment later if the caller is a browser: once a day for each browser, and at most five for one network.',
      },
      config: { access: 'link', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const link = await readLink(deps, caller, request.params.id);
      if (caller.kind === 'secret') return linkToWire(deps, link, caller.now);
      await recordVisit(deps, link, request, caller.now);
      const choices = await choicesOf(deps, link);
      return linkToPublic(deps, { link, merchant: caller.merchant, choices, now: caller.now });
    },
  );
}

function registerUpdate(app: HttpApp, deps: LinkDeps): void {
  app.patch(
    `${path}/:id`,
    {
      schema: {
        params,
        body: UpdatePaymentLink,
        response: { 200: PaymentLink },
        tags,
        summary: 'Change a payment link',
        description:
          'Switches the link off (`disabled`) and on (`active`), and changes its texts and times. A later `expires_at`, or ' +
          'null, makes an expired link active again. Price and number of uses never change: create another link.',
      },
      config: writing,
    },
    async request => {
      const caller = callerOf(request);
      await readLink(deps, caller, request.params.id);
      const link = await deps.db
        .transaction()
        .execute(tx => updateLink(deps, tx, caller, request.params.id, request.body));
      return linkToWire(deps, link, caller.now);
    },
  );
}

function registerPayment(app: HttpApp, deps: LinkDeps): void {
  app.post(
    `${path}/:id/payments`,
    {
      schema: {
        params,
        body: PayPaymentLink,
        response: { 201: Payment },
        tags,
        summary: 'Pay a payment link',
        description:
          'Creates a payment of the link; it needs no key. The `client_secret` of the response allows the calls of a payer, ' +
          'such as `POST /v1/payments/{id}/confirm`. `amount` is required if the payer chooses the amount, and to pay a part ' +
          'with `allow_partial`. `currency` is required if there is a choice. An expired or used link answers 410; a link ' +
          'that is switched off or has not started answers 409. For each link and IP address, 120 payments are possible at ' +
          'once, then 30 a minute; further calls answer 429 `rate_limited` with Retry-After.',
      },
      config: { access: 'link', scope: 'payments:write' },
    },
    (request, reply) =>
      deps.answerCreation(request, reply, async () => {
        const caller = callerOf(request);
        const link = await readLink(deps, caller, request.params.id);
        assertCalm(deps, request, link.id);
        return await draftLinkPayment(deps, caller, link, request.body);
      }),
  );
}

/** Throws `rate_limited` if a network starts too many payments of the link without a key. */
function assertCalm({ starts }: LinkDeps, request: FastifyRequest, linkId: string): void {
  if (callerOf(request).kind !== 'link' || starts.take(`${networkOf(request.ip)} ${linkId}`) >= 0) return;
  throw new PayError(
    'rate_limited',
    'Too many payments were started from your address. Wait a moment, then try again.',
    {
      retryAfterSeconds: Math.ceil(1 / starts.perSecond),
    },
  );
}
