import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Payment } from '../../../api/payment.ts';
import { Amount, Closed } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import type { InvoiceHistory } from '../../../core/invoice/invoice-history.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { isPerson, whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { sendPage } from '../../platform/pages/page-document.ts';
import { type Limit, limitedTo, sendMissingPage, tellToWait } from '../../platform/pages/page-guard.ts';
import { protectPayeePage } from '../../platform/pages/page-policy.ts';
import type { PageAssets } from '../../platform/pages/static-files.ts';
import { invoicePage } from './page-invoice.ts';

/** A numbered invoice as its reader may see it. */
export interface ShownInvoice {
  readonly document: InvoiceDocument;
  readonly merchant: Merchant;
  readonly allowPartial: boolean;
  readonly isPayable: boolean;
  /** Reads what has changed what is owed. */
  readonly readHistory: () => Promise<InvoiceHistory>;
}

/** What the page of an invoice needs. */
export interface InvoicePageDeps {
  readonly assets: PageAssets;
  readonly publicUrl: () => string;
  /** Counts a request for a page that is not there. */
  readonly limitWrong: Limit;
  /** Whether the token is the genuine one of an invoice, without a look at the database. */
  readonly isGenuine: (token: string) => boolean;
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
  /** A credit note upon the invoice; null for any other. */
  readonly drawCreditNote: (token: string, id: string, signal: AbortSignal) => Promise<Readable | null>;
}

const NoteParams = Type.Object({ token: Type.String(), id: Type.String() });

/** Body of the call by which the page reports a reader. */
const SeenBody = Closed({ visitor: Type.String({ pattern: '^[\\w-]{16,64}$' }) });

/** Body of the call by which the page begins a payment. */
const PayBody = Closed({ amount: Amount, email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })) });

const params = Type.Object({ token: Type.String() });

type Asked = Pick<FastifyRequest<{ Params: Static<typeof params> }>, 'params' | 'ip'>;

/** Finds the requested invoice; visitors that guess addresses are slowed down. */
type Find = (request: Asked) => Promise<ShownInvoice | null>;

const config = { access: 'public' } as const;
const call = <B>(body: B) => ({ config: { ...config, maxBody: 1024 }, schema: { params, body, hide: true } }) as const;

/** Of one invoice, from one address in a minute: a household, an office behind one address. */
const startsPerMinute = 30;
const opensPerMinute = 120;
const viewsPerMinute = 120;
const drawingsPerMinute = 60;

/** `/i/:token`: the page of an invoice, its PDF and receipt, and the two calls that the page makes. */
export function registerInvoicePage(app: HttpApp, deps: InvoicePageDeps): void {
  const page = { config, schema: { params, hide: true }, errorHandler: tellToWait(deps.assets.return.styles) };
  const ofInvoice = (limit: Limit) => (request: Asked) => {
    const { token } = request.params;
    // All made-up tokens share one count; else each would start a new one.
    limit(request, deps.isGenuine(token) ? token : '');
  };
  const starts = ofInvoice(limitedTo(startsPerMinute));
  const opens = ofInvoice(limitedTo(opensPerMinute));
  const views = ofInvoice(limitedTo(viewsPerMinute));
  const drawings = ofInvoice(limitedTo(drawingsPerMinute));
  const find: Find = async request => {
    const shown = await deps.findInvoice(request.params.token);
    if (shown === null) deps.limitWrong(request);
    return shown;
  };
  app.get('/i/:token', page, async (request, reply) => {
    opens(request);
    return await show(deps, request, reply, await find(request));
  });
  app.get('/i/:token/pdf', page, async (request, reply) => {
    drawings(request);
    return await sendPdf(await find(request), reply, request.params.token, deps.drawInvoice);
  });
  app.get('/i/:token/receipt', page, async (request, reply) => {
    drawings(request);
    return await sendPdf(await find(request), reply, request.params.token, deps.drawReceipt);
  });
  app.get(
    '/i/:token/credit-notes/:id',
    { ...page, schema: { params: NoteParams, hide: true } },
    async (request, reply) => {
      drawings(request);
      const { token, id } = request.params;
      return await sendPdf(await find(request), reply, token, (_, signal) => deps.drawCreditNote(token, id, signal));
    },
  );
  app.post('/i/:token/views', call(SeenBody), async (request, reply) => {
    views(assertOwnPage(request, deps.publicUrl()));
    if (isPerson(request)) await deps.recordView(request.params.token, request.body.visitor);
    return reply.code(204).send();
  });
  app.post('/i/:token/payments', call(PayBody), async (request, reply) => {
    starts(assertOwnPage(request, deps.publicUrl()));
    const { amount, email } = request.body;
    const payment = await deps.startPayment(request.params.token, BigInt(amount), email);
    return reply.code(201).send({ id: payment.id, client_secret: payment.client_secret });
  });
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
  { params: { token }, query }: Pick<FastifyRequest<{ Params: Static<typeof params> }>, 'params' | 'query'>,
  reply: FastifyReply,
  found: ShownInvoice | null,
): Promise<FastifyReply> {
  const isPreview = (query as { preview?: string }).preview !== undefined;
  const strings = await stringsFor('invoice', found?.document.locale ?? 'en');
  if (!found) {
    const { missingTitle: title, missingText: text } = strings;
    return sendMissingPage(reply, deps.assets.return.styles, { title, text });
  }
  const { merchant, document } = found;
  protectPayeePage(reply, { publicUrl: deps.publicUrl(), merchant, livemode: document.livemode });
  const view = {
    ...{ ...found, token, isPreview, strings, history: await found.readHistory() },
    files: deps.assets.invoice,
    elementScript: deps.assets.element,
    brandStyles: brandStylesPath(found.merchant.branding),
  };
  return sendPage(reply, invoicePage(view));
}

async function sendPdf(
  found: ShownInvoice | null,
  reply: FastifyReply,
  token: string,
  draw: (token: string, signal: AbortSignal) => Promise<Readable | null>,
): Promise<FastifyReply> {
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
