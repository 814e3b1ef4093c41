import { html, nothing, type TemplateResult } from 'lit';
import type { Ramp, RampStatus } from '../../api/ramps/ramp.ts';
import { pathTo } from '../app/router.ts';
import { copyButton } from '../controls/copy-button.ts';
import { note } from '../controls/states.ts';
import { timeText } from '../controls/values.ts';
import { tierWords } from '../customers/kyc/kyc-words.ts';
import { codeOf } from './ramp-words.ts';

type Note = TemplateResult | typeof nothing;

const notes: Readonly<Record<RampStatus, (ramp: Ramp) => Note>> = {
  incomplete: ({ kyc_tier_needed: tier, customer_id: customer }) =>
    note(
      html`<strong>The customer needs an identity check first: ${tierWords(tier)}.</strong> The ramp goes on
        automatically afterwards. <a href=${pathTo(`/customers/${customer}`)}>See the identity check</a>`,
      'warn',
      'status',
    ),
  pending_user_transfer_start: ({ direction, deposit }) =>
    note(
      html`<strong>The customer ${direction === 'on' ? 'pays' : 'sends the coins'} next.</strong>
        ${deposit === null ? nothing : html`Copy the link of the payment page: ${copyButton(deposit.checkout_url, 'link of the payment page')}`}`,
      '',
      'status',
    ),
  pending_anchor: deliveryNote,
  pending_stellar: deliveryNote,
  pending_external: deliveryNote,
  pending_trust: ({ failure, asset }) =>
    note(
      html`<strong>${failure?.message ?? `The wallet has no trustline for ${codeOf(asset)}.`}</strong>
        The ramp goes on once the customer has prepared the wallet. Until then you can refund it.`,
      'warn',
      'status',
    ),
  on_hold: ({ direction, failure }) =>
    note(
      html`<strong>${failure?.message ?? 'The money waits for you.'}</strong>
        The customer gets no ${direction === 'on' ? 'coins' : 'money'} before you decide.`,
      'warn',
      'status',
    ),
  completed: () => nothing,
  refunded: () => nothing,
  expired: ({ failure }) => (failure === null ? nothing : note(failure.message, '', 'status')),
};

function deliveryNote({ direction, payout, failure, status_eta_at: eta }: Ramp): Note {
  if (failure !== null) {
    return note(html`<strong>${failure.message}</strong> The delivery is tried again.`, 'warn', 'status');
  }
  const until = eta === null ? nothing : html`Expected by ${timeText(eta)}.`;
  const next = direction === 'on' ? 'The coins are delivered next.' : 'The money is paid out next.';
  const link = payout === null ? nothing : html`<a href=${pathTo(`/payouts/${payout}`)}>See the payout</a>`;
  return note(html`<strong>${next}</strong> ${until} ${link}`, '', 'status');
}

/** What happens next, or what the merchant can do. Nothing for a ramp that has ended. */
export const nextNote = (ramp: Ramp): Note => notes[ramp.status](ramp);
