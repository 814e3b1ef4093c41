import * as customerSchemas from '../../api/dashboard/customer.ts';
import { searchIn } from '../platform/db/search.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type CustomerDeps, registerCustomerRoutes, registerErase } from './customer.routes.ts';
import { findCustomer } from './customer.store.ts';
import type { EraseDeps } from './erase.service.ts';

interface Services {
  /** The customer with this id. Null if the merchant has none in this mode. */
  readonly findCustomer: (scope: MerchantScope, id: string) => ReturnType<typeof findCustomer>;
}

/** Customers, by e-mail address: payers of payments and recipients of invoices. */
export const customers = defineModule<CustomerDeps & EraseDeps, { services: Services }>({
  name: 'customers',
  provides: {
    findCustomer:
      ({ db }) =>
      (scope, id) =>
        findCustomer(db, scope, id),
  },
  tables: ['customers', 'erased_customers'],
  triggers: ['payments_customers', 'invoices_customer', 'ramps_customers'],
  schemas: schemasIn(customerSchemas),
  scopes: { customers: { read: everybody, write: accountants } },
  tags: { Customers: 'People and companies that pay, by e-mail address.' },
  routes: (app, deps) => {
    registerCustomerRoutes(app, deps);
    registerErase(app, deps);
  },
  search: [
    searchIn('customers', {
      kind: 'customer',
      type: 'customer',
      path: '/v1/customers',
      scope: 'customers:read',
      matches: [
        { column: 'email', as: 'prefix' },
        { column: 'name', as: 'prefix' },
        { column: 'name', as: 'last_word' },
      ],
      show: ({ name, email }) => (name === null ? { title: email } : { title: name, subtitle: email }),
    }),
  ],
});
