import { Type } from 'typebox';
import { CreateCustomer, Customer, ErasedCustomer, UpdateCustomer } from '../../api/dashboard/customer.ts';
import { Email, ListOf, ListQuery } from '../../api/schema.ts';
import { isEmail } from '../../core/email.ts';
import { PayError } from '../../core/error.ts';
import type { Db } from '../platform/db/database.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import { managers } from '../platform/http/access/roles.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../platform/http/list.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type CustomerRow, changeCustomer, insertCustomer, listCustomers, readCustomer } from './customer.store.ts';
import { type EraseDeps, eraseCustomer } from './erase.service.ts';

export interface CustomerDeps {
  readonly db: Db;
  readonly once: Once;
  readonly secrets: Pick<Secrets, 'customerId'>;
}

const tags = ['Customers'];
const path = '/v1/customers';
const reading = { access: 'secret', scope: 'customers:read' } as const;
const writing = { access: 'secret', scope: 'customers:write' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Routes under `/v1/customers`. */
export function registerCustomerRoutes(app: HttpApp, deps: CustomerDeps): void {
  registerCreate(app, deps);
  registerReads(app, deps);
  app.patch(
    `${path}/:id`,
    {
      schema: {
        params,
        body: UpdateCustomer,
        response: { 200: Customer },
        tags,
        summary: 'Change a customer',
        description:
          'Absent fields stay unchanged; `metadata` replaces all keys. Payments and sent invoices keep the name that they have.',
      },
      config: writing,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const changed = await deps.db.transaction().execute(async tx => {
        const row = await readCustomer(tx, scope, request.params.id, 'lock');
        return await changeCustomer(tx, row, request.body);
      });
      return customerToWire(changed);
    },
  );
}

/** `DELETE /v1/customers/:id`: erases a customer's personal data. */
export function registerErase(app: HttpApp, deps: EraseDeps): void {
  app.delete(
    `${path}/:id`,
    {
      schema: {
        params,
        response: { 200: ErasedCustomer },
        tags,
        summary: 'Erase a customer',
        description:
          'Erases the customer’s personal data for ever: names, addresses, contact details, identity checks with their ' +
          'files, metadata and descriptions of payments, mails, and the data in events and stored answers. Amounts, ' +
          'states and the ledger stay. Issued invoices and credit notes are legal records and stay as they are; `kept` ' +
          'counts them. While a payment, refund, dispute or invoice of the customer is open, or credit is unused, the ' +
          'answer is 409. A repeated call gives the first answer.',
      },
      config: { ...writing, roles: managers },
    },
    async request => await eraseCustomer(deps, callerOf(request), request.params.id),
  );
}

function registerCreate(app: HttpApp, deps: CustomerDeps): void {
  app.post(
    path,
    {
      schema: {
        body: CreateCustomer,
        response: { 200: Customer, 201: Customer },
        tags,
        summary: 'Create a customer',
        description:
          'The e-mail address identifies a customer, in any case of its letters. The first payment or invoice with a new ' +
          'address creates a customer too. If the customer exists, the given fields change it, and the answer is 200.',
      },
      config: writing,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { email, ...details } = request.body;
        if (!isEmail(email)) {
          throw new PayError('invalid_email', `“${email.slice(0, 80)}” is not an e-mail address.`, { param: 'email' });
        }
        const { merchantId: merchant_id, livemode } = scopeOf(caller);
        const id = deps.secrets.customerId(merchant_id, livemode, email);
        return await execution.commit(async tx => {
          const isNew = await insertCustomer(tx, { merchant_id, livemode, id, email, created_at: caller.now });
          const row = await changeCustomer(tx, await readCustomer(tx, scopeOf(caller), id, 'lock'), details);
          const location = `${path}/${id}`;
          return { status: isNew ? 201 : 200, body: customerToWire(row), location, resourceId: id };
        });
      }),
  );
}

function registerReads(app: HttpApp, deps: CustomerDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: Type.Object({ ...ListQuery.properties, email: Type.Optional(Email) }),
        response: { 200: ListOf(Customer) },
        tags,
        summary: 'List customers',
      },
      config: reading,
    },
    async request => {
      const scope = scopeOf(callerOf(request));
      const { email } = request.query;
      const id = email === undefined ? undefined : deps.secrets.customerId(scope.merchantId, scope.livemode, email);
      const page = await listCustomers(deps.db, scope, { id }, parseListQuery(request.query));
      return listAnswer(path, page, customerToWire);
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: Customer }, tags, summary: 'Read a customer' }, config: reading },
    async request => customerToWire(await readCustomer(deps.db, scopeOf(callerOf(request)), request.params.id)),
  );
}

function customerToWire(row: CustomerRow): Customer {
  return {
    id: row.id,
    object: 'customer',
    email: row.email,
    name: row.name,
    phone: row.phone,
    address: row.address,
    tax_id: row.tax_id,
    description: row.description,
    payments_url: `/v1/payments?customer=${row.id}`,
    invoices_url: `/v1/invoices?customer=${row.id}`,
    credits_url: `/v1/customer-credits?customer=${row.id}`,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
