import type { FastifyRequest } from 'fastify';
import { isForGuests } from './caller.ts';

/** Host names of merchants. Under such a host, the service serves only the hosted pages of its merchant. */
export interface PageHosts {
  /** The merchant of the host name. Null: the host is the service's own, or an unknown one. */
  merchantOf(hostname: string | undefined): string | null;
  /** The host name in new addresses of the merchant's pages. Null: they use the service's own. */
  primaryOf(merchantId: string): string | null;
  /** Base URL of the merchant's pages, without a final slash: its primary domain, otherwise the service. */
  baseUrl(merchantId: string): string;
  /** The origins of the merchant's active domains. */
  originsOf(merchantId: string): readonly string[];
}

interface HostDeps {
  readonly publicUrl: () => string;
  readonly hosts: Pick<PageHosts, 'merchantOf' | 'originsOf'>;
}

/** Whether the request's host may serve pages of the merchant. Another merchant's domain may not. */
export function servesPagesOf({ hosts }: HostDeps, request: Pick<FastifyRequest, 'hostname'>, merchantId: string) {
  const owner = hosts.merchantOf(request.hostname);
  return owner === null || owner === merchantId;
}

/** The origins that pages of the merchant may have: those of the service and of the merchant's domains. */
export function ownOrigins({ publicUrl, hosts }: HostDeps, merchantId: string): readonly string[] {
  return [URL.parse(publicUrl())?.origin ?? '', ...hosts.originsOf(merchantId)];
}

/** The configuration of routes of hosted pages: all callers may use them, under merchants' domains too. */
export const hostedPage = { access: 'public', underDomains: true } as const;

/** Whether a merchant's domain serves the request's route: a hosted page, its files, or a call that the page makes. */
export function isForPayers({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  const { access, underDomains = false } = routeOptions.config;
  return underDomains || (access !== undefined && isForGuests(access));
}
