import type { Command } from 'commander';
import type { ListParams, Ramp } from '../../api/client.ts';
import { destinationText } from '../../api/payout.ts';
import { sidesOf } from '../../api/ramps/ramp.ts';
import { apiAction } from '../context.ts';
import { moneyText, wholeNumber } from '../money.ts';
import { facts, table } from '../table.ts';

const examples = `
Examples:
  $ pay-checkout ramps list --status on_hold
  $ pay-checkout ramps show ramp_…`;

interface ListOptions {
  readonly limit?: number;
  readonly status?: string;
  readonly customer?: string;
  readonly startingAfter?: string;
}

/** `ramps list|show`: shows purchases of coins. */
export function addRamps(program: Command): void {
  const ramps = program.command('ramps').description('Show ramps').addHelpText('after', examples);
  ramps
    .command('list')
    .description('List ramps, newest first')
    .option('--limit <number>', 'number of ramps, 1 to 100', wholeNumber)
    .option('--status <status>', 'such as pending_anchor, on_hold or completed')
    .option('--customer <id>', 'id of a customer')
    .option('--starting-after <id>', 'the last ramp of the page before')
    .addHelpText('after', examples)
    .action(
      apiAction<ListOptions>(async (pay, { show }, { startingAfter, ...options }) => {
        const params: ListParams = {
          ...options,
          ...(startingAfter !== undefined && { starting_after: startingAfter }),
        };
        const page = await pay.ramps.list(params);
        const more = page.has_more ? `\nMore: --starting-after ${page.data.at(-1)?.id}` : '';
        const titles = ['ID', 'CREATED', 'IN', 'OUT', 'STATUS'];
        show(page, page.data.length === 0 ? 'There are no such ramps.' : table(titles, page.data.map(rowOf)) + more);
      }),
    );
  ramps
    .command('show')
    .argument('<ramp>', 'id of the ramp: ramp_…')
    .description('Show a ramp')
    .addHelpText('after', examples)
    .action(
      apiAction(async (pay, { show }, _options, id = '') => {
        const ramp = await pay.ramps.retrieve(id);
        show(ramp, textOf(ramp));
      }),
    );
}

/** What the customer gives, and what the customer gets. */
function tradeText(ramp: Ramp): readonly [given: string, got: string] {
  const { money, coins } = sidesOf(ramp);
  const moneyPart = moneyText(money, ramp.fiat_currency);
  const coinPart = `${coins} ${ramp.asset.split(':')[0]}`;
  return ramp.direction === 'on' ? [moneyPart, coinPart] : [coinPart, moneyPart];
}

function rowOf(ramp: Ramp): string[] {
  const { id, created_at: createdAt, status } = ramp;
  return [id, createdAt.slice(0, 19), ...tradeText(ramp), status];
}

function textOf(ramp: Ramp): string {
  const { fiat_currency: currency, refunds, deposit, payout_destination: destination } = ramp;
  const [given, got] = tradeText(ramp);
  return facts({
    ramp: ramp.id,
    status: ramp.status,
    'identity check': ramp.kyc_tier_needed === null ? null : `${ramp.kyc_tier_needed} is needed`,
    customer: ramp.customer_id,
    in: given,
    fee: moneyText(ramp.amount_fee, currency),
    refunded: refunds.amount_refunded > 0 ? moneyText(refunds.amount_refunded, currency) : null,
    out: got,
    wallet: ramp.wallet?.address ?? null,
    'paid out to': destination && destinationText(destination),
    payment: ramp.payment,
    payout: ramp.payout,
    transaction: ramp.tx_hash,
    failure: ramp.failure?.message ?? null,
    checkout: deposit?.checkout_url ?? null,
  });
}
