import type { Balance, BalanceEntry } from '../balance/balance.ts';
import type { BalanceQuote, Conversion, CreateBalanceQuote, CreateConversion } from '../balance/conversion.ts';
import type { CreateTopUp, TopUp } from '../balance/top-up.ts';
import type { CreateWithdrawal, Withdrawal } from '../balance/withdrawal.ts';
import { type ListParams, listOf, withParams } from '../pages.ts';
import { pathId, verbs } from './calls.ts';
import type { CallOptions, Transport } from './transport.ts';

/** `client.balance`: the merchant's money with the service, top-ups, withdrawals and conversions. */
export function balance(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/balance';
  return {
    retrieve: (options?: CallOptions) => get<Balance>(all, options),
    entries: (params?: ListParams, options?: CallOptions) =>
      listOf<BalanceEntry>(transport, `${all}/entries`, params, options),
    /** The double-entry ledger as CSV, filtered by `account`, `payment`, `source` and `created_at`. */
    ledger: (params: Pick<ListParams, 'account' | 'payment' | 'source' | 'created_at'> = {}, options?: CallOptions) =>
      transport.call<ArrayBuffer>({ method: 'GET', path: withParams('/v1/ledger.csv', params), isFile: true }, options),
    topUps: {
      /** Creates instructions for transfers. Each received transfer is added to the balance. */
      create: (body: CreateTopUp, options?: CallOptions) => post<TopUp>(`${all}/top-ups`, body, options),
      retrieve: (id: string, options?: CallOptions) => get<TopUp>(`${all}/top-ups/${pathId(id)}`, options),
      list: (params?: ListParams, options?: CallOptions) => listOf<TopUp>(transport, `${all}/top-ups`, params, options),
    },
    withdrawals: {
      /** Pays money of the balance to a Stellar account. Default of `destination`: the merchant's own account. */
      create: (body: CreateWithdrawal, options?: CallOptions) => post<Withdrawal>(`${all}/withdrawals`, body, options),
      retrieve: (id: string, options?: CallOptions) => get<Withdrawal>(`${all}/withdrawals/${pathId(id)}`, options),
      list: (params?: ListParams, options?: CallOptions) =>
        listOf<Withdrawal>(transport, `${all}/withdrawals`, params, options),
    },
    quotes: {
      /** Fixes the rate of a conversion for one minute. */
      create: (body: CreateBalanceQuote, options?: CallOptions) => post<BalanceQuote>(`${all}/quotes`, body, options),
    },
    conversions: {
      /** Exchanges money inside the balance, by a quote or at the current rate. */
      create: (body: CreateConversion, options?: CallOptions) => post<Conversion>(`${all}/conversions`, body, options),
      retrieve: (id: string, options?: CallOptions) => get<Conversion>(`${all}/conversions/${pathId(id)}`, options),
      list: (params?: ListParams, options?: CallOptions) =>
        listOf<Conversion>(transport, `${all}/conversions`, params, options),
    },
  };
}
