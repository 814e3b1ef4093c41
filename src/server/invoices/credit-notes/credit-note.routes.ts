import { Type } from 'typebox';
import { CreateCreditNote, CreditNote, CreditNotePreview } from '../../../api/invoice/invoice-money.ts';
import { PayError } from '../../../core/error.ts';
import { wholeOf } from '../../../core/invoice/invoice-credit.ts';
import { formatQuantity } from '../../../core/invoice/invoice-decimal.ts';
import { sumOf } from '../../../core/money.ts';
import { drawInvoice } from '../../documents/documents.ts';
import { readPage } from '../../platform/db/page.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { invoiceDocument } from '../billing/invoice-document.service.ts';
import {
  type Issued,
  issuedXmlText,
  requireIssuedXml,
  withIssuedXml,
  XmlQuery,
} from '../billing/issued-xml.service.ts';
import { readInvoice } from '../invoice.store.ts';
import {
  type CreditNoteRow,
  creditLineToWire,
  creditNoteToWire,
  type InvoiceDeps,
  type InvoiceRow,
} from '../invoice.view.ts';
import {
  IdParams,
  listOfInvoice,
  readsInvoices,
  registerInvoiceList,
  writesInvoices,
} from '../invoice-calls.routes.ts';
import { earlierNotes, findCreditNote } from '../money/credit-note.store.ts';
import { keptLines } from '../money/credited-lines.ts';
import { leftOf, uncreditedQuantity } from './credit-choice.ts';
import { createCreditNote, type PlannedCredit, planCreditNote } from './credit-note.service.ts';
import { creditNoteDocument } from './credit-note-document.ts';

const tags = ['Invoices'];

/** Credit notes of an invoice: creation, preview, list and PDF. */
export function registerCreditNotes(app: HttpApp, deps: InvoiceDeps): void {
  registerCreation(app, deps);
  registerReads(app, deps);
}

function registerCreation(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/credit-notes',
    {
      schema: {
        params: IdParams,
        body: Type.Optional(CreateCreditNote),
        response: { 201: CreditNote },
        tags,
        summary: 'Credit an invoice',
        description:
          'Lowers the remaining amount first. Credit for a part that was already paid becomes the customer’s credit. ' +
          '`lines` or `rates` credit chosen lines and reverse only their taxes; no line is credited beyond its total.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        return execution.commit(async tx => {
          const note = await createCreditNote(tx, deps, caller, request.params.id, request.body ?? {});
          const location = `/v1/credit-notes/${note.id}`;
          return { status: 201, body: creditNoteToWire(deps, note), location, resourceId: note.id };
        });
      }),
  );
  app.post(
    '/v1/invoices/:id/credit-notes/preview',
    {
      schema: {
        params: IdParams,
        body: Type.Optional(CreateCreditNote),
        response: { 200: CreditNotePreview },
        tags,
        summary: 'Preview a credit note',
        description: 'Checks the request as creation does and answers its effects. Writes nothing and takes no number.',
      },
      config: { ...readsInvoices, ignoresKey: true },
    },
    async request => {
      const invoice = await readInvoice(deps.db, callerOf(request), request.params.id);
      return previewToWire(invoice, await planCreditNote(deps.db, invoice, request.body ?? {}));
    },
  );
}

function registerReads(app: HttpApp, deps: InvoiceDeps): void {
  registerInvoiceList(app, deps, {
    name: 'credit-notes',
    item: CreditNote,
    summary: 'List the credit notes of an invoice',
    read: (invoice, request) => readPage(deps.db, { table: 'credit_notes', ...listOfInvoice(invoice) }, request),
    toWire: row => creditNoteToWire(deps, row),
  });
  app.get(
    '/v1/credit-notes/:id',
    {
      schema: { params: IdParams, response: { 200: CreditNote }, tags, summary: 'Read a credit note' },
      config: readsInvoices,
    },
    async request => creditNoteToWire(deps, await readNote(deps, callerOf(request), request.params.id)),
  );
  app.get(
    '/v1/credit-notes/:id/pdf',
    { schema: { params: IdParams, tags, summary: 'Read a credit note as PDF' }, config: readsInvoices },
    async (request, reply) => {
      const document = await withIssuedXml(deps, await issuedNote(deps, callerOf(request), request.params.id));
      return reply.type('application/pdf').send(await drawInvoice(document, { signal: whenClientLeaves(reply) }));
    },
  );
  app.get(
    '/v1/credit-notes/:id/xml',
    {
      schema: {
        params: IdParams,
        querystring: XmlQuery,
        tags,
        summary: 'Read a credit note as XML',
        description: `The credit note as it was issued. ${issuedXmlText}`,
      },
      config: readsInvoices,
    },
    async (request, reply) => {
      const issued = await issuedNote(deps, callerOf(request), request.params.id);
      return reply
        .type('application/xml')
        .send(await requireIssuedXml(deps, issued, request.query.format ?? 'en16931'));
    },
  );
}

async function issuedNote(deps: InvoiceDeps, caller: Caller, id: string): Promise<Issued> {
  const { merchant, now } = caller;
  const note = await readNote(deps, caller, id);
  const row = await readInvoice(deps.db, caller, note.invoice_id);
  const earlier = await earlierNotes(deps.db, row, note.number);
  return { row, document: creditNoteDocument(invoiceDocument(deps, row, merchant, now), note, row, earlier), now };
}

async function readNote({ db }: InvoiceDeps, { merchant, livemode }: Caller, id: string): Promise<CreditNoteRow> {
  const note = await findCreditNote(db, merchant.id, id);
  if (note?.livemode === livemode) return note;
  throw new PayError('resource_missing', `No credit note ${id.slice(0, 64)} exists.`, { param: 'id' });
}

function previewToWire(invoice: InvoiceRow, plan: PlannedCredit): CreditNotePreview {
  const { basis, content, parts, taxes, off, toCredit } = plan;
  return {
    object: 'credit_note_preview',
    invoice: invoice.id,
    currency: invoice.currency,
    amount: Number(content.amount),
    lines: (content.lines ?? keptLines(parts)).map(creditLineToWire),
    taxes,
    tax_total: Number(sumOf(taxes.map(tax => BigInt(tax.amount)))),
    amount_off: Number(off),
    amount_to_credit: Number(toCredit),
    amount_for_refunds: Number(content.amount - off - toCredit),
    creditable: {
      amount: Number(sumOf(basis.left.map(wholeOf))),
      lines: invoice.lines.map((_, line) => ({
        line,
        quantity: formatQuantity(uncreditedQuantity(basis, line)),
        amount: Number(leftOf(basis, line)),
      })),
    },
  };
}
