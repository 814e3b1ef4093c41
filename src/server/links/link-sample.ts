import { type LinkEvents, PaymentLink } from '../../api/link.ts';
import { addSeconds } from '../../core/clock.ts';
import { idBody, newId } from '../../core/id.ts';
import { type Changes, type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';

const amount = 25_00;
const paid: Partial<PaymentLink> = { uses: 1, total_received: amount, received: [{ currency: 'EUR', amount }] };

/** For each event of a link, what it changes in a link just made. */
const linkChanges: Changes<PaymentLink, keyof LinkEvents> = {
  'payment_link.created': () => ({}),
  'payment_link.updated': () => ({ status: 'disabled', state: 'disabled' }),
  'payment_link.opened': () => ({ opens: 1 }),
  'payment_link.paid': () => paid,
  'payment_link.expired': () => ({ status: 'expired', state: 'expired' }),
  'payment_link.completed': now => ({
    ...paid,
    ...{ status: 'completed', state: 'used', completed_at: now.toISOString() },
  }),
};

/** A link that was just made. */
function sampleLink({ caller: { merchant, livemode, now }, publicUrl }: SampleContext): PaymentLink {
  const id = newId('paymentLink');
  const url = `${publicUrl}/l/${idBody(id)}`;
  return {
    ...{ id, object: 'payment_link', url, qr_code_url: `${url}/qr.svg`, poster_url: `${url}/poster.pdf` },
    ...{ status: 'active', state: 'open', amount, currency: 'EUR', custom_amount: null },
    ...{ description: 'A payment link that nobody made', reference: null, line_items: [] },
    ...{ starts_at: null, expires_at: addSeconds(now, 86_400).toISOString() },
    ...{ single_use: true, max_uses: 1, uses: 0, opens: 0, allow_partial: false, amount_remaining: null },
    ...{ total_received: 0, received: [] },
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    ...{ settlement_asset: merchant.settlementAsset, settlement_address: null, redirect_url: null },
    ...{ success_message: null, locale: null, metadata: {}, livemode },
    ...{ created_at: now.toISOString(), completed_at: null },
  };
}

/** Events of payment links, with samples. */
export const linkEvents: EventDefinitions<LinkEvents> = sampleEvents(PaymentLink, sampleLink, linkChanges);
