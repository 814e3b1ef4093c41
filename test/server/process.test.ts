import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { encodeStrkey } from '../../src/core/stellar/strkey.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { chargesIn, killBeforeBooking } from '../support/killed-call.ts';
import { type ServerProcess, servedCommand, startServerProcess } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
// Tests start servers, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });
/** Ends what a test has opened, newest first. Tests that run side by side cannot share `afterEach`. */
type Test = Pick<TestContext, 'onTestFinished'>;

/** A database of the test: migrated, which saves the start its migrations, or `empty`. */
async function open({ onTestFinished }: Test, content?: 'empty'): Promise<TestDatabase> {
  const database = await createTestDatabase(content);
  onTestFinished(() => database.drop());
  return database;
}

async function start({ onTestFinished }: Test, settings: Record<string, string>): Promise<ServerProcess> {
  const server = await startServerProcess(settings);
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

/** Starts a server that must fail. Returns its exit code and output. */
function fail(settings: Record<string, string>): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, servedCommand(), {
    cwd: root,
    env: { ...process.env, ...settings },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (printed = `${printed}${bytes}`));
  return new Promise(resolve => child.once('exit', code => resolve({ code, printed })));
}

const keysIn = (text: string) => [/sk_test_\w+/.exec(text)?.[0], /pk_test_\w+/.exec(text)?.[0]];
const account = (url: string, key = '') => fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });

