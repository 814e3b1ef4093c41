import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { PayError } from '../../../src/core/error.ts';
import { newId } from '../../../src/core/id.ts';
import { findMerchant } from '../../../src/server/merchants/merchant.store.ts';
import type { Db } from '../../../src/server/platform/db/database.ts';
import type { Sweeper } from '../../../src/server/platform/jobs/sweeper.ts';
import { createMailSweep, type MailOptions } from '../../../src/server/platform/mail/mail.jobs.ts';
import { type NewMail, queueMails } from '../../../src/server/platform/mail/mail.ts';
import type { MailDocuments } from '../../../src/server/platform/mail/mail-documents.ts';
import { createMailTransport } from '../../../src/server/platform/mail/smtp-transport.ts';
import { reachThrough } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import { createWatchedSweeper } from '../../support/watched-sweeper.ts';
import { saying } from './mail-content.ts';

let database: TestDatabase;
let server: MailServer;
let merchantId: string;
const sweepers: Sweeper[] = [];
const logged: string[] = [];
const keepLine = (details: object, message: string) => void logged.push(`${message} ${JSON.stringify(details)}`);
const log = { info: keepLine, warn: keepLine, error: keepLine };

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startMailServer();
  merchantId = newId('account');
  await database.db.insertInto('merchants').values({ id: merchantId, name: 'Shop' }).execute();
});
afterEach(async () => {
  for (const sweeper of sweepers.splice(0)) await sweeper.stop();
  server.onMessage = null;
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

interface WorkerChanges {
  readonly db?: Db;
  /** The URL of the mail server; null: SMTP_URL is not set. */
  readonly url?: string | null;
  readonly documents?: MailDocuments;
  readonly options?: Partial<MailOptions>;
  /** Longest time to open a connection, in milliseconds. */
  readonly silenceMs?: number;
}

function addWorker(changes: WorkerChanges = {}): Sweeper {
  const { db } = { ...database, ...changes };
  const sweeper: Sweeper = createWatchedSweeper({
    db,
    log,
    sweeps: [
      createMailSweep({
        db,
        log,
        clock: systemClock,
        from: () => 'billing@pay.example',
        count: () => undefined,
        onGivenUp: async () => undefined,
        transport: changes.url === null ? null : createMailTransport(changes.url ?? server.url, changes.silenceMs),
        findMerchant: async id => (await findMerchant(db, id)) ?? Promise.reject(new Error(`there is no ${id}`)),
        documents: changes.documents ?? { draw: async () => 'outdated' },
        wake: name => sweeper.wake(name),
        ...(changes.options && { options: changes.options }),
      }),
    ],
  });
  sweepers.push(sweeper);
  return sweeper;
}

let count = 0;
async function queue(howMany: number, changes: Partial<NewMail> = {}): Promise<string[]> {
  const mails = Array.from({ length: howMany }, (): NewMail => {
    count++;
    return {
      merchantId,
      livemode: true,
      resource: { type: 'invoice', id: 'inv_fault' },
      dedupeKey: `fault:${count}`,
      subject: 'A mail',
      attachments: [],
      replyTo: null,
      content: saying('Hello'),
      now: systemClock.now(),
      to: { email: `reader-${count}@reader.example` },
      ...changes,
    };
  });
  await queueMails(database.db, mails);
  return mails.map(({ to }) => to.email);
}

const states = async () =>
  await database.db
    .selectFrom('mails')
    .select(['to_email', 'status', 'attempts', 'last_error', 'due_at', 'sending', 'doubtful'])
    .orderBy('created_at')
    .execute();
const stateOf = async (address: string) => (await states()).find(({ to_email }) => to_email === address);

/** Ends the lease of the mail's worker. */
const endLease = async (address: string) =>
  await database.db
    .updateTable('mails')
    .set({ due_at: sql<Date>`now() - interval '1 second'` })
    .where('to_email', '=', address)
    .execute();

it('three servers on one database send each mail once', async () => {
  const addresses = await queue(90);
  const workers = [addWorker(), addWorker(), addWorker()];
  await Promise.all(workers.map(worker => worker.runAll()));
  for (const address of addresses) expect(server.to(address)).toHaveLength(1);
  expect((await states()).every(({ status }) => status === 'sent')).toBe(true);
});

it('an unavailable server counts as no attempt, and is used again when it returns', async () => {
  const gone = await startMailServer();
  await gone.close();
  const [address = ''] = await queue(5);
  const worker = addWorker({ url: gone.url });
  await worker.runAll();
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 0 });
  const back = await startMailServer(gone.port);
  worker.start();
  await expect.poll(() => back.received.length, { timeout: 10_000 }).toBe(5);
  await worker.stop();
  await back.close();
});

