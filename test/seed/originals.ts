import { setTimeout as sleep } from 'node:timers/promises';
import type { createPayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';

type Client = ReturnType<typeof createPayClient>;

/** A made-up customer. */
export interface SeedCustomer {
  readonly email: string;
  readonly name: string;
}

const firstNames = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Radia',
  'Ken',
  'Frances',
  'Niklaus',
  'Amara',
];
const lastNames = ['Okafor', 'Silva', 'Novak', 'Haddad', 'Larsen', 'Moreau', 'Tanaka', 'Kowalski', 'Rossi', 'Mbeki'];

/** Customers with different addresses. */
export function seedCustomers(count: number): SeedCustomer[] {
  return Array.from({ length: count }, (_, index) => {
    const first = firstNames[index % firstNames.length] ?? '';
    const last = lastNames[Math.floor(index / firstNames.length) % lastNames.length] ?? '';
    return { name: `${first} ${last}`, email: `${first}.${last}.${index}@example.com`.toLowerCase() };
  });
}

/** The calls that pay, refund or cancel a created payment, or leave it open. */
type Steps = (pay: Client, payment: Payment) => Promise<unknown>;

const card =
  (token = 'tok_visa'): Steps =>
  (pay, { id }) =>
    pay.payments.confirm(id, { method: 'card', token });

/** The payer sends a share of the amount by bank. */
const bank =
  (share = 1): Steps =>
  async (pay, { id, amount, currency }) => {
    const { next_action: action } = await pay.payments.confirm(id, { method: 'bank_transfer', rail: 'sepa' });
    if (action?.type !== 'bank_instructions') throw new Error(`payment ${id} has no bank instructions`);
    const { reference } = action;
    await pay.testHelpers.bankTransfer({ reference, amount: Math.round(amount * share), currency });
  };

const crypto: Steps = async (pay, { id, amount: sum }) => {
  const assets = await assetsOf(pay, id);
  const asset = assets[sum % assets.length] ?? '';
  const { next_action: action } = await pay.payments.confirm(id, { method: 'crypto', chain: 'stellar', asset });
  if (action?.type !== 'crypto_transfer') throw new Error(`payment ${id} has no deposit address`);
  const { address, amount } = action;
  await pay.testHelpers.deposit({ chain: 'stellar', address, asset: action.asset, amount });
};

/** The assets that can pay. A service that has just started first reads its deposit account to the end. */
async function assetsOf(pay: Client, id: string): Promise<string[]> {
  for (let look = 0; look < 60; look++) {
    const assets = (await pay.payments.options(id)).crypto?.assets ?? [];
    if (assets.length > 0) return assets.map(({ asset }) => asset);
    await sleep(250);
  }
  throw new Error(`payment ${id} cannot be paid in crypto`);
}

const refunded =
  (share: number): Steps =>
  async (pay, payment) => {
    await card()(pay, payment);
    await pay.payments.refund(payment.id, {
      amount: Math.round(payment.amount * share),
      reason: 'requested_by_customer',
    });
  };

const declined: Steps = async (pay, payment) => {
  for (let attempt = 0; attempt < 10; attempt++) await card('tok_declined')(pay, payment).catch(() => undefined);
};

const cancel: Steps = (pay, { id }) => pay.payments.cancel(id);
const nothing: Steps = async () => undefined;

interface Kind {
  /** How many of a hundred payments are of this kind. */
  readonly share: number;
  readonly steps: Steps;
  readonly currencies?: readonly string[];
}

const kinds: readonly Kind[] = [
  { share: 41, steps: card() },
  { share: 11, steps: card('tok_mastercard') },
  { share: 14, steps: bank(), currencies: ['EUR'] },
  { share: 10, steps: crypto },
  { share: 11, steps: nothing },
  { share: 4, steps: cancel },
  { share: 2, steps: declined },
  { share: 3, steps: refunded(1) },
  { share: 2, steps: refunded(0.3) },
  { share: 1, steps: bank(1.2), currencies: ['EUR'] },
  { share: 1, steps: bank(0.6), currencies: ['EUR'] },
];

const currencies = ['EUR', 'EUR', 'EUR', 'USD', 'USD', 'GBP', 'JPY'];
const assets = ['USDC', 'USDC', 'EURC', 'XLM'];
const products = ['Espresso machine', 'Annual plan', 'Running shoes', 'Concert ticket', 'Consulting hour', 'Gift card'];

/** Makes payments through the API, in the proportions of `kinds`, and resolves to their number. */
export async function makeOriginals(pay: Client, count: number, customers: readonly SeedCustomer[]): Promise<number> {
  const links = await makeLinks(pay);
  const plan = Array.from({ length: count }, (_, index) => ({ index, kind: kindAt((index * 37 + 11) % 100) }));
  await each(plan, 6, async ({ index, kind }) => {
    const customer = customers[(index * 13) % customers.length];
    if (customer === undefined) throw new Error('the seed has no customers');
    const link = index % 12 === 5 ? links[Math.floor(index / 12) % links.length] : undefined;
    const payment =
      link === undefined
        ? await pay.payments.create(orderOf(index, kind, customer))
        : await pay.paymentLinks.pay(link, { customer });
    await kind.steps(pay, payment);
  });
  return count;
}

function kindAt(percent: number): Kind {
  let end = 0;
  const kind = kinds.find(({ share }) => {
    end += share;
    return percent < end;
  });
  return kind ?? { share: 0, steps: nothing };
}

function orderOf(index: number, kind: Kind, customer: SeedCustomer) {
  const list = kind.currencies ?? currencies;
  const currency = list[index % list.length] ?? 'EUR';
  const amount = 900 + ((index * 7919) % 42_000);
  return {
    amount,
    currency,
    customer,
    settlement_asset: assets[index % assets.length] ?? 'USDC',
    settlement_network: 'stellar' as const,
    payment_methods: ['card', 'bank_transfer', 'crypto'] as ('card' | 'bank_transfer' | 'crypto')[],
    description: products[index % products.length] ?? '',
    reference: `ORDER-${index}`,
    metadata: { order: `A-${index}`, channel: index % 3 === 0 ? 'app' : 'web' },
  };
}

async function makeLinks(pay: Client): Promise<string[]> {
  const made = await Promise.all(
    products.map((description, index) =>
      pay.paymentLinks.create({
        description,
        amount: 2_500 + index * 1_100,
        currency: 'EUR',
        settlement_asset: 'USDC',
        payment_methods: ['card', 'bank_transfer', 'crypto'],
      }),
    ),
  );
  return made.map(({ id }) => id);
}

/** Creates invoices: drafts, sent ones and paid ones. Also makes bank transfers that name no payment. */
export async function makeOthers(pay: Client, customers: readonly SeedCustomer[]): Promise<void> {
  await each(customers.slice(0, 24), 4, async ({ email, name }) => {
    const { id } = await pay.invoices.create({
      customer: { email, name },
      currency: 'EUR',
      days_until_due: 14,
      lines: [{ description: 'Consulting', quantity: '3', unit_amount: 9_500 }],
    });
    if (email.length % 4 > 0) await pay.invoices.send(id);
    if (email.length % 4 === 2) await pay.invoices.recordPayment(id, { amount: 28_500, method: 'cash' });
  });
  for (let index = 0; index < 5; index++) {
    await pay.testHelpers.bankTransfer({ reference: `Thanks ${index}`, amount: 1_000 + index * 450, currency: 'EUR' });
  }
}

/** Works on the items, `parallel` at a time. */
async function each<Item>(
  items: readonly Item[],
  parallel: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
