import { Type } from 'typebox';
import { parseWebAddress } from '../../../core/web-address.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { type EventStream, lastEventId, openStream } from '../../platform/http/sse.ts';
import { merchantNow } from '../../platform/merchant.ts';
import { resumePayment } from '../card/payment-card.service.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from './payment-lifecycle.service.ts';

const heartbeatMs = 15_000;

/** The event stream of a payment, and the payer's return from a rail's page. */
export function registerPaymentStreamRoutes(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id/stream',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        tags: ['Payments'],
        summary: 'Follow a payment',
        description: 'Server-Sent Events named `payment`, each with the payment. Resumable by `Last-Event-ID`.',
      },
      config: { access: 'payer', scope: 'payments:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      await readPayment(deps, caller, request.params.id);
      const stream = openStream(request, reply, { heartbeatMs });
      followPayment(deps, caller, request.params.id, stream, Number(lastEventId(request) ?? 0));
      return reply;
    },
  );
  registerResume(app, deps);
}

/**
 * Sends the payment whenever its version is new to the client. Reads run one after the other, so that versions stay in
 * order.
 */
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
