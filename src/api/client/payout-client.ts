import { type ListParams, listOf } from '../pages.ts';
import type { CreatePayouts, Payout, PayoutBatch } from '../payout.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** A stored batch. The batch of a dry run has no id. */
type WrittenBatch = PayoutBatch & { readonly id: string };

/** Options of a bulk call in CSV. */
export interface CsvOptions {
  readonly on_error?: 'reject_all' | 'skip_invalid';
  readonly description?: string;
  /** RFC 3339. Default: the payouts are sent at once. */
  readonly scheduled_at?: string;
  /** Whether the batch must wait until a second key approves it. */
  readonly approval?: boolean;
}

/** `client.payouts`: money to banks, mobile money and wallets. */
export function payouts(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/payouts';
  const step = (id: string, name: 'cancel' | 'hold' | 'resume' | 'retry', options: Options) =>
    post<Payout>(`${all}/${pathId(id)}/${name}`, undefined, options);
  const postCsv = <T>(csv: string, query: object, options: Options) => {
    const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const path = given.length === 0 ? `${all}/bulk` : `${all}/bulk?${new URLSearchParams(given)}`;
    return transport.call<T>({ method: 'POST', path, body: csv, contentType: 'text/csv' }, options);
  };
  return {
    /** Pays 1 to 10,000 recipients. If rows are invalid, the error lists these rows in `errors`. */
    bulk: (body: CreatePayouts, options?: Options) => post<WrittenBatch>(`${all}/bulk`, body, options),
    /** Pays the recipients of a CSV file. */
    bulkCsv: (csv: string, query: CsvOptions = {}, options?: Options) => postCsv<WrittenBatch>(csv, query, options),
    /** Checks the rows of a CSV file, totals and Stellar accounts. Stores nothing. */
    dryRunCsv: (csv: string, query: CsvOptions = {}, options?: Options) =>
      postCsv<PayoutBatch>(csv, { ...query, dry_run: true }, options),
    /** Checks rows, totals and Stellar accounts. Stores nothing. */
    dryRun: (body: CreatePayouts, options?: Options) =>
      post<PayoutBatch>(`${all}/bulk`, { ...body, dry_run: true }, options),
    retrieve: (id: string, options?: Options) => get<Payout>(`${all}/${pathId(id)}`, options),
    list: (params?: ListParams, options?: Options) => listOf<Payout>(transport, all, params, options),
    /** Cancels a payout that has not been sent. */
    cancel: (id: string, options?: Options) => step(id, 'cancel', options),
    hold: (id: string, options?: Options) => step(id, 'hold', options),
    /** Sends a payout on hold, at the current rate. */
    resume: (id: string, options?: Options) => step(id, 'resume', options),
    /** Sends a failed payout again. */
    retry: (id: string, options?: Options) => step(id, 'retry', options),
  };
}

/** `client.payoutBatches`: the batches of bulk calls. A batch's `results_url` has the results of all rows as CSV. */
export function payoutBatches(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/payout-batches';
  const at = (id: string) => `${all}/${pathId(id)}`;
  const step = (id: string, name: 'approve' | 'cancel' | 'hold' | 'resume' | 'retry', options: Options) =>
    post<WrittenBatch>(`${at(id)}/${name}`, undefined, options);
  return {
    retrieve: (id: string, options?: Options) => get<WrittenBatch>(at(id), options),
    list: (params?: ListParams, options?: Options) => listOf<WrittenBatch>(transport, all, params, options),
    /** The payouts of a batch, in the order of its rows. */
    payouts: (id: string, params?: ListParams, options?: Options) =>
      listOf<Payout>(transport, `${at(id)}/payouts`, params, options),
    /** Approves a batch. Another key must have created the batch, or last changed its payouts or schedule. */
    approve: (id: string, options?: Options) => step(id, 'approve', options),
    /** Cancels the payouts that have not been sent. */
    cancel: (id: string, options?: Options) => step(id, 'cancel', options),
    hold: (id: string, options?: Options) => step(id, 'hold', options),
    resume: (id: string, options?: Options) => step(id, 'resume', options),
    /** Sends the failed payouts again. */
    retry: (id: string, options?: Options) => step(id, 'retry', options),
  };
}
