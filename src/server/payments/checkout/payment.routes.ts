import { Type } from 'typebox';
import {
  CapturePayment,
  Payment,
  PaymentOptions,
  PaymentOptionsQuery,
  RefreshedQuote,
  ResolvePayment,
  UpdatePayment,
} from '../../../api/payment.ts';
import { ConfirmPayment } from '../../../api/payments/attempt.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import { createValuer } from '../../approvals/approval.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { lastEventId } from '../../platform/http/sse.ts';
import { withArrivalRates } from '../arrival-quote.ts';
import { giveUpOpenAttempt, resumePayment } from '../attempts/attempt-follow.service.ts';
import { createAttemptWriter } from '../attempts/attempt-writer.ts';
import { capturePayment } from '../card/payment-capture.service.ts';
import { assertMayAskChain } from '../crypto/crypto-options.service.ts';
import { registerPaymentListRoute } from '../listing/payment-list.routes.ts';
import { readingsFor } from '../listing/payment-reading.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { cancelPayment, readPayment, updatePayment } from '../payment-lifecycle.service.ts';
import { purposeOf } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';
import type { PaymentFeed } from './payment-feed.ts';
import {
  confirmByCard,
  confirmByPhone,
  confirmPayment,
  paymentOptions,
  refreshQuote,
} from './payment-method.service.ts';
import { resolvePayment } from './payment-resolve.service.ts';

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Payments'];
const payerReads = { access: 'payer', scope: 'payments:read' } as const;
const payerActs = { access: 'payer', scope: 'payments:write' } as const;
const merchantActs = { access: 'secret', scope: 'payments:write' } as const;

/** The payer's return from a rail's page, and `/v1/payments` without creation, refunds and wallets. */
export function registerPaymentRoutes(app: HttpApp, deps: PaymentRouteDeps, feed: PaymentFeed): void {
  registerPaymentListRoute(app, deps);
  registerReads(app, deps);
  registerStream(app, feed);
  registerPayerActions(app, deps);
  registerMerchantActions(app, deps);
  registerCapture(app, deps);
  registerUpdate(app, deps);
  registerResume(app, deps);
}

