import type { CallOptions, Transport } from './transport.ts';

/** How a call is made, as far as it is said. */
export type Options = CallOptions | undefined;

/** An id as a part of a path. An empty one would ask for the list, one with a slash for something else. Throws TypeError. */
export function part(id: string): string {
  if (!/^[A-Za-z]+_[0-9A-Za-z]+$/.test(id)) throw new TypeError(`"${id}" is not an id`);
  return id;
}

/** The four kinds of call the client makes, each answered by JSON. */
export function verbs(transport: Transport) {
  return {
    get: <T>(path: string, options: Options) => transport.call<T>({ method: 'GET', path }, options),
    post: <T>(path: string, body: unknown, options: Options) =>
      transport.call<T>({ method: 'POST', path, ...(body === undefined ? {} : { body }) }, options),
    patch: <T>(path: string, body: unknown, options: Options) =>
      transport.call<T>({ method: 'PATCH', path, body }, options),
    remove: <T>(path: string, options: Options) => transport.call<T>({ method: 'DELETE', path }, options),
  };
}
