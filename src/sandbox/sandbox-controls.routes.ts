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
import type { Once } from '../server/platform/http/idempotency/idempotent-execution.ts';
import type { SandboxBank } from './bank.ts';
import type { CardDisputes, OpenedDispute } from './cardholder.ts';

/** The sandbox's rails, and how the service reacts to them. */
interface SandboxControlsDeps {
  readonly once: Once;
  readonly cards: CardDisputes;
  readonly banks: readonly SandboxBank[];
  /** Makes the service read the rail's credits. */
  readonly afterCredit: (railId: string) => Promise<void>;
  /** The service's transfer of each credit, or null before it is read. */
  readonly findTransfers: (credits: readonly SandboxCredit[]) => Promise<readonly (Transfer | null)[]>;
  /**
   * The acquirer's reference of the payment's charge. Throws `resource_missing` for an unknown payment and
   * `illegal_state` for a payment by another method.
   */
  readonly findCharge: (caller: Caller, paymentId: string) => Promise<string>;
  /** Books a dispute in the transaction and returns the changed payment. */
  readonly recordDispute: (tx: Tx, caller: Caller, paymentId: string, dispute: OpenedDispute) => Promise<Payment>;
}

/** Registers `POST /v1/test_helpers/bank_transfers` and `POST /v1/test_helpers/cards/disputes`. */
export function registerSandboxHelpers(app: FastifyInstance, deps: SandboxControlsDeps): void {
  registerBankTransfers(app, deps);
  registerDisputes(app, deps);
}

const tags = ['Test helpers'];
const config = { access: 'test', scope: 'test_helpers:write' } as const;

function registerBankTransfers(app: FastifyInstance, deps: SandboxControlsDeps): void {
  const read = createReader(deps);
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
      deps.once(request, reply, async () => {
        const caller = callerOf(request);
        const bank = bankFor(deps.banks, request.body.currency);
        const credit = await bank.credit({
          merchantId: caller.merchant.id,
          amount: BigInt(request.body.amount),
          currency: bank.currency,
          reference: request.body.reference ?? null,
          sender: request.body.sender_name ?? null,
          bankReference: request.body.bank_reference ?? repeatableReference(request, caller),
          now: caller.now,
        });
        const { railReference } = credit;
        const transfer = await seenTransfer(read, { merchantId: caller.merchant.id, railId: bank.id, railReference });
        return { status: 201, body: transfer, resourceId: transfer.id };
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
        const { payment, amount, reason = 'fraudulent' } = request.body;
        const dispute = await deps.cards.openDispute({
          merchantId: caller.merchant.id,
          railReference: await deps.findCharge(caller, payment),
          amount: amount === undefined ? null : BigInt(amount),
          reason,
          now: caller.now,
        });
        return await execution.commit(async tx => ({
          status: 201,
          body: await deps.recordDispute(tx, caller, payment, dispute),
          resourceId: payment,
        }));
      }),
  );
}

function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new PayError('invalid_api_key', 'Test helpers need a secret test key.');
  return request.caller;
}

function bankFor(banks: readonly SandboxBank[], currency: string): SandboxBank {
  const code = parseCurrency(currency);
  const bank = banks.find(candidate => candidate.currency === code);
  if (bank !== undefined) return bank;
  const taken = banks.map(candidate => candidate.currency).join(' or ');
  throw new PayError('parameter_invalid', `The sandbox bank accepts ${taken}, not ${currency}.`, { param: 'currency' });
}

/**
 * A bank reference derived from `Idempotency-Key` and body, so that a call repeated after a crash is the same transfer.
 */
function repeatableReference(request: FastifyRequest<{ Body: TestBankTransfer }>, caller: Caller): string | null {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return null;
  const text = JSON.stringify([caller.merchant.id, key, request.body]);
  return `SBX${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** A credit at the sandbox bank. */
export interface SandboxCredit {
  readonly merchantId: string;
  readonly railId: string;
  readonly railReference: string;
}

/** Reads a rail's credits, and finds the transfer of one of them. Calls that arrive during a reading share the next one. */
function createReader(deps: SandboxControlsDeps): (credit: SandboxCredit) => Promise<Transfer | null> {
  const { write } = createGroupWriter<SandboxCredit, Transfer | null>({
    ...{ maxBatch: 100, maxParallel: 1 },
    write: async credits => {
      for (const railId of new Set(credits.map(credit => credit.railId))) await deps.afterCredit(railId);
      return await deps.findTransfers(credits);
    },
  });
  return write;
}

const looks = 20;
const pauseMs = 100;

/** The service's transfer of a credit. Another process may be reading the credits, so the transfer may appear later. */
async function seenTransfer(read: ReturnType<typeof createReader>, credit: SandboxCredit): Promise<Transfer> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(pauseMs);
    const transfer = await read(credit);
    if (transfer !== null) return transfer;
  }
  throw new PayError('unavailable', 'The transfer has arrived at the bank but is not booked yet. Ask again shortly.', {
    retryAfterSeconds: 2,
  });
}
