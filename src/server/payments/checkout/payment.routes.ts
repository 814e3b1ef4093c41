import { Type } from 'typebox';
import {
  ConfirmPayment,
  Payment,
  PaymentOptions,
  PaymentOptionsQuery,
  RefreshedQuote,
  ResolvePayment,
} from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { type EventStream, lastEventId, openStream } from '../../platform/http/sse.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { giveUpOpenAttempt, resumePayment } from '../card/payment-card.service.ts';
import { assertMayAskChain } from '../crypto/crypto-options.service.ts';
import { listPayments } from '../payment.store.ts';
import { type PaymentRow, viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { purposeOf } from '../payment-purpose.ts';
import { cancelPayment, readPayment, resolvePayment } from './payment-lifecycle.service.ts';
import { confirmPayment, paymentOptions, refreshQuote } from './payment-method.service.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Payments'];
const payerReads = { access: 'payer', scope: 'payments:read' } as const;
const payerActs = { access: 'payer', scope: 'payments:write' } as const;
const merchantActs = { access: 'secret', scope: 'payments:write' } as const;

/** The calls under `/v1/payments`, except creation, refunds and wallets, and the payer's return from a rail's page. */
export function registerPaymentRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  registerList(app, deps);
  registerReads(app, deps);
  registerStream(app, deps);
  registerPayerActions(app, deps);
  registerMerchantActions(app, deps);
  registerResume(app, deps);
}

const ListPaymentsQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional(Payment.properties.status),
  reference: Type.Optional(Type.String({ maxLength: 200 })),
  customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
});

function registerList(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments',
    {
      schema: { querystring: ListPaymentsQuery, response: { 200: ListOf(Payment) }, tags, summary: 'List payments' },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      const scope = { merchantId: caller.merchant.id, livemode: caller.livemode };
      const { customer, ...filters } = request.query;
      const customerId = customer?.includes('@')
        ? deps.secrets.customerId(scope.merchantId, scope.livemode, customer)
        : customer;
      const wanted = { ...filters, ...(customerId === undefined ? {} : { customerId }) };
      const page = await listPayments(deps.db, scope, wanted, parseListQuery(request.query));
      return listAnswer('/v1/payments', page, row => viewFor(deps, caller, row));
    },
  );
}

function registerReads(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id',
    { schema: { params, response: { 200: Payment }, tags, summary: 'Read a payment' }, config: payerReads },
    async request => {
      const caller = callerOf(request);
      const payment = await readPayment(deps, caller, request.params.id);
      const view = viewFor(deps, caller, payment);
      const purpose = payment.status === 'completed' ? purposeOf(deps, payment) : null;
      const message = (await purpose?.findSuccessMessage?.(deps.db, payment)) ?? null;
      // Without a message the answer equals those of the other calls, so that a client that compares them sees no change.
      return message === null ? view : { ...view, success_message: message };
    },
  );
  app.get(
    '/v1/payments/:id/options',
    {
      schema: {
        ...{ params, querystring: PaymentOptionsQuery, response: { 200: PaymentOptions }, tags },
        summary: 'What the payer can choose',
        description:
          'With `payer_address` also what that account holds, as it was some seconds ago at most. A payment may have a ' +
          'chain asked 30 times a minute; then 429 `rate_limited` with Retry-After.',
      },
      config: payerReads,
    },
    async request => {
      const caller = callerOf(request);
      const payment = await readPayment(deps, caller, request.params.id);
      const { payer_address: payerAddress } = request.query;
      if (payerAddress !== undefined) assertMayAskChain(deps, payment.id);
      return await paymentOptions(deps, caller.merchant, payment, payerAddress);
    },
  );
}

function registerStream(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id/stream',
    {
      schema: {
        ...{ params, tags, summary: 'Follow a payment' },
        description: 'Server-Sent Events named `payment`, each with the payment. Resumable by `Last-Event-ID`.',
      },
      config: payerReads,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      await readPayment(deps, caller, request.params.id);
      const stream = openStream(request, reply);
      followPayment(deps, caller, request.params.id, stream, Number(lastEventId(request) ?? 0));
      return reply;
    },
  );
}

