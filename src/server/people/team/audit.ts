import type { FastifyRequest } from 'fastify';
import { newId } from '../../../core/id.ts';
import { pathOf } from '../../platform/http/access/caller.ts';
import { networkOf } from '../../platform/http/access/rate-limit.ts';
import { isRead } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type AuditRow, insertAuditEntry, setAuditStatus } from './team.store.ts';

/**
 * Records each write of a person in the merchant's audit log, and looks at sensitive data. The entry is written before the call, so that no call is
 * missing. Its status is added afterwards. Bodies are not stored, because they may contain secrets.
 */
export function auditWrites(app: HttpApp, { db, clock, log }: Pick<PeopleDeps, 'db' | 'clock' | 'log'>): void {
  const entries = new WeakMap<FastifyRequest, AuditRow>();
  app.addHook('preHandler', async request => {
    if (request.caller?.person === undefined) return;
    if (isRead(request) && request.routeOptions.config.audited !== true) return;
    const entry = entryOf(request, clock.now());
    await insertAuditEntry(db, entry);
    entries.set(request, entry);
  });
  app.addHook('onResponse', async (request, { statusCode }) => {
    const entry = entries.get(request);
    if (entry === undefined) return;
    await setAuditStatus(db, entry, statusCode).catch(err => log.error({ err }, 'the audit log lacks a status'));
  });
}

function entryOf(request: FastifyRequest, now: Date): AuditRow {
  const { caller, method, routeOptions } = request;
  return {
    merchant_id: caller?.merchant.id ?? '',
    id: newId('auditEntry'),
    livemode: caller?.livemode ?? false,
    person_id: caller?.person?.personId ?? '',
    action: routeOptions.schema?.summary ?? `${method} ${routeOptions.url}`,
    method,
    path: pathOf(request).slice(0, 500),
    status: null,
    network: networkOf(request.ip),
    user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
    request_id: request.id,
    created_at: now,
  };
}
