import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { BulkOptions, CreatePayouts, PayoutBatch, type RowError } from '../../../api/payout.ts';
import { readCurrency } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { mustWait, takeWayOut } from '../../approvals/approval.service.ts';
import type { ChainDestination, ChainPayees } from '../../chains/chain.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { canonicalJson } from '../../platform/http/idempotency/canonical-json.ts';
import type { Answer, Once } from '../../platform/http/idempotency/idempotent-execution.ts';
import { readRows } from '../../platform/http/row-stream.ts';
import { compileValidator, createCheck, invalidRequest } from '../../platform/http/validation.ts';
import { destinationFields } from '../destinations/route.ts';
import { batchToWire, type PayoutContext } from '../payout.view.ts';
import { payoutSweep } from '../sending/payout-queue.service.ts';
import type { PayoutRow } from '../tables.ts';
import { arrivalOf } from './arrival.ts';
import { type BatchPlan, planBatch, questionOf, wayOutOf } from './batch-plan.service.ts';
import { type CheckedRows, checkNetwork, checkRows, type IntakeDeps, totalsOf } from './bulk.service.ts';
import { findReferences, insertBatch } from './bulk.store.ts';
import { CsvOptions, payoutColumns, type ReadBulk, readCsvBulk } from './bulk-csv.ts';
import { createRowReader, repeated } from './row-reader.ts';

export interface BulkDeps extends IntakeDeps, PayoutContext {
  readonly once: Once;
  readonly stellarPayees: ChainPayees;
  readonly wake: (sweep: string) => void;
}

const mostBytes = 16 * 1_048_576;
const mediaTypes = ['application/json', 'text/csv'];
const checkOptions = createCheck(BulkOptions);
const description =
  'All rows are checked before anything is stored, and the money is reserved at once. Wrong rows are listed with `index` ' +
  'and field: in `error.errors` (`reject_all`), or in `errors` of the batch (`skip_invalid`). Trustlines and memos of ' +
  'Stellar accounts are checked by `dry_run` and when the money is sent. Responses are stored 30 days for an ' +
  '`Idempotency-Key`. A `reference` can be used only once, forever.\n\n' +
  'The rows may also be CSV in UTF-8 with `Content-Type: text/csv`. The query parameters are for CSV only. ' +
  `The first row names the columns: ${payoutColumns.map(column => `\`${column}\``).join(', ')}, and \`metadata.…\`. ` +
  '`amount` and `currency` are required. Amounts are integers of the smallest unit, as in JSON.';

/** `POST /v1/payouts/bulk`: 1 to 10,000 payouts, read row by row. */
export function registerBulkRoutes(app: HttpApp, deps: BulkDeps): void {
  void app.register(async (bulk: HttpApp) => {
    bulk.removeAllContentTypeParsers();
    bulk.addContentTypeParser(mediaTypes, (_, payload, done) => done(null, payload));
    bulk.addContentTypeParser('*', (_request, _payload, done) => {
      done(new PayError('unsupported_media_type', `Send the body as ${mediaTypes.join(' or ')}.`));
    });
    const schema = {
      querystring: CsvOptions,
      body: CreatePayouts,
      consumes: 'text/csv',
      response: { 202: PayoutBatch, 200: PayoutBatch },
      tags: ['Payouts'],
      summary: 'Pay 1 to 10,000 recipients',
      description,
    };
    const access = { access: 'secret', scope: 'payouts:write' } as const;
    const config = { ...access, maxBody: mostBytes, keepsAnswersDays: 30 };
    bulk.post('/v1/payouts/bulk', { schema, validatorCompiler: checkQueryOnly, config }, async (request, reply) => {
      const isCsv = request.headers['content-type']?.startsWith('text/csv') === true;
      const body = (request.body ?? noBytes()) as unknown as AsyncIterable<Buffer>;
      const bulkCall = isCsv ? await readCsvBulk(body, request.query, mostBytes) : await readJsonBulk(request, body);
      // The body is not stored, so its digest shows whether a repeated request is the same.
      request.rawBody = bulkCall.digest;
      return await deps.once(request, reply, execution =>
        acceptPayouts(deps, callerOf(request), bulkCall, effect => execution.commit(effect)),
      );
    });
  });
}

/** The body of a request without one. */
async function* noBytes(): AsyncGenerator<Buffer> {}

/** Validates only the query. The body is a stream, so its rows are checked while they arrive. */
const checkQueryOnly: typeof compileValidator = route =>
  route.httpPart === 'body' ? value => ({ value }) : compileValidator(route);

