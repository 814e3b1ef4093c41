import { randomText } from '../../../src/core/id.ts';
import type { Role } from '../../../src/server/platform/http/access/roles.ts';
import type { TestAnswer, TestApp } from '../../support/app.ts';

export const own = 'http://localhost:4242';
export const password = 'correct horse battery';

type Call = `${string} /${string}`;

/** A browser at the dashboard: it keeps cookies, and sends the CSRF token and its origin with writes. */
export interface Browser {
  readonly cookies: Map<string, string>;
  csrf: string | undefined;
  /** Sends one request. Headers that are blank are left out. */
  send(call: Call, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer>;
  /** Signs in with the body of `POST /v1/session`. */
  signIn(body: object): Promise<TestAnswer>;
}

export function browser(shop: Pick<TestApp, 'request'>, from: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map<string, string>();
  const self: Browser = {
    cookies,
    csrf: undefined,
    send: async (call, body, headers = {}) => {
      const isWrite = !call.startsWith('GET ');
      const sent = {
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(isWrite && { origin: own }),
        ...(isWrite && self.csrf !== undefined && { 'x-csrf-token': self.csrf }),
        ...from,
        ...headers,
      };
      const kept = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
      const answer = await shop.request(call, { key: null, headers: kept, ...(body !== undefined && { body }) });
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(line)) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
    signIn: async body => {
      const answer = await self.send('POST /v1/session', body);
      if (answer.status === 201) self.csrf = answer.body.csrf_token;
      return answer;
    },
  };
  return self;
}

/** The owner of a fresh sandbox, signed in with the start token. */
export async function owner(shop: TestApp): Promise<Browser> {
  const visitor = browser(shop);
  await visitor.signIn({ start_token: shop.app.secrets.startToken(shop.merchant.id) });
  return visitor;
}

/** Adds a person with the role and the password to the first merchant, by the tables, and signs the person in. */
export async function personWith(shop: TestApp, role: Role, hash: string, merchantId = shop.merchant.id) {
  const email = `${role}-${randomText(6)}@shop.example`;
  const id = `person_${randomText(22)}`;
  const now = shop.clock.now();
  const address = { email, email_key: email.toLowerCase(), email_verified_at: now };
  const person = { id, ...address, password_hash: hash, created_at: now };
  await shop.database.db.insertInto('people').values(person).execute();
  const membership = { merchant_id: merchantId, person_id: id, role, created_at: now };
  await shop.database.db.insertInto('memberships').values(membership).execute();
  const visitor = browser(shop);
  const { status } = await visitor.signIn({ email, password });
  if (status !== 201) throw new Error(`the ${role} could not sign in: ${status}`);
  return Object.assign(visitor, { id, email });
}
