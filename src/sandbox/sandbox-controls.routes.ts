import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Payment } from '../api/payment.ts';
import { TestBankTransfer, TestDispute } from '../api/test-helpers.ts';
import { Transfer } from '../api/transfer.ts';
import { parseCurrency } from '../core/currency.ts';
import { PayError } from '../core/error.ts';
import type { Tx } from '../server/platform/db/database.ts';
import { createGroupWriter } from '../server/platform/db/group-writer.ts';
import type { Caller } from '../server/platform/http/access/caller.ts';
import type { Execution, Once, RenderedAnswer } from '../server/platform/http/idempotency/idempotent-execution.ts';
import type { SandboxBank } from './bank.ts';
import type { CardDisputes } from './cardholder.ts';

/** The sandbox's rails, and the service's functions that book their events. */
interface SandboxControlsDeps {
  readonly once: Once;
  /** The acquirer of this name. Throws `unavailable` if it is not connected. */
  readonly cards: (rail: string) => CardDisputes;
  readonly banks: readonly SandboxBank[];
  /** Books the bank's credits and stores the answers of the calls. Null for a call whose answer is not stored. */
  readonly answerCredits: (
    bank: SandboxBank,
    calls: readonly CreditCall[],
  ) => Promise<readonly (RenderedAnswer | null)[]>;
  /**
   * The acquirer, and its reference of the payment's charge. Throws `resource_missing` for an unknown payment, and
   * `illegal_state` for a payment whose amount (null: the whole charge) cannot be disputed.
   */
  readonly findCharge: (
    caller: Caller,
    paymentId: string,
    amount: bigint | null,
  ) => Promise<{ readonly rail: string; readonly railReference: string }>;
  /** Asks the acquirer about a dispute and books it, as the service does after an event. */
  readonly followDispute: (caller: Caller, rail: string, reference: string) => Promise<void>;
  readonly readPayment: (tx: Tx, caller: Caller, paymentId: string) => Promise<Payment>;
  /** Sends the new events of the acquirers. */
  readonly sendEvents: () => Promise<void>;
}

/** Registers `POST /v1/test_helpers/bank_transfers` and `POST /v1/test_helpers/cards/disputes`. */
export function registerSandboxHelpers(app: FastifyInstance, deps: SandboxControlsDeps): void {
  registerBankTransfers(app, deps);
  registerDisputes(app, deps);
}

const tags = ['Test helpers'];
const config = { access: 'test', scope: 'test_helpers:write' } as const;

function registerBankTransfers(app: FastifyInstance, deps: SandboxControlsDeps): void {
  const banks = deps.banks.map(bank => ({ bank, reader: createReader(deps, bank) }));
  app.post<{ Body: TestBankTransfer }>(
    '/v1/test_helpers/bank_transfers',
    {
      schema: {
        body: TestBankTransfer,
        response: { 201: Transfer },
        tags,
        summary: 'Simulate an incoming bank transfer',
        description:
          'Test mode only. EUR arrives by SEPA, USD by ACH. Answers the transfer as the service sees it: matched to a ' +
          'payment by its reference, else by its exact amount, else kept as unmatched. Money from `Closed Account` ' +
          'cannot be refunded, a refund to `Slow Bank` takes a while.',
      },
      config,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { bank, reader } = bankFor(banks, request.body.currency);
        const { railReference } = await bank.credit({
          merchantId: caller.merchant.id,
          amount: BigInt(request.body.amount),
          currency: bank.currency,
          reference: request.body.reference ?? null,
          sender: request.body.sender_name ?? null,
          bankReference: request.body.bank_reference ?? repeatableReference(request, caller),
          now: caller.now,
        });
        const render = (transfer: Transfer) =>
          execution.render({ status: 201, body: transfer, resourceId: transfer.id });
        return await bookedAnswer(reader, { merchantId: caller.merchant.id, railReference, render });
      }),
  );
}

function registerDisputes(app: FastifyInstance, deps: SandboxControlsDeps): void {
  app.post<{ Body: TestDispute }>(
    '/v1/test_helpers/cards/disputes',
    {
      schema: {
        body: TestDispute,
        response: { 201: Payment },
        tags,
        summary: 'Simulate a dispute by the cardholder',
        description:
          'Test mode only. Without `amount` the whole charge is disputed. Answers the payment; its event is `payment.disputed`.',
      },
      config,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { payment, reason = 'fraudulent' } = request.body;
        const amount = request.body.amount === undefined ? null : BigInt(request.body.amount);
        const { rail, railReference } = await deps.findCharge(caller, payment, amount);
        const dispute = { merchantId: caller.merchant.id, railReference, amount, reason, now: caller.now };
        const { railReference: reference } = await deps.cards(rail).openDispute(dispute);
        await deps.followDispute(caller, rail, reference);
        await deps.sendEvents();
        return await execution.commit(async tx => ({
          status: 201,
          body: await deps.readPayment(tx, caller, payment),
          resourceId: payment,
        }));
      }),
  );
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new PayError('invalid_api_key', 'Test helpers need a secret test key.');
  return request.caller;
}

interface ReadBank {
  readonly bank: SandboxBank;
  readonly reader: ReturnType<typeof createReader>;
}

function bankFor(banks: readonly ReadBank[], currency: string): ReadBank {
  const code = parseCurrency(currency);
  const found = banks.find(({ bank }) => bank.currency === code);
  if (found !== undefined) return found;
  const taken = banks.map(({ bank }) => bank.currency).join(' or ');
  throw new PayError('parameter_invalid', `The sandbox bank accepts ${taken}, not ${currency}.`, { param: 'currency' });
}

/**
 * A bank reference derived from merchant, `Idempotency-Key` and body. A call that is repeated after a crash is thus the
 * same transfer. Null without the header.
 */
function repeatableReference(request: FastifyRequest<{ Body: TestBankTransfer }>, caller: Caller): string | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return null;
  const text = JSON.stringify([caller.merchant.id, key, request.body]);
  return `SBX${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** A call that has credited an account at the sandbox bank. `render` renders its answer. */
interface CreditCall {
  readonly merchantId: string;
  readonly railReference: string;
  readonly render: (transfer: Transfer) => ReturnType<Execution['render']>;
}

/** Makes the service read a bank's credits. Calls that arrive during a reading share the next reading. */
function createReader({ answerCredits }: SandboxControlsDeps, bank: SandboxBank) {
  return createGroupWriter<CreditCall, RenderedAnswer | null>({
    maxBatch: 100,
    maxParallel: 1,
    write: calls => answerCredits(bank, calls),
  });
}

const looks = 20;
const pauseMs = 100;

/**
 * The stored answer of a call. Tries for about two seconds, because another process may be booking the credit. Then
 * throws `unavailable`.
 */
async function bookedAnswer(reader: ReturnType<typeof createReader>, call: CreditCall): Promise<RenderedAnswer> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(pauseMs);
    const answer = await reader.write(call);
    if (answer !== null) return answer;
  }
  throw new PayError('unavailable', 'The transfer has arrived at the bank but is not booked yet. Ask again shortly.', {
    retryAfterSeconds: 2,
  });
}
