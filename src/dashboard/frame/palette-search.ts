import type { Payment } from '../../api/payment.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import type { IconName } from '../controls/icons.ts';
import { moneyWords } from '../controls/values.ts';

/** One line of the palette. */
export interface Line {
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly path: string;
  /** Text that the query must occur in. */
  readonly words: string;
}

/** Payments with this id, e-mail address or reference. */
export async function findObjects(
  { client }: DashboardContext,
  text: string,
  signal: AbortSignal,
): Promise<readonly Line[]> {
  if (/^pay_\w+$/.test(text)) return [paymentLine(await client.payments.retrieve(text, { signal }))];
  const filter = text.includes('@') ? { customer: text } : { reference: text };
  const { data } = await client.payments.list({ ...filter, limit: 5 }, { signal });
  return data.map(paymentLine);
}

function paymentLine({ id, amount, currency, customer, reference }: Payment): Line {
  const facts = [customer?.name ?? customer?.email, reference, id].filter(Boolean);
  return {
    label: moneyWords(amount, currency),
    detail: facts.join(' · '),
    icon: 'payments',
    path: `/payments/${id}`,
    words: '',
  };
}
