import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { limitedTo } from '../../platform/pages/page-guard.ts';
import { pageLocale } from '../../platform/pages/page-locale.ts';
import { findPayment } from '../payment.store.ts';
import type { PaymentPageDeps, PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { drawReceiptOf } from './payment-receipt.service.ts';

/** `GET /v1/payments/:id/receipt`. */
export function registerReceiptRoute(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments/:id/receipt',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        tags: ['Payments'],
        summary: 'Read the receipt of a payment as PDF',
        description: 'It lists each part of the received money. 409 `illegal_state` before the payment is completed.',
      },
      config: { access: 'payer', scope: 'payments:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const row = await readPayment(deps, caller, request.params.id);
      const reader = { signal: whenClientLeaves(reply) };
      return sendReceipt(reply, row.id, await drawReceiptOf(row, caller.merchant, reader));
    },
  );
}

/** Receipts that one IP address may draw in a minute. */
const drawingsPerMinute = 60;

/**
 * `/checkout/:token/receipt`: the receipt for the payer's browser, in the locale of the payment's page. The token is
 * that of the page.
 *
 * `/checkout/:token/transactions/:hash` redirects to a block explorer's page about a transaction that paid.
 */
export function registerReceiptPage(app: HttpApp, deps: PaymentPageDeps): void {
  const limit = limitedTo(drawingsPerMinute);
  const find = async (request: FastifyRequest, token: string) => {
    const ids = deps.secrets.openPaymentToken('checkout', token);
    const isHere = ids !== null && servesPagesOf(deps, request, ids.merchantId);
    const row = isHere ? await findPayment(deps.db, ids) : null;
    if (row) return row;
    deps.limitWrong(request);
    throw new PayError('resource_missing', 'This document does not exist.');
  };
  app.get(
    '/checkout/:token/receipt',
    { config: hostedPage, schema: { params: Type.Object({ token: Type.String() }), hide: true } },
    async (request, reply) => {
      limit(request);
      const row = await find(request, request.params.token);
      const merchant = await deps.findMerchant(row.merchant_id);
      const reader = { rank: 'public', signal: whenClientLeaves(reply) } as const;
      const locale = pageLocale(request, reply, { own: row.locale, merchant: merchant.locale });
      return sendReceipt(reply, row.id, await drawReceiptOf(row, merchant, reader, locale));
    },
  );
  app.get(
    '/checkout/:token/transactions/:hash',
    {
      config: hostedPage,
      schema: { params: Type.Object({ token: Type.String(), hash: Type.String() }), hide: true },
    },
    async (request, reply) => {
      const { token, hash } = request.params;
      const { received } = await find(request, token);
      const part = received?.find(({ tx_hash }) => tx_hash === hash);
      const url = deps.crypto.find(({ chain }) => chain.id === part?.chain)?.chain.transactionUrl(hash);
      if (!url) throw new PayError('resource_missing', 'This payment has no such transaction.');
      return reply.header('referrer-policy', 'no-referrer').redirect(url);
    },
  );
}

function sendReceipt(reply: FastifyReply, paymentId: string, bytes: Buffer): FastifyReply {
  return reply
    .header('content-disposition', `inline; filename="${paymentId}-receipt.pdf"`)
    .header('cache-control', 'private, no-store')
    .header('x-robots-tag', 'noindex')
    .type('application/pdf')
    .send(bytes);
}
