import { html, nothing } from 'lit';
import type { Recipient, RecipientDestination } from '../../../api/recipient.ts';
import { agoText } from '../../controls/ago-text.ts';
import type { Column } from '../../controls/data-table.ts';
import { type StateTable, statusChip } from '../../controls/status-chip.ts';
import { countryName } from '../countries.ts';
import { destinationKinds, destinationWords } from '../payout-words.ts';

/** The types of recipients with their labels. */
export const recipientTypes = [
  ['individual', 'Person'],
  ['business', 'Business'],
] as const;

export const typeWords = ({ type }: Pick<Recipient, 'type'>): string =>
  recipientTypes.find(([value]) => value === type)?.[1] ?? type;

/** The results of earlier payouts to a destination. */
const verifications: StateTable = {
  unverified: ['Not paid yet', 'plain'],
  verified: ['Reached', 'good'],
  failed: ['Failed last time', 'bad'],
};

export const verificationChip = ({ verification }: RecipientDestination) => statusChip(verification, verifications);

/** The destination of payouts that name no destination. */
export const defaultOf = ({ destinations }: Recipient): RecipientDestination | undefined =>
  destinations.find(({ default: isDefault }) => isDefault);

/** A destination in words: `Bank account DE8937040044…3000`. */
export const placeWords = ({ destination }: Pick<RecipientDestination, 'destination'>): string =>
  `${destinationKinds[destination.type]} ${destinationWords(destination)}`;

/** The columns of the list of recipients. */
export const recipientColumns: readonly Column<Recipient>[] = [
  {
    label: 'Recipient',
    share: 1.6,
    cell: ({ name, email, reference }) => {
      const second = [email, reference].filter(Boolean).join(' · ');
      return html`<bdi>${name}</bdi>${second === '' ? nothing : html`<div class="second-line">${second}</div>`}`;
    },
  },
  { label: 'Type', share: 0.7, cell: typeWords },
  { label: 'Country', share: 0.9, cell: ({ country }) => (country === null ? '' : countryName(country)) },
  {
    label: 'Paid to',
    share: 2,
    cell: recipient => {
      const place = defaultOf(recipient);
      return place === undefined ? 'No destination' : placeWords(place);
    },
  },
  {
    label: 'State',
    share: 1,
    inCard: 'last',
    cell: recipient => {
      const place = defaultOf(recipient);
      return place === undefined ? '' : verificationChip(place);
    },
  },
  { label: 'Since', share: 0.8, align: 'end', cell: ({ created_at: time }) => agoText(time) },
];
