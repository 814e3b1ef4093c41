import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, urlOf } from '../support/database.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type Lab, runCommand, runProcess, startLab } from './cli-lab.ts';
import { idsByTime, secretOf, startShop } from './listening-shop.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
}, 60_000);
afterAll(() => lab?.close());

const order = 'payments create --amount 4200 --currency EUR --email ada@example.com';

/** The values of an output that must be JSON lines. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function json(line: string, settings: Record<string, string> = {}): Promise<any[]> {
  const { code, stdout, stderr } = await lab.run(`${line} --json`, settings);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .trimEnd()
    .split('\n')
    .map(text => JSON.parse(text));
}

describe('listen', () => {
  const trigger = async (type: string) => (await lab.pay.testHelpers.triggerEvent({ type })).id;

  it('forwards signed events, and loses none while the connection to the service is cut', async () => {
    const proxy = await startFaultProxy({ host: 'localhost', port: Number(lab.settings.PORT) });
    const shop = await startShop();
    const listener = lab.start(`listen --forward-to ${shop.address} --json`, { PORT: String(proxy.port) });
    shop.secret = await secretOf(listener);
    // The account has no event yet: the listener has no id to continue after.
    proxy.cut();
    const ids = [await trigger('payment.created'), await trigger('refund.completed')];
    proxy.heal();
    await expect.poll(() => idsByTime(shop.events), { timeout: 20_000 }).toEqual(ids);
    const { stdout } = await lab.run('trigger payment.completed --json');
    ids.push(JSON.parse(stdout).id);
    await expect.poll(() => shop.events.length, { timeout: 20_000 }).toBe(3);
    proxy.cut();
    ids.push(await trigger('payout.completed'));
    proxy.heal();
    await expect.poll(() => idsByTime(shop.events), { timeout: 20_000 }).toEqual(ids);
    expect([shop.problems, shop.events[2]]).toEqual([[], expect.objectContaining({ type: 'payment.completed' })]);
    const ended = await listener.interrupt();
    expect(ended.code).toBe(0);
    const [ready, ...deliveries] = ended.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(ready).toMatchObject({ forward_to: `http://${shop.address}`, events: ['*'], secret: shop.secret });
    expect(deliveries.map(({ event, status }) => [event, status]).toSorted()).toEqual(
      ids.map(id => [id, 200]).toSorted(),
    );
    expect(ended.stderr).toContain('The connection to the service is back.');
    shop.close();
    await proxy.close();
  });

  it('forwards the chosen types only, shows refused deliveries, and keeps its secret', async () => {
    const shop = await startShop(500);
    const [printed] = (await lab.run('listen --print-secret')).stdout.split('\n');
    shop.secret = printed ?? '';
    const line = `listen --forward-to ${shop.address} --events refund.*,payment_link.paid`;
    const listener = lab.start(line);
    expect(await secretOf(listener)).toBe(printed);
    await trigger('payment.completed');
    const ids = [await trigger('refund.completed'), await trigger('payment_link.paid')];
    await expect.poll(() => idsByTime(shop.events), { timeout: 20_000 }).toEqual(ids);
    shop.close();
    const unreachable = await trigger('refund.failed');
    await expect.poll(() => listener.stdout(), { timeout: 20_000 }).toMatch(new RegExp(`${unreachable} +failed: `));
    const { code, stdout, stderr } = await listener.interrupt();
    expect([code, stderr, shop.problems]).toEqual([0, '', []]);
    expect(stdout).toMatch(new RegExp(`refund\\.completed +${ids[0]} +500 \\(\\d+ ms\\)`));
    expect(stdout).not.toContain('payment.completed');
  });
});

describe('logs tail', () => {
  const callsOf = (text: string) =>
    text
      .split('\n')
      .filter(line => line.endsWith('}'))
      .map(line => JSON.parse(line))
      .map(({ method, path, status, error }) => [method, path, status, error?.code ?? null]);

  it('shows earlier calls, then each call as it happens, and not its own', async () => {
    const { id } = await lab.pay.webhookEndpoints.create({ url: 'http://localhost:4243/', events: ['refund.failed'] });
    const follower = lab.start('logs tail --json --lines 1');
    await expect.poll(() => callsOf(follower.stdout()), { timeout: 20_000 }).toHaveLength(1);
    await lab.pay.webhookEndpoints.delete(id);
    await lab.pay.payments.retrieve('pay_unknown').catch(() => undefined);
    await expect.poll(() => callsOf(follower.stdout()), { timeout: 20_000 }).toHaveLength(3);
    const { code, stdout, stderr } = await follower.interrupt();
    expect([code, stderr, callsOf(stdout)]).toEqual([
      0,
      '',
      [
        ['POST', '/v1/webhook-endpoints', 201, null],
        ['DELETE', `/v1/webhook-endpoints/${id}`, 200, null],
        ['GET', '/v1/payments/pay_unknown', 404, 'resource_missing'],
      ],
    ]);
  });

  it('shows refused calls only, with code and parameter', async () => {
    await lab.pay.payments.retrieve('pay_unknown').catch(() => undefined);
    const follower = lab.start('logs tail --errors --lines 100');
    await expect.poll(() => follower.stdout(), { timeout: 20_000 }).toContain('/v1/payments/pay_unknown');
    await lab.pay.testHelpers.triggerEvent({ type: 'payment.completed' });
    await lab.pay.testHelpers.triggerEvent({ type: 'payment.exploded' }).catch(() => undefined);
    const line =
      /^[\d:]{8} {2}400 {2}POST {4}\/v1\/test_helpers\/events {2}\d+ ms {2}req_\w+ {2}invalid_event_type type$/m;
    await expect.poll(() => follower.stdout(), { timeout: 20_000 }).toMatch(line);
    expect((await follower.interrupt()).stdout).not.toMatch(/ {2}20\d {2}/);
  });
});

describe('payments', () => {
  it('are created with the key of the service on this machine, and shown with their checkout', async () => {
    const { code, stdout, stderr } = await lab.runProcess(`${order} --reference A-7`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^payment {4}pay_\w+\namount {5}42\.00 EUR\nstatus {5}pending \(awaiting_payer\)\n/);
    expect(stdout).toMatch(new RegExp(`^checkout {3}${lab.url}/checkout/`, 'm'));
    expect(stdout).toContain('A-7');
  });

  it('are created, captured, refunded and canceled once under one idempotency key', async () => {
    const twice = async (command: string, key: string) => {
      const first = await json(`${command} --idempotency-key ${key}`);
      expect(await json(`${command} --idempotency-key ${key}`)).toEqual(first);
      return first[0];
    };
    const held = await twice(`${order} --method card --data {"capture_method":"manual"}`, 'order-7');
    await lab.pay.payments.confirm(held.id, { method: 'card', token: 'tok_visa' });
    await twice(`payments capture ${held.id}`, 'capture-7');
    await twice(`payments refund ${held.id} --amount 1000`, 'refund-7');
    expect((await lab.pay.payments.refunds(held.id)).data).toHaveLength(1);
    await twice(`payments cancel ${(await json(order))[0].id}`, 'cancel-8');
  });

  it('are shown without characters that steer the terminal', async () => {
    const steering = 'A\u001b[31m\u0007\u009b2J\u202eB\nC';
    const made = await lab.pay.payments.create({
      amount: 4200,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'ada@example.com' },
      description: steering,
    });
    const { description } = made;
    const text = (await lab.run(`payments get ${made.id}`)).stdout;
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    const { stdout } = await lab.run(`payments get ${made.id} --json`);
    expect(stdout.trimEnd()).not.toMatch(/\p{Cc}|\u202e/u);
    expect(JSON.parse(stdout).description).toBe(description);
  });

  it('are listed, read, captured, refunded and canceled', async () => {
    const [held] = await json(`${order} --method card --data {"capture_method":"manual","metadata":{"order":7}}`);
    expect(held).toMatchObject({ payment_methods: ['card'], metadata: { order: 7 } });
    await lab.pay.payments.confirm(held.id, { method: 'card', token: 'tok_visa' });
    expect(await json(`payments capture ${held.id} --amount 4000`)).toMatchObject([{ status: 'completed' }]);
    const [refund] = await json(`payments refund ${held.id} --amount 1000 --reason duplicate`);
    expect(refund).toMatchObject({ object: 'refund', amount: 1000, reason: 'duplicate' });
    const [open] = await json(order);
    expect((await lab.run(`payments cancel ${open.id}`)).stdout).toContain('failed (canceled)');
    expect((await lab.run(`payments get ${held.id}`)).stdout).toContain('card');
    const [page] = await json('payments list --limit 1 --status completed');
    expect(page).toMatchObject({ object: 'list', data: [{ id: held.id }] });
    expect((await lab.run('payments list')).stdout).toMatch(/^ID +CREATED +AMOUNT[\s\S]*42\.00 EUR +failed +canceled/);
  });
});

describe('test mode', () => {
  it('moves the clock', async () => {
    const [before] = await json('clock show');
    const [after] = await json('clock advance P3D');
    const days = (Date.parse(after.now) - Date.parse(before.now)) / 86_400_000;
    expect(Math.round(days)).toBe(3);
  });

  it('lists the types of events', async () => {
    const [types] = await json('trigger --list');
    expect(types).toEqual(expect.arrayContaining(['payment.completed', 'payout_batch.completed']));
    expect((await lab.run('trigger --list')).stdout.trimEnd().split('\n')).toEqual(types);
  });
});

describe('keys', () => {
  it.each([
    ['through the API', () => ({ PAY_SECRET_KEY: lab.key })],
    ['in the database, without a key', () => ({})],
  ])('are created, used, listed and revoked %s', async (_how, settings) => {
    const [made] = await json('keys create --name Export --scope payments:read', settings());
    expect(made).toMatchObject({ key: expect.stringMatching(/^sk_test_/), scopes: ['payments:read'] });
    expect((await json('payments list', { PAY_SECRET_KEY: made.key }))[0].object).toBe('list');
    const { stdout } = await lab.run('keys list', settings());
    expect(stdout).toMatch(new RegExp(`^${made.id} +secret +sk_test_….{4} +Export +payments:read$`, 'm'));
    expect(stdout).not.toContain(made.key);
    expect((await lab.run(`keys revoke ${made.id}`, settings())).stdout).toBe(`Revoked ${made.id}.\n`);
    expect(await lab.run('payments list', { PAY_SECRET_KEY: made.key })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('invalid_api_key'),
    });
  });
});

describe('more keys than a page has', () => {
  beforeAll(async () => {
    await Promise.all(Array.from({ length: 100 }, () => lab.pay.apiKeys.create({ type: 'secret' })));
  });

  it.each([
    ['through the API', () => ({ PAY_SECRET_KEY: lab.key })],
    ['from the database', () => ({})],
  ])('are listed completely %s', async (_how, settings) => {
    const [list] = await json('keys list', settings());
    expect(new Set(list.map(({ id }: { id: string }) => id)).size).toBeGreaterThan(100);
  });
});

describe('people', () => {
  it('are listed, and let in again with a new password after they lost everything', async () => {
    const call = (path: string, body: object) =>
      fetch(`${lab.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await call('/v1/session', { sandbox: true })).status).toBe(201);
    const [[person]] = await json('people list');
    expect(person.roles).toEqual([expect.stringMatching(/^owner of /)]);
    const start = await lab.run(`people reset ${person.id}`);
    expect(start.stdout).toMatch(/^http:\/\/localhost:\d+\/dashboard\/#start=\w{44}\n$/);
    const unknown = await lab.run('people reset nobody@shop.example');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no person nobody@')]);
  });
});

describe('doctor', () => {
  const statuses = (checks: { check: string; status: string }[]) => checks.map(({ check, status }) => [check, status]);

  it('finds nothing wrong with a service in the sandbox', async () => {
    const mails = await startMailServer();
    const [report] = await json('doctor', { SMTP_URL: mails.url });
    await mails.close();
    expect(report).toMatchObject({ object: 'doctor', status: 'ok' });
    expect(statuses(report.checks)).toEqual(
      ['settings', 'database', 'migrations', 'clock', 'public url', 'service', 'rates', 'stellar', 'mail', 'disk'].map(
        check => [check, 'ok'],
      ),
    );
  });

  it('says of each fault what to do about it', async () => {
    const { code, stdout, stderr } = await lab.run('doctor', {
      PAY_NETWORK: 'testnet',
      PAY_HORIZON_URL: lab.url,
      PAY_STELLAR_RPC_URL: 'http://127.0.0.1:1',
      PAY_SHOP_COLOUR: 'red',
      SMTP_URL: 'smtp://pay:canary@127.0.0.1:1',
      PAY_PUBLIC_URL: 'http://127.0.0.1:1',
    });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).not.toContain('canary');
    for (const line of [
      /^warn {2}settings {4}PAY_SHOP_COLOUR is not a setting\.\n {18}Remove it/m,
      /^fail {2}database {4}It belongs to the network sandbox, but PAY_NETWORK is testnet\.\n {18}Give each/m,
      /^fail {2}stellar {5}Horizon http:\S+ does not answer: its answer is not JSON\n {18}.*PAY_HORIZON_URL/m,
      /^fail {2}stellar {5}RPC http:\/\/127\.0\.0\.1:1 does not answer: .*\n {18}.*PAY_STELLAR_RPC_URL/m,
      /^fail {2}mail {8}127\.0\.0\.1:1 refuses: .*\n {18}Check SMTP_URL/m,
      /^fail {2}service {5}No service answers at http:\/\/127\.0\.0\.1:1: .*\n {18}Start it/m,
      /^warn {2}rates {7}Not checked: the service does not answer\./m,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a wrong setting', { PORT: 'many' }, /^fail {2}settings {4}PORT: takes a whole number from 0 to 65535\n/],
    [
      'no database',
      { DATABASE_URL: 'postgres://pay:canary@127.0.0.1:1/pay' },
      /^fail {2}database {4}127\.0\.0\.1:1\/pay/m,
    ],
  ])('reports %s, without secrets', async (_fault, settings, line) => {
    const { code, stdout } = await lab.run('doctor', settings);
    expect([code, stdout.includes('canary')]).toEqual([1, false]);
    expect(stdout).toMatch(line);
  });

  it('names the migrations that are missing', async () => {
    const database = await createTestDatabase('empty');
    const [report] = await json('doctor', { DATABASE_URL: urlOf(database), PAY_SECRET_KEY: lab.key });
    expect(report.status).toBe('warn');
    expect(report.checks[2]).toMatchObject({ check: 'migrations', message: expect.stringContaining('0001_platform') });
    await database.drop();
  });
});

describe('an error', () => {
  const away = { PORT: '1' };
  it.each<[string, Record<string, string>, number, RegExp]>([
    ['payments get pay/../x', {}, 1, /^"pay\/\.\.\/x" is not an id\n$/],
    ['trigger payment.exploded', {}, 1, /^No event type is called payment\.exploded\..*parameter type/],
    ['clock advance soon', {}, 1, /\(code \w+, parameter advance, request req_\w+\)\n$/],
    ['payments list', { PAY_SECRET_KEY: `sk_test_${'x'.repeat(32)}` }, 1, /code invalid_api_key, request req_\w+\)\n$/],
    ['payments list', away, 1, /^No service answers at http:\/\/localhost:1\. Start it with "pay-checkout serve"/],
    ['payments list --url https://pay.example', {}, 1, /^https:\/\/pay\.example needs an API key\. Give --api-key/],
    ['payments list --url nowhere', {}, 1, /^"nowhere" is not the address of a service\./],
    ['payments list', { PAY_DATA_DIR: '/nowhere/data' }, 1, /There is no database in the data folder \/nowhere\/data/],
    [
      'keys list',
      { DATABASE_URL: 'postgres://pay:canary@127.0.0.1:1/pay' },
      1,
      /^127\.0\.0\.1:1\/pay cannot be used: .*ECONN/,
    ],
    ['keys list', { PAY_DATA_DIR: '/nowhere/data' }, 1, /^There is no database in the data folder \/nowhere\/data\./],
    ['migrate', { PAY_NETWORK: 'moon' }, 1, /^One setting is wrong:\n {2}PAY_NETWORK: takes sandbox/],
    [
      'payments create --amount 42.00',
      {},
      2,
      /^Option '--amount <units>' argument '42\.00' is invalid\. It takes a whole number, such as 4200\. "pay-checkout help"/,
    ],
    ['payments refund', {}, 2, /^Missing required argument 'payment'/],
    ['payments list --colour', {}, 2, /^Unknown option '--colour'/],
    [`${order} --data [1]`, {}, 2, /^--data takes a JSON object/],
    ['trigger', {}, 2, /^Which event\?/],
    ['listen', {}, 2, /^--forward-to takes the address/],
    [
      'listen --forward-to localhost:1 --events payment.exploded',
      {},
      2,
      /^No event type is called "payment\.exploded"/,
    ],
  ])('of "%s" with %j ends with %i', async (line, settings, code, sentence) => {
    const ended = await lab.run(line, settings);
    expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(sentence) });
  });
});

describe('a process', () => {
  it.each([
    ['--version', 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [
      'payments get pay_unknown',
      1,
      /^$/,
      /^No payment pay_unknown exists\..*\(code resource_missing, parameter id, request req_\w+\)\n$/,
    ],
    ['migrat', 2, /^$/, /^Unknown command 'migrat' \(Did you mean migrate\?\)/],
  ])('of "%s" ends with %i', async (line, code, stdout, stderr) => {
    const ended = await lab.runProcess(line);
    expect(ended).toEqual({ code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) });
  });
});

describe('help', () => {
  it.each([
    [
      '--help',
      /serve[\s\S]*migrate[\s\S]*keys[\s\S]*people[\s\S]*listen[\s\S]*trigger[\s\S]*logs[\s\S]*payments[\s\S]*clock[\s\S]*Examples:/,
    ],
    ['help payments', /create[\s\S]*list[\s\S]*refund[\s\S]*Examples:/],
    ['payments create --help', /--amount <units>[\s\S]*Global Options:[\s\S]*--json[\s\S]*Examples:/],
    ['serve --help', /Examples:[\s\S]*DATABASE_URL/],
    ['listen --help', /--forward-to <url>[\s\S]*Examples:/],
  ])('%s', async (line, text) => {
    expect(await lab.run(line)).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: '' });
  });
});

it.each([
  ['pay-checkout pay', ['payments']],
  ['pay-checkout payments re', ['refund']],
  ['pay-checkout payments create --cur', ['--currency']],
  ['pay-checkout-server keys ', ['create', 'list', 'revoke', '--json', '--api-key', '--url', '--help']],
])('completes “%s” in bash', async (typed, words) => {
  const { stdout: script } = await lab.run('completion bash');
  const given = typed.split(' ').map(word => `'${word}'`);
  const press = `COMP_WORDS=(${given.join(' ')}); COMP_CWORD=${given.length - 1}; _pay_checkout; echo "\${COMPREPLY[*]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\n${press}`]);
  expect(stdout.trim().split(' ')).toEqual(words);
});

it('migrate says which migrations it applied, and does nothing the second time', async () => {
  const database = await createTestDatabase('empty');
  const settings = { DATABASE_URL: urlOf(database) };
  const early = await runCommand(['keys', 'list'], settings);
  expect(early).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ lacks migrations\. Run "pay-checkout migrate"/),
  });
  const first = await runProcess(['migrate'], settings);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^Applied to .*:\n {2}0001_platform\n[\s\S]*The newest migration is \d+\.\n$/);
  const second = await runCommand(['migrate', '--json'], settings);
  expect(JSON.parse(second.stdout)).toMatchObject({ applied: [], version: expect.any(Number) });
  expect(second.stdout).not.toMatch(/:[^"]*@/);
  await database.drop();
});
