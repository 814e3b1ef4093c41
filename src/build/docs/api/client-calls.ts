import { createPayClient } from '../../../api/client.ts';
import { sampleUrl } from './document.ts';

/** A function of the typed client that makes a call of the API. */
export interface ClientCall {
  /** The name in code: `pay.payments.create`. */
  readonly name: string;
  /** Names of the function's parameters, in order. */
  readonly parameters: readonly string[];
  readonly isList: boolean;
}

const exampleId = 'id_1';

/**
 * The functions of the typed client by the call that they make: `POST /v1/payments/{}/confirm`. Each function is called
 * once with a `fetch` that records the request.
 */
export async function clientCalls(): Promise<ReadonlyMap<string, ClientCall>> {
  const found = new Map<string, ClientCall>();
  let recorded = '';
  const client = createPayClient({
    baseUrl: sampleUrl,
    apiKey: 'sk_test_recorded',
    fetch: async (input, init) => {
      const path = new URL(String(input)).pathname.replaceAll(exampleId, '{}');
      recorded = `${init?.method ?? 'GET'} ${path}`;
      return Response.json({ object: 'list', data: [], has_more: false });
    },
  });
  for (const { name, call } of functionsIn(client, 'pay')) {
    if (/stream|follow|live/i.test(name)) continue;
    const parameters = parametersOf(call);
    recorded = '';
    const isList = await runOnce(call, parameters);
    if (recorded !== '' && !found.has(recorded)) found.set(recorded, { name, parameters, isList });
  }
  return found;
}

type AnyCall = (...values: unknown[]) => unknown;

function functionsIn(value: object, path: string): { name: string; call: AnyCall }[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const name = `${path}.${key}`;
    if (typeof member === 'function') return [{ name, call: member as AnyCall }];
    return typeof member === 'object' && member !== null ? functionsIn(member, name) : [];
  });
}

/** Names of the parameters, read from the function's source. The parameter for options of the call is omitted. */
function parametersOf(call: AnyCall): string[] {
  const [, list = ''] = /^[^(]*\(([^)]*)\)/.exec(call.toString()) ?? [];
  return list
    .replace(/\{[^}]*\}/g, 'params')
    .split(',')
    .map(parameter => parameter.replace(/=.*/, '').trim())
    .filter(parameter => parameter !== '' && parameter !== 'options');
}

/** Whether a parameter takes an id. */
export const isId = (parameter: string): boolean => /^id$|Id$|^wtx$/.test(parameter);

async function runOnce(call: AnyCall, parameters: readonly string[]): Promise<boolean> {
  const result = call(...parameters.map(parameter => (isId(parameter) ? exampleId : {})));
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) {
    await (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next();
    return true;
  }
  // The answer is always an empty list, which may cause an error. Only the request matters.
  await Promise.resolve(result).catch(() => undefined);
  return false;
}
