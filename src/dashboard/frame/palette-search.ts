import type { SearchResult } from '../../api/client.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import type { IconName } from '../controls/icons.ts';
import { sentenceCase } from '../controls/status-chip.ts';

/** One line of the palette. */
export interface Line {
  readonly label: string;
  readonly detail?: string;
  readonly icon: IconName;
  readonly path: string;
  /** The text that must contain each word of the query. Empty for objects, which the service has already matched. */
  readonly words: string;
}

type Place = (id: string, parent: string) => string;

/**
 * Page and icon of each type of object. An object without a page of its own is shown on the page of its parent, or in
 * its list.
 */
const places: Readonly<Record<string, readonly [page: Place, icon: IconName]>> = {
  payment: [id => `/payments/${id}`, 'payments'],
  refund: [(_, payment) => `/payments/${payment}`, 'payments'],
  dispute: [id => `/balance/disputes/${id}`, 'balance'],
  transfer: [(_, parent) => transferPage(parent), 'balance'],
  payment_link: [id => `/links/${id}`, 'links'],
  invoice: [id => `/invoices/${id}`, 'invoices'],
  credit_note: [(_, invoice) => `/invoices/${invoice}`, 'invoices'],
  recurring_invoice: [id => `/invoices/recurring/${id}`, 'invoices'],
  customer: [id => `/customers/${id}`, 'customers'],
  payout: [id => `/payouts/${id}`, 'payouts'],
  payout_batch: [id => `/payouts/batches/${id}`, 'payouts'],
  recipient: [id => `/recipients/${id}`, 'recipients'],
  ramp: [id => `/ramps/${id}`, 'ramps'],
  top_up: [() => '/balance/movements', 'balance'],
  withdrawal: [() => '/balance/movements', 'balance'],
  conversion: [() => '/balance', 'balance'],
  event: [id => `/developers/events?event=${id}`, 'developers'],
  request: [id => `/developers/requests?path=${id}`, 'developers'],
  webhook_endpoint: [id => `/developers/webhooks/${id}`, 'developers'],
  webhook_delivery: [(id, endpoint) => `/developers/webhooks/${endpoint}/deliveries/${id}`, 'developers'],
  api_key: [() => '/developers', 'developers'],
  mail: [id => `/settings/mails/${id}`, 'settings'],
};

/** A transfer belongs to a payment, to a top-up, or to nothing yet. */
function transferPage(parent: string): string {
  if (parent === '') return '/balance/unmatched';
  return parent.startsWith('tu_') ? '/balance/movements' : `/payments/${parent}`;
}

/** Finds objects with the service's search. Omits objects for which the dashboard has no page. */
export async function findObjects(
  { client, hasPage }: DashboardContext,
  text: string,
  signal: AbortSignal,
): Promise<readonly Line[]> {
  const { data } = await client.search(text, { signal });
  return data.flatMap(result => {
    const line = lineOf(result);
    return line !== null && hasPage(line.path) ? [line] : [];
  });
}

function lineOf({ type, id, title, subtitle, parent }: SearchResult): Line | null {
  const [pageOf, icon] = places[type] ?? [];
  if (pageOf === undefined || icon === undefined) return null;
  const detail = [sentenceCase(type), subtitle].filter(Boolean).join(' · ');
  return { label: title, detail, icon, path: pageOf(id, parent ?? ''), words: '' };
}
