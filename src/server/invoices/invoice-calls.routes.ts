import { type Static, type TSchema, Type } from 'typebox';
import { Invoice } from '../../api/invoice/invoice-view.ts';
import { ListOf, ListQuery } from '../../api/schema.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Page, PageRequest } from '../platform/db/page.ts';
import { type Caller, callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import { readInvoice } from './invoice.store.ts';
import { type InvoiceDeps, type InvoiceRow, invoiceToWire } from './invoice.view.ts';

export const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
export const readsInvoices = { access: 'secret', scope: 'invoices:read' } as const;
export const writesInvoices = { access: 'secret', scope: 'invoices:write' } as const;
const tags = ['Invoices'];

/** The customer id for a filter. The filter is an id or an e-mail address. */
export function customerIn({ secrets }: InvoiceDeps, caller: Caller, filter: string | undefined): string | undefined {
  const isAddress = filter?.includes('@') === true;
  return isAddress ? secrets.customerId(caller.merchant.id, caller.livemode, filter) : filter;
}

/** A list of objects that belong to one invoice, at `/v1/invoices/:id/<name>`. */
interface InvoiceList<Row> {
  readonly name: string;
  readonly item: TSchema;
  /** The query of the list. Default: `ListQuery`. */
  readonly query?: TSchema;
  readonly summary: string;
  readonly description?: string;
  readonly read: (invoice: InvoiceRow, request: PageRequest) => Promise<Page<Row>>;
  readonly toWire: (row: Row, caller: Caller, invoice: InvoiceRow) => unknown;
}

export function registerInvoiceList<Row>(app: HttpApp, { db }: InvoiceDeps, list: InvoiceList<Row>): void {
  const { name, item, query = ListQuery, read, toWire, ...words } = list;
  app.get(
    `/v1/invoices/:id/${name}`,
    {
      schema: { params: IdParams, querystring: query, response: { 200: ListOf(item) }, tags, ...words },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const invoice = await readInvoice(db, caller, request.params.id);
      const page = await read(invoice, parseListQuery(request.query));
      return listAnswer(`/v1/invoices/${invoice.id}/${name}`, page, row => toWire(row, caller, invoice));
    },
  );
}

/** The list options for rows whose `invoice_id` is this invoice. */
export function listOfInvoice({ merchant_id: merchantId, livemode, id }: InvoiceRow) {
  return { merchantId, livemode, only: { invoice_id: id } };
}

/** A step of one invoice, at `/v1/invoices/:id/<name>`. The response is the invoice. */
interface InvoiceStep<Body extends TSchema> {
  readonly name: string;
  readonly body?: Body;
  readonly summary: string;
  readonly description?: string;
  /** Runs before the transaction. Returns the function that makes the step inside the transaction. */
  readonly prepare: (
    caller: Caller,
    invoiceId: string,
    body: Static<Body> | undefined,
  ) => Promise<(tx: Tx) => Promise<InvoiceRow>>;
  /** Whether `prepare` changes other objects. The idempotency key is then claimed before it, not in the transaction. */
  readonly hasEffects?: boolean;
  /** Sweeps to wake after the step. */
  readonly wakes?: readonly string[];
}

export function registerInvoiceStep<Body extends TSchema>(
  app: HttpApp,
  deps: InvoiceDeps,
  { name, body, prepare, hasEffects = false, wakes = [], ...words }: InvoiceStep<Body>,
): void {
  const schema = { params: IdParams, response: { 200: Invoice }, tags, ...words };
  app.post(
    `/v1/invoices/:id/${name}`,
    { schema: body === undefined ? schema : { ...schema, body: Type.Optional(body) }, config: writesInvoices },
    async (request, reply) => {
      const caller = callerOf(request);
      const prepared = async () => {
        const step = await prepare(caller, request.params.id, (request.body ?? undefined) as Static<Body> | undefined);
        return async (tx: Tx) => ({ status: 200, body: invoiceToWire(deps, await step(tx), caller.now) });
      };
      const claims = hasEffects ? 'first' : 'with_write';
      const sent = await deps.once(request, reply, async execution => execution.commit(await prepared()), claims);
      for (const sweep of wakes) deps.wake(sweep);
      return sent;
    },
  );
}
