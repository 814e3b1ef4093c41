import { verbs } from '../../api/client/calls.ts';
import { createTransport, type Fetch } from '../../api/client/transport.ts';
import { type CallOptions, createPayClient, type PayClient } from '../../api/client.ts';
import { readSelection } from './selection.ts';

/** Calls of the service by path. */
export interface Calls {
  get<T>(path: string, options?: CallOptions): Promise<T>;
  post<T>(path: string, body?: unknown, options?: CallOptions): Promise<T>;
  patch<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
  remove<T>(path: string, options?: CallOptions): Promise<T>;
}

/** The service, called with the session of this browser. */
export interface Service {
  readonly client: PayClient;
  readonly calls: Calls;
  /** `fetch` with the session's headers, for files and uploads. */
  readonly fetch: Fetch;
}

interface ServiceOptions {
  /** The CSRF token of the session. Null without a session, and until the session is known. */
  readonly csrfToken: () => string | null;
  /** Called when the session has ended on the server, for example after a sign-out in another tab. */
  readonly signedOut: () => void;
}

/** Creates the client. It sends the cookie, merchant, mode and CSRF token with each call. */
export function createService({ csrfToken, signedOut }: ServiceOptions): Service {
  const fetchInSession: Fetch = async (url, init) => {
    const headers = new Headers(init.headers);
    const { merchant, mode } = readSelection();
    if (merchant !== null) headers.set('Pay-Merchant', merchant);
    if (mode !== null) headers.set('Pay-Mode', mode);
    const token = csrfToken();
    // Reads send the token, too. A call that also works without a key uses the session only with one of these headers.
    if (token !== null) headers.set('X-CSRF-Token', token);
    const answer = await window.fetch(url, { ...init, headers, credentials: 'same-origin' });
    // Calls on `/v1/session` and `/v1/person` also answer 401 to a wrong password, which does not end the session.
    if (answer.status === 401 && csrfToken() !== null && !/\/v1\/(session|person)/.test(url)) signedOut();
    return answer;
  };
  const options = { baseUrl: location.origin, fetch: fetchInSession };
  const made = verbs(createTransport(options));
  return {
    client: createPayClient(options),
    fetch: fetchInSession,
    calls: {
      get: (path, callOptions) => made.get(path, callOptions),
      post: (path, body, callOptions) => made.post(path, body, callOptions),
      patch: (path, body, callOptions) => made.patch(path, body, callOptions),
      remove: (path, callOptions) => made.remove(path, callOptions),
    },
  };
}
