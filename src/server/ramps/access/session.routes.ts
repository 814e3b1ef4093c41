import { type Static, Type } from 'typebox';
import { GiveKyc, SessionKyc } from '../../../api/kyc/kyc.ts';
import { RampOptions, ResumedRamp } from '../../../api/ramps/ramp.ts';
import { Currency } from '../../../api/schema.ts';
import { readCurrency } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { takesCurrency } from '../../payments/checkout/method-choice.ts';
import { merchantToWire } from '../../payments/payment.view.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { parseForms } from '../../platform/http/multipart.ts';
import { findTerms } from '../ramp.store.ts';
import { rampToWire } from '../ramp.view.ts';
import { readRamp } from '../ramp-actions.service.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { widgetUrl } from './ramp-session.ts';

const url = '/v1/ramps';
const tags = ['Ramps'];
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** The calls of the widget: what is offered, the identity check, and the page's address. */
export function registerSessionRoutes(app: HttpApp, deps: RampDeps): void {
  registerOptions(app, deps);
  registerResume(app, deps);
  void app.register(async (scope: HttpApp) => {
    parseForms(scope, largestForm);
    registerKyc(scope, deps);
  });
}

/** Largest form, in bytes. Several forms can bring further files. */
const largestForm = 32 * 1_048_576;

function registerOptions(app: HttpApp, deps: RampDeps): void {
  app.get(
    `${url}/options`,
    {
      schema: {
        querystring: Type.Object({ currency: { ...Currency, description: 'What the customer pays in.' } }),
        response: { 200: RampOptions },
        tags,
        summary: 'List what customers can buy',
        description: 'Also with a publishable key, from an allowed origin.',
      },
      config: { access: 'create', scope: 'ramps:read' },
    },
    async request => await readOptions(deps, callerOf(request), request.query.currency),
  );
}

async function readOptions(deps: RampDeps, caller: Caller, asked: string): Promise<Static<typeof RampOptions>> {
  const currency = readCurrency(asked, 'currency');
  const { merchant, livemode } = caller;
  const { enabled, assets, methods } = await findTerms(deps.db, merchant.id);
  const asking = { livemode, currency, inFiat: true };
  const taken = await Promise.all(methods.map(method => takesCurrency(deps, asking, method)));
  const { name, logo, primary_color, support_email, support_url } = merchantToWire(merchant);
  return {
    object: 'ramp_options',
    currency,
    assets: enabled ? assets : [],
    methods: enabled ? methods.filter((_, index) => taken[index]) : [],
    merchant: { name, logo, primary_color, support_email, support_url },
    livemode,
  };
}

function registerResume(app: HttpApp, deps: RampDeps): void {
  app.post(
    `${url}/:id/resume`,
    {
      schema: {
        params,
        response: { 200: ResumedRamp },
        tags,
        summary: 'Get a fresh address of the widget',
        description: 'The ramp with a `widget_url` that works for 7 days. Earlier addresses keep their own end.',
      },
      config: { access: 'secret', scope: 'ramps:write', ignoresKey: true },
    },
    async request => {
      const caller = callerOf(request);
      const row = await readRamp(deps, caller, request.params.id);
      if (row.direction === 'off') {
        const message = 'The widget sells coins only. Show deposit.checkout_url of the ramp.';
        throw new PayError('operation_not_allowed', message);
      }
      const address = widgetUrl(deps, row.merchant_id, row.id, deps.clock.now());
      return { ...rampToWire(deps, row), widget_url: address };
    },
  );
}

function registerKyc(app: HttpApp, deps: RampDeps): void {
  const at = `${url}/:id/kyc`;
  app.get(
    at,
    {
      schema: {
        params,
        response: { 200: SessionKyc },
        tags,
        summary: 'Read the identity check of a ramp’s customer',
        description: 'The customer’s view: what is given and what the ramp still needs, without the values.',
      },
      config: { access: 'ramp', scope: 'kyc:read' },
    },
    async request => {
      const caller = callerOf(request);
      return await deps.kycForms.read(caller, await formOf(deps, caller, request.params.id));
    },
  );
  app.put(
    at,
    {
      schema: {
        params,
        body: GiveKyc,
        consumes: 'multipart/form-data',
        response: { 200: SessionKyc },
        tags,
        summary: 'Give data for the identity check of a ramp',
        description:
          'The customer gives fields by their names in SEP-9, and files as `multipart/form-data`, as with ' +
          '`PUT /v1/customers/:id/kyc`. Only while the ramp is `incomplete`.',
      },
      config: { access: 'ramp', scope: 'kyc:write' },
    },
    async request => {
      const caller = callerOf(request);
      const form = await formOf(deps, caller, request.params.id);
      return await deps.kycForms.give(caller, form, request.body, request.formFiles ?? new Map());
    },
  );
}

/** The form of an incomplete ramp. Throws `illegal_state` for others: they need no data. */
async function formOf(deps: RampDeps, caller: Caller, id: string) {
  const row = await readRamp(deps, caller, id);
  const { customer_id: customerId, tier_needed: tier, status } = row;
  if (tier !== null && status === 'incomplete') return { customerId, session: row, tier };
  throw new PayError('illegal_state', `The ramp is ${status} and needs no identity check.`);
}
