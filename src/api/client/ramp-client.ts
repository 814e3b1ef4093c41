import { type ListParams, listOf } from '../pages.ts';
import type {
  CreatedRamp,
  CreateRamp,
  CreateRampQuote,
  CreateRampRefund,
  Ramp,
  RampOptions,
  RampQuote,
  ResumedRamp,
} from '../ramps/ramp.ts';
import type { Refund } from '../refund.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

/** `client.ramps`: customers buy coins with money. */
export function ramps(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/ramps';
  const at = (id: string, rest = '') => `${all}/${pathId(id)}${rest}`;
  return {
    /** What customers can buy, and how they may pay in the currency. */
    options: (currency: string, options?: Options) =>
      get<RampOptions>(`${all}/options?currency=${encodeURIComponent(currency)}`, options),
    /** A firm price, whose coins are reserved until `expires_at`. */
    quote: (body: CreateRampQuote, options?: Options) => post<RampQuote>(`${all}/quotes`, body, options),
    retrieveQuote: (id: string, options?: Options) => get<RampQuote>(`${all}/quotes/${pathId(id)}`, options),
    create: (body: CreateRamp, options?: Options) => post<CreatedRamp>(all, body, options),
    retrieve: (id: string, options?: Options) => get<Ramp>(at(id), options),
    list: (params?: ListParams, options?: Options) => listOf<Ramp>(transport, all, params, options),
    /** Ends a ramp that was not paid. */
    cancel: (id: string, options?: Options) => post<Ramp>(at(id, '/cancel'), undefined, options),
    /** The ramp with a fresh address of its widget. */
    resume: (id: string, options?: Options) => post<ResumedRamp>(at(id, '/resume'), undefined, options),
    /** Lets the money of a ramp on hold buy coins at the market rate. */
    accept: (id: string, options?: Options) => post<Ramp>(at(id, '/accept'), undefined, options),
    /** Gives back the money, or a part of it, while no coins are on their way. */
    refund: (id: string, body: CreateRampRefund = {}, options?: Options) =>
      post<Refund>(at(id, '/refunds'), body, options),
  };
}
