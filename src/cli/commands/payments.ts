import { type Command, Option } from 'commander';
import type { CallOptions, ListParams, PayClient, Payment } from '../../api/client.ts';
import type { CreatePayment } from '../../api/payment.ts';
import { UsageError } from '../cli-error.ts';
import { apiAction } from '../context.ts';
import { moneyText, wholeNumber } from '../money.ts';
import { facts, table } from '../table.ts';

const examples = `
Examples:
  $ pay-checkout payments create --amount 4200 --currency EUR --email ada@example.com
  $ pay-checkout payments create --amount 4200 --currency EUR --email ada@example.com \\
      --method card --data '{"capture_method":"manual","metadata":{"order":"A-7"}}'
  $ pay-checkout payments list --status completed --limit 50
  $ pay-checkout payments get pay_…
  $ pay-checkout payments refund pay_… --amount 1000 --idempotency-key refund-of-A-7
  $ pay-checkout payments list --json | jq -r '.data[].id'

Amounts are in the smallest unit of the currency: 4200 are 42.00 EUR.`;

const methods = ['card', 'bank_transfer', 'crypto', 'mobile_money'] as const;

/** `payments create|list|get|refund|capture|cancel`: manages payments. */
export function addPayments(program: Command): void {
  const payments = program.command('payments').description('Work with payments').addHelpText('after', examples);
  addCreate(payments);
  addList(payments);
  addSteps(payments);
}

interface WriteOptions {
  readonly idempotencyKey?: string;
}

/** Adds the option with which a repeated command gets the first answer. */
function repeatable(command: Command): Command {
  return command.option(
    '--idempotency-key <key>',
    'a repetition with the same key gets the first answer and changes nothing (default: a new key for each run)',
  );
}