describe('the first start', () => {
  it('prints keys and a working curl command; after a SIGKILL, the next start finishes an open charge', async test => {
    const database = await open(test, 'empty');
    const settings = { DATABASE_URL: urlOf(database) };
    const first = await start(test, settings);
    const curl = first.output().match(/^curl [\s\S]+?'\{.*\}'$/m)?.[0] ?? '';
    const { stdout } = await run('sh', ['-c', `${curl.replace('curl', 'curl -s')}`]);
    const payment = JSON.parse(stdout);
    expect(payment).toMatchObject({ object: 'payment', status: 'pending' });
    expect(
      first
        .output()
        .trimEnd()
        .split('\n')
        .filter(line => !line.startsWith('{'))
        .at(-1),
    ).toBe(`ready ${first.url}`);
    const [address, ...others] = first.output().match(/\S+\/dashboard\/\S*/g) ?? [];
    expect([address, others]).toEqual([
      expect.stringMatching(/^http:\/\/localhost:\d+\/dashboard\/#start=\w{44}$/),
      [],
    ]);
    const entered = await fetch(`${first.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ start_token: address?.split('=')[1] }),
    });
    expect([entered.status, await entered.json()]).toMatchObject([201, { role: 'owner' }]);
    const confirm = await killBeforeBooking(database, first, {
      key: keysIn(first.output())[0] ?? '',
      paymentId: payment.id,
    });
    const second = await start(test, settings);
    expect(keysIn(second.output())).toEqual(keysIn(first.output()));
    expect(keysIn(second.output())).not.toContain(undefined);
    // The claim of the killed call ends within ten seconds.
    await expect
      .poll(async () => (await confirm(second.url)).json(), { timeout: 10_000, interval: 250 })
      .toMatchObject({ id: payment.id, status: 'completed', method: 'card' });
    expect(await chargesIn(database)).toBe(1);
  });

  it('of three concurrent replicas migrates once and creates one merchant', async test => {
    const database = await open(test, 'empty');
    const settings = { DATABASE_URL: urlOf(database), PAY_PUBLIC_URL: 'https://pay.example' };
    const replicas = await Promise.all(
      [{}, {}, { PAY_ROLE: 'worker' }].map(own => start(test, { ...settings, ...own })),
    );
    expect(replicas.map(({ url }) => url)).toEqual(Array(3).fill('https://pay.example'));
    const [api, second] = replicas.map(replica => keysIn(replica.output()));
    expect(second).toEqual(api);
    const { rows } = await database.pool.query('select count(*)::int as merchants from merchants');
    expect(rows).toEqual([{ merchants: 1 }]);
  });

  it('uses the keys of the settings at every start, and never prints them', async test => {
    const secret = `sk_test_${'a'.repeat(32)}`;
    const publishable = `pk_test_${'b'.repeat(32)}`;
    const DATABASE_URL = urlOf(await open(test));
    const settings = { DATABASE_URL, PAY_SECRET_KEY: secret, PAY_PUBLISHABLE_KEY: publishable };
    const first = await start(test, settings);
    const [second, without] = await Promise.all([start(test, settings), start(test, { DATABASE_URL })]);
    for (const server of [first, second]) {
      const shown = server.output() + (await (await fetch(`${server.url}/`)).text());
      expect([shown.includes(secret), shown.includes(publishable)]).toEqual([false, false]);
      expect(shown).toContain('-H "Authorization: Bearer $PAY_SECRET_KEY"');
      expect((await account(server.url, secret)).status).toBe(200);
    }
    expect(without.output()).toContain('sk_test_YOUR_SECRET_KEY');
    expect(without.output()).not.toContain(secret);
  });
});

describe('a first start in live mode', () => {
  const seed = createHash('sha256').update('process').digest();
  const secret = encodeStrkey('S', seed);

  it('creates live keys and prints them once, and no output contains the seed', async test => {
    const reports = await mkdtemp(join(tmpdir(), 'pay-report-'));
    const settings = {
      DATABASE_URL: urlOf(await open(test)),
      PAY_NETWORK: 'public',
      PAY_TREASURY_SECRET: secret,
      // No node answers there: the server starts nevertheless, and reports it.
      PAY_HORIZON_URL: 'http://127.0.0.1:1',
      NODE_OPTIONS: `--report-on-signal --report-directory=${reports}`,
    };
    const first = await start(test, settings);
    const live = [/sk_live_\w+/.exec(first.output())?.[0], /pk_live_\w+/.exec(first.output())?.[0]];
    expect(live).not.toContain(undefined);
    expect(first.output()).not.toContain('_test_');
    expect(first.output()).toContain('SMTP_URL is not set: mails wait');
    expect((await account(first.url, live[0])).status).toBe(200);
    const page = await (await fetch(`${first.url}/`)).text();
    expect(live.filter(key => page.includes(key ?? ''))).toEqual([]);
    first.process.kill('SIGUSR2');
    await expect.poll(() => readdir(reports)).toHaveLength(1);
    await expect.poll(async () => (await readReport(reports)).endsWith('}\n')).toBe(true);
    const report = await readReport(reports);
    expect(report).toContain('PAY_NETWORK');
    expect([report.includes(secret), first.output().includes(secret)]).toEqual([false, false]);
    expect(await first.stop()).toBe(0);
    const second = await start(test, settings);
    expect(second.output()).toContain('the key you made (only its hash is kept)');
    expect(second.output()).not.toContain('_live_');
    await rm(reports, { recursive: true });
  });
});

async function readReport(folder: string): Promise<string> {
  const [file = ''] = await readdir(folder);
  return await readFile(join(folder, file), 'utf8');
}

// Concurrent, because these tests mostly wait for the starts and ends of processes.
describe.concurrent('an impossible start', () => {
  let database: TestDatabase;
  let running: ServerProcess;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.pool.query(
      "insert into schema_migrations (version, name, checksum, is_breaking) values (99, '0099_newer', 'x', false)",
    );
    running = await startServerProcess({ DATABASE_URL: urlOf(database), PAY_SHOP_COLOUR: 'red' });
  });
  afterAll(async () => {
    await running?.stop('SIGKILL');
    await database?.drop();
  });

  it('lists all errors of the settings, without secrets', async () => {
    const { code, printed } = await fail({
      PORT: '70000',
      PAY_PUBLIC_URL: 'pay.example',
      PAY_NETWORK: 'mainnet',
      PAY_ROLE: 'boss',
      PAY_SECRET_KEY: 'canarycanarycanary',
      DATABASE_URL: 'mysql://root:canary@localhost/x',
    });
    expect(code).toBe(1);
    expect(printed.trim().split('\n')).toHaveLength(7);
    for (const name of ['PORT', 'PAY_PUBLIC_URL', 'PAY_NETWORK', 'PAY_ROLE', 'PAY_SECRET_KEY', 'DATABASE_URL']) {
      expect(printed).toContain(`  ${name}: `);
    }
    expect(printed).toContain('PAY_NETWORK: takes sandbox, testnet, public');
    expect(printed).not.toContain('canary');
  });

  it('in live mode requires the treasury’s seed or a signing service, and live keys', async () => {
    const { code, printed } = await fail({
      PAY_NETWORK: 'public',
      PAY_SECRET_KEY: `sk_test_${'canary'.repeat(4)}`,
      PAY_TREASURY_DAY_CAPS: 'XLM=many',
      PAY_TREASURY_ADDRESS: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
    });
    expect(code).toBe(1);
    const lines = printed.trim().split('\n');
    expect(lines.slice(1).map(line => line.trim().split(':')[0])).toEqual([
      'PAY_TREASURY_KMS_URL',
      'PAY_TREASURY_SECRET',
      'PAY_TREASURY_DAY_CAPS',
      'PAY_SECRET_KEY',
    ]);
    expect(printed).toContain('the public network needs the secret seed (S…) of the treasury');
    expect(printed).not.toContain('canary');
  });

  it('names every invalid setting, and does not blame the database', async () => {
    const { code, printed } = await fail({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      PAY_TREASURY_DAY_CAPS: 'XLM',
      PAY_TREASURY_TRANSACTION_CAPS: 'USDC=1,USDC=2',
      PAY_TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.0/99',
      PAY_RATE_LIMT: '5',
    });
    expect(code).toBe(1);
    expect(printed.trim().split('\n').slice(1).sort()).toEqual([
      '  PAY_RATE_LIMT: is not a setting. Did you mean PAY_RATE_LIMIT?',
      '  PAY_TREASURY_DAY_CAPS: takes amounts by asset such as XLM=5000,USDC=2500.50,*=0; “XLM” is not one',
      '  PAY_TREASURY_TRANSACTION_CAPS: names an asset twice',
      '  PAY_TRUSTED_PROXIES: "10.0.0.0/99" is not an address or CIDR range',
    ]);
  });

  it.each([
    ['HOST', 'nowhere.invalid', /^The service could not start\. HOST is nowhere\.invalid, [^()]*\n$/],
    ['HOST', '192.0.2.1', /^The service could not start\. HOST is 192\.0\.2\.1, [^()]*\n$/],
    ['PAY_TREASURY_DAY_CAPS', 'NONE=5', /^The service could not start\. PAY_TREASURY_DAY_CAPS: takes [^()]*\n$/],
  ])('names %s alone when it is %s', async (name, value, sentence) => {
    const { code, printed } = await fail({ DATABASE_URL: urlOf(database), PORT: '0', [name]: value });
    expect(code).toBe(1);
    expect(printed).toMatch(sentence);
  });

  it('warns of unknown settings that resemble known ones', () => {
    const warning = running
      .output()
      .split('\n')
      .find(line => line.includes('PAY_SHOP_COLOUR'));
    expect(JSON.parse(warning ?? '')).toMatchObject({ level: 40, setting: 'PAY_SHOP_COLOUR' });
  });

  it('is not one on a database that a newer server has migrated, and the server reports how far', async () => {
    const { rows } = await database.pool.query(
      'select max(version) as known from schema_migrations where version < 99',
    );
    const { status, remarks } = await (await fetch(`${running.url}/readyz`)).json();
    expect([status, remarks]).toEqual([
      'ready',
      expect.arrayContaining([`database: schema 99 is newer than this server's (${rows[0].known})`]),
    ]);
  });

  it('reports in one line that the port is in use, or that the database does not answer', async () => {
    const taken = await fail({ DATABASE_URL: urlOf(database), PORT: new URL(running.url).port, HOST: '127.0.0.1' });
    expect(taken).toEqual({
      code: 1,
      printed: expect.stringMatching(/^The service could not start\. Port \d+ of .* is taken\..*\n$/),
    });
    const away = await fail({ DATABASE_URL: 'postgres://nobody:canary@127.0.0.1:1/none', PORT: '0' });
    expect(away.code).toBe(1);
    expect(away.printed).toMatch(/^The service could not start\. .*DATABASE_URL.*\n$/);
    expect(away.printed).not.toContain('canary');
  });
});