async function readJsonBulk({ query }: FastifyRequest, body: AsyncIterable<Buffer>): Promise<ReadBulk> {
  const reader = createRowReader();
  // Repeated calls are compared by values. A body with a row that cannot be read as an object is compared by its bytes.
  const values = createHash('sha256');
  let hasFault = false;
  const { rest, digest } = await readRows(body, { field: 'payouts', most: mostBytes }, (row, index, problem) => {
    if (row === null) hasFault = true;
    else values.update(`${canonicalJson(row)}\n`);
    reader.take(row, index, problem);
  });
  const [param] = Object.keys(query as object);
  if (param !== undefined) {
    throw new PayError('parameter_unknown', `${param} belongs into the body of a JSON request.`, { param });
  }
  const { payouts, ...options } = rest;
  if (!Array.isArray(payouts)) {
    const code = payouts === undefined ? 'parameter_missing' : 'parameter_invalid';
    throw new PayError(code, 'payouts must be an array of 1 to 10,000 payouts.', { param: 'payouts' });
  }
  const wrong = checkOptions(options, '');
  if (wrong.length > 0) throw invalidRequest(wrong);
  const compared = hasFault ? digest : values.update(canonicalJson(rest)).digest();
  return { read: reader.result(), options: options as BulkOptions, digest: compared };
}

type Commit = (effect: Parameters<Parameters<Parameters<Once>[2]>[0]['commit']>[0]) => Promise<Answer>;

async function acceptPayouts(
  deps: BulkDeps,
  caller: Caller,
  { read, options }: ReadBulk,
  commit: Commit,
): Promise<Answer> {
  const limit = options.approval?.above;
  if (limit !== undefined) readCurrency(limit.currency, 'approval.above.currency');
  const checked = await checkRows(deps, caller, read, options);
  const given = new Map(read.rows.map(({ index, row }) => [index, row]));
  const question = await questionOf(deps, caller.merchant, options, totalsOf(checked.rows));
  const id = newId('payoutBatch');
  const out = wayOutOf(id, question, checked);
  const plan = (waits: boolean) => planBatch(caller, checked, options, given, { id, waits });
  if (options.dry_run === true) return await dryRun(deps, plan(await mustWait(deps.db, caller, out)), checked);
  // Shows wrong schedules before anything is locked.
  const { payouts } = plan(false);
  try {
    const answer = await commit(async tx => {
      const planned = plan(await takeWayOut(tx, caller, out));
      await insertBatch(tx, deps, planned.batch, planned.payouts);
      return {
        status: 202,
        body: batchToWire(deps, planned.batch),
        location: `/v1/payout-batches/${id}`,
        resourceId: id,
      };
    });
    deps.wake(payoutSweep);
    return answer;
  } catch (error) {
    throw await explained(deps, caller, payouts, error);
  }
}

async function dryRun(deps: BulkDeps, plan: BatchPlan, checked: CheckedRows): Promise<Answer> {
  const found = await checkNetwork(row => objectionTo(deps, row), checked.rows);
  const errors = [...plan.batch.errors, ...found].toSorted((a, b) => a.index - b.index);
  const body = { ...batchToWire(deps, { ...plan.batch, errors }), id: null, dry_run: true };
  const eta_at = arrivalOf(deps.rails.payouts, plan)?.toISOString() ?? null;
  const holds = checked.rows.flatMap(holdOf);
  return { status: 200, body: { ...body, payouts_url: null, results_url: null, eta_at, holds } };
}

/** Why a drafted payout would wait on hold, as a row of the dry run. */
const holdOf = ({ position: index, hold_code: code, hold_message: message }: PayoutRow): RowError[] =>
  code === null ? [] : [{ index, param: `payouts[${index}].destination`, code, message: message ?? '' }];

async function objectionTo({ stellarPayees }: BulkDeps, { destination, unit, least_amount: amount }: PayoutRow) {
  if (destination.type !== 'crypto_wallet' || destination.claimable_balance === true) return null;
  const money = { asset: unit ?? '', amount: amount ?? 0n };
  return await stellarPayees.objection({ ...money, destination: destinationFields(destination) as ChainDestination });
}

/** If a concurrent request has used references, adds the rows to the error. Returns other errors unchanged. */
async function explained(deps: BulkDeps, caller: Caller, rows: readonly PayoutRow[], error: unknown): Promise<unknown> {
  const { constraint } = error as { constraint?: unknown };
  if (constraint !== 'payouts_reference') return error;
  const scope = scopeOf(caller);
  const taken = await findReferences(
    deps.db,
    scope,
    rows.flatMap(row => row.reference ?? []),
  );
  const errors = rows.flatMap(({ position, reference }) =>
    reference !== null && taken.has(reference)
      ? [{ index: position, ...repeated(`payouts[${position}]`, reference, 'an earlier payout has used it') }]
      : [],
  );
  const { message, param } = invalidRequest(errors);
  return new PayError('duplicate_reference', message, { param: param ?? 'payouts', errors });
}
