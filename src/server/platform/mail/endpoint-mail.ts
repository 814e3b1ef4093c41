import type { Clock } from '../../../core/clock.ts';
import type { Tx } from '../db/database.ts';
import { type Merchant, merchantNow } from '../merchant.ts';
import type { DisabledEndpoint } from '../webhooks/delivery-result.store.ts';
import { type MailContent, queueMail } from './mail.ts';

const subject = 'Your webhook endpoint was disabled';
const reasons = {
  gone: 'It answered 410 Gone, which says that it will not come back, so nothing more is sent to it.',
  failing: 'Every attempt to reach it has failed for five days, so nothing more is sent to it.',
};

/** What these mails need. */
interface EndpointMailDeps {
  readonly clock: Clock;
  /** The merchants of the ids, by id. */
  readonly findMerchants: (tx: Tx, ids: readonly string[]) => Promise<ReadonlyMap<string, Merchant>>;
}

/**
 * Queues a mail to each merchant whose endpoint was disabled (wire contract §7), in the transaction that disables it.
 * Merchants without a support address see it only in the log and in the endpoint's status.
 */
export async function tellOfDisabled(
  tx: Tx,
  { clock, findMerchants }: EndpointMailDeps,
  endpoints: readonly DisabledEndpoint[],
): Promise<void> {
  const merchants = await findMerchants(
    tx,
    endpoints.map(({ merchantId }) => merchantId),
  );
  for (const endpoint of endpoints) {
    const { merchantId, livemode, endpointId } = endpoint;
    const merchant = merchants.get(merchantId);
    if (merchant === undefined || merchant.supportEmail === null) continue;
    const now = merchantNow(merchant, livemode, clock.now());
    await queueMail(tx, {
      ...{ merchantId, livemode, now, replyTo: null, attachments: [] },
      resource: { type: 'webhook_endpoint', id: endpointId },
      // It may be enabled and disabled again: each time is worth a mail.
      dedupeKey: `webhook_endpoint.disabled:${endpointId}:${now.toISOString()}`,
      to: { name: merchant.name, email: merchant.supportEmail },
      subject,
      content: contentOf(endpoint),
    });
  }
}

/** In English, as the documentation to which the mail points. */
function contentOf({ endpointId, url, livemode, reason }: DisabledEndpoint): MailContent {
  return {
    ...{ language: 'en', direction: 'ltr', amount: null, action: null },
    heading: subject,
    paragraphs: [reasons[reason]],
    facts: [
      { label: 'Address', value: url },
      { label: 'Endpoint', value: endpointId },
      { label: 'Mode', value: livemode ? 'Live' : 'Test' },
    ],
    notes: [
      `When it works again, enable it: PATCH /v1/webhook-endpoints/${endpointId} with {"status":"enabled"}.`,
      'What it missed can be read at GET /v1/events and sent again by POST /v1/events/:id/redeliver.',
    ],
  };
}
