import * as customerSchemas from '../../api/dashboard/customer.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type CustomerDeps, registerCustomerRoutes } from './customer.routes.ts';

/** Customers: the payers of payments and the recipients of invoices, by e-mail address. */
export const customers = defineModule<CustomerDeps>({
  name: 'customers',
  tables: ['customers'],
  schemas: schemasIn(customerSchemas),
  scopes: ['customers'],
  tags: { Customers: 'People and companies that pay, by e-mail address.' },
  routes: registerCustomerRoutes,
});