describe.concurrent('a slow database', () => {
  it('delays a start, but a request fails', async test => {
    const database = await open(test);
    // Not from the pool, which closes silent connections.
    const holder = new pg.Client(database.connection);
    await holder.connect();
    const hold = () => holder.query('begin; lock table merchants in access exclusive mode');
    await hold();
    const starting = start(test, { DATABASE_URL: urlOf(database) });
    starting.catch(() => undefined);
    await new Promise(resolve => setTimeout(resolve, 6_000));
    await holder.query('commit');
    const server = await starting;
    expect(server.readyMs).toBeGreaterThan(6_000);
    const [key] = keysIn(server.output());
    expect((await account(server.url, key)).status).toBe(200);
    await hold();
    const began = performance.now();
    const name = { method: 'PATCH', body: '{"name":"x"}' };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    expect((await fetch(`${server.url}/v1/account`, { ...name, headers })).status).toBe(503);
    expect(performance.now() - began).toBeLessThan(6_000);
    await holder.end();
  });
});

describe('a stop', () => {
  it('completes requests, ends streams, refuses new connections and exits with 0', async test => {
    const database = await open(test);
    const server = await start(test, { DATABASE_URL: urlOf(database) });
    const [key = ''] = keysIn(server.output());
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const stream = await fetch(`${server.url}/v1/events/stream`, { headers });
    expect(stream.status).toBe(200);
    const holder = await database.pool.connect();
    await holder.query('begin; select * from merchants for update');
    const { port } = new URL(server.url);
    const line = openLine(Number(port));
    line.send(
      `PATCH /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"name":"Done"}`,
    );
    await new Promise(resolve => setTimeout(resolve, 300));
    const began = performance.now();
    const stopped = server.stop('SIGTERM');
    const knock = () =>
      fetch(`${server.url}/healthz`).then(
        () => 'open',
        () => 'closed',
      );
    await expect.poll(knock, { timeout: 5_000 }).toBe('closed');
    line.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise(resolve => setTimeout(resolve, 1_000));
    await holder.query('commit');
    holder.release();
    expect(await line.answers).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*"name":"Done"[\s\S]*HTTP\/1\.1 503[\s\S]*"status":"draining"/,
    );
    for await (const _ of stream.body ?? []);
    expect(await stopped).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
  }, 30_000);

  it('happens at once when it is requested twice', async test => {
    const database = await open(test);
    const server = await start(test, { DATABASE_URL: urlOf(database) });
    const [key = ''] = keysIn(server.output());
    const holder = await database.pool.connect();
    await holder.query('begin; select * from merchants for update');
    const hanging = fetch(`${server.url}/v1/account`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"name":"x"}',
    }).catch(() => 'cut');
    await new Promise(resolve => setTimeout(resolve, 300));
    server.process.kill('SIGINT');
    await expect.poll(() => server.output(), { timeout: 10_000 }).toContain('"msg":"stopping"');
    const began = performance.now();
    // A signal just after the first counts as its repetition by npm.
    const impatient = setInterval(() => server.process.kill('SIGINT'), 100);
    const code = await server.stop('SIGINT');
    clearInterval(impatient);
    const tookMs = performance.now() - began;
    const answer = await hanging;
    await holder.query('rollback');
    holder.release();
    // A hanging request would delay a graceful stop by more than nine seconds.
    expect([code, answer, tookMs < 2_000]).toEqual([1, 'cut', true]);
  });
});

