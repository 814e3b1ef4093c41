import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { EventType } from '../../../src/api/event.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { newId } from '../../../src/core/id.ts';
import { createLive, type Live } from '../../../src/server/platform/events/live.ts';
import { recordEvents } from '../../../src/server/platform/events/outbox.ts';
import type { Log, Sweeper } from '../../../src/server/platform/jobs/sweeper.ts';
import { createSecrets } from '../../../src/server/platform/secrets.ts';
import { createResolve, type Resolve } from '../../../src/server/platform/webhooks/address-guard.ts';
import type { DeliveryRow } from '../../../src/server/platform/webhooks/delivery.store.ts';
import {
  insertEndpoint,
  newWebhookSecret,
  rotateSecret,
} from '../../../src/server/platform/webhooks/endpoint.store.ts';
import { createWebhookSweeps, type WebhookOptions } from '../../../src/server/platform/webhooks/module.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createWatchedSweeper } from '../../support/watched-sweeper.ts';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly at: number;
}

/** A merchant's server. It stores requests, and answers by the handler of the path, or with 200. */
export interface Sink {
  readonly url: string;
  readonly received: Received[];
  at(path: string): Received[];
  answer(path: string, handler: (response: ServerResponse, count: number) => void): void;
  connections(): number;
  close(): Promise<void>;
}

export async function createSink(): Promise<Sink> {
  const received: Received[] = [];
  const handlers = new Map<string, (response: ServerResponse, count: number) => void>();
  let connections = 0;
  const at = (path: string) => received.filter(request => request.path === path);
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const body = (await buffer(request)).toString('utf8');
    received.push({ path, headers: request.headers as Record<string, string>, body, at: Date.now() });
    const handler = handlers.get(path);
    if (handler) handler(response, at(path).length);
    else response.end('ok');
  });
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    at,
    answer: (path, handler) => handlers.set(path, handler),
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** The event in a request, checked by the reference library. Throws when it is not genuine. */
export function verified(request: Received, secret: string): Record<string, unknown> & { id: string; type: string } {
  return new Webhook(secret).verify(request.body, { ...request.headers }) as ReturnType<typeof verified>;
}

/** An endpoint with its secret in plain. */
export interface LabEndpoint {
  readonly id: string;
  readonly secret: string;
}

/** Merchants, endpoints and events in a separate database, with the sweeps that deliver. */
export interface WebhookLab {
  readonly database: TestDatabase;
  readonly live: Live;
  readonly log: Log & { readonly lines: { readonly details: object; readonly message: string }[] };
  sweeper(options?: Partial<WebhookOptions> & { resolve?: Resolve; allowLoopback?: boolean; ownUrl?: string }): Sweeper;
  addMerchant(): Promise<string>;
  addEndpoint(
    merchantId: string,
    url: string,
    options?: { events?: string[]; livemode?: boolean },
  ): Promise<LabEndpoint>;
  addEvent(
    merchantId: string,
    type?: EventType,
    options?: { resourceId?: string; sequence?: number; livemode?: boolean; failWith?: Error },
  ): Promise<string>;
  advance(merchantId: string, ms: number): Promise<void>;
  rotate(merchantId: string, endpoint: LabEndpoint): Promise<string>;
  /** The environment variable WORKER of a worker process on this database. */
  workerSettings(options: Partial<WebhookOptions>): string;
  deliveries(endpointId: string): Promise<DeliveryRow[]>;
  close(): Promise<void>;
}

export const day = 86_400_000;
const root = randomBytes(32);
const secrets = createSecrets(root);

export async function createWebhookLab(): Promise<WebhookLab> {
  const database = await createTestDatabase();
  const { db } = database;
  const sweepers: Sweeper[] = [];
  const lines: { details: object; message: string }[] = [];
  const write = (details: object, message: string) => void lines.push({ details, message });
  const log = { info: write, warn: write, error: write, lines };
  const live = createLive({ connection: database.connection, log });
  await live.start();
  return {
    database,
    live,
    log,
    sweeper: ({ resolve, allowLoopback = resolve === undefined, ownUrl, ...options } = {}) => {
      const sweeper: Sweeper = createWatchedSweeper({
        db,
        log,
        sweeps: createWebhookSweeps({
          db,
          clock: systemClock,
          secrets,
          log,
          live,
          resolve: resolve ?? createResolve(),
          allowLoopback,
          allowedNetworks: [],
          ownUrl: () => ownUrl ?? null,
          onDisabled: async () => undefined,
          wake: name => sweeper.wake(name),
          options: { random: () => 0, ...options },
        }),
      });
      sweepers.push(sweeper);
      return sweeper;
    },
    addMerchant: async () => {
      const id = newId('account');
      await db.insertInto('merchants').values({ id, name: 'Shop' }).execute();
      return id;
    },
    addEndpoint: async (merchantId, url, { events = ['*'], livemode = false } = {}) => {
      const secret = newWebhookSecret();
      const id = newId('webhookEndpoint');
      await db.transaction().execute(tx =>
        insertEndpoint(tx, {
          merchantId,
          livemode,
          id,
          url,
          events,
          description: null,
          metadata: {},
          secret: secrets.seal(secret),
          now: new Date(),
        }),
      );
      return { id, secret };
    },
    addEvent: async (merchantId, type = 'payment.completed', options = {}) => {
      const resourceId = options.resourceId ?? newId('payment');
      const merchant = await db
        .selectFrom('merchants')
        .select('test_clock_offset_ms as offset')
        .where('id', '=', merchantId)
        .executeTakeFirstOrThrow();
      return await db.transaction().execute(async tx => {
        const id = newId('event');
        await recordEvents(tx, [
          {
            id,
            merchantId,
            livemode: options.livemode ?? false,
            type,
            resourceId,
            sequence: options.sequence ?? 1,
            object: { id: resourceId, object: 'payment', amount: 1250, currency: 'EUR', description: 'Grüße ☕' },
            previous: { status: 'pending' },
            now: new Date(Date.now() + Number(merchant.offset)),
          },
        ]);
        if (options.failWith) throw options.failWith;
        return id;
      });
    },
    advance: async (merchantId, ms) => {
      await db
        .updateTable('merchants')
        .set(eb => ({ test_clock_offset_ms: eb('test_clock_offset_ms', '+', BigInt(ms)) }))
        .where('id', '=', merchantId)
        .execute();
    },
    rotate: async (merchantId, endpoint) => {
      const secret = newWebhookSecret();
      await db.transaction().execute(tx =>
        rotateSecret(tx, { merchantId, livemode: false }, endpoint.id, {
          secret: secrets.seal(secret),
          until: new Date(Date.now() + day),
        }),
      );
      return secret;
    },
    workerSettings: options => JSON.stringify({ connection: database.connection, root: root.toString('hex'), options }),
    deliveries: async endpointId =>
      await db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .orderBy('created_at')
        .execute(),
    close: async () => {
      for (const sweeper of sweepers) await sweeper.stop();
      await live.stop();
      await database.drop();
    },
  };
}
