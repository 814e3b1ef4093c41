import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Payment } from '../../api/payment.ts';
import { Amount, Closed } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import type { InvoiceDocument } from '../../core/invoice-document.ts';
import { stringsFor } from '../../core/locale/string-tables.ts';
import { whenClientLeaves } from '../http/client-left.ts';
import { createGuessCounter } from '../http/rate-limit.ts';
import type { Merchant } from '../merchants/merchant.ts';
import { sendPage } from './page-answer.ts';
import type { PageAssets } from './page-assets.ts';
import { brandStylesPath } from './page-brand.ts';
import { noticePage } from './page-document.ts';
import { invoicePage } from './page-invoice.ts';
import { frameAncestors, protectPage } from './page-policy.ts';
import { pageLanguage } from './page-strings.ts';

/** A numbered invoice as its reader may see it. */
export interface ShownInvoice {
  readonly document: InvoiceDocument;
  readonly merchant: Merchant;
  readonly allowPartial: boolean;
  readonly isPayable: boolean;
}

/** What the page of an invoice needs. */
export interface InvoicePageDeps {
  readonly assets: PageAssets;
  readonly publicUrl: () => string;
  /** The invoice that the token opens; null for none, and for a draft. */
  readonly findInvoice: (token: string) => Promise<ShownInvoice | null>;
  /** Notes that a person has the invoice before them. `visitor` tells one browser from another. */
  readonly recordView: (token: string, visitor: string) => Promise<void>;
  /**
   * Begins the payment of a part or all, in minor units, and brings its client secret. `email` is the payer's, where the
   * invoice knows none. Throws PayError.
   */
  readonly startPayment: (
    token: string,
    amount: bigint,
    email: string | undefined,
  ) => Promise<Payment & { client_secret?: string }>;
  /** The invoice, or the receipt for what has been paid, as PDF; null where there is none. Throws PayError `unavailable`. */
  readonly drawInvoice: (token: string, signal: AbortSignal) => Promise<Readable | null>;
  readonly drawReceipt: (token: string, signal: AbortSignal) => Promise<Readable | null>;
}

/** Body of the call by which the page says that somebody reads it. */
const SeenBody = Closed({ visitor: Type.String({ pattern: '^[\\w-]{16,64}$' }) });

/** Body of the call by which the page begins a payment. */
const PayBody = Closed({ amount: Amount, email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })) });

interface ByToken {
  Params: { token: string };
  Querystring: { preview?: string };
}

const page = { config: { access: 'public' }, schema: { hide: true } } as const;
const call = <B>(body: B) => ({ config: { access: 'public', maxBody: 1024 }, schema: { body, hide: true } }) as const;

/** From one address in a minute: a household, an office behind one address. */
const startsPerMinute = 30;
const viewsPerMinute = 120;
const drawingsPerMinute = 60;

/** `/i/:token`: the page of an invoice, its PDF and receipt, and the two calls that the page makes. */
export function registerInvoicePage(app: FastifyInstance, deps: InvoicePageDeps): void {
  const starts = limitedTo(startsPerMinute);
  const views = limitedTo(viewsPerMinute);
  const drawings = limitedTo(drawingsPerMinute);
  app.get<ByToken>('/i/:token', page, async ({ params, query }, reply) =>
    show(deps, reply, params.token, query.preview !== undefined),
  );
  app.get<ByToken>('/i/:token/pdf', page, async (request, reply) => {
    drawings(request);
    return await sendPdf(deps, reply, request.params.token, deps.drawInvoice);
  });
  app.get<ByToken>('/i/:token/receipt', page, async (request, reply) => {
    drawings(request);
    return await sendPdf(deps, reply, request.params.token, deps.drawReceipt);
  });
  app.post<ByToken & { Body: Static<typeof SeenBody> }>('/i/:token/views', call(SeenBody), async (request, reply) => {
    views(assertOwnPage(request, deps.publicUrl()));
    if (!isAheadOfTime(request)) await deps.recordView(request.params.token, request.body.visitor);
    return reply.code(204).send();
  });
  app.post<ByToken & { Body: Static<typeof PayBody> }>('/i/:token/payments', call(PayBody), async (request, reply) => {
    starts(assertOwnPage(request, deps.publicUrl()));
    const { amount, email } = request.body;
    const payment = await deps.startPayment(request.params.token, BigInt(amount), email);
    return reply.code(201).send({ id: payment.id, client_secret: payment.client_secret });
  });
}

/** Whether a browser asks in case somebody will look, which nobody does yet. */
function isAheadOfTime({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return purposes.some(purpose => /prefetch|prerender|preview/i.test(String(purpose ?? '')));
}

function limitedTo(perMinute: number): (request: { ip: string }) => void {
  const counter = createGuessCounter(perMinute);
  return ({ ip }) => {
    const wait = counter.count(ip);
    if (wait === null) return;
    throw new PayError('too_many_attempts', 'Too many requests. Wait a minute, then try again.', {
      retryAfterSeconds: wait,
    });
  };
}

/** Only the page itself may ask: another site's page shall not pay or read in its visitors' name. */
function assertOwnPage<R extends Pick<FastifyRequest, 'headers' | 'ip'>>(request: R, publicUrl: string): R {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOwn = site === undefined ? origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOwn) throw new PayError('origin_not_allowed', 'This is for the page of the invoice only.');
  return request;
}

async function show(
  deps: InvoicePageDeps,
  reply: FastifyReply,
  token: string,
  isPreview: boolean,
): Promise<FastifyReply> {
  const found = await deps.findInvoice(token);
  const strings = await stringsFor('invoice', found?.document.locale ?? 'en');
  if (!found) {
    const { missingTitle: title, missingText: text } = strings;
    protectPage(reply, { 'style-src': ["'self'"], 'img-src': ["'self'"], 'frame-ancestors': ["'none'"] }).code(404);
    return sendPage(reply, noticePage(pageLanguage('en'), deps.assets.return.styles, { title, text }));
  }
  const publicOrigin = new URL(deps.publicUrl()).origin;
  protectPage(reply, {
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'https:'],
    'connect-src': ["'self'", publicOrigin],
    'frame-src': ["'self'", publicOrigin],
    'frame-ancestors': frameAncestors(found.merchant, found.document.livemode),
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['lit-html'],
  });
  const view = {
    ...{ ...found, token, isPreview, strings },
    files: deps.assets.invoice,
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(found.merchant.branding),
  };
  return sendPage(reply, invoicePage(view));
}

async function sendPdf(
  deps: InvoicePageDeps,
  reply: FastifyReply,
  token: string,
  draw: (token: string, signal: AbortSignal) => Promise<Readable | null>,
): Promise<FastifyReply> {
  const found = await deps.findInvoice(token);
  const drawn = found && (await draw(token, whenClientLeaves(reply)));
  if (!found || !drawn) throw new PayError('resource_missing', 'There is no such document.');
  // What is not plain in a file's name is left out, so that nothing breaks out of the header.
  const name = (found.document.number ?? 'invoice').replace(/[^\w.-]+/g, '-');
  return reply
    .header('content-disposition', `inline; filename="${name}.pdf"`)
    .header('cache-control', 'private, no-store')
    .header('x-robots-tag', 'noindex')
    .type('application/pdf')
    .send(drawn);
}
