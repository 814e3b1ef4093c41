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
  /** The text in which the query must occur. */
  readonly words: string;
}

/** Area and icon of each type of object. The object's page is `/area/:id`. */
const areas: Readonly<Record<string, readonly [area: string, icon: IconName]>> = {
  payment: ['payments', 'payments'],
  payment_link: ['links', 'links'],
  invoice: ['invoices', 'invoices'],
  customer: ['customers', 'customers'],
  payout: ['payouts', 'payouts'],
  payout_batch: ['payouts/batches', 'payouts'],
  recipient: ['recipients', 'recipients'],
};

/** Objects with this id, e-mail address, reference or hash. Omits objects for which the dashboard has no page. */
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

function lineOf({ type, id, title, subtitle }: SearchResult): Line | null {
  const [area, icon] = areas[type] ?? [];
  if (area === undefined || icon === undefined) return null;
  const detail = [sentenceCase(type), subtitle].filter(Boolean).join(' · ');
  return { label: title, detail, icon, path: `/${area}/${id}`, words: '' };
}
