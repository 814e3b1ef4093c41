import type { CreatePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { type Caller, scopeOf } from '../../platform/http/access/caller.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentOrder } from './payment-create.service.ts';

/**
 * Replaces `customer.id` by the e-mail address and name of that customer. Reads the database only if an id is given.
 * Throws a PayError that names the wrong field.
 */
export async function withCustomer<Body extends Pick<CreatePayment, 'customer'>>(
  deps: Pick<PaymentRouteDeps, 'findCustomer'>,
  caller: Caller,
  { customer, ...body }: Body,
): Promise<Omit<Body, 'customer'> & Pick<PaymentOrder, 'customer'>> {
  if (!('id' in customer) || customer.id === undefined) {
    if (customer.email !== undefined) return { ...body, customer };
    throw new PayError('parameter_missing', 'customer.email is missing.', { param: 'customer.email' });
  }
  const { id, email, name } = customer;
  if (caller.kind !== 'secret') {
    const message = 'customer.id needs a secret key, from your server. Give customer.email.';
    throw new PayError('secret_key_required', message, { param: 'customer.id' });
  }
  if (email !== undefined) {
    const message = 'Give customer.id or customer.email, not both.';
    throw new PayError('parameter_invalid', message, { param: 'customer.email' });
  }
  const found = await deps.findCustomer(scopeOf(caller), id);
  if (found === null) {
    throw new PayError('resource_missing', `No customer ${id} exists. Check the id.`, { param: 'customer.id' });
  }
  const shown = name ?? found.name;
  return { ...body, customer: { email: found.email, ...(shown !== null && { name: shown }) } };
}
