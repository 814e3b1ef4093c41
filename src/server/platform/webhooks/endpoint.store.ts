import { randomBytes } from 'node:crypto';
import { type ColumnType, type Generated, type Selectable, sql } from 'kysely';
import type { UpdateWebhookEndpoint, WebhookEndpoint } from '../../../api/event.ts';
import type { Metadata } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import type { Executor, Tx } from '../db/database.ts';
import { type Page, type PageRequest, readPage } from '../db/page.ts';
import type { Moment, MomentOrNull } from '../db/tables.ts';
import type { EventCatalogue } from '../events/sample.ts';
import type { MerchantScope } from '../merchant.ts';
import { listensTo } from './delivery.store.ts';

export type EndpointRow = Selectable<WebhookEndpointsTable>;

/** The endpoint in its wire form. `secret` is set only in the response that creates the secret. */
export function endpointToWire(row: EndpointRow, secret?: string): WebhookEndpoint {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: row.events,
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    ...(secret === undefined ? {} : { secret }),
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

export interface NewEndpoint extends MerchantScope {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly metadata: EndpointRow['metadata'];
  /** The secret, encrypted. */
  readonly secret: Buffer;
  readonly now: Date;
}

/** Stores a new, enabled endpoint. Throws PayError `illegal_state` if the merchant already has `maxEndpoints`. */
export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<EndpointRow> {
  const { count } = await tx
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where(({ and }) => and({ merchant_id: endpoint.merchantId, livemode: endpoint.livemode }))
    .executeTakeFirstOrThrow();
  if (count >= BigInt(maxEndpoints)) {
    throw new PayError('illegal_state', `You already have ${maxEndpoints} webhook endpoints. Delete one first.`);
  }
  return await tx
    .insertInto('webhook_endpoints')
    .values({
      merchant_id: endpoint.merchantId,
      id: endpoint.id,
      livemode: endpoint.livemode,
      url: endpoint.url,
      events: [...endpoint.events],
      description: endpoint.description,
      status: 'enabled',
      secret: endpoint.secret,
      metadata: JSON.stringify(endpoint.metadata),
      created_at: endpoint.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The endpoint that the request names in `param`. Throws `resource_missing`, also for another merchant's endpoint. */
export async function findEndpoint(db: Executor, scope: MerchantScope, id: string, param = 'id'): Promise<EndpointRow> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where(({ and }) => and(keyOf(scope, id)))
    .executeTakeFirst();
  return row ?? missing(id, param);
}

function keyOf({ merchantId, livemode }: MerchantScope, id: string) {
  return { merchant_id: merchantId, livemode, id };
}

/** Changes an endpoint. If the status or URL is given, earlier failures are cleared. Throws `resource_missing`. */
export async function updateEndpoint(
  db: Executor,
  scope: MerchantScope,
  id: string,
  { metadata, ...change }: UpdateWebhookEndpoint,
): Promise<EndpointRow> {
  const fresh = change.status !== undefined || change.url !== undefined;
  const row = await db
    .updateTable('webhook_endpoints')
    .set({
      id,
      ...change,
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(fresh ? { failing_since: null } : {}),
      ...(change.status === undefined ? {} : { disabled_reason: null }),
    })
    .where(({ and }) => and(keyOf(scope, id)))
    .returningAll()
    .executeTakeFirst();
  return row ?? missing(id);
}

/** Stores a new encrypted secret. The old secret is valid until `until`. Throws PayError `resource_missing`. */
export async function rotateSecret(
  tx: Tx,
  scope: MerchantScope,
  id: string,
  rotation: { readonly secret: Buffer; readonly until: Date },
): Promise<EndpointRow> {
  const row = await tx
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({
      previous_secret: ref('secret'),
      previous_secret_until: rotation.until,
      secret: rotation.secret,
    }))
    .where(({ and }) => and(keyOf(scope, id)))
    .returningAll()
    .executeTakeFirst();
  return row ?? missing(id);
}

/** Deletes an endpoint and cancels its waiting deliveries. Throws PayError `resource_missing`. */
export async function deleteEndpoint(tx: Tx, scope: MerchantScope, id: string): Promise<void> {
  await cancelWaiting(tx, scope, id);
  const result = await tx
    .deleteFrom('webhook_endpoints')
    .where(({ and }) => and(keyOf(scope, id)))
    .executeTakeFirst();
  if (result.numDeletedRows === 0n) missing(id);
  // Cancels again, because another transaction may have added deliveries before this one had locked the row.
  await cancelWaiting(tx, scope, id);
}

async function cancelWaiting(tx: Tx, { merchantId, livemode }: MerchantScope, endpointId: string): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'canceled', next_attempt_at: null })
    .where(({ and }) => and({ merchant_id: merchantId, livemode, endpoint_id: endpointId, status: 'pending' }))
    .execute();
}

/** A page of the merchant's endpoints. Throws PayError `invalid_cursor`. */
export async function listEndpoints(
  db: Executor,
  scope: MerchantScope,
  request: PageRequest,
): Promise<Page<EndpointRow>> {
  return await readPage(db, { table: 'webhook_endpoints', ...scope }, request);
}

/** Ids of the enabled endpoints that listen to the type. */
export async function listeningEndpoints(db: Executor, scope: MerchantScope, type: string): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_endpoints as w')
    .select('w.id')
    .where('w.merchant_id', '=', scope.merchantId)
    .where('w.livemode', '=', scope.livemode)
    .where('w.status', '=', 'enabled')
    .where(listensTo(sql`${type}::text`))
    .orderBy('w.created_at')
    .execute();
  return rows.map(row => row.id);
}

function missing(id: string, param = 'id'): never {
  throw new PayError('resource_missing', `There is no webhook endpoint ${id}.`, { param });
}

/** Maximum number of webhook endpoints of a merchant in a mode. */
const maxEndpoints = 100;

/** Seconds for which the old secret stays valid after a rotation. */
export const rotationSeconds = 86_400;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks asks for 24 to 64). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The patterns without repetitions. Throws PayError `invalid_event_type` for a pattern that matches no event type. */
export function checkPatterns(events: EventCatalogue, patterns: readonly string[]): string[] {
  for (const [index, pattern] of patterns.entries()) events.checkPattern(pattern, `events[${index}]`);
  return [...new Set(patterns)];
}

interface WebhookEndpointsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  url: string;
  events: string[];
  description: string | null;
  status: 'enabled' | 'disabled';
  disabled_reason: 'gone' | 'failing' | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: MomentOrNull;
  failing_since: MomentOrNull;
  look_at: MomentOrNull;
  wakes: Generated<bigint>;
  metadata: ColumnType<Metadata, string | undefined, string>;
  created_at: Moment;
}

declare module '../db/tables.ts' {
  interface Tables {
    webhook_endpoints: WebhookEndpointsTable;
  }
}
