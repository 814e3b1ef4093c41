import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords } from '../../../src/server/people/password.ts';
import { roles } from '../../../src/server/platform/http/access/roles.ts';
import { quickCost, startTestApp, type TestApp } from '../../support/app.ts';
import { rolesOf, roleTable } from './role-table.ts';
import { password, personWith } from './visitor.ts';

/** A call of the API, from the OpenAPI document. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly security: readonly object[];
  readonly scope: string | undefined;
}

let shop: TestApp;
let calls: readonly Call[];
let closed: readonly Call[];
beforeAll(async () => {
  shop = await startTestApp({ settings: { PAY_RATE_LIMIT: '0' } });
  const { body: document } = await shop.request('GET /openapi.json', { key: null });
  calls = Object.entries<Record<string, { security?: object[]; description?: string }>>(document.paths).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, { security = [], description = '' }]) => ({
        method: method.toUpperCase(),
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        security,
        scope: /need the scope `([^`]+)`/.exec(description)?.[1],
      })),
  );
  closed = calls.filter(({ security }) => security.some(way => Object.keys(way).length > 0));
});
afterAll(() => shop?.close());

describe('the role table', () => {
  it('names every call that is not public, and nothing else', () => {
    expect(closed.length).toBeGreaterThan(100);
    // The API explorer of the dashboard offers the calls that name the session.
    const withoutSession = closed.filter(({ security }) => !security.some(way => 'session' in way));
    expect(withoutSession.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    const missing = closed.filter(({ method, url, scope }) => rolesOf(method, url, scope) === null);
    expect(missing.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
    const known = new Set(calls.flatMap(({ method, url, scope }) => [`${method} ${url}`, scope]));
    expect(Object.keys(roleTable).filter(entry => !known.has(entry))).toEqual([]);
  });

  it.each(roles.filter(role => role !== 'owner'))('holds for every call of the role %s', async role => {
    const person = await personWith(shop, role, await createPasswords(quickCost).hash(password));
    const wrong: string[] = [];
    // Signing out would end the other calls. A stream answers only when it ends.
    for (const { method, url, scope } of closed.filter(
      call => !/^DELETE \/v1\/session$|stream$/.test(`${call.method} ${call.url}`),
    )) {
      const may = rolesOf(method, url, scope)?.includes(role) === true;
      const body = method === 'GET' || method === 'DELETE' ? undefined : { unknown_field: 1 };
      const answer = await person.send(`${method} ${url.replaceAll(/:\w+/g, 'x')}` as 'GET /', body);
      // Calls of the operator have a refusal of their own, with other words.
      const isRefused = answer.status === 403 && /^The role \w+ may not/.test(answer.body?.error?.message ?? '');
      if (isRefused === may) wrong.push(`${method} ${url}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
  });
});
