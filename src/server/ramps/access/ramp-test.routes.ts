import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { MobileMoneyOption, PaymentOptions } from '../../../api/payment.ts';
import { Ramp, type RampStatus } from '../../../api/ramps/ramp.ts';
import { TestRamp } from '../../../api/test-helpers.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { parsePhoneNumber } from '../../platform/phone-number.ts';
import { rampToWire } from '../ramp.view.ts';
import { readRamp } from '../ramp-actions.service.ts';
import type { RampDeps } from '../ramp-deps.ts';

/** A request to this server, with the credentials of the helper's caller. Throws the answer's error as `illegal_state`. */
type Call = <T>(method: 'GET' | 'POST', url: string, payload?: object) => Promise<T>;

/** What moves a ramp to another state, as its customer, bank or merchant does. */
type Deed = (ramp: Ramp, call: Call) => Promise<unknown>;

const cancel: Deed = ({ id }, call) => call('POST', `/v1/ramps/${id}/cancel`);
const accept: Deed = ({ id }, call) => call('POST', `/v1/ramps/${id}/accept`);

const approve: Deed = ({ customer_id: id, kyc_tier_needed: tier }, call) =>
  call('POST', `/v1/test_helpers/customers/${id}/kyc`, { status: 'approved', ...(tier !== null && { tier }) });

/** Money that counts for nothing yet goes back at the payment. */
const giveBack: Deed = ({ id, status, payment, paid_at: paidAt }, call) =>
  status === 'on_hold' && paidAt === null
    ? call('POST', `/v1/payments/${payment}/resolve`, { action: 'refund' })
    : call('POST', `/v1/ramps/${id}/refunds`, {});

const endPayout =
  (action: 'complete' | 'fail' | 'return'): Deed =>
  ({ payout }, call) => {
    if (payout === null) throw new PayError('illegal_state', 'The coins are in the wallet. They cannot come back.');
    return call('POST', `/v1/test_helpers/payouts/${payout}/${action}`);
  };

/** The customer pays by the ramp's method, or sends the coins. */
const pay: Deed = async ({ direction, method, payment, deposit }, call) => {
  const at = `/v1/payments/${payment}`;
  if (direction === 'off') {
    if (deposit === null || !('address' in deposit))
      throw new PayError('illegal_state', 'The ramp waits for no coins.');
    const { chain, address, asset, amount } = deposit;
    return await call('POST', '/v1/test_helpers/deposits', { chain, address, asset, amount });
  }
  const confirm = (body: object) => call('POST', `${at}/confirm`, { method, ...body });
  if (method === 'card') return await confirm({ token: 'tok_visa' });
  const options = await call<PaymentOptions>('GET', `${at}/options`);
  if (method === 'mobile_money') {
    await confirm(phoneOf(options.mobile_money?.operators ?? []));
    return await call('POST', '/v1/test_helpers/mobile_money', { payment, outcome: 'approve' });
  }
  await confirm({ rail: options.bank_transfer?.rails[0]?.rail });
  return await call('POST', `${at}/simulate_bank_transfer`, {});
};

/** The steps that a caller can ask for. The service does the others by itself. */
const deeds: Readonly<Partial<Record<RampStatus, Partial<Record<TestRamp['status'], Deed>>>>> = {
  incomplete: { pending_user_transfer_start: approve, expired: cancel },
  pending_user_transfer_start: { pending_anchor: pay, completed: pay, expired: cancel },
  pending_anchor: { refunded: giveBack },
  pending_trust: { refunded: giveBack },
  pending_external: { completed: endPayout('complete'), on_hold: endPayout('fail') },
  on_hold: { pending_anchor: accept, completed: accept, refunded: giveBack },
  completed: { on_hold: endPayout('return') },
};

/** A number of the first operator. */
function phoneOf([option]: readonly MobileMoneyOption[]) {
  if (option === undefined) throw new PayError('illegal_state', 'No operator of mobile money takes this payment.');
  const { provider, calling_code: code, prefixes } = option;
  const numbers = [7, 6, 8, 5].map(digits =>
    parsePhoneNumber(`+${code}${prefixes[0] ?? ''}${'12345678'.slice(-digits)}`),
  );
  return { provider, number: numbers.find(number => number !== null) };
}

/** Pauses of one look at the ramp, and their number: the sandbox's ledger and bank need some seconds. */
const pauseMs = 100;
const looks = 100;

/** `POST /v1/test_helpers/ramps/:id`: moves a ramp as its customer, bank or merchant would. */
export function registerRampTestRoute(app: HttpApp, deps: RampDeps): void {
  app.post(
    '/v1/test_helpers/ramps/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        body: TestRamp,
        response: { 200: Ramp },
        tags: ['Test helpers'],
        summary: 'Move a ramp to another state',
        description:
          'Test mode only. Makes the calls of its customer, bank or merchant, and waits some seconds for the state: the ' +
          'customer pays or sends the coins, the identity check is approved, the payout fails. The answer is the ramp as ' +
          'it is then.',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    (request, reply) =>
      deps.once(request, reply, async () => {
        const caller = callerOf(request);
        const { status: to } = request.body;
        const read = async () => rampToWire(deps, await readRamp(deps, caller, request.params.id));
        const before = await read();
        if (before.status === to) return { status: 200, body: before };
        await deedFor(before, to)(before, callerTo(app, request));
        let ramp = await read();
        for (let look = 0; look < looks && !hasMoved(before, ramp, to); look++) {
          await sleep(pauseMs);
          ramp = await read();
        }
        return { status: 200, body: ramp };
      }),
  );
}

function deedFor({ status }: Ramp, to: TestRamp['status']): Deed {
  const possible = deeds[status] ?? {};
  const deed = possible[to];
  if (deed !== undefined) return deed;
  const names = Object.keys(possible);
  const hint = names.length === 0 ? 'Nothing can be done about it.' : `From here it can become ${names.join(' or ')}.`;
  throw new PayError('illegal_state', `The ramp is ${status}. ${hint}`, { param: 'status' });
}

/** States between two others may pass before a look. The end of a ramp is worth waiting for. */
function hasMoved(before: Ramp, { status }: Ramp, to: TestRamp['status']): boolean {
  return status === to || (to !== 'completed' && status !== before.status);
}

/** Headers that belong to the helper's own request. */
const ownHeaders = ['content-length', 'content-type', 'transfer-encoding', 'idempotency-key'];

function callerTo(app: HttpApp, { headers }: FastifyRequest): Call {
  const credentials = Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)));
  return async (method, url, payload) => {
    const { statusCode, body } = await app.inject({ method, url, headers: credentials, ...(payload && { payload }) });
    const answer = JSON.parse(body);
    if (statusCode >= 400) throw new PayError('illegal_state', answer.error?.message ?? body.slice(0, 200));
    return answer;
  };
}
