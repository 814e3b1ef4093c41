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
import { ListOf, ListQuery } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { AnswerCreation } from '../payments/checkout/payment-create.routes.ts';
import { listPayments } from '../payments/payment.store.ts';
import { viewFor } from '../payments/payment.view.ts';
import type { PaymentRouteDeps } from '../payments/payment-deps.ts';
import { readPage } from '../platform/db/page.ts';
import { type Caller, callerOf } from '../platform/http/access/caller.ts';
import { networkOf, type RateLimiter } from '../platform/http/access/rate-limit.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { draftLink, readLink, updateLink } from './link.service.ts';
import { insertLink } from './link.store.ts';
import { linkOwner } from './link.ts';
import { linkToPublic, linkToWire } from './link.view.ts';
import { choicesOf, draftLinkPayment } from './link-pay.service.ts';
import { recordVisit } from './link-visit.service.ts';

/** What the routes of links need besides payments. */
export interface LinkDeps extends PaymentRouteDeps {
  readonly answerCreation: AnswerCreation;
  /** Limits payments that begin without a key, by network and link. */
  readonly starts: RateLimiter;
}

const tags = ['Payment links'];
const path = '/v1/payment-links';
const reading = { access: 'secret', scope: 'payments:read' } as const;
const writing = { access: 'secret', scope: 'payments:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Everything under `/v1/payment-links`. */
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
          'With `amount` the price stands. Without it the payer names the amount, within `custom_amount`. `url` opens the ' +
          'page, `qr_code_url` is its QR code, and `<pay-checkout link="plink_…">` pays it in a page of your own without ' +
          'any key or server code.\n\nA link for a number of payments (`single_use`, `max_uses`) gives each payer a place ' +
          'when money sets out: whoever finds none is told `link_used` before paying, and gets back what arrives ' +
          'nevertheless. What was on its way when the link expired still counts. What payers are asked is checked when ' +
          'the link is made, so no payer meets a mistake of its making.',
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

function registerList(app: HttpApp, deps: LinkDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: Type.Object({
          ...ListQuery.properties,
          status: Type.Optional(LinkStatus),
          reference: Type.Optional(Type.String({ maxLength: 200 })),
        }),
        response: { 200: ListOf(PaymentLink) },
        tags,
        summary: 'List payment links',
      },
      config: reading,
    },
    async request => {
      const caller = callerOf(request);
      const { status, reference } = request.query;
      const list = { table: 'payment_links' as const, ...scopeOf(caller) };
      const page = await readPage(deps.db, list, parseListQuery(request.query), { equal: { status, reference } });
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
        { owner: linkOwner(id) },
        parseListQuery(request.query),
      );
      return listAnswer(`${path}/${id}/payments`, page, row => viewFor(deps, caller, row));
    },
  );
}

function scopeOf(caller: Caller) {
  return { merchantId: caller.merchant.id, livemode: caller.livemode };
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
          'With a secret key: the link. Without a key: what its payers see; where a browser asks, `opens` counts it a moment ' +
          'later, each once a day and no more than five of one network.',
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
          'Switches it off (`disabled`) and on (`active`), and changes its words and times. An expired link with a later ' +
          '`expires_at`, or null, is active again. Price and number of uses never change: make another link.',
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
          'Makes a payment of the link; it needs no key. Pay it with the `client_secret` of the answer: ' +
          '`POST /v1/payments/{id}/confirm` and the other calls of a payer. Where the payer names the amount, `amount` ' +
          'is needed, and `currency` where there is a choice; for a part of a link with `allow_partial`, `amount`. ' +
          'An expired or used link answers 410, one that is switched off or not yet begun 409. Of one link, from one ' +
          'address, 120 are made at once, then 30 a minute; more answer 429 `rate_limited` with Retry-After.',
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

/** Limits payments that begin without a key. Throws `rate_limited`. */
function assertCalm({ starts }: LinkDeps, request: FastifyRequest, linkId: string): void {
  if (callerOf(request).kind !== 'link' || starts.take(`${networkOf(request.ip)} ${linkId}`) >= 0) return;
  throw new PayError('rate_limited', 'Too many payments were begun from your address. Wait a moment, then try again.', {
    retryAfterSeconds: Math.ceil(1 / starts.perSecond),
  });
}