/** The call's options. A command without the option gets a random key from the client. */
function once({ idempotencyKey }: WriteOptions): CallOptions {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

interface CreateOptions extends WriteOptions {
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly name?: string;
  readonly method?: CreatePayment['payment_methods'];
  readonly settlementAsset?: string;
  readonly description?: string;
  readonly reference?: string;
  readonly data?: object;
}

function addCreate(payments: Command): void {
  repeatable(payments.command('create'))
    .description('Create a payment, and show the address of its checkout')
    .requiredOption('--amount <units>', 'amount in the smallest unit of the currency', wholeNumber)
    .requiredOption('--currency <code>', 'ISO 4217 code, such as EUR')
    .requiredOption('--email <address>', 'e-mail address of the customer')
    .option('--name <name>', 'name of the customer')
    .addOption(new Option('--method <methods...>', 'what the payer may choose (default: all)').choices(methods))
    .option('--settlement-asset <asset>', 'asset that the account receives (default: that of the account)')
    .option('--description <text>', 'description that the payer sees')
    .option('--reference <text>', 'your own order number')
    .option('--data <json>', 'more fields of the API, as a JSON object', jsonObject)
    .addHelpText('after', examples)
    .action(
      apiAction<CreateOptions>(async (pay, { show }, options) => {
        const payment = await pay.payments.create(await paymentOf(pay, options), once(options));
        show(payment, textOf(payment));
      }),
    );
}

async function paymentOf(pay: PayClient, options: CreateOptions): Promise<CreatePayment> {
  const { amount, currency, email, name, method, settlementAsset, description, reference, data } = options;
  return {
    amount,
    currency,
    settlement_asset: settlementAsset ?? (await pay.account.retrieve()).settlement.asset,
    settlement_network: 'stellar',
    payment_methods: method ?? [...methods],
    customer: { email, ...(name !== undefined && { name }) },
    ...(description !== undefined && { description }),
    ...(reference !== undefined && { reference }),
    ...data,
  };
}

interface ListOptions {
  readonly limit?: number;
  readonly status?: string;
  readonly phase?: string;
  readonly method?: string;
  readonly currency?: string;
  readonly reference?: string;
  readonly customer?: string;
  readonly startingAfter?: string;
}

function addList(payments: Command): void {
  payments
    .command('list')
    .description('List payments, newest first')
    .option('--limit <number>', 'number of payments, 1 to 100', wholeNumber)
    .option('--status <status>', 'pending, completed, failed or refunded')
    .option('--phase <phase>', 'such as awaiting_payer, authorized or expired')
    .option('--method <method>', `one of ${methods.join(', ')}`)
    .option('--currency <code>', 'ISO 4217 code')
    .option('--reference <text>', 'your own order number')
    .option('--customer <id>', 'id of a customer')
    .option('--starting-after <id>', 'the last payment of the page before')
    .addHelpText('after', examples)
    .action(
      apiAction<ListOptions>(async (pay, { show }, options) => {
        const page = await pay.payments.list(filtersOf(options));
        const rows = page.data.map(rowOf);
        const more = page.has_more ? `\nMore: --starting-after ${page.data.at(-1)?.id}` : '';
        const titles = ['ID', 'CREATED', 'AMOUNT', 'STATUS', 'PHASE', 'METHOD'];
        show(page, rows.length === 0 ? 'There are no such payments.' : table(titles, rows) + more);
      }),
    );
}

function filtersOf(options: ListOptions): ListParams {
  const { limit, status, phase, method, currency, reference, customer, startingAfter } = options;
  const filters = { limit, status, phase, method, currency, reference, customer, starting_after: startingAfter };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

function addSteps(payments: Command): void {
  const step = (name: string, description: string) =>
    payments
      .command(name)
      .argument('<payment>', 'id of the payment: pay_…')
      .description(description)
      .addHelpText('after', examples);
  step('get', 'Show a payment').action(
    apiAction(async (pay, { show }, _options, id = '') => {
      const payment = await pay.payments.retrieve(id);
      show(payment, textOf(payment));
    }),
  );
  repeatable(step('capture', 'Take the money of an authorized card'))
    .option('--amount <units>', 'a part of the authorized amount (default: all)', wholeNumber)
    .action(
      apiAction<WriteOptions & { amount?: number }>(async (pay, { show }, { amount, ...options }, id = '') => {
        const payment = await pay.payments.capture(id, amount === undefined ? {} : { amount }, once(options));
        show(payment, textOf(payment));
      }),
    );
  repeatable(step('cancel', 'Cancel a payment that is not paid')).action(
    apiAction<WriteOptions>(async (pay, { show }, options, id = '') => {
      const payment = await pay.payments.cancel(id, once(options));
      show(payment, textOf(payment));
    }),
  );
  addRefund(repeatable(step('refund', 'Refund a payment, or a part of it')));
}

const reasons = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'overpayment',
  'underpayment',
  'paid_late',
] as const;

interface RefundOptions extends WriteOptions {
  readonly amount?: number;
  readonly reason?: (typeof reasons)[number];
}

function addRefund(command: Command): void {
  command
    .option('--amount <units>', 'a part of the received amount (default: the rest)', wholeNumber)
    .addOption(new Option('--reason <reason>', 'why').choices(reasons))
    .action(
      apiAction<RefundOptions>(async (pay, { show }, options, id = '') => {
        const { amount, reason } = options;
        const body = { ...(amount !== undefined && { amount }), ...(reason !== undefined && { reason }) };
        const refund = await pay.payments.refund(id, body, once(options));
        const { status, payment, requires_destination: waits, claim_url: page } = refund;
        const text = facts({
          refund: refund.id,
          payment,
          amount: moneyText(refund.amount, refund.currency),
          status,
          'claim page': waits ? page : null,
          failure: refund.failure?.message ?? null,
        });
        show(refund, text);
      }),
    );
}

function textOf(payment: Payment): string {
  const { id, amount, currency, status, phase, method, exception, amount_refunded: refunded } = payment;
  return facts({
    payment: id,
    amount: moneyText(amount, currency),
    status: `${status} (${phase})`,
    method,
    exception,
    refunded: refunded > 0 ? moneyText(refunded, currency) : null,
    'last attempt': payment.last_attempt?.message ?? null,
    failure: payment.failure?.message ?? null,
    reference: payment.reference,
    checkout: status === 'pending' ? payment.checkout_url : null,
  });
}

function rowOf({ id, created_at: createdAt, amount, currency, status, phase, method }: Payment): string[] {
  return [id, createdAt.slice(0, 19), moneyText(amount, currency), status, phase, method ?? ''];
}

function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Invalid JSON gets the error below.
  }
  throw new UsageError('--data takes a JSON object, such as {"capture_method":"manual"}.');
}
