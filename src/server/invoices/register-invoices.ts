import type { FastifyInstance } from 'fastify';
import { registerCreditNoteRoutes } from './credit-note.routes.ts';
import { registerInvoiceRoutes } from './invoice.routes.ts';
import type { InvoiceRouteDeps } from './invoice-deps.ts';
import { registerInvoiceMoneyRoutes } from './invoice-money.routes.ts';

/** Every call about invoices. */
export function registerInvoices(app: FastifyInstance, deps: InvoiceRouteDeps): void {
  registerInvoiceRoutes(app, deps);
  registerInvoiceMoneyRoutes(app, deps);
  registerCreditNoteRoutes(app, deps);
}
