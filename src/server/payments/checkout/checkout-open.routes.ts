import { CheckoutAccess, OpenedCheckout } from '../../../api/payment.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { parseJson } from '../../platform/http/server.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { showPayment } from './payment.routes.ts';
import type { PaymentFeed } from './payment-feed.ts';
import { paymentOptions } from './payment-method.service.ts';

const shape = { body: CheckoutAccess, consumes: 'text/plain', tags: ['Payments'] };
const config = { access: 'payer', scope: 'payments:read', isKeyInBody: true, ignoresKey: true } as const;

/**
 * `POST /v1/checkout/open` answers the payment and its payment options. `POST /v1/checkout/stream` sends later changes.
 * Browsers send no preflight request, because the calls are `text/plain` and have no custom headers (Fetch standard,
 * CORS-safelisted methods and request-headers).
 */
export function registerCheckoutOpenRoutes(app: HttpApp, deps: PaymentRouteDeps, feed: PaymentFeed): void {
  void app.register(async (checkout: HttpApp) => {
    parseJson(checkout, 'text/plain');
    checkout.post(
      '/v1/checkout/open',
      {
        schema: {
          ...shape,
          response: { 200: OpenedCheckout },
          summary: 'Open a checkout',
          description: 'The payment and the ways to pay it. The JSON body may be sent as `text/plain`.',
        },
        config,
      },
      async request => {
        const caller = callerOf(request);
        const payment = await readPayment(deps, caller, request.body.payment, 'payment');
        const [view, options] = await Promise.all([
          showPayment(deps, caller, payment),
          paymentOptions(deps, caller.merchant, payment, undefined),
        ]);
        return { payment: view, options, answered_at: caller.now.toISOString() };
      },
    );
    checkout.post(
      '/v1/checkout/stream',
      {
        schema: {
          ...shape,
          summary: 'Follow a payment in a checkout',
          description: 'The stream of `GET /v1/payments/:id/stream`. The JSON body may be sent as `text/plain`.',
        },
        config,
      },
      async (request, reply) => {
        const { payment, last_event_id: seen } = request.body;
        await feed.open(request, reply, payment, Number(seen ?? 0));
        return reply;
      },
    );
  });
}
