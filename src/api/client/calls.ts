import type { CallOptions, Transport } from './transport.ts';

export type Options = CallOptions | undefined;

/** The error of a text that is not an id. */
export class InvalidIdError extends TypeError {}

/** Returns the id. Throws InvalidIdError if the text is not an id, because a slash would change the path. */
export function pathId(id: string): string {
  if (!/^[A-Za-z]+_[0-9A-Za-z]+$/.test(id)) throw new InvalidIdError(`"${id}" is not an id`);
  return id;
}

/** Calls by HTTP method. Each resolves to the answer's JSON. */
export function verbs(transport: Transport) {
  return {
    get: <T>(path: string, options: Options) => transport.call<T>({ method: 'GET', path }, options),
    post: <T>(path: string, body: unknown, options: Options) =>
      transport.call<T>({ method: 'POST', path, ...(body === undefined ? {} : { body }) }, options),
    put: <T>(path: string, body: unknown, options: Options) =>
      transport.call<T>({ method: 'PUT', path, body }, options),
    patch: <T>(path: string, body: unknown, options: Options) =>
      transport.call<T>({ method: 'PATCH', path, body }, options),
    remove: <T>(path: string, options: Options) => transport.call<T>({ method: 'DELETE', path }, options),
  };
}
