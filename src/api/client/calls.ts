import type { CallOptions, Transport } from './transport.ts';

/** Options of a call. */
export type Options = CallOptions | undefined;

/** An id as a part of a path. Throws TypeError for an empty id or one with a slash, which would form another path. */
export function part(id: string): string {
  if (!/^[A-Za-z]+_[0-9A-Za-z]+$/.test(id)) throw new TypeError(`"${id}" is not an id`);
  return id;
}

/** The four kinds of call, each answered by JSON. */
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
