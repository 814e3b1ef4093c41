import { findMerchant } from '../merchants/merchant.store.ts';
import type { Tx } from '../platform/db/database.ts';
import { queueMail } from '../platform/mail/mail.ts';
import { domainToWire } from './domain.view.ts';
import { type DomainCheckDeps, recordsOf } from './domain-check.ts';
import type { DomainRow } from './tables.ts';

/**
 * Queues a mail to the merchant of an active domain whose records have become wrong. The mail is in English, like the
 * dashboard. A merchant without a support address gets no mail.
 */
export async function warnOfFailing(
  tx: Tx,
  deps: Pick<DomainCheckDeps, 'secrets' | 'publicUrl'>,
  row: DomainRow,
  now: Date,
): Promise<void> {
  const { merchant_id: merchantId, livemode, id, name } = row;
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === null || merchant.supportEmail === null) return;
  const { address, proof } = recordsOf(deps, row);
  const subject = `The DNS records of ${name} are wrong`;
  await queueMail(tx, {
    merchantId,
    livemode,
    now,
    replyTo: null,
    attachments: [],
    resource: { type: 'domain', id },
    // A domain may fail several times, and each time causes a mail.
    dedupeKey: `domain.failing:${id}:${now.toISOString()}`,
    to: { name: merchant.name, email: merchant.supportEmail },
    subject,
    content: {
      language: 'en',
      direction: 'ltr',
      amount: null,
      heading: subject,
      paragraphs: [
        domainToWire(deps, row, null).failure?.message ?? '',
        'Payers may no longer reach your pages there. If nothing changes within a day, new addresses no longer use this domain.',
      ],
      action: { label: 'Open domains', url: `${deps.publicUrl()}/dashboard/settings/domains` },
      facts: [address, proof].map(record => ({ label: `${record.type} ${record.name}`, value: record.value })),
      notes: [],
    },
  });
}