it('a mail whose reason has ended is not sent', async () => {
  const [address = ''] = await queue(1, { attachments: [{ kind: 'reminder', id: 'rem_1' }] });
  await addWorker().runAll();
  expect(server.to(address)).toEqual([]);
  expect(await stateOf(address)).toMatchObject({ status: 'canceled' });
});

const paper = { filename: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') };

describe('documents that cannot be drawn now', () => {
  const attachments = [{ kind: 'invoice', id: 'inv_1' }] as const;
  /** Number of drawing requests. */
  let asked: number;
  let isBusy: boolean;
  let retryAfterSeconds: number;
  const documents: MailDocuments = {
    draw: async () => {
      asked++;
      if (isBusy) throw new PayError('unavailable', 'Too many are being drawn.', { retryAfterSeconds });
      return paper;
    },
  };
  beforeEach(async () => {
    await database.db.deleteFrom('mails').execute();
    [asked, isBusy, retryAfterSeconds] = [0, true, 60];
  });
  afterEach(async () => void (await database.db.deleteFrom('mails').execute()));

  it('cost their mail no attempt, and it is sent when they can be drawn', async () => {
    retryAfterSeconds = 1;
    const [address = ''] = await queue(1, { attachments });
    const before = Date.now();
    const worker = addWorker({ documents });
    await worker.runAll();
    const state = await stateOf(address);
    expect(state).toMatchObject({ status: 'queued', attempts: 0 });
    expect(Number(state?.due_at)).toBeGreaterThanOrEqual(before + 1_000);
    expect(Number(state?.due_at)).toBeLessThan(Date.now() + 1_000);
    isBusy = false;
    worker.start();
    await expect.poll(() => server.to(address), { timeout: 10_000 }).toHaveLength(1);
    await expect.poll(() => stateOf(address)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('do not delay mails without documents, and are not requested for every waiting mail', async () => {
    await queue(12, { attachments });
    await sleep(20);
    const [plain = ''] = await queue(1);
    logged.length = 0;
    await addWorker({ documents }).runAll();
    expect(server.to(plain)).toHaveLength(1);
    expect(asked).toBe(4);
    expect(logged.filter(line => line.includes('cannot be drawn now'))).toHaveLength(1);
  });

  it('leave their mails to the process with a mail server', async () => {
    await queue(12, { attachments, livemode: false });
    await addWorker({ documents }).runAll();
    await addWorker({ url: null, options: { keepSeconds: 0 } }).runAll();
    expect(new Set((await states()).map(({ status }) => status))).toEqual(new Set(['queued']));
  });

  it('that take long are abandoned by a stopping process, and their mail is free for others', async () => {
    const [address = ''] = await queue(1, { attachments });
    const drawing = Promise.withResolvers<void>();
    const slow: MailDocuments = {
      draw: async (_mail, _attachment, signal) => {
        drawing.resolve();
        await sleep(20_000, undefined, { signal });
        return paper;
      },
    };
    const worker = addWorker({ documents: slow, options: { graceSeconds: 0.3 } });
    worker.start();
    await drawing.promise;
    const began = performance.now();
    await worker.stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    const state = await stateOf(address);
    expect(state).toMatchObject({ status: 'queued', attempts: 0, sending: false });
    expect(Number(state?.due_at)).toBeLessThanOrEqual(Date.now());
  });
});

it('a worker whose lease has expired stops before the end of the message', async () => {
  const [address = ''] = await queue(1, { attachments: [{ kind: 'invoice', id: 'inv_1' }] });
  const drawing = Promise.withResolvers<void>();
  const drawn = Promise.withResolvers<typeof paper>();
  const documents: MailDocuments = {
    draw: async () => {
      drawing.resolve();
      return await drawn.promise;
    },
  };
  const slowWorker = addWorker({ documents }).runAll();
  await drawing.promise;
  await endLease(address);
  await addWorker({ documents: { draw: async () => paper } }).runAll();
  drawn.resolve(paper);
  await slowWorker;
  await sleep(200);
  expect(server.to(address)).toHaveLength(1);
  expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 2 });
});

it('the result of an expired lease does not replace the current attempt’s result', async () => {
  const [address = ''] = await queue(1, { attachments: [{ kind: 'invoice', id: 'inv_1' }] });
  let drawing = 0;
  const otherMayDraw = Promise.withResolvers<void>();
  const slowMayEnd = Promise.withResolvers<void>();
  const documents: MailDocuments = {
    draw: async () => {
      if (++drawing === 2) {
        await otherMayDraw.promise;
        return paper;
      }
      await slowMayEnd.promise;
      return 'outdated';
    },
  };
  const slowWorker = addWorker({ documents, options: { leaseSeconds: 0.5, marginSeconds: 0 } }).runAll();
  await expect.poll(() => drawing, { timeout: 5_000 }).toBe(1);
  await sleep(600);
  const otherWorker = addWorker({ documents }).runAll();
  await expect.poll(() => drawing, { timeout: 5_000 }).toBe(2);
  slowMayEnd.resolve();
  await slowWorker;
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 2 });
  otherMayDraw.resolve();
  await otherWorker;
  expect(server.to(address)).toHaveLength(1);
  expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 2 });
});

