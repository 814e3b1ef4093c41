import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Fault, generalFaults, submissionFaults, usualLedgers } from '../faults/fault.ts';
import type { StatusAnswer } from './answers/submission.ts';
import type { Horizon } from './horizon.ts';
import { HorizonProblem, problems, submissionTimeout, transactionFailed } from './http/problem.ts';
import type { HorizonRequest } from './http/request.ts';
import { answerWithFault, type HorizonRouteDeps, readRequest, routeOptions } from './http/route.ts';

type SubmissionPath = '/transactions' | '/transactions_async';

/** Registers `POST /transactions`, `POST /transactions_async` and `/friendbot`. */
export function registerSubmissionRoutes(scope: FastifyInstance, deps: HorizonRouteDeps): void {
  parseForms(scope);
  for (const path of ['/transactions', '/transactions_async'] as const) {
    scope.post(path, routeOptions, async (request, reply) => await submit(deps, path, request, reply));
  }
  for (const method of ['GET', 'POST'] as const) {
    scope.route({
      method,
      url: '/friendbot',
      ...routeOptions,
      handler: async (raw, reply) => {
        const request = readRequest(raw);
        const form = raw.body instanceof URLSearchParams ? raw.body.get('addr') : null;
        const content = await (await deps.horizon()).friendbot(request, form ?? request.text('addr'));
        return sendJson(reply, { status: 200, body: content });
      },
    });
  }
}

/** Horizon’s default limit of a request’s body, in bytes. */
const longestForm = 200 * 1024;

function parseForms(scope: FastifyInstance): void {
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

async function submit(
  deps: HorizonRouteDeps,
  path: SubmissionPath,
  raw: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const request = readRequest(raw);
  const form = raw.body instanceof URLSearchParams ? raw.body.get('tx') : null;
  const envelope = form ?? request.text('tx');
  const horizon = await deps.horizon();
  const take = () =>
    path === '/transactions' ? submitAndWait(horizon, request, envelope) : horizon.submitAsync(envelope);
  const fault = await deps.faults.meet([...generalFaults, ...submissionFaults], request.path);
  if (fault === null) return sendJson(reply, await take());
  if (submissionFaults.includes(fault.fault)) {
    return await answerWithSubmissionFault({ horizon, fault, path, request, envelope, take }, reply);
  }
  // An error of the submission must not hide the requested fault.
  if (fault.applied === true) await take().catch(() => undefined);
  return await answerWithFault(fault.fault, raw, reply, async () => (await take()).body);
}

async function submitAndWait(horizon: Horizon, request: HorizonRequest, envelope: string): Promise<StatusAnswer> {
  return { status: 200, body: await horizon.submit(request, envelope) };
}

interface FaultySubmission {
  readonly horizon: Horizon;
  readonly fault: Fault;
  readonly path: SubmissionPath;
  readonly request: HorizonRequest;
  readonly envelope: string;
  readonly take: () => Promise<StatusAnswer>;
}

async function answerWithSubmissionFault(
  { horizon, fault: { fault, ledgers = usualLedgers }, path, request, envelope, take }: FaultySubmission,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { hash, resultXdr, codes } = horizon.badSequence(envelope);
  switch (fault) {
    case 'bad_sequence':
      if (path === '/transactions') throw transactionFailed(envelope, resultXdr, codes);
      return sendJson(reply, { status: 400, body: { error_result_xdr: resultXdr, tx_status: 'ERROR', hash } });
    case 'duplicate':
      await take().catch(() => undefined);
      return sendJson(reply, { status: 409, body: { tx_status: 'DUPLICATE', hash } });
    case 'timeout_before_apply':
      await horizon.submitLater(envelope, ledgers);
      throw submissionTimeout(hash, envelope);
    default:
      await horizon.submit(request, envelope).catch(() => undefined);
      throw submissionTimeout(hash, envelope);
  }
}

function sendJson(reply: FastifyReply, { status, body }: StatusAnswer): FastifyReply {
  return reply.code(status).type('application/hal+json; charset=utf-8').send(JSON.stringify(body));
}
