import type { Clock } from '../../../core/clock.ts';
import type { Tx } from '../db/database.ts';
import { type Merchant, merchantNow } from '../merchant.ts';
import type { DisabledEndpoint } from '../webhooks/delivery-result.store.ts';
import { type MailContent, queueMail } from './mail.ts';

const subject = 'Your webhook endpoint was disabled';
const reasons = {
  gone: 'It answered 410 Gone, which means that it no longer exists. It receives no more events.',
  failing: 'Every attempt to reach it has failed for five days. It receives no more events.',
};

export interface EndpointMailDeps {
  readonly clock: Clock;
  readonly findMerchants: (tx: Tx, ids: readonly string[]) => Promise<ReadonlyMap<string, Merchant>>;
}

/**
 * Queues a mail to the merchant of each disabled endpoint, in the transaction that disables the endpoint. A merchant
 * without a support address gets no mail.
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
      merchantId,
      livemode,
      now,
      replyTo: null,
      attachments: [],
      resource: { type: 'webhook_endpoint', id: endpointId },
      // An endpoint may be disabled several times, and each time causes a mail.
      dedupeKey: `webhook_endpoint.disabled:${endpointId}:${now.toISOString()}`,
      to: { name: merchant.name, email: merchant.supportEmail },
      subject,
      content: contentOf(endpoint),
    });
  }
}

/** The mail's content. It is in English, like the documentation to which it links. */
function contentOf({ endpointId, url, livemode, reason }: DisabledEndpoint): MailContent {
  return {
    language: 'en',
    direction: 'ltr',
    amount: null,
    action: null,
    heading: subject,
    paragraphs: [reasons[reason]],
    facts: [
      { label: 'Address', value: url },
      { label: 'Endpoint', value: endpointId },
      { label: 'Mode', value: livemode ? 'Live' : 'Test' },
    ],
    notes: [
      `When it works again, enable it: PATCH /v1/webhook-endpoints/${endpointId} with {"status":"enabled"}.`,
      'You can read the missed events at GET /v1/events and send them again by POST /v1/events/:id/redeliver.',
    ],
  };
}