it('when a worker is killed after the server accepted a mail, another sends the same mail again', async () => {
  const [address = ''] = await queue(1);
  const before = server.ended();
  const worker = spawnWorker();
  server.onMessage = async ended => {
    if (ended === before + 1) worker.kill('SIGKILL');
    await sleep(100);
  };
  await once(worker, 'exit');
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 1, doubtful: true });
  server.onMessage = null;
  const otherWorker = addWorker();
  await otherWorker.runAll();
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 1 });
  await endLease(address);
  await otherWorker.runAll();
  expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 2 });
  // The mail arrived twice, with the same Message-ID: the first worker died before the server's answer.
  expect(new Set(server.to(address).map(({ email }) => email.messageId)).size).toBe(1);
  expect(server.to(address)).toHaveLength(2);
});

describe('a database failure just after the server accepted the mail', () => {
  it.each(['works', 'stops'])('is retried by a process that %s, and the mail is sent once', async life => {
    let line: FaultProxy | undefined;
    const far = await reachThrough(database, async target => {
      line = await startFaultProxy(target);
      return line.port;
    });
    const [address = ''] = await queue(1);
    server.onMessage = async () => line?.cut();
    logged.length = 0;
    const worker = addWorker({ db: far.db });
    worker.start();
    await expect.poll(() => logged.join(), { timeout: 5_000 }).toContain('the outcome of a mail could not be stored');
    const stopped = life === 'stops' ? worker.stop() : null;
    line?.heal();
    if (stopped === null) await expect.poll(async () => (await stateOf(address))?.status).toBe('sent');
    await stopped;
    expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 1, sending: false });
    expect(server.to(address)).toHaveLength(1);
    await worker.stop();
    await far.close();
    await line?.close();
  });
});

describe('after the end of a message', () => {
  it('a server may take long to answer: the mail is sent once', async () => {
    const [address = ''] = await queue(1);
    server.onMessage = async () => await sleep(1_000);
    await addWorker({ silenceMs: 400 }).runAll();
    expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 1, last_error: null });
    expect(server.to(address)).toHaveLength(1);
  });

  it('no other worker claims the mail while the first waits for the answer', async () => {
    const [address = ''] = await queue(1);
    const before = server.ended();
    const answered = Promise.withResolvers<void>();
    server.onMessage = () => answered.promise;
    const options = { leaseSeconds: 1, marginSeconds: 0, answerSeconds: 60 };
    const waiting = addWorker({ options }).runAll();
    await expect.poll(() => server.ended(), { timeout: 5_000 }).toBe(before + 1);
    await sleep(1_000);
    await addWorker({ options }).runAll();
    expect(server.ended()).toBe(before + 1);
    answered.resolve();
    await waiting;
    expect(await stateOf(address)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(server.to(address)).toHaveLength(1);
  });

  it('a lost connection before the answer counts as an attempt, and the next one waits', async () => {
    const [address = ''] = await queue(1);
    server.onMessage = async (_, hangUp) => hangUp();
    const before = server.ended();
    const worker = addWorker();
    for (let look = 0; look < 4; look++) {
      await worker.runAll();
      await sleep(50);
    }
    expect(server.ended() - before).toBe(1);
    const state = await stateOf(address);
    expect(state).toMatchObject({ status: 'queued', attempts: 1, last_error: expect.stringContaining('ECONNECTION') });
    expect(Number(state?.due_at)).toBeGreaterThan(Date.now() + 50_000);
  });

  it('a missing answer is abandoned in the end', async () => {
    const [address = ''] = await queue(1);
    server.onMessage = () => new Promise(() => undefined);
    const options = { marginSeconds: 0, answerSeconds: 0.3 };
    await addWorker({ options }).runAll();
    const state = await stateOf(address);
    expect(state).toMatchObject({ status: 'queued', attempts: 1, doubtful: true, sending: false });
    await database.db
      .updateTable('mails')
      .set({ attempts: 11, due_at: new Date(0) })
      .where('to_email', '=', address)
      .execute();
    await addWorker({ options }).runAll();
    expect(await stateOf(address)).toMatchObject({ status: 'failed', attempts: 12 });
  });

  it('a stopping process does not wait for the answer, and records that it is unknown', async () => {
    const [address = ''] = await queue(1);
    const before = server.ended();
    server.onMessage = () => new Promise(() => undefined);
    const worker = addWorker({ options: { graceSeconds: 0.3 } });
    worker.start();
    await expect.poll(() => server.ended(), { timeout: 5_000 }).toBe(before + 1);
    const began = performance.now();
    await worker.stop();
    expect(performance.now() - began).toBeLessThan(2_300);
    const state = await stateOf(address);
    expect(state).toMatchObject({ status: 'queued', attempts: 1, doubtful: true, sending: false });
    expect(Number(state?.due_at)).toBeGreaterThan(Date.now() + 50_000);
  });
});

