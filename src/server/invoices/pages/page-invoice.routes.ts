import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Amount, Closed, Email } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { type DrawingReader, drawInvoice, drawReceipt } from '../../documents/documents.ts';
import { hostedPage, ownOrigins, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import { isPerson, whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { pageStrings, sendPage } from '../../platform/pages/page-document.ts';
import { limitedTo, rateLimitErrorHandler, sendMissingPage } from '../../platform/pages/page-guard.ts';
import { pageLocale } from '../../platform/pages/page-locale.ts';
import { protectPayeePage } from '../../platform/pages/page-policy.ts';
import type { PageDeps } from '../../platform/pages/static-files.ts';
import { invoiceDocument, receivedPayment } from '../billing/invoice-document.service.ts';
import { issuedInvoice, withIssuedXml } from '../billing/issued-xml.service.ts';
import { creditNoteDocument } from '../credit-notes/credit-note-document.ts';
import { isPayable } from '../invoice.ts';
import { type InvoiceDeps, todayOf } from '../invoice.view.ts';
import { creditNotesOf } from '../money/credit-note.store.ts';
import { lastReceived } from '../money/invoice-transaction.store.ts';
import { addresseeOf } from '../notifications/invoice-notifications.ts';
import {
  createPaymentStarter,
  findHostedInvoice,
  type HostedInvoice,
  readHistory,
  recordView,
} from './hosted-invoice.service.ts';
import { invoicePage } from './page-invoice.ts';

type Deps = InvoiceDeps & PageDeps;

/** Body of the page's request that reports a view. */
const ViewBody = Closed({ visitor: Type.String({ pattern: '^[\\w-]{16,64}$' }) });

/** Body of the page's request that starts a payment. */
const PayBody = Closed({ amount: Amount, email: Type.Optional(Email) });

const params = Type.Object({ token: Type.String() });
const NoteParams = Type.Object({ token: Type.String(), id: Type.String() });

const call = <B>(body: B) =>
  ({ config: { ...hostedPage, maxBody: 1024 }, schema: { params, body, hide: true } }) as const;

/** Requests per minute from one IP address for one invoice. Households and offices may share an address. */
const startsPerMinute = 30;
const opensPerMinute = 120;
const viewsPerMinute = 120;
const drawingsPerMinute = 60;

type Visit = Pick<FastifyRequest<{ Params: { token: string } }>, 'params' | 'ip' | 'hostname' | 'headers'>;

/** `/i/:token`: the page of an invoice, its PDF files, and the page's two API requests. */
export function registerInvoicePage(app: HttpApp, deps: Deps): void {
  const perInvoice = limitsPerInvoice(deps);
  const starts = perInvoice(startsPerMinute);
  const opens = perInvoice(opensPerMinute);
  const views = perInvoice(viewsPerMinute);
  const startPayment = createPaymentStarter(deps);
  app.get('/i/:token', pageOptions(deps), async (request, reply) => {
    opens(request);
    return await show(deps, request, reply);
  });
  app.post('/i/:token/views', call(ViewBody), async (request, reply) => {
    assertOwnPage(deps, request);
    views(request);
    if (isPerson(request)) await recordView(deps, request.params.token, request.body.visitor);
    return reply.code(204).send();
  });
  app.post('/i/:token/payments', call(PayBody), async (request, reply) => {
    assertOwnPage(deps, request);
    starts(request);
    const { amount, email } = request.body;
    return reply.code(201).send(await startPayment(request.params.token, BigInt(amount), email));
  });
  registerFiles(app, deps, perInvoice(drawingsPerMinute));
}

function pageOptions({ assets }: Deps) {
  const errorHandler = rateLimitErrorHandler(assets.return.styles);
  return { config: hostedPage, schema: { params, hide: true }, errorHandler } as const;
}

/** Limits for each invoice. All forged tokens share one limit, so that a new forged token is no way around it. */
function limitsPerInvoice({ secrets }: Deps) {
  return (perMinute: number) => {
    const limit = limitedTo(perMinute);
    return (request: Visit) => {
      const { token } = request.params;
      limit(request, secrets.openObjectToken('invoice', token) === null ? '' : token);
    };
  };
}

/** The requested invoice. Limits visitors who guess URLs. */
async function find(deps: Deps, request: Visit): Promise<HostedInvoice | null> {
  const hosted = isServedHere(deps, request) ? await findHostedInvoice(deps, request.params.token) : null;
  if (hosted === null) deps.limitWrong(request);
  return hosted;
}

function registerFiles(app: HttpApp, deps: Deps, limit: (request: Visit) => void): void {
  const page = pageOptions(deps);
  const documentOf = ({ row, merchant, now }: HostedInvoice) => invoiceDocument(deps, row, merchant, now);
  const answer = async (
    request: Visit,
    reply: FastifyReply,
    draw: (hosted: HostedInvoice, reader: DrawingReader) => Promise<Buffer | null>,
  ) => {
    limit(request);
    const hosted = await find(deps, request);
    const drawn = hosted && (await draw(hosted, { rank: 'public', signal: whenClientLeaves(reply) }));
    if (hosted === null || drawn === null) throw new PayError('resource_missing', 'This document does not exist.');
    // Replaces all but plain characters, so that an invoice number cannot add header fields.
    const name = (hosted.row.number ?? 'invoice').replace(/[^\w.-]+/g, '-');
    return reply
      .header('content-disposition', `inline; filename="${name}.pdf"`)
      .header('cache-control', 'private, no-store')
      .header('x-robots-tag', 'noindex')
      .type('application/pdf')
      .send(drawn);
  };
  app.get('/i/:token/pdf', page, (request, reply) =>
    answer(request, reply, async ({ row, merchant, now }, reader) => {
      const document = await withIssuedXml(deps, await issuedInvoice(deps, row, merchant, now));
      return await drawInvoice(document, reader);
    }),
  );
  app.get('/i/:token/receipt', page, (request, reply) =>
    answer(request, reply, async (hosted, reader) => {
      const last = await lastReceived(deps.db, hosted.row);
      const payment = last && receivedPayment(hosted.row, last);
      return payment && (await drawReceipt({ invoice: documentOf(hosted), payment }, reader));
    }),
  );
  const notePage = { ...page, schema: { params: NoteParams, hide: true } };
  app.get('/i/:token/credit-notes/:id', notePage, (request, reply) =>
    answer(request, reply, async (hosted, reader) => {
      const notes = await creditNotesOf(deps.db, hosted.row);
      const at = notes.findIndex(({ id }) => id === request.params.id);
      const [note, earlier] = [notes[at], notes.slice(0, at)];
      const document = note && creditNoteDocument(documentOf(hosted), note, hosted.row, earlier);
      const { row, now } = hosted;
      return document ? await drawInvoice(await withIssuedXml(deps, { row, document, now }), reader) : null;
    }),
  );
}

/** Whether the request's host serves the invoice. A forged token counts as one of this host. */
function isServedHere(deps: Deps, request: Visit): boolean {
  const key = deps.secrets.openObjectToken('invoice', request.params.token);
  return key === null || servesPagesOf(deps, request, key.merchantId);
}

/** Rejects requests from pages of other sites, which could act in the name of their visitors. */
function assertOwnPage(deps: Deps, request: Visit): void {
  if (!isServedHere(deps, request)) throw new PayError('resource_missing', 'This invoice does not exist.');
  const { 'sec-fetch-site': site, origin } = request.headers;
  const merchantId = deps.secrets.openObjectToken('invoice', request.params.token)?.merchantId ?? '';
  const isOwn = site === undefined ? ownOrigins(deps, merchantId).includes(origin ?? '') : site === 'same-origin';
  if (!isOwn) throw new PayError('origin_not_allowed', 'Only the page of the invoice may make this call.');
}

async function show(deps: Deps, request: FastifyRequest<{ Params: { token: string } }>, reply: FastifyReply) {
  const hosted = await find(deps, request);
  const own = hosted?.row.locale ?? null;
  const locale = pageLocale(request, reply, { own, merchant: 'en' });
  const strings = await stringsFor('invoice', locale);
  if (hosted === null) {
    const { missingTitle: title, missingText: text } = strings;
    return sendMissingPage(reply, deps.assets.return.styles, locale, { title, text });
  }
  const { row, merchant, now } = hosted;
  protectPayeePage(reply, deps, { merchant, livemode: row.livemode });
  const view = {
    document: invoiceDocument(deps, { ...row, locale }, merchant, now),
    history: await readHistory(deps, row),
    merchant,
    strings,
    language: (await pageStrings(locale)).language,
    today: todayOf(row, now) ?? '',
    isPayable: isPayable(row.status),
    allowPartial: row.allow_partial,
    token: request.params.token,
    asksForEmail: addresseeOf(row) === null,
    isPreview: (request.query as { preview?: string }).preview !== undefined,
    files: deps.assets.invoice,
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(merchant.branding),
  };
  return sendPage(reply, invoicePage(view));
}
