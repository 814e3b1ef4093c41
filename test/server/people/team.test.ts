import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords } from '../../../src/server/people/password.ts';
import { findPerson, type PersonRow } from '../../../src/server/people/person.store.ts';
import { resetPath } from '../../../src/server/people/reset/password-reset.ts';
import { loadRootSecret } from '../../../src/server/platform/root-secret.store.ts';
import { createSecrets } from '../../../src/server/platform/secrets.ts';
import { quickCost, startTestApp, type TestAnswer, type TestApp } from '../../support/app.ts';
import { createAuthenticator } from './authenticator.ts';
import { type Browser, browser, own, owner, password, personWith } from './visitor.ts';

const outcome = ({ status, body }: TestAnswer) => [status, body?.error?.code];
type Person = Browser & { id: string; email: string };

let shop: TestApp;
let hash: string;
let boss: Person;
let admin: Person;
beforeAll(async () => {
  shop = await startTestApp();
  hash = await createPasswords(quickCost).hash(password);
  boss = await personWith(shop, 'owner', hash);
  admin = await personWith(shop, 'admin', hash);
});
afterAll(() => shop?.close());

/** The token of the newest mail to the address that has one. */
async function mailedToken(email: string): Promise<string> {
  const { rows } = await shop.database.pool.query(
    `select content from mails where to_email = $1 and content #>> '{action,url}' like '%#token=%'
      order by created_at desc, id desc limit 1`,
    [email],
  );
  return /#token=([^"]+)$/.exec(rows[0]?.content.action.url ?? '')?.[1] ?? '';
}

/**
 * The answer to a call of a visitor who changes the own address meanwhile. Both wait for the person's row: the change
 * gets it first, after the call has read the earlier address.
 */
async function whileMoving(person: Person, email: string, call: () => Promise<TestAnswer>): Promise<TestAnswer> {
  const { pool } = shop.database;
  const holder = await pool.connect();
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const waits = (count: number) =>
    expect.poll(async () => (await pool.query(waiting)).rowCount, { timeout: 15_000 }).toBe(count);
  try {
    await holder.query('begin');
    await holder.query('select from people where id = $1 for no key update', [person.id]);
    const moved = person.send('PATCH /v1/person', { email, current_password: password });
    await waits(1);
    const answer = call();
    await waits(2);
    await holder.query('commit');
    expect((await moved).body).toMatchObject({ email, email_verified: false });
    return await answer;
  } finally {
    // Also ends the transaction of a test that failed.
    holder.release(true);
  }
}

