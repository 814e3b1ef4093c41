import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords } from '../../../src/server/people/password.ts';
import { findPersonByEmail, type PersonRow } from '../../../src/server/people/person.store.ts';
import { resetPath } from '../../../src/server/people/reset/password-reset.ts';
import { quickCost, startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { createAuthenticator } from './authenticator.ts';
import { type Browser, browser, own, owner, password, personWith } from './visitor.ts';

const outcome = ({ status, body }: TestAnswer) => [status, body?.error?.code];

let shop: TestApp;
let hash: string;
beforeAll(async () => {
  shop = await startTestApp();
  hash = await createPasswords(quickCost).hash(password);
});
afterAll(() => shop?.close());

const codeOf = (secret: string) => generateSync({ secret, epoch: shop.clock.now().getTime() / 1000 });

describe('codes of an authenticator app', () => {
  let person: Browser & { id: string; email: string };
  let secret: string;
  let recovery: string[];
  beforeAll(async () => {
    person = await personWith(shop, 'admin', hash);
  });
  const signIn = (code?: string) =>
    browser(shop).signIn({ email: person.email, password, ...(code !== undefined && { code }) });

  it('are off until a right code confirms them, and then give ten recovery codes', async () => {
    const started = await person.send('POST /v1/person/totp');
    expect(started.body.uri).toContain(`otpauth://totp/pay-checkout:${encodeURIComponent(person.email)}?secret=`);
    secret = started.body.secret;
    expect((await signIn()).status).toBe(201);
    const wrong = await person.send('POST /v1/person/totp/confirm', { code: '000000' });
    expect(outcome(wrong)).toEqual([400, 'parameter_invalid']);
    const on = await person.send('POST /v1/person/totp/confirm', { code: codeOf(secret) });
    recovery = on.body.recovery_codes;
    expect(recovery).toHaveLength(10);
    expect((await person.send('GET /v1/session')).body.person.two_factor).toBe(true);
    const stored = await shop.database.pool.query('select totp_secret, hash from people, recovery_codes');
    expect(JSON.stringify(stored.rows)).not.toContain(secret);
  });

  it('are asked for after the right password only, and work once each', async () => {
    expect(outcome(await signIn())).toEqual([401, 'two_factor_required']);
    const guessed = await browser(shop).signIn({ email: person.email, password: 'wrong password' });
    expect(outcome(guessed)).toEqual([401, 'invalid_credentials']);
    expect(outcome(await signIn('123456'))).toEqual([401, 'invalid_code']);
    shop.clock.advance(60);
    const code = codeOf(secret);
    expect((await signIn(code)).status).toBe(201);
    expect(outcome(await signIn(code))).toEqual([401, 'invalid_code']);
  });

  it('give way to a recovery code, once, however it is typed', async () => {
    const [first = '', second = ''] = recovery;
    expect((await signIn(first.toUpperCase().replace('-', ' '))).status).toBe(201);
    expect(outcome(await signIn(first))).toEqual([401, 'invalid_code']);
    const { body } = await person.send('POST /v1/person/recovery-codes');
    expect(outcome(await signIn(second))).toEqual([401, 'invalid_code']);
    expect((await signIn(body.recovery_codes[0])).status).toBe(201);
  });

  it('are changed only by a person who signed in or confirmed the password a moment ago', async () => {
    shop.clock.advance(900);
    for (const call of ['DELETE /v1/person/totp', 'POST /v1/person/passkeys/options'] as const) {
      expect(outcome(await person.send(call))).toEqual([403, 'confirmation_required']);
    }
    const confirm = (text: string) => person.send('POST /v1/session/confirm', { password: text });
    expect(outcome(await confirm('wrong password'))).toEqual([401, 'invalid_credentials']);
    expect((await confirm(password)).status).toBe(200);
    expect((await person.send('DELETE /v1/person/totp')).body.two_factor).toBe(false);
    expect((await signIn()).status).toBe(201);
  });
});

describe('a passkey', () => {
  const key = createAuthenticator(own);
  let person: Browser & { id: string; email: string };
  beforeAll(async () => {
    person = await personWith(shop, 'finance', hash);
  });
  const begin = async (visitor: Browser) => (await visitor.send('POST /v1/session/passkey-options')).body.options;
  const enter = (visitor: Browser, response: unknown) => visitor.send('POST /v1/session/passkey', { response });

  it('is added to the person, and signs in without password and code', async () => {
    const { options } = (await person.send('POST /v1/person/passkeys/options')).body;
    expect(options).toMatchObject({ rp: { id: 'localhost' }, user: { name: person.email } });
    const added = await person.send('POST /v1/person/passkeys', { response: key.create(options), name: 'Phone' });
    expect([added.status, added.body]).toMatchObject([201, { object: 'passkey', name: 'Phone', last_used_at: null }]);
    const visitor = browser(shop);
    const entered = await enter(visitor, key.get(await begin(visitor)));
    expect([entered.status, entered.body]).toMatchObject([201, { person: { id: person.id, passkeys: 1 } }]);
    expect((await person.send('GET /v1/person/passkeys')).body.data[0].last_used_at).not.toBeNull();
  });

  it('is refused when its answer is replayed, old, forged, or for another page', async () => {
    const visitor = browser(shop);
    const answer = key.get(await begin(visitor));
    expect((await enter(visitor, answer)).status).toBe(201);
    expect(outcome(await enter(browser(shop), answer))).toEqual([401, 'invalid_passkey']);
    const stranger = { ...createAuthenticator(own).get(await begin(visitor)), id: answer.id, rawId: answer.rawId };
    const invented = key.get({ challenge: Buffer.from('invented').toString('base64url') });
    const elsewhere = key.get(await begin(visitor), 'https://evil.example');
    const old = key.get(await begin(visitor));
    shop.clock.advance(301);
    for (const response of [stranger, invented, elsewhere, old, {}, { id: 7 }, { ...answer, response: 'x' }]) {
      expect(outcome(await enter(browser(shop), response))).toEqual([401, 'invalid_passkey']);
    }
  });

  it('cannot be added with the challenge of another person', async () => {
    const other = await personWith(shop, 'viewer', hash);
    const { options } = (await other.send('POST /v1/person/passkeys/options')).body;
    const response = createAuthenticator(own).create(options);
    const fresh = await personWith(shop, 'viewer', hash);
    expect(outcome(await fresh.send('POST /v1/person/passkeys', { response, name: 'x' }))).toEqual([
      ...[401, 'invalid_passkey'],
    ]);
  });

  it('is gone when the person removes it', async () => {
    await person.send('POST /v1/session/confirm', { password });
    const [{ id }] = (await person.send('GET /v1/person/passkeys')).body.data;
    const other = await personWith(shop, 'viewer', hash);
    expect(outcome(await other.send(`DELETE /v1/person/passkeys/${id}`))).toEqual([404, 'resource_missing']);
    expect((await person.send(`DELETE /v1/person/passkeys/${id}`)).body.deleted).toBe(true);
    const visitor = browser(shop);
    expect(outcome(await enter(visitor, key.get(await begin(visitor))))).toEqual([401, 'invalid_passkey']);
  });
});

describe('a person with passkeys only', () => {
  const key = createAuthenticator(own);
  const signInWith = async (visitor: Browser) => {
    const { options } = (await visitor.send('POST /v1/session/passkey-options')).body;
    const answer = await visitor.send('POST /v1/session/passkey', { response: key.get(options) });
    visitor.csrf = answer.body.csrf_token;
    return visitor;
  };
  const confirm = async (visitor: Browser, by = key) => {
    const { options } = (await visitor.send('POST /v1/session/passkey-options')).body;
    return outcome(await visitor.send('POST /v1/session/confirm', { response: by.get(options) }));
  };
  let person: Browser & { id: string; email: string };
  let stranger: typeof key;
  beforeAll(async () => {
    person = await personWith(shop, 'admin', hash);
    const other = await personWith(shop, 'viewer', hash);
    stranger = createAuthenticator(own);
    for (const [visitor, device] of [
      [person, key],
      [other, stranger],
    ] as const) {
      const { options } = (await visitor.send('POST /v1/person/passkeys/options')).body;
      await visitor.send('POST /v1/person/passkeys', { response: device.create(options), name: 'Phone' });
    }
    await shop.database.db.updateTable('people').set({ password_hash: null }).where('id', '=', person.id).execute();
    await signInWith(person);
  });

  it.each([
    ['PATCH /v1/person', { email: 'thief@shop.example' }],
    ['PATCH /v1/person', { password: 'the password of a thief' }],
    ['POST /v1/person/totp', undefined],
    ['POST /v1/person/passkeys/options', undefined],
    ['DELETE /v1/person/passkeys/passkey_x', undefined],
  ] as const)('confirms with a passkey before %s %o', async (call, body) => {
    shop.clock.advance(601);
    expect(outcome(await person.send(call, body))).toEqual([403, 'confirmation_required']);
  });

  it('is confirmed by an own passkey, for ten minutes', async () => {
    expect(await confirm(person, stranger)).toEqual([401, 'invalid_passkey']);
    expect(outcome(await person.send('POST /v1/session/confirm', {}))).toEqual([400, 'parameter_missing']);
    expect(await confirm(person)).toEqual([200, undefined]);
    expect((await person.send('PATCH /v1/person', { email: `new-${person.email}` })).status).toBe(200);
    shop.clock.advance(601);
    const late = await person.send('PATCH /v1/person', { email: person.email });
    expect(outcome(late)).toEqual([403, 'confirmation_required']);
  });

  it('keeps the last way to sign in', async () => {
    await confirm(person);
    const [{ id }] = (await person.send('GET /v1/person/passkeys')).body.data;
    expect(outcome(await person.send(`DELETE /v1/person/passkeys/${id}`))).toEqual([409, 'illegal_state']);
    expect((await person.send('PATCH /v1/person', { password })).status).toBe(200);
    expect((await person.send(`DELETE /v1/person/passkeys/${id}`)).status).toBe(200);
  });
});

describe('the sessions of a person', () => {
  it('end in the browser that signs in again, for the same or another person', async () => {
    const [first, second] = [await personWith(shop, 'viewer', hash), await personWith(shop, 'owner', hash)];
    const old = browser(shop);
    for (const [name, value] of first.cookies) old.cookies.set(name, value);
    expect((await old.send('GET /v1/session')).status).toBe(200);
    expect((await first.signIn({ email: second.email, password })).status).toBe(201);
    expect(outcome(await old.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    expect((await second.send('GET /v1/session')).status).toBe(200);
  });

  it('are listed and ended one by one', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const phone = browser(shop, { 'user-agent': 'Phone' });
    await phone.signIn({ email: person.email, password });
    const { data } = (await person.send('GET /v1/person/sessions')).body;
    expect(data).toMatchObject([{ object: 'person_session' }, { object: 'person_session' }]);
    const other = data.find((session: { is_current: boolean }) => !session.is_current);
    expect(other.user_agent).toBe('Phone');
    const stranger = await personWith(shop, 'owner', hash);
    expect(outcome(await stranger.send(`DELETE /v1/person/sessions/${other.id}`))).toEqual([404, 'resource_missing']);
    expect((await person.send(`DELETE /v1/person/sessions/${other.id}`)).status).toBe(200);
    expect(outcome(await phone.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    expect((await person.send('GET /v1/session')).status).toBe(200);
  });
});

describe('a server whose first owner has a passkey', () => {
  it('no longer takes the start address', async () => {
    const fresh = await startTestApp();
    const person = await owner(fresh);
    const { options } = (await person.send('POST /v1/person/passkeys/options')).body;
    const response = createAuthenticator(own).create(options);
    expect((await person.send('POST /v1/person/passkeys', { response, name: 'Key' })).status).toBe(201);
    expect(outcome(await browser(fresh).signIn({ sandbox: true }))).toEqual([401, 'invalid_start_token']);
    await fresh.close();
  });
});

describe('mails about a change of how a person signs in', () => {
  let place: TestApp;
  let person: Browser;
  beforeAll(async () => {
    place = await startTestApp();
    person = await owner(place);
  });
  afterAll(() => place?.close());

  /** The mails that the call causes: receiver and subject. They are in the outbox when the call is answered. */
  async function mailsOf(call: Promise<TestAnswer>): Promise<readonly string[]> {
    const { status, text } = await call;
    if (status >= 300) throw new Error(text);
    const { rows } = await place.database.pool.query('delete from mails returning to_email, subject, content');
    for (const { content } of rows) expect(JSON.stringify(content)).toContain('If it was not you');
    return rows.map(({ to_email: to, subject }) => `${to}: ${subject}`).sort();
  }
  const key = createAuthenticator(own);
  const first = 'olga@shop.example';
  const second = 'olga@new.example';
  const code = (secret: string) => generateSync({ secret, epoch: place.clock.now().getTime() / 1000 });
  const patch = (changes: object) => person.send('PATCH /v1/person', changes);
  let secret = '';
  const steps: readonly (readonly [change: string, call: () => Promise<TestAnswer>, mails: readonly string[]])[] = [
    ['a name', () => patch({ name: 'Olga' }), []],
    ['the first owner', () => patch({ email: first, password }), [`${first}: You are the owner of Test shop`]],
    ['the same address', () => patch({ email: 'OLGA@shop.example', current_password: password }), []],
    [
      'a password',
      () => patch({ password: 'another good one', current_password: password }),
      [`OLGA@shop.example: Your password was changed`],
    ],
    [
      'the address and the password',
      () => patch({ email: second, password, current_password: 'another good one' }),
      [
        `OLGA@shop.example: Your e-mail address was changed`,
        `OLGA@shop.example: Your password was changed`,
        `${second}: Your e-mail address was changed`,
        `${second}: Your password was changed`,
      ],
    ],
    [
      'codes that a code confirms',
      async () => {
        await person.send('POST /v1/session/confirm', { password });
        secret = (await person.send('POST /v1/person/totp')).body.secret;
        return await person.send('POST /v1/person/totp/confirm', { code: code(secret) });
      },
      [`${second}: Codes were turned on`],
    ],
    [
      'recovery codes',
      () => person.send('POST /v1/person/recovery-codes'),
      [`${second}: Your recovery codes were replaced`],
    ],
    ['no codes', () => person.send('DELETE /v1/person/totp'), [`${second}: Codes were turned off`]],
    [
      'a passkey',
      async () => {
        const { options } = (await person.send('POST /v1/person/passkeys/options')).body;
        return await person.send('POST /v1/person/passkeys', { response: key.create(options), name: 'Phone' });
      },
      [`${second}: A passkey was added`],
    ],
    [
      'one passkey less',
      async () => {
        const [{ id }] = (await person.send('GET /v1/person/passkeys')).body.data;
        return await person.send(`DELETE /v1/person/passkeys/${id}`);
      },
      [`${second}: A passkey was removed`],
    ],
    [
      'a second account',
      () => person.send('POST /v1/merchants', { name: 'Second shop' }),
      [`${second}: You are the owner of Second shop`],
    ],
    [
      'a new password by mail',
      async () => {
        const row = (await findPersonByEmail(place.database.db, second)) as PersonRow;
        const path = resetPath({ secrets: place.app.secrets, clock: place.clock }, row, 'mail');
        const token = path.split('#token=')[1];
        return await browser(place).send('POST /v1/password-resets/confirm', { token, password: 'a third good one' });
      },
      [`${second}: Your password was changed`],
    ],
    [
      'removed factors',
      async () => {
        const member = await personWith(place, 'finance', hash);
        await person.signIn({ email: second, password: 'a third good one' });
        await person.send('POST /v1/session/confirm', { password: 'a third good one' });
        const headers = { 'pay-merchant': place.merchant.id };
        const answer = await person.send(`POST /v1/team/${member.id}/remove-second-factors`, undefined, headers);
        await place.database.pool.query('update mails set to_email = $1', ['finance']);
        return answer;
      },
      ['finance: Your second factors were removed'],
    ],
  ];
  it.each(steps)('go to the old and the new address: %s', async (_, call, mails) => {
    expect(await mailsOf(call())).toEqual(mails);
  });

  it('do not go out when the change fails', async () => {
    const taken = await personWith(place, 'viewer', hash);
    const refused = await patch({ email: taken.email, current_password: 'a third good one' });
    expect(outcome(refused)).toEqual([400, 'invalid_email']);
    expect((await place.database.pool.query('select from mails')).rowCount).toBe(0);
  });
});
