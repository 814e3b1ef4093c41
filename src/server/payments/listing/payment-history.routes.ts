import { Type } from 'typebox';
import { PaymentHistory, type PaymentHistoryEntry } from '../../../api/dashboard/payment-history.ts';
import { entryToWire } from '../../ledger/balance.routes.ts';
import { listEntries } from '../../ledger/ledger.store.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { eventToWire, listEvents } from '../../platform/events/event.store.ts';
import { type Caller, callerOf, mayRead, scopeOf } from '../../platform/http/access/caller.ts';
import type { Scopes } from '../../platform/http/access/roles.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { deliveryToWire, listDeliveriesAbout } from '../../platform/webhooks/delivery.store.ts';
import { listEndpoints } from '../../platform/webhooks/endpoint.store.ts';
import { attemptToWire } from '../attempts/attempt.routes.ts';
import { listAttempts } from '../attempts/attempt.store.ts';
import { disputeToWire } from '../disputes/dispute.ts';
import { refundToWire, transferToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import { readPayment } from '../payment-lifecycle.service.ts';
import { listRefunds } from '../refunds/refund.store.ts';
import type { PaymentRow } from '../tables.ts';
import { listTransfers } from '../transfer.store.ts';
import { readingsFor } from './payment-reading.ts';

interface Deps extends PaymentRouteDeps {
  readonly scopes: Scopes;
}

/** `GET /v1/payments/:id/history`. */
export function registerPaymentHistoryRoute(app: HttpApp, deps: Deps): void {
  app.get(
    '/v1/payments/:id/history',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: PaymentHistory },
        tags: ['Payments'],
        summary: 'Read a payment with all that happened to it',
        description:
          'The payment with its events, attempts, transfers, balance entries, refunds, disputes and webhook deliveries, ' +
          'oldest first: at most the newest 100 of each type. Types that the key or the person may not read are left out.',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async request => {
      const caller = callerOf(request);
      return await historyOf(deps, caller, await readPayment(deps, caller, request.params.id));
    },
  );
}

const newest: PageRequest = { limit: 100, startingAfter: null, endingBefore: null, created: [] };

/** One query for each table, whatever the number of entries. */
async function historyOf(deps: Deps, caller: Caller, payment: PaymentRow): Promise<PaymentHistory> {
  const reads = (scope: string) => mayRead(deps.scopes, caller, scope);
  const [view, ...parts] = await Promise.all([
    readingsFor(deps, caller, [payment]),
    ...paymentParts(deps, caller, payment),
    ...(reads('events:read') ? [eventsOf(deps, caller, payment)] : []),
    ...(reads('balance:read') ? [bookingsOf(deps, caller, payment)] : []),
    ...(reads('webhooks:read') ? [deliveriesOf(deps, caller, payment)] : []),
  ]);
  const entries = parts.flatMap(({ rows }) => rows);
  return {
    object: 'payment_history',
    url: `/v1/payments/${payment.id}/history`,
    payment: view(payment),
    has_more: parts.some(({ hasMore }) => hasMore),
    data: entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  };
}

type Part = Promise<Page<PaymentHistoryEntry>>;

/** The entries of a page in the newest-first order of lists, turned round. */
async function entriesOf<Row>(page: Promise<Page<Row>>, entry: (row: Row) => PaymentHistoryEntry): Part {
  const { rows, hasMore } = await page;
  return { rows: rows.map(entry).reverse(), hasMore };
}

const object = 'payment_history_entry';
const timeOf = ({ created_at }: { readonly created_at: Date }) => created_at.toISOString();

/** What everybody reads who reads the payment. */
function paymentParts(deps: PaymentRouteDeps, caller: Caller, { id }: PaymentRow): Part[] {
  const { db } = deps;
  const scope = scopeOf(caller);
  const of = { ...scope, paymentId: id };
  const actor = null;
  return [
    entriesOf(listAttempts(db, of, newest), row => {
      return { object, type: 'attempt', at: row.updated_at.toISOString(), actor, data: attemptToWire(row) };
    }),
    entriesOf(listTransfers(db, scope, { payment: id }, newest), row => {
      return { object, type: 'transfer', at: timeOf(row), actor, data: transferToWire(row) };
    }),
    entriesOf(listRefunds(db, of, newest), row => {
      return { object, type: 'refund', at: timeOf(row), actor, data: refundToWire(deps, row) };
    }),
    entriesOf(readPage(db, { table: 'disputes', ...scope, only: { payment_id: id } }, newest), row => {
      return { object, type: 'dispute', at: timeOf(row), actor, data: disputeToWire(row) };
    }),
  ];
}

function eventsOf({ db }: PaymentRouteDeps, caller: Caller, { id, created_by_key: key }: PaymentRow): Part {
  return entriesOf(listEvents(db, scopeOf(caller), newest, { resource: id }), row => {
    const actor = row.type === 'payment.created' && key !== '' ? key : null;
    return { object, type: 'event', at: timeOf(row), actor, data: eventToWire(row) };
  });
}

function bookingsOf({ db }: PaymentRouteDeps, caller: Caller, { id }: PaymentRow): Part {
  return entriesOf(listEntries(db, scopeOf(caller), newest, { payment_id: id }), row => {
    const data = entryToWire(row, caller.livemode);
    return { object, type: 'balance_entry', at: timeOf(row), actor: null, data };
  });
}

async function deliveriesOf({ db }: PaymentRouteDeps, caller: Caller, { id }: PaymentRow): Part {
  const scope = scopeOf(caller);
  const [endpoints, page] = await Promise.all([
    listEndpoints(db, scope, newest),
    listDeliveriesAbout(db, scope, id, newest),
  ]);
  const urls = new Map(endpoints.rows.map(endpoint => [endpoint.id, endpoint.url]));
  return await entriesOf(Promise.resolve(page), row => {
    const at = (row.delivered_at ?? row.created_at).toISOString();
    const endpoint_url = urls.get(row.endpoint_id) ?? null;
    return { object, type: 'delivery', at, actor: null, data: deliveryToWire(row), endpoint_url };
  });
}
