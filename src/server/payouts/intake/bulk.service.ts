import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BulkOptions, PayoutBatch, PayoutDestination } from '../../../api/payout.ts';
import { type FieldError, PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { sumOf } from '../../../core/money.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Caller, scopeOf } from '../../platform/http/access/caller.ts';
import { invalidRequest } from '../../platform/http/validation.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Rates } from '../../rates/rates.ts';
import { checkDestination } from '../destinations/destination.ts';
import type { DestinationContext } from '../destinations/destination-context.ts';
import { isOnChain, noRoute, routeOf } from '../destinations/route.ts';
import { findDefaultDestinations } from '../recipients/payee.store.ts';
import { destinationContext } from '../recipients/recipient.service.ts';
import type { PayoutRow } from '../tables.ts';
import { findReferences } from './bulk.store.ts';
import { balanceUnit, createPricing, usualSlippage } from './pricing.ts';
import { mostRows, type ReadRow, type ReadRows, repeated } from './row-reader.ts';

export interface IntakeDeps {
  readonly db: Db;
  readonly rates: Rates;
  readonly rails: Pick<Rails, 'payouts'>;
  /** The service's Stellar account. */
  readonly ownAccount: string;
}

type RowError = PayoutBatch['errors'][number];

/** The drafted payouts of the valid rows, and the errors of the other rows, in the order of the request. */
export interface CheckedRows {
  readonly rows: readonly PayoutRow[];
  readonly errors: readonly (FieldError & { readonly index: number })[];
  readonly total: number;
}

/** Number of rows after which other requests get processor time. */
const rowsPerTurn = 10;

/**
 * Checks recipients, destinations, routes, rates and references of the rows, and drafts their payouts. Writes nothing.
 * Throws `batch_size`, and with `reject_all` the errors of all wrong rows. Throws `rate_unavailable` for a temporarily
 * missing rate, because the row is not wrong.
 */
export async function checkRows(
  deps: IntakeDeps,
  caller: Caller,
  read: ReadRows,
  options: BulkOptions,
): Promise<CheckedRows> {
  if (read.count < 1 || read.count > mostRows) {
    const message = `payouts must have 1 to ${mostRows} elements, not ${read.count}.`;
    throw new PayError('batch_size', message, { param: 'payouts' });
  }
  const scope = scopeOf(caller);
  const ids = new Set(read.rows.flatMap(({ row }) => row.recipient_id ?? []));
  const references = read.rows.flatMap(({ row }) => row.reference ?? []);
  const taken = await findReferences(deps.db, scope, references);
  const drafting: Drafting = {
    deps,
    caller,
    taken,
    context: destinationContext(deps),
    recipients: await findDefaultDestinations(deps.db, scope, [...ids]),
    pricing: createPricing(deps.rates, slippageOf(options)),
  };
  const errors = [...read.errors];
  const rows: PayoutRow[] = [];
  for (const [turn, given] of read.rows.entries()) {
    if (turn % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
    const drafted = await draft(drafting, given);
    if ('id' in drafted) rows.push(drafted);
    else for (const error of drafted.errors) errors.push({ index: given.index, ...error });
  }
  errors.sort((a, b) => a.index - b.index);
  if (options.on_error !== 'skip_invalid') refuseErrors(errors, taken);
  return { rows, errors, total: read.count };
}

function slippageOf({ fx }: BulkOptions): number {
  return fx?.max_slippage_percent === undefined ? usualSlippage : Math.round(fx.max_slippage_percent * 100);
}

/**
 * Throws one error that contains all errors. The error is a conflict if all errors are repeated references, and an
 * earlier payout has used one of the references.
 */
function refuseErrors(errors: CheckedRows['errors'], taken: ReadonlySet<string>): void {
  if (errors.length === 0) return;
  const error = invalidRequest(errors, mostRows);
  const isConflict = taken.size > 0 && errors.every(({ code }) => code === 'duplicate_reference');
  if (!isConflict) throw error;
  throw new PayError('duplicate_reference', error.message, { param: error.param ?? 'payouts', errors });
}

interface Drafting {
  readonly context: DestinationContext;
  readonly deps: IntakeDeps;
  readonly caller: Caller;
  /** Default destinations by recipient id. */
  readonly recipients: ReadonlyMap<string, PayoutDestination | null>;
  /** References of the request that earlier payouts already use. */
  readonly taken: ReadonlySet<string>;
  readonly pricing: ReturnType<typeof createPricing>;
}

/** The payout of a row, or the row's errors. */
async function draft(
  drafting: Drafting,
  { index, row }: ReadRow,
): Promise<PayoutRow | { readonly errors: readonly FieldError[] }> {
  const { deps, caller, taken, pricing } = drafting;
  const path = `payouts[${index}]`;
  if (row.reference !== undefined && taken.has(row.reference)) {
    return { errors: [repeated(path, row.reference, 'an earlier payout has used it')] };
  }
  const target = targetOf(drafting, row, path);
  if ('errors' in target) return target;
  const { destination } = target;
  const route = routeOf(destination, row.currency, deps.rails.payouts);
  if (route === null && destination.type !== 'crypto_wallet') {
    return { errors: [noRoute(path, row.currency, destination)] };
  }
  const source = sourceOf(deps.rates, row.source_currency ?? row.currency, `${path}.source_currency`);
  if (typeof source !== 'string') return { errors: [source] };
  const money = { amount: BigInt(row.amount), currency: row.currency, sourceCurrency: source };
  if (route !== null && route.currency === row.currency && money.amount % route.step !== 0n) {
    return { errors: [wrongMultiple(path, route.rail, route.step)] };
  }
  const price = await pricing.price({ ...money, unit: route?.currency ?? null }, path);
  if ('param' in price) return { errors: [permanentError(price)] };
  const held = route === null ? notConnected(destination) : null;
  return {
    ...emptyPayout,
    merchant_id: caller.merchant.id,
    id: newId('payout'),
    livemode: caller.livemode,
    position: index,
    status: held === null ? 'queued' : 'on_hold',
    recipient_id: row.recipient_id ?? null,
    destination,
    rail: route?.rail ?? null,
    unit: route?.currency ?? null,
    amount: money.amount,
    currency: row.currency,
    source_amount: price.sourceAmount,
    source_currency: source,
    least_amount: route === null ? null : price.leastAmount,
    reference: row.reference ?? null,
    description: row.description ?? null,
    metadata: row.metadata ?? {},
    hold_code: held?.code ?? null,
    hold_message: held?.message ?? null,
    created_at: caller.now,
  };
}

/** Returns an error that the caller must correct in the row. Throws the temporary error `rate_unavailable`. */
function permanentError(error: FieldError): FieldError {
  if (error.code !== 'rate_unavailable') return error;
  throw new PayError(error.code, error.message, { retryAfterSeconds: 5 });
}

/** The columns with the same value in all new payouts. */
export const emptyPayout = {
  batch_id: '',
  settlement_id: null,
  ramp_id: null,
  fee: 0n,
  paid_amount: null,
  returned_amount: 0n,
  failure_code: null,
  failure_message: null,
  trace: null,
  attempt: 1,
  due_at: null,
  scheduled_at: null,
  eta_at: null,
  event_sequence: 1,
  version: 0,
  completed_at: null,
} as const;

type Target = { readonly destination: PayoutDestination } | { readonly errors: readonly FieldError[] };

/** The destination of a row. Without one, the default of the row's recipient. */
function targetOf({ context, recipients }: Drafting, row: ReadRow['row'], path: string): Target {
  const defaultDestination = row.recipient_id === undefined ? null : recipients.get(row.recipient_id);
  if (defaultDestination === undefined) {
    const message = `There is no recipient ${row.recipient_id}.`;
    return { errors: [{ param: `${path}.recipient_id`, code: 'resource_missing', message }] };
  }
  if (row.destination !== undefined) {
    return checkDestination(row.destination, `${path}.destination`, context);
  }
  if (defaultDestination !== null) return { destination: defaultDestination };
  const message = `The recipient ${row.recipient_id} has no destination. Add one, or give destination in the row.`;
  return { errors: [{ param: `${path}.destination`, code: 'parameter_missing', message }] };
}

function sourceOf(rates: Rates, text: string, param: string): string | FieldError {
  try {
    return balanceUnit(rates, text, param);
  } catch (error) {
    if (error instanceof PayError) return { param, code: error.code, message: error.message };
    throw error;
  }
}

function wrongMultiple(path: string, rail: string, step: bigint): FieldError {
  const message = `${path}.amount must be a multiple of ${step}: ${rail} cannot pay smaller units.`;
  return { param: `${path}.amount`, code: 'invalid_amount', message };
}

function notConnected(destination: PayoutDestination) {
  const chain = destination.type === 'crypto_wallet' ? destination.chain : destination.type;
  return {
    code: 'no_route',
    message: `Payouts on ${chain} are not connected yet. The payout waits, and you can cancel it.`,
  };
}

/** The total debit of each balance. Throws `amount_out_of_range` for a total that JSON cannot represent exactly. */
export function totalsOf(rows: readonly PayoutRow[]): PayoutBatch['totals'] {
  return [...Map.groupBy(rows, ({ source_currency: currency }) => currency)].map(([currency, group]) => ({
    currency,
    amount: safeNumber(sumOf(group.map(({ source_amount: amount }) => amount)), currency),
    fee: safeNumber(sumOf(group.map(({ fee }) => fee)), currency),
    count: group.length,
  }));
}

function safeNumber(sum: bigint, currency: string): number {
  if (sum <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(sum);
  const message = `The payouts from ${currency} sum to more than ${Number.MAX_SAFE_INTEGER}. Send several batches.`;
  throw new PayError('amount_out_of_range', message, { param: 'payouts' });
}

/** For a dry run: problems that only the network knows, such as missing accounts, trustlines and memos. */
export async function checkNetwork(
  objection: (row: PayoutRow) => Promise<{ readonly code: string; readonly message: string } | null>,
  rows: readonly PayoutRow[],
): Promise<RowError[]> {
  const waiting = rows.filter(row => row.rail !== null && isOnChain(row)).values();
  const errors: RowError[] = [];
  const checkNext = async () => {
    for (const row of waiting) {
      const found = await objection(row);
      if (found !== null) {
        errors.push({ index: row.position, param: `payouts[${row.position}].destination.address`, ...found });
      }
    }
  };
  await Promise.all(Array.from({ length: mostNetworkRequests }, checkNext));
  return errors.toSorted((a, b) => a.index - b.index);
}

/** Maximum number of concurrent requests for accounts in a dry run. */
const mostNetworkRequests = 16;