describe('a signal to the process group of npm', () => {
  // The first start makes the database, which takes as long as the start of a server.
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pay-group-'));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  /** Starts `npm run serve` in a group of its own, on an embedded PostgreSQL. */
  async function startGroup(test: Test) {
    const settings = { PORT: '0', HOST: '127.0.0.1', PAY_DATA_DIR: dataDir, DATABASE_URL: '' };
    const npm = spawn('npm', ['run', 'serve'], { cwd: root, detached: true, env: { ...process.env, ...settings } });
    let printed = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', bytes => (printed = `${printed}${bytes}`));
    await expect.poll(() => printed, { timeout: 50_000 }).toContain('\nready ');
    const postgres = Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
    test.onTestFinished(() => {
      for (const id of [-(npm.pid ?? 0), postgres]) if (runs(id)) process.kill(id, 'SIGKILL');
    });
    return { group: -(npm.pid ?? 0), postgres };
  }

  const runs = (id: number) => {
    try {
      return process.kill(id, 0);
    } catch {
      return false;
    }
  };

  it.each<readonly [string, (ids: { group: number; postgres: number }) => void]>([
    ['SIGTERM', ({ group }) => void process.kill(group, 'SIGTERM')],
    [
      'Ctrl-C twice',
      ({ group }) => {
        process.kill(group, 'SIGINT');
        setTimeout(() => runs(group) && process.kill(group, 'SIGINT'), 600);
      },
    ],
    [
      'SIGTERM, also to PostgreSQL',
      ({ group, postgres }) => {
        for (const id of [postgres, group]) process.kill(id, 'SIGTERM');
      },
    ],
  ])('ends the server and its PostgreSQL: %s', async (_, end) => {
    const started = await startGroup({ onTestFinished });
    end(started);
    await expect.poll(() => runs(started.group), { timeout: 15_000 }).toBe(false);
    await expect.poll(() => runs(started.postgres), { timeout: 5_000 }).toBe(false);
  });
});

/** A connection. `answers` resolves to all answers when the connection ends. */
function openLine(port: number): { send(request: string): void; readonly answers: Promise<string> } {
  let text = '';
  const socket = connect(port, '127.0.0.1').on('data', bytes => {
    text += bytes;
  });
  const answers = new Promise<string>((resolve, reject) => {
    socket.on('close', () => resolve(text)).on('error', reject);
  });
  return { send: request => void socket.write(request), answers };
}