function registerReads(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id',
    { schema: { params, response: { 200: Payment }, tags, summary: 'Read a payment' }, config: payerReads },
    async request => {
      const caller = callerOf(request);
      return await showPayment(deps, caller, await readPayment(deps, caller, request.params.id));
    },
  );
  app.get(
    '/v1/payments/:id/options',
    {
      schema: {
        params,
        querystring: PaymentOptionsQuery,
        response: { 200: PaymentOptions },
        tags,
        summary: 'List the ways to pay a payment',
        description:
          'With `payer_address`, also the balances of that account, at most some seconds old. A payment may ask a chain 30 ' +
          'times a minute; further calls get 429 `rate_limited` with Retry-After.',
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

/** The caller's view of the payment, with the message of its owner once it is completed. */
export async function showPayment(deps: PaymentRouteDeps, caller: Caller, payment: PaymentRow): Promise<Payment> {
  const view = (await readingsFor(deps, caller, [payment]))(payment);
  const purpose = payment.status === 'completed' ? purposeOf(deps, payment) : null;
  const message = (await purpose?.findSuccessMessage?.(deps.db, payment)) ?? null;
  // Without a success message, the field is absent, as in other responses. Clients then see no difference.
  return message === null ? view : { ...view, success_message: message };
}

function registerStream(app: HttpApp, feed: PaymentFeed): void {
  app.get(
    '/v1/payments/:id/stream',
    {
      schema: {
        params,
        tags,
        summary: 'Follow a payment',
        description:
          'Server-Sent Events named `payment`, each with the payment. Resumable by `Last-Event-ID`. The stream ends with the ' +
          'key that opened it. A network address may have 10 streams of a payment; further ones get 429 `rate_limited`.',
      },
      config: payerReads,
    },
    async (request, reply) => {
      await feed.open(request, reply, request.params.id, Number(lastEventId(request) ?? 0));
      return reply;
    },
  );
}

function registerPayerActions(app: HttpApp, deps: PaymentRouteDeps): void {
  const attempts = createAttemptWriter(deps);
  app.post(
    '/v1/payments/:id/quotes',
    {
      schema: {
        params,
        response: { 200: RefreshedQuote },
        tags,
        summary: 'Get a fresh quote',
        description:
          'While the current quote is fresh, the answer is that quote. Crypto counts at a quoted price of its asset: the best ' +
          'price that was held when it reached the chain, `quote_grace_seconds` after its end included. Later crypto is ' +
          '`paid_late`, or counts at the market rate (`late_money` of the account).',
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
    (request, reply) => {
      const { body } = request;
      const caller = callerOf(request);
      const render = (row: PaymentRow) => ({ status: 200, body: viewFor(deps, caller, row) });
      const confirmation = { caller, paymentId: request.params.id, render };
      if (body.method === 'card') {
        const byCard = (execution: Execution) => confirmByCard(deps, attempts, { ...confirmation, execution, body });
        return deps.once(request, reply, byCard, 'with_write');
      }
      if (body.method === 'mobile_money') {
        const byPhone = (execution: Execution) => confirmByPhone(deps, attempts, { ...confirmation, execution, body });
        return deps.once(request, reply, byPhone, 'with_write');
      }
      return deps.once(request, reply, execution => confirmPayment(deps, { ...confirmation, execution }, body));
    },
  );
}

function registerMerchantActions(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/cancel',
    {
      schema: {
        params,
        response: { 200: Payment },
        tags,
        summary: 'Call a payment off',
        description: 'Releases an authorized card. 409 `payment_in_flight` while money is in flight.',
      },
      config: merchantActs,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const cancel = await cancelPayment(deps, caller, request.params.id);
        return await execution.commit(async tx => ({ status: 200, body: viewFor(deps, caller, await cancel(tx)) }));
      }),
  );
  registerResolve(app, deps);
}

function registerResolve(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/resolve',
    {
      schema: {
        params,
        body: ResolvePayment,
        response: { 200: Payment },
        tags,
        summary: 'Decide about missing, late or excess money',
        description:
          '`accept` completes the payment with the received money, `refund` sends it back. Money in a wrong asset does not ' +
          'count: `accept` keeps it, `refund` returns it to its sender. Both clear `exception`. Late money for a payment link ' +
          'needs a use of the link: while another payer is paying the last one, `accept` answers 409 `link_used`. Decide ' +
          'when that payer has finished. Both release an authorized card. A refund to an unknown sender counts towards ' +
          '`payouts.approval_above`, and above it waits for another person.',
      },
      config: merchantActs,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const sent = await deps.once(request, reply, async execution => {
        const { currency } = await readPayment(deps, caller, request.params.id);
        const { action } = request.body;
        const valuer = action === 'refund' ? await createValuer(deps, caller.merchant, [currency]) : null;
        await giveUpOpenAttempt(deps, caller, request.params.id);
        return await withArrivalRates(deps, rates =>
          execution.commit(async tx => {
            const row = await resolvePayment(deps, tx, caller, request.params.id, { action, valuer, rates });
            rates.assertComplete();
            return { status: 200, body: viewFor(deps, caller, row) };
          }),
        );
      });
      deps.outbound.wake();
      return sent;
    },
  );
}

function registerCapture(app: HttpApp, deps: PaymentRouteDeps): void {
  app.post(
    '/v1/payments/:id/capture',
    {
      schema: {
        params,
        body: CapturePayment,
        response: { 200: Payment },
        tags,
        summary: 'Capture an authorized card',
        description:
          'Takes the money of a payment in phase `authorized`, once. The payment completes with the captured amount: ' +
          '`amount_received`, settlement and refunds count only it. The rest is released. More than `amount_capturable` ' +
          'gets 400 `amount_out_of_range`. A second capture, and a capture after `capture_before`, get 409. The money is ' +
          'settled at the quote; after the end of the quote, at the rate of the capture. If the acquirer does not answer, ' +
          'the payment stays `processing` until it does.',
      },
      config: merchantActs,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        const render = (row: PaymentRow) => ({ status: 200, body: viewFor(deps, caller, row) });
        return capturePayment(deps, { caller, paymentId: request.params.id, execution, render }, request.body);
      }),
  );
}

function registerUpdate(app: HttpApp, deps: PaymentRouteDeps): void {
  app.patch(
    '/v1/payments/:id',
    {
      schema: {
        params,
        body: UpdatePayment,
        response: { 200: Payment },
        tags,
        summary: 'Change a payment',
        description:
          'Changes `description` and `metadata`, in every phase. Absent fields stay unchanged; `metadata` replaces all ' +
          'keys. There is no event.',
      },
      config: merchantActs,
    },
    async request => {
      const caller = callerOf(request);
      return viewFor(deps, caller, await updatePayment(deps, caller, request.params.id, request.body));
    },
  );
}

function registerResume(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/checkout/resume/:token',
    { schema: { params: Type.Object({ token: Type.String() }), hide: true }, config: hostedPage },
    async (request, reply) => {
      const opened = deps.secrets.openPaymentToken('resume', request.params.token);
      const key = opened !== null && servesPagesOf(deps, request, opened.merchantId) ? opened : null;
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