describe('an invitation', () => {
  it('reaches a new person by mail, who chooses a password and is inside with the role', async () => {
    const invited = await admin.send('POST /v1/invitations', { email: 'Nina@shop.example', role: 'finance' });
    expect([invited.status, invited.body]).toMatchObject([201, { object: 'invitation', role: 'finance' }]);
    expect((await admin.send('GET /v1/invitations')).body.data).toMatchObject([{ email: 'Nina@shop.example' }]);
    const token = await mailedToken('Nina@shop.example');
    const nina = browser(shop);
    expect((await nina.send('POST /v1/invitations/open', { token })).body).toMatchObject({
      email: 'Nina@shop.example',
      role: 'finance',
      has_account: false,
      merchant: { name: 'Test shop' },
    });
    const accept = (body: object) => nina.send('POST /v1/invitations/accept', { token, ...body });
    expect(outcome(await accept({ name: 'Nina' }))).toEqual([400, 'parameter_missing']);
    expect(outcome(await accept({ name: 'Nina', password: 'short' }))).toEqual([400, 'invalid_password']);
    const joined = await accept({ name: 'Nina', password });
    expect([joined.status, joined.body]).toMatchObject([201, { role: 'finance', session: { role: 'finance' } }]);
    expect((await nina.send('GET /v1/session')).body.person.name).toBe('Nina');
    expect(outcome(await accept({ name: 'Nina', password }))).toEqual([410, 'mail_link_expired']);
    const again = await admin.send('POST /v1/invitations', { email: 'nina@shop.example', role: 'owner' });
    expect(outcome(again)).toEqual([403, 'role_not_allowed']);
    const twice = await admin.send('POST /v1/invitations', { email: 'nina@shop.example', role: 'viewer' });
    expect(outcome(twice)).toEqual([409, 'illegal_state']);
  });

  it('adds a merchant to a person who has an account, without signing anyone in', async () => {
    const other = await shop.addMerchant({ name: 'Second shop' });
    const chief = await personWith(shop, 'owner', hash, other.id);
    await chief.send('POST /v1/invitations', { email: admin.email, role: 'viewer' });
    const token = await mailedToken(admin.email);
    shop.clock.advance(1);
    const visitor = browser(shop);
    expect((await visitor.send('POST /v1/invitations/open', { token })).body.has_account).toBe(true);
    const { body } = await visitor.send('POST /v1/invitations/accept', { token });
    expect([body.merchant.name, body.session, visitor.cookies.size]).toEqual(['Second shop', null, 0]);
    expect((await admin.send('GET /v1/session')).body.merchants).toHaveLength(2);
  });

  it('creates one account when a new person accepts the invitations of two merchants at once', async () => {
    const email = 'twin@shop.example';
    const tokens: string[] = [];
    for (const chief of [boss, await personWith(shop, 'owner', hash, (await shop.addMerchant()).id)]) {
      shop.clock.advance(1);
      expect((await chief.send('POST /v1/invitations', { email, role: 'viewer' })).status).toBe(201);
      tokens.push(await mailedToken(email));
    }
    const accept = async (token: string) =>
      outcome(await browser(shop).send('POST /v1/invitations/accept', { token, password }));
    const outcomes = await Promise.all(tokens.map(accept));
    // The later one joins the account, or is refused and joins it by its next try, depending on the moment.
    const left = tokens.filter((_, index) => outcomes[index]?.[0] !== 201);
    expect(left.length).toBeLessThan(2);
    expect(outcomes.filter(([status]) => status !== 201)).toEqual(left.map(() => [409, 'illegal_state']));
    for (const token of left) expect(await accept(token)).toEqual([201, undefined]);
    const visitor = browser(shop);
    expect((await visitor.send('POST /v1/session', { email, password })).body.merchants).toHaveLength(2);
  });

  it('does not join an account that took the address without owning its mailbox', async () => {
    const thief = await personWith(shop, 'viewer', hash);
    const key = createAuthenticator(own);
    const { options } = (await thief.send('POST /v1/person/passkeys/options')).body;
    await thief.send('POST /v1/person/passkeys', { response: key.create(options), name: 'Phone' });
    const email = `victim-${thief.email}`;
    expect((await thief.send('GET /v1/session')).body.person.email_verified).toBe(true);
    const taken = await thief.send('PATCH /v1/person', { email, current_password: password });
    expect(taken.body).toMatchObject({ email, email_verified: false });
    const other = await shop.addMerchant();
    const chief = await personWith(shop, 'owner', hash, other.id);
    await chief.send('POST /v1/invitations', { email, role: 'admin' });
    const token = await mailedToken(email);
    const accept = (visitor: Browser) => visitor.send('POST /v1/invitations/accept', { token });
    const victim = browser(shop);
    expect(outcome(await accept(victim))).toEqual([403, 'email_unverified']);
    expect(outcome(await accept(chief))).toEqual([403, 'email_unverified']);
    shop.clock.advance(1);
    await victim.send('POST /v1/password-resets', { email });
    await shop.sweep('people.resets');
    const reset = { token: await mailedToken(email), password: 'a new password' };
    expect((await victim.send('POST /v1/password-resets/confirm', reset)).status).toBe(200);
    expect((await accept(victim)).body.role).toBe('admin');
    expect((await victim.signIn({ email, password: 'a new password' })).body.person.passkeys).toBe(0);
    expect(outcome(await thief.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
  });

  it('joins the account of a person who is signed in, and verifies its address', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const email = `own-${person.email}`;
    await person.send('PATCH /v1/person', { email, current_password: password });
    const other = await shop.addMerchant();
    const chief = await personWith(shop, 'owner', hash, other.id);
    await chief.send('POST /v1/invitations', { email, role: 'viewer' });
    const token = await mailedToken(email);
    expect((await person.send('POST /v1/invitations/accept', { token })).status).toBe(201);
    const { body } = await person.send('GET /v1/session');
    expect([body.person.email_verified, body.merchants.length]).toEqual([true, 2]);
  });

  it('does not verify the address to which an account moves meanwhile', async () => {
    const mover = await personWith(shop, 'viewer', hash);
    const other = await shop.addMerchant();
    const chief = await personWith(shop, 'owner', hash, other.id);
    await chief.send('POST /v1/invitations', { email: mover.email, role: 'viewer' });
    const token = await mailedToken(mover.email);
    const accept = () => browser(shop).send('POST /v1/invitations/accept', { token });
    expect(outcome(await whileMoving(mover, `later-${mover.email}`, accept))).toEqual([409, 'illegal_state']);
    const { body } = await mover.send('GET /v1/session');
    expect([body.person.email_verified, body.merchants.length]).toEqual([false, 1]);
  });

  it.each([
    ['is forged', async () => 'x'.repeat(66)],
    [
      'was withdrawn',
      async () => {
        const { body } = await boss.send('POST /v1/invitations', { email: 'a@shop.example', role: 'owner' });
        expect(outcome(await admin.send(`DELETE /v1/invitations/${body.id}`))).toEqual([403, 'role_not_allowed']);
        expect((await boss.send(`DELETE /v1/invitations/${body.id}`)).body.deleted).toBe(true);
        return await mailedToken('a@shop.example');
      },
    ],
    [
      'was replaced',
      async () => {
        await boss.send('POST /v1/invitations', { email: 'b@shop.example', role: 'admin' });
        const token = await mailedToken('b@shop.example');
        await boss.send('POST /v1/invitations', { email: 'b@shop.example', role: 'viewer' });
        return token;
      },
    ],
  ])('that %s is refused', async (_, tokenOf) => {
    const token = await tokenOf();
    for (const call of ['open', 'accept'] as const) {
      const body = { token, ...(call === 'accept' && { password }) };
      const answer = await browser(shop).send(`POST /v1/invitations/${call}`, body);
      expect(outcome(answer)).toEqual([410, 'mail_link_expired']);
    }
  });
});

describe('the team', () => {
  it('is managed by owners and admins; admins do not touch owners', async () => {
    const viewer = await personWith(shop, 'viewer', hash);
    const { data } = (await viewer.send('GET /v1/team')).body;
    expect(data.find(({ id }: { id: string }) => id === viewer.id)).toMatchObject({
      object: 'team_member',
      email: viewer.email,
      role: 'viewer',
      two_factor: false,
    });
    const change = (by: Browser, id: string, role: string) => by.send(`PATCH /v1/team/${id}`, { role });
    expect(outcome(await change(viewer, viewer.id, 'owner'))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await change(admin, admin.id, 'owner'))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await change(admin, boss.id, 'viewer'))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await admin.send(`DELETE /v1/team/${boss.id}`))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await change(boss, boss.id, 'admin'))).toEqual([409, 'illegal_state']);
    expect(outcome(await boss.send(`DELETE /v1/team/${boss.id}`))).toEqual([409, 'illegal_state']);
    expect((await change(admin, viewer.id, 'developer')).body.role).toBe('developer');
    expect((await viewer.send('GET /v1/api-keys')).status).toBe(200);
    expect((await change(admin, viewer.id, 'viewer')).status).toBe(200);
    expect(outcome(await viewer.send('GET /v1/api-keys'))).toEqual([403, 'role_not_allowed']);
  });

  it('is left at once by a removed person: every session ends', async () => {
    const viewer = await personWith(shop, 'viewer', hash);
    expect((await viewer.send('GET /v1/session')).status).toBe(200);
    expect((await admin.send(`DELETE /v1/team/${viewer.id}`)).body.deleted).toBe(true);
    expect(outcome(await viewer.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    expect(outcome(await viewer.signIn({ email: viewer.email, password }))).toEqual([401, 'invalid_session']);
    expect(outcome(await admin.send(`DELETE /v1/team/${viewer.id}`))).toEqual([404, 'resource_missing']);
  });

  it('keeps one owner when two remove each other at once', async () => {
    const merchant = await shop.addMerchant();
    const [first, second] = [
      await personWith(shop, 'owner', hash, merchant.id),
      await personWith(shop, 'owner', hash, merchant.id),
    ];
    const answers = await Promise.all([
      first.send(`DELETE /v1/team/${second.id}`),
      second.send(`DELETE /v1/team/${first.id}`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('the audit log', () => {
  it('has who did what, when and from where, and is for owners and admins', async () => {
    const finance = await personWith(shop, 'finance', hash);
    shop.clock.advance(1);
    const refused = await finance.send('POST /v1/payments/pay_0000000000000000000000/refunds', {});
    expect(refused.status).toBe(404);
    await finance.send('GET /v1/payments');
    const last = async () => (await boss.send('GET /v1/audit-log?limit=1')).body.data;
    // The status is stored after the answer was sent.
    await expect.poll(async () => (await last())[0].status, { timeout: 15_000 }).not.toBeNull();
    expect(await last()).toMatchObject([
      {
        object: 'audit_entry',
        action: 'Give money back',
        method: 'POST',
        status: 404,
        network: '127.0.0.1',
        path: '/v1/payments/pay_0000000000000000000000/refunds',
        request_id: refused.headers['request-id'],
        person: { id: finance.id, email: finance.email },
      },
    ]);
    expect(outcome(await finance.send('GET /v1/audit-log'))).toEqual([403, 'role_not_allowed']);
    await boss.send('PATCH /v1/person', { name: 'Boss', password: 'a secret of the boss', current_password: password });
    expect(JSON.stringify((await boss.send('GET /v1/audit-log')).body)).not.toContain('a secret of the boss');
  });
});

describe('the operator', () => {
  it('creates merchants and owns them; other owners cannot', async () => {
    const fresh = await startTestApp();
    const operator = await owner(fresh);
    // The first merchant stays the one of the session.
    fresh.clock.advance(1);
    const repeated = async (call: 'POST /v1/merchants' | 'POST /v1/invitations', body: object) => {
      const headers = { 'idempotency-key': 'once' };
      const [first, again] = [await operator.send(call, body, headers), await operator.send(call, body, headers)];
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
      return first;
    };
    const made = await repeated('POST /v1/merchants', { name: 'Branch' });
    const { merchants } = (await operator.send('GET /v1/session')).body;
    expect(merchants.filter(({ name }: { name: string }) => name === 'Branch')).toHaveLength(1);
    const invited = await repeated('POST /v1/invitations', { email: 'new@shop.example', role: 'viewer' });
    const { rows } = await fresh.database.pool.query("select from mails where to_email = 'new@shop.example'");
    expect([invited.status, rows]).toMatchObject([201, { length: 1 }]);
    expect([made.status, made.body]).toMatchObject([201, { object: 'merchant', name: 'Branch', role: 'owner' }]);
    const at = { 'pay-merchant': made.body.id };
    expect((await operator.send('GET /v1/account', undefined, at)).body.name).toBe('Branch');
    const key = await operator.send('POST /v1/api-keys', { type: 'secret' }, at);
    expect((await fresh.request('GET /v1/account', { key: key.body.key })).body.name).toBe('Branch');
    await fresh.close();
    expect(outcome(await boss.send('POST /v1/merchants', { name: 'Mine' }))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await boss.send(`POST /v1/team/${admin.id}/remove-second-factors`))).toEqual([
      ...[403, 'role_not_allowed'],
    ]);
  });
});

describe('the treasury', () => {
  it('is shown to owner, admin and finance of the operator’s merchant', async () => {
    const { status, body } = await boss.send('GET /v1/treasury');
    expect([status, body]).toMatchObject([200, { object: 'treasury_health', account: expect.stringMatching(/^G/) }]);
    expect(body.channels).toEqual({ total: expect.any(Number), sending: 0 });
    const viewer = await personWith(shop, 'viewer', hash);
    expect(outcome(await viewer.send('GET /v1/treasury'))).toEqual([403, 'role_not_allowed']);
    const other = await shop.addMerchant();
    const stranger = await personWith(shop, 'owner', hash, other.id);
    const sessions = await Promise.all([boss, stranger].map(person => person.send('GET /v1/session')));
    expect(sessions.map(session => session.body.merchant.is_operator)).toEqual([true, false]);
    expect(outcome(await stranger.send('GET /v1/treasury'))).toEqual([403, 'role_not_allowed']);
    expect(outcome(await shop.request('GET /v1/treasury'))).toEqual([403, 'session_required']);
  });
});

describe('a forgotten password', () => {
  const ask = (email: string) => browser(shop).send('POST /v1/password-resets', { email });
  const set = (token: string, text: string, visitor = browser(shop)) =>
    visitor.send('POST /v1/password-resets/confirm', { token, password: text });

  it('is replaced by mail: once, within an hour, and all sessions end', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const unknown = await ask('nobody@shop.example');
    const known = await ask(person.email);
    expect([known.status, unknown.status, Object.keys(known.body)]).toEqual([200, 200, Object.keys(unknown.body)]);
    expect(await shop.sweep('people.resets')).toBe(2);
    const token = await mailedToken(person.email);
    expect(await mailedToken('nobody@shop.example')).toBe('');
    expect(outcome(await set(`${token.slice(0, -1)}!`, 'a new password'))).toEqual([410, 'mail_link_expired']);
    expect(outcome(await set(token, 'short'))).toEqual([400, 'invalid_password']);
    const used = await Promise.all([set(token, 'a new password'), set(token, 'b new password')]);
    expect(used.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    expect(outcome(await person.send('GET /v1/session'))).toEqual([401, 'invalid_session']);
    const right = used[0]?.status === 200 ? 'a new password' : 'b new password';
    expect((await browser(shop).signIn({ email: person.email, password: right })).status).toBe(201);
    await ask(person.email);
    await shop.sweep('people.resets');
    const late = await mailedToken(person.email);
    shop.clock.advance(3601);
    expect(outcome(await set(late, 'a new password'))).toEqual([410, 'mail_link_expired']);
  });

  it('is not replaced by a mail to an earlier address of the person', async () => {
    const person = await personWith(shop, 'viewer', hash);
    await ask(person.email);
    await shop.sweep('people.resets');
    const early = await mailedToken(person.email);
    expect(early).not.toBe('');
    const moved = { email: `moved-${person.email}`, current_password: password };
    expect((await person.send('PATCH /v1/person', moved)).status).toBe(200);
    expect(outcome(await set(early, 'a new password'))).toEqual([410, 'mail_link_expired']);
  });

  it('does not verify the address to which the person moves meanwhile', async () => {
    const mover = await personWith(shop, 'viewer', hash);
    await ask(mover.email);
    await shop.sweep('people.resets');
    const token = await mailedToken(mover.email);
    const answer = await whileMoving(mover, `later-${mover.email}`, () => set(token, 'a new password'));
    expect(outcome(answer)).toEqual([410, 'mail_link_expired']);
    expect((await mover.send('GET /v1/session')).body.person.email_verified).toBe(false);
  });

  it('verifies the address by a mail, and not by the address that the operator prints', async () => {
    const person = await personWith(shop, 'viewer', hash);
    const email = `printed-${person.email}`;
    await person.send('PATCH /v1/person', { email, current_password: password });
    const { db } = shop.database;
    const row = await findPerson(db, person.id);
    const deps = { secrets: createSecrets(await loadRootSecret(db)), clock: shop.clock };
    const printed = resetPath(deps, row as PersonRow, 'operator').split('#token=')[1] ?? '';
    expect(outcome(await set(printed.replace(/.$/, '!'), 'a new password'))).toEqual([410, 'mail_link_expired']);
    expect((await set(printed, 'a new password')).status).toBe(200);
    expect(outcome(await set(printed, 'b new password'))).toEqual([410, 'mail_link_expired']);
    const { body } = await browser(shop).signIn({ email, password: 'a new password' });
    expect(body.person).toMatchObject({ email, email_verified: false });
    await ask(email);
    await shop.sweep('people.resets');
    await set(await mailedToken(email), 'c new password');
    const later = await browser(shop).signIn({ email, password: 'c new password' });
    expect(later.body.person.email_verified).toBe(true);
  });

  it('mails one address three times an hour at most, and one network twenty times', async () => {
    const person = await personWith(shop, 'viewer', hash);
    await shop.sweep('people.resets');
    const answers = [];
    for (let count = 0; count < 30; count++) answers.push(outcome(await ask(person.email)));
    expect(await shop.sweep('people.resets')).toBe(3);
    expect(answers.at(-1)).toEqual([429, 'too_many_attempts']);
  });
});
