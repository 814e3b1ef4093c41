import { expect, it } from 'vitest';
import { rolesOf, roleTable } from '../../../src/server/platform/http/access/roles.ts';
import { startTestApp } from '../../support/app.ts';

it('the role table names every call that is not public, and nothing else', async () => {
  const shop = await startTestApp();
  const { body: document } = await shop.request('GET /openapi.json', { key: null });
  await shop.close();
  const calls = Object.entries<Record<string, { security?: object[]; description?: string }>>(document.paths).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, { security, description = '' }]) => ({
        ...{ method: method.toUpperCase(), url: path.replaceAll(/\{(\w+)\}/g, ':$1'), security },
        scope: /need the scope `([^`]+)`/.exec(description)?.[1],
      })),
  );
  const closed = calls.filter(({ security }) => security?.some(scheme => Object.keys(scheme).length > 0));
  expect(closed.length).toBeGreaterThan(100);
  // The API explorer of the dashboard offers the calls that name the session.
  const withoutSession = closed.filter(({ security = [] }) => !security.some(way => 'session' in way));
  expect(withoutSession.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  const missing = closed.filter(({ method, url, scope }) => rolesOf(method, url, scope) === null);
  expect(missing.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  const known = new Set(calls.flatMap(({ method, url, scope }) => [`${method} ${url}`, scope]));
  expect(Object.keys(roleTable).filter(entry => !known.has(entry))).toEqual([]);
});
