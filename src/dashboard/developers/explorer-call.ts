import { answerText } from '../../api/openapi/answer-text.ts';
import { type ApiDocument, addressOf, type Call, callsOf, type Parameter } from '../../api/openapi/document.ts';
import { createExamples } from '../../api/openapi/examples.ts';
import type { SampleCall } from '../../api/openapi/samples.ts';
import { randomText } from '../../core/id.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';

/** The operations of the API that accept a dashboard session, by group. */
export interface Operations {
  readonly groups: readonly { readonly name: string; readonly calls: readonly Call[] }[];
  /** Examples of bodies and parameters. */
  readonly examples: ReturnType<typeof createExamples>;
}

/** Whether the call accepts a dashboard session. */
const isForPerson = ({ security = [] }: Call): boolean => security.some(way => 'session' in way);

/** The document's operations that accept a session, grouped by their first tag. */
export function operationsOf(document: ApiDocument): Operations {
  const calls = callsOf(document).filter(isForPerson);
  const groups = document.tags.map(({ name }) => ({ name, calls: calls.filter(({ tags }) => tags[0] === name) }));
  return { groups: groups.filter(group => group.calls.length > 0), examples: createExamples(document) };
}

/** The person's input: parameters by name, and the body as text. */
export interface EnteredCall {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The content types that the explorer can send as text. */
const textTypes = ['application/json', 'text/csv'];

/** The content type of the body. Null without a body, or if the call accepts only files. */
export function bodyType({ requestBody }: Call): string | null {
  return textTypes.find(type => requestBody?.content[type] !== undefined) ?? null;
}

/** The initial input: the example of the body. */
export function enteredBefore(call: Call, { examples }: Operations): EnteredCall {
  const body = bodyType(call) === 'application/json' ? JSON.stringify(examples.bodyOf(call), null, 2) : '';
  return { parameters: {}, body };
}

export const parametersIn = (call: Call, place: 'path' | 'query'): readonly Parameter[] =>
  call.parameters.filter(parameter => parameter.in === place);

/** The errors of the entered texts, by field. */
export function faultsOf(call: Call, { parameters, body }: EnteredCall): Readonly<Record<string, string>> {
  const missing = call.parameters.filter(({ name, required }) => required && !parameters[name]?.trim());
  const faults = Object.fromEntries(missing.map(({ name }) => [name, 'Fill this in.']));
  if (bodyType(call) !== 'application/json' || body.trim() === '') return faults;
  try {
    JSON.parse(body);
    return faults;
  } catch (error) {
    return { ...faults, body: `This is no JSON: ${error instanceof Error ? error.message : ''}` };
  }
}

function pathOf(call: Call, { parameters }: EnteredCall): string {
  const valuesIn = (place: 'path' | 'query') =>
    Object.fromEntries(parametersIn(call, place).map(({ name }) => [name, parameters[name]?.trim() ?? '']));
  return addressOf(call.path, valuesIn('path'), valuesIn('query'));
}

/** The entered call as input for the code samples. Invalid JSON stays text. */
export function sampleOf(call: Call, entered: EnteredCall): SampleCall {
  const { body } = entered;
  const shown = { call, url: location.origin, path: pathOf(call, entered), client: null };
  if (bodyType(call) === null || body.trim() === '') return { ...shown, body: null };
  try {
    return { ...shown, body: bodyType(call) === 'application/json' ? JSON.parse(body) : body };
  } catch {
    return { ...shown, body };
  }
}

/** An answer of the service. */
export interface Answer {
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
  readonly requestId: string | null;
  readonly version: string | null;
  readonly type: string | null;
}

/** A call as it is sent. */
export interface SentCall {
  readonly method: string;
  readonly path: string;
  /** The content type of the body. Null without a body. */
  readonly type: string | null;
  readonly body: string;
  readonly idempotencyKey: string;
}

/**
 * The call to send. `open`: the last call, while it has no final answer. A repetition of `open` gets its idempotency
 * key. Any other call gets a new key.
 */
export function sentCall(call: Call, entered: EnteredCall, open: SentCall | null): SentCall {
  const body = bodyType(call) === null || entered.body.trim() === '' ? '' : entered.body;
  const { method } = call;
  const sent = { method, path: pathOf(call, entered), type: body === '' ? null : bodyType(call), body };
  const isRepeated = open !== null && method === open.method && sent.path === open.path && body === open.body;
  return { ...sent, idempotencyKey: isRepeated ? open.idempotencyKey : randomText(32) };
}

/** Whether the service has executed or refused the call. Otherwise the call may still take effect. */
export const isFinal = ({ status, text }: Answer): boolean =>
  status < 500 && !(status === 409 && text.includes('"idempotency_in_progress"'));

/** Makes the call in the session, without retries, because the person sees each answer. */
export async function runCall(app: DashboardContext, sent: SentCall): Promise<Answer> {
  const { method, path, type, body, idempotencyKey } = sent;
  const start = performance.now();
  const answer = await app.fetch(`${location.origin}${path}`, {
    method,
    headers: {
      ...(method === 'POST' && { 'Idempotency-Key': idempotencyKey }),
      ...(type !== null && { 'Content-Type': type }),
    },
    ...(type !== null && { body }),
  });
  const milliseconds = Math.round(performance.now() - start);
  return {
    status: answer.status,
    milliseconds,
    text: await answerText(answer),
    requestId: answer.headers.get('request-id'),
    version: answer.headers.get('pay-version'),
    type: answer.headers.get('content-type'),
  };
}
