import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords } from '../../../src/server/people/password.ts';
import { quickCost, startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { createAuthenticator } from './authenticator.ts';
import { type Browser, browser, own, password, personWith } from './visitor.ts';

const outcome = ({ status, body }: TestAnswer) => [status, body?.error?.code];
const quarter = 900;

let shop: TestApp;
let person: Browser & { id: string; email: string };
let hash: string;
beforeAll(async () => {
  shop = await startTestApp({ settings: { PAY_TRUSTED_PROXIES: '127.0.0.1' } });
  hash = await createPasswords(quickCost).hash(password);
  person = await personWith(shop, 'owner', hash);
});
afterAll(() => shop?.close());

const from = (address: string) =>
  browser({ request: (...call) => shop.request(...call) }, { 'x-forwarded-for': address });
const guess = (visitor: Browser, text = 'wrong password', email = person.email) =>
  visitor.send('POST /v1/session', { email, password: text });

describe('ten thousand wrong passwords', () => {
  const key = createAuthenticator(own);
  const attackers = Array.from({ length: 10 }, (_, index) => from(`203.0.113.${index + 1}`));
  beforeAll(async () => {
    const { options } = (await person.send('POST /v1/person/passkeys/options')).body;
    await person.send('POST /v1/person/passkeys', { response: key.create(options), name: 'Phone' });
    // The counters stand as after ten thousand attempts, of which the limits count only the first: hashing each password would take minutes.
    await shop.database.db.deleteFrom('sign_in_attempts').execute();
    await Promise.all(attackers.map(visitor => guess(visitor)));
    await shop.database.pool.query('update sign_in_attempts set count = case count when 10 then 100 else 10 end');
  }, 120_000);

  it('are refused without a comparison after a few, and the right one too', async () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(attackers.map(visitor => guess(visitor, `wrong ${round}`)));
      for (const answer of answers) counts.set(answer.body.error.code, (counts.get(answer.body.error.code) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ too_many_attempts: 100 });
    const answer = await guess(attackers[0]!, password);
    expect(outcome(answer)).toEqual([429, 'too_many_attempts']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }, 120_000);

  it('do not lock out the right person: on a known device, and with a passkey', async () => {
    const known = from('203.0.113.1');
    for (const [name, value] of person.cookies) if (name.includes('device')) known.cookies.set(name, value);
    expect((await guess(known, password)).status).toBe(201);
    const anywhere = from('203.0.113.2');
    const { options } = (await anywhere.send('POST /v1/session/passkey-options')).body;
    expect((await anywhere.send('POST /v1/session/passkey', { response: key.get(options) })).status).toBe(201);
  });

  it('do not lock out other people of the same network', async () => {
    const colleague = await personWith(shop, 'viewer', hash);
    expect((await guess(from('203.0.113.3'), password, colleague.email)).status).toBe(201);
  });

  it('are forgotten when their time is over', async () => {
    shop.clock.advance(4 * quarter + 1);
    expect(await shop.sweep('people.traces')).toBeGreaterThan(0);
    expect((await guess(from('203.0.113.4'), password)).status).toBe(201);
  });
});

describe('one network', () => {
  it('cannot lock an account for other networks, and right passwords do not count', async () => {
    const victim = await personWith(shop, 'viewer', hash);
    const [attacker, home] = [from('198.51.100.1'), from('198.51.100.2')];
    await shop.database.db.deleteFrom('sign_in_attempts').execute();
    expect((await guess(home, password, victim.email)).status).toBe(201);
    home.cookies.clear();
    const { rows } = await shop.database.pool.query('select count from sign_in_attempts');
    expect(rows).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }]);
    await guess(attacker, 'wrong password', victim.email);
    await shop.database.pool.query('update sign_in_attempts set count = 9 where count > 0');
    const wrong = await Promise.all(Array.from({ length: 20 }, () => guess(attacker, 'wrong password', victim.email)));
    expect(wrong.filter(({ status }) => status === 429)).toHaveLength(19);
    expect((await guess(home, password, victim.email)).status).toBe(201);
  }, 60_000);

  it('gets the same answers for an unknown address as for a known one', async () => {
    const stranger = from('198.51.100.3');
    const known = await personWith(shop, 'viewer', hash);
    const answers: unknown[] = [];
    for (const email of ['nobody@shop.example', known.email]) {
      const answer = await guess(stranger, 'wrong password', email);
      answers.push([answer.status, { ...answer.body.error, request_id: '' }]);
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

it('limits wrong passwords in an open session, where a thief would change the password', async () => {
  const robbed = await personWith(shop, 'viewer', hash);
  const change = (current: string) =>
    robbed.send('PATCH /v1/person', { password: 'the password of a thief', current_password: current });
  expect(outcome(await change('wrong 0'))).toEqual([400, 'invalid_password']);
  await shop.database.pool.query('update sign_in_attempts set count = 10 where count > 0');
  for (const text of ['wrong 1', password]) expect(outcome(await change(text))).toEqual([429, 'too_many_attempts']);
});