it('a silent server is abandoned soon, and the mail loses no attempt', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  const [address = ''] = await queue(1);
  const worker = addWorker({ url: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, silenceMs: 300 });
  const began = performance.now();
  await worker.runAll();
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 0 });
  await worker.stop();
  silent.close();
});

async function startStrictServer(command: string) {
  const strict = createServer(socket => {
    socket.on('error', () => undefined).write('220 mail.example\r\n');
    socket.on('data', data => {
      const asked = data.toString().slice(0, 4);
      if (asked === command) socket.write('550 5.7.1 not you, x@y.example\r\n');
      else socket.write(asked === 'EHLO' ? '250-mail.example\r\n250 AUTH PLAIN\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>(resolve => strict.listen(0, '127.0.0.1', resolve));
  return { place: `127.0.0.1:${(strict.address() as AddressInfo).port}`, close: () => strict.close() };
}

it.each([
  ['AUTH', 'smtp://me:wrong@', 'the mail server refuses the login of SMTP_URL'],
  ['MAIL', 'smtp://', 'the mail server refuses the sender, PAY_MAIL_FROM'],
])('a server that refuses at %s: the log names the setting', async (command, scheme, sentence) => {
  const strict = await startStrictServer(command);
  const [address = ''] = await queue(1);
  const worker = addWorker({ url: `${scheme}${strict.place}` });
  await worker.runAll();
  expect(await stateOf(address)).toMatchObject({ status: 'queued', attempts: 0 });
  expect(logged.at(-1)).toContain(`${sentence}; mails wait`);
  expect(logged.at(-1)).toContain('550');
  expect(logged.at(-1)).not.toContain('x@y.example');
  await worker.stop();
  strict.close();
});

it('a server that refuses the login is tried with one mail at a time', async () => {
  await database.db.deleteFrom('mails').execute();
  const strict = await startStrictServer('MAIL');
  await queue(4);
  await sleep(20);
  const [last = ''] = await queue(1);
  const worker = addWorker({ url: `smtp://${strict.place}` });
  await worker.runAll();
  expect(await stateOf(last)).toMatchObject({ last_error: null });
  await sleep(1_100);
  await worker.runAll();
  expect(await stateOf(last)).toMatchObject({ status: 'queued', last_error: expect.stringContaining('550') });
  await worker.stop();
  strict.close();
});

it('a server that was unavailable and is silent is tried with one connection, however often work is searched', async () => {
  await database.db.deleteFrom('mails').execute();
  const gone = await startMailServer();
  await gone.close();
  await queue(4);
  const worker = addWorker({ url: gone.url, silenceMs: 500 });
  worker.start();
  const wereTried = async () => (await states()).every(({ last_error }) => last_error !== null);
  await expect.poll(wereTried, { timeout: 5_000 }).toBe(true);
  let connections = 0;
  const silent = createServer(() => void connections++).listen(gone.port, '127.0.0.1');
  await expect.poll(() => connections, { timeout: 5_000 }).toBe(1);
  for (let look = 0; look < 4; look++) {
    worker.wake();
    await sleep(50);
  }
  expect(connections).toBe(1);
  await worker.stop();
  silent.close();
});

it('a mail that makes the server disconnect delays no other', async () => {
  const rude = await startMailServer();
  rude.onRecipient = (address, hangUp) => {
    if (address.startsWith('poison')) hangUp();
  };
  const [poison = ''] = await queue(1, { to: { email: 'poison@reader.example' } });
  const others = await queue(8);
  const worker = addWorker({ url: rude.url });
  worker.start();
  const arrived = () => others.filter(address => rude.to(address).length === 1).length;
  await expect.poll(arrived, { timeout: 10_000 }).toBe(others.length);
  expect(rude.to(poison)).toEqual([]);
  await expect.poll(async () => (await stateOf(poison))?.attempts).toBe(1);
  await worker.stop();
  await rude.close();
});

describe('a process without a mail server', () => {
  /** Keeps test mails for the outbox without delay. */
  const hasty = { url: null, options: { keepSeconds: 0 } };
  /** Makes waiting mails `minutes` older. The merchant’s clock is `ahead` seconds ahead. */
  const age = async (minutes: number, ahead = 0) => {
    const moment = sql<Date>`now() - make_interval(mins => ${minutes})`;
    const old = database.db.updateTable('mails').where('status', '=', 'queued');
    await old.set({ due_at: sql<Date>`${moment} + make_interval(secs => ${ahead})` }).execute();
    await database.db.updateTable('mail_servers').set({ seen_at: moment }).execute();
  };
  const statuses = async () => new Set((await states()).map(({ status }) => status));

  it('leaves the mails to processes with one, however long they take', async () => {
    await database.db.deleteFrom('mails').execute();
    const answered = Promise.withResolvers<void>();
    server.onMessage = () => answered.promise;
    const addresses = [...(await queue(8, { livemode: false })), ...(await queue(4))];
    const sender = addWorker();
    const keeper = addWorker(hasty);
    const isUnderWay = async () => (await states()).some(({ sending }) => sending);
    sender.start();
    await expect.poll(isUnderWay, { timeout: 10_000 }).toBe(true);
    await keeper.runAll();
    addresses.push(...(await queue(3, { livemode: false })));
    keeper.start();
    await keeper.runAll();
    answered.resolve();
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(new Set(['sent']));
    for (const address of addresses) expect(server.to(address)).toHaveLength(1);
  });

  it('leaves them also while the mail server is unavailable, however long', async () => {
    await database.db.deleteFrom('mails').execute();
    const gone = await startMailServer();
    await gone.close();
    const waiting = await queue(12, { livemode: false });
    for (const [minutes, attempts] of [
      [0, 0],
      [120, 0],
      [120, 1],
    ] as const) {
      await age(minutes);
      await database.db.updateTable('mails').set({ attempts }).execute();
      await addWorker({ url: gone.url }).runAll();
      await addWorker(hasty).runAll();
      expect(await statuses()).toEqual(new Set(['queued']));
    }
    await addWorker().runAll();
    for (const address of waiting) expect(server.to(address)).toHaveLength(1);
  });

  it.each([
    ['', 0],
    [' on its merchant’s clock, which runs ahead', 86_400],
  ])('moves tried or waiting mails to the outbox an hour after no process takes them%s', async (_, ahead) => {
    await database.db.deleteFrom('mails').execute();
    const merchant = database.db.updateTable('merchants').where('id', '=', merchantId);
    await merchant.set({ test_clock_offset_ms: BigInt(ahead * 1000) }).execute();
    server.refuse = { recipient: null, message: { code: 451, text: 'try later' } };
    await queue(1, { livemode: false });
    await addWorker().runAll();
    server.refuse = { recipient: null, message: null };
    const gone = await startMailServer();
    await gone.close();
    await queue(6, { livemode: false });
    await addWorker({ url: gone.url }).runAll();
    await age(59, ahead);
    await addWorker(hasty).runAll();
    expect(await statuses()).toEqual(new Set(['queued']));
    await age(61, ahead);
    await addWorker(hasty).runAll();
    expect(await statuses()).toEqual(new Set(['kept']));
    await merchant.set({ test_clock_offset_ms: 0n }).execute();
  });

  it('moves untaken mails of test mode to the outbox, and lets those of live mode wait', async () => {
    await database.db.deleteFrom('mail_servers').execute();
    const [test = ''] = await queue(1, { livemode: false });
    const [live = ''] = await queue(1);
    const keeper = addWorker({ url: null, options: { keepSeconds: 0.5 } });
    await keeper.runAll();
    expect(await stateOf(test)).toMatchObject({ status: 'queued' });
    await sleep(600);
    await keeper.runAll();
    expect(await stateOf(test)).toMatchObject({ status: 'kept', due_at: null });
    expect(await stateOf(live)).toMatchObject({ status: 'queued' });
    await addWorker().runAll();
    expect(server.to(live)).toHaveLength(1);
    expect(server.to(test)).toEqual([]);
  });
});

function spawnWorker() {
  const settings = { connection: database.connection, url: server.url, options: {} };
  return spawn(process.execPath, [join(import.meta.dirname, 'mail-worker.ts')], {
    env: { ...process.env, WORKER: JSON.stringify(settings) },
    stdio: 'inherit',
  });
}
