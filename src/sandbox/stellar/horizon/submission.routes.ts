import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Fault, generalFaults, submissionFaults, usualLedgers } from '../faults/fault.ts';
import type { AsyncAnswer } from './answers/submission.ts';
import type { Horizon } from './horizon.ts';
import { HorizonProblem, problems, submissionTimeout, transactionFailed } from './http/problem.ts';
import type { HorizonRequest } from './http/request.ts';
import { answerWithFault, type HorizonRouteDeps, readRequest, routeOptions } from './http/route.ts';

/** Where transactions are handed in. */
type Door = '/transactions' | '/transactions_async';

/** `POST /transactions`, `POST /transactions_async`, and the friendbot, who hands in one of its own. */
export function registerSubmissionRoutes(scope: FastifyInstance, deps: HorizonRouteDeps): void {
  takeForms(scope);
  for (const door of ['/transactions', '/transactions_async'] as const) {
    scope.post(door, routeOptions, async (request, reply) => await handIn(deps, door, request, reply));
  }
  for (const method of ['GET', 'POST'] as const) {
    scope.route({
      ...{ method, url: '/friendbot', ...routeOptions },
      handler: async (raw, reply) => {
        const request = readRequest(raw);
        const form = raw.body instanceof URLSearchParams ? raw.body.get('addr') : null;
        const content = await (await deps.horizon()).friendbot(request, form ?? request.text('addr'));
        return sendJson(reply, { status: 200, body: content });
      },
    });
  }
}

/** Horizon’s own limit of a request’s body, in bytes. */
const longestForm = 200 * 1024;

function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: longestForm },
    (_, text, done) => done(null, new URLSearchParams(String(text))),
  );
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestForm }, (_, bytes, done) =>
    done(bytes.length === 0 ? null : new HorizonProblem(problems.unsupportedMediaType), undefined),
  );
}

async function handIn(
  deps: HorizonRouteDeps,
  door: Door,
  raw: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const request = readRequest(raw);
  const form = raw.body instanceof URLSearchParams ? raw.body.get('tx') : null;
  const envelope = form ?? request.text('tx');
  const horizon = await deps.horizon();
  const take = () => (door === '/transactions' ? takeSync(horizon, request, envelope) : horizon.submitAsync(envelope));
  const fault = await deps.faults.meet([...generalFaults, ...submissionFaults], request.path);
  if (fault === null) return sendJson(reply, await take());
  if (submissionFaults.includes(fault.fault)) {
    return await sufferSubmission({ horizon, fault, door, request, envelope, take }, reply);
  }
  // A failure of its own would hide the one that was asked for.
  if (fault.applied === true) await take().catch(() => undefined);
  return await answerWithFault(fault.fault, raw, reply, async () => (await take()).body);
}

async function takeSync(horizon: Horizon, request: HorizonRequest, envelope: string): Promise<AsyncAnswer> {
  return { status: 200, body: await horizon.submit(request, envelope) };
}

interface Suffering {
  readonly horizon: Horizon;
  readonly fault: Fault;
  readonly door: Door;
  readonly request: HorizonRequest;
  readonly envelope: string;
  readonly take: () => Promise<AsyncAnswer>;
}

async function sufferSubmission(
  { horizon, fault: { fault, ledgers = usualLedgers }, door, request, envelope, take }: Suffering,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { hash, resultXdr, codes } = horizon.badSequence(envelope);
  switch (fault) {
    case 'bad_sequence':
      if (door === '/transactions') throw transactionFailed(envelope, resultXdr, codes);
      return sendJson(reply, { status: 400, body: { error_result_xdr: resultXdr, tx_status: 'ERROR', hash } });
    case 'duplicate':
      await take().catch(() => undefined);
      return sendJson(reply, { status: 409, body: { tx_status: 'DUPLICATE', hash } });
    case 'timeout_before_apply':
      await horizon.holdBack(envelope, ledgers);
      throw submissionTimeout(hash, envelope);
    default:
      await horizon.submit(request, envelope).catch(() => undefined);
      throw submissionTimeout(hash, envelope);
  }
}

function sendJson(reply: FastifyReply, { status, body }: AsyncAnswer): FastifyReply {
  return reply.code(status).type('application/hal+json; charset=utf-8').send(JSON.stringify(body));
}
