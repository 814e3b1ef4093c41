import type { CreateCustomer, Customer, ErasedCustomer, UpdateCustomer } from '../dashboard/customer.ts';
import type { CustomerCredit } from '../invoice/invoice-money.ts';
import { type ListParams, listOf } from '../pages.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.customers`: the people and companies that pay. */
export function customers(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const all = '/v1/customers';
  return {
    /** Creates the customer with this e-mail address, or changes the existing one. */
    create: (body: CreateCustomer, options?: Options) => post<Customer>(all, body, options),
    retrieve: (id: string, options?: Options) => get<Customer>(`${all}/${pathId(id)}`, options),
    list: (params?: ListParams, options?: Options) => listOf<Customer>(transport, all, params, options),
    update: (id: string, body: UpdateCustomer, options?: Options) =>
      patch<Customer>(`${all}/${pathId(id)}`, body, options),
    /** Erases the customer’s personal data for ever. Issued invoices and the ledger stay. */
    erase: (id: string, options?: Options) => remove<ErasedCustomer>(`${all}/${pathId(id)}`, options),
    /** The unused credit by currency. `customer` filters by id or e-mail address. */
    credits: (params?: ListParams, options?: Options) =>
      listOf<CustomerCredit>(transport, '/v1/customer-credits', params, options),
  };
}