/** Sends the payment whenever its version is new to the client. One read at a time keeps versions in order. */
function followPayment(
  deps: PaymentRouteDeps,
  caller: Caller,
  paymentId: string,
  stream: EventStream,
  seenVersion: number,
): void {
  let seen = seenVersion;
  let reading = Promise.resolve();
  const read = async () => {
    if (stream.signal.aborted) return;
    const now = merchantNow(caller.merchant, caller.livemode, deps.clock.now());
    const row = await readPayment(deps, { ...caller, now }, paymentId);
    if (row.version === seen) return;
    seen = row.version;
    stream.send({ id: String(row.version), event: 'payment', data: viewFor(deps, caller, row) });
  };
  const follow = () => {
    reading = reading.then(read).catch(() => stream.close());
  };
  const unsubscribe = deps.live.subscribe({ merchantId: caller.merchant.id, resourceId: paymentId }, follow);
  stream.signal.addEventListener('abort', unsubscribe);
  follow();
}

function registerPayerActions(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/quotes',
    {
      schema: {
        ...{ params, response: { 200: RefreshedQuote }, tags, summary: 'Get a fresh quote' },
        description:
          'What the payer was told before still counts. Money on a chain is never revalued: it is judged in the asset it ' +
          'was quoted in, by the best price that was held when it reached the chain, or if none was, by the newest that ' +
          'had been given.',
      },
      config: payerActs,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const requote = await refreshQuote(deps, caller, await readPayment(deps, caller, request.params.id));
        return await execution.commit(async tx => {
          const { before, after } = await requote(tx);
          const previous = viewFor(deps, caller, before).quote;
          return { status: 200, body: { ...viewFor(deps, caller, after), previous_quote: previous } };
        });
      }),
  );
  const chooses = { params, body: ConfirmPayment, response: { 200: Payment }, tags };
  app.post(
    '/v1/payments/:id/confirm',
    { schema: { ...chooses, summary: 'Choose a method and pay' }, config: payerActs },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        const render = (row: PaymentRow) => ({ status: 200, body: viewFor(deps, caller, row) });
        return confirmPayment(deps, { caller, paymentId: request.params.id, execution, render }, request.body);
      }),
  );
}

function registerMerchantActions(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/cancel',
    { schema: { params, response: { 200: Payment }, tags, summary: 'Call a payment off' }, config: merchantActs },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const cancel = await cancelPayment(deps, caller, request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: viewFor(deps, caller, await cancel(tx)) }));
      }),
  );
  app.post(
    '/v1/payments/:id/resolve',
    {
      schema: {
        ...{ params, body: ResolvePayment, response: { 200: Payment }, tags },
        summary: 'Decide about money that is short, late or too much',
        description:
          '`accept` takes it as enough, `refund` sends it back. Late money for a payment link takes a place on it: while ' +
          'somebody else is paying the last one, `accept` answers 409 `link_used`. Decide when they have finished.',
      },
      config: merchantActs,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const sent = await deps.once(request, reply, async execution => {
        await readPayment(deps, caller, request.params.id);
        await giveUpOpenAttempt(deps, caller, request.params.id);
        return await execution.commit(async tx => {
          const row = await resolvePayment(deps, tx, caller, request.params.id, request.body.action);
          return { status: 200, body: viewFor(deps, caller, row) };
        });
      });
      deps.outbound.wake();
      return sent;
    },
  );
}

function registerResume(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/checkout/resume/:token',
    { schema: { params: Type.Object({ token: Type.String() }), hide: true }, config: { access: 'public' } },
    async (request, reply) => {
      const key = deps.secrets.openPaymentToken('resume', request.params.token);
      const returnUrl = key === null ? null : await resumePayment(deps, key);
      const url = returnUrl === null || key === null ? null : withPaymentId(returnUrl, key.paymentId);
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      return reply.redirect(url ?? '/checkout/return', 303);
    },
  );
}

function withPaymentId(address: string, paymentId: string): string | null {
  const url = parseWebAddress(address);
  if (url === null) return null;
  url.searchParams.set('payment_id', paymentId);
  return url.href;
}
