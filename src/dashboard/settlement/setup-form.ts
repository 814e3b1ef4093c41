import { html, nothing, type TemplateResult } from 'lit';
import type { Account, UpdateAccount } from '../../api/merchant.ts';
import { parseCurrency } from '../../core/currency.ts';
import type { FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import {
  destinationFields,
  destinationStart,
  destinationTexts,
  typedDestination,
} from '../payouts/destination-fields.ts';
import type { WaysOut } from '../payouts/destination-ways.ts';

type Settled = Account['settlement'];
type Terms = NonNullable<UpdateAccount['settlement']>;

/** Whether payments become money in a currency, which leaves by payouts, and not an asset on Stellar. */
export const isInCurrency = ({ asset }: Pick<Settled, 'asset'>): boolean => parseCurrency(asset) !== null;

/** The texts of the form for the account's terms. */
export function setupTexts(settlement: Settled): FormTexts {
  const { asset, stellar_address: address, schedule, destination, batch, hour } = settlement;
  const isCurrency = isInCurrency(settlement);
  return {
    ...destinationStart,
    ...(destination === null ? {} : destinationTexts(destination)),
    kind: isCurrency ? 'currency' : 'asset',
    asset: isCurrency ? 'USDC' : asset,
    currency: isCurrency ? asset : 'EUR',
    'settlement.stellar_address': address ?? '',
    'settlement.schedule': schedule,
    when: schedule === 'manual' ? 'manual' : batch,
    'settlement.hour': String(hour),
  };
}

/**
 * The terms that the person typed. The service checks them. The destination is sent only if it was edited, because
 * sending the current one withdraws a change that waits for another person.
 */
export function typedTerms(texts: FormTexts, before: Settled): Terms {
  if (texts['kind'] === 'asset') {
    return {
      asset: texts['asset']?.trim() ?? '',
      stellar_address: texts['settlement.stellar_address']?.trim() || null,
      schedule: texts['settlement.schedule'] === 'manual' ? 'manual' : 'automatic',
    };
  }
  const when = texts['when'];
  const target = editedDestination(texts, before);
  return {
    asset: texts['currency']?.trim().toUpperCase() ?? '',
    ...(target !== null && target.type !== 'crypto_wallet' && { destination: target }),
    ...(when === 'manual'
      ? { schedule: 'manual' }
      : { schedule: 'automatic', batch: when === 'daily' ? 'daily' : 'payment' }),
    ...(when === 'daily' && { hour: Number(texts['settlement.hour']) }),
  };
}

function editedDestination(texts: FormTexts, before: Settled) {
  const typed = typedDestination(texts);
  const shown = before.destination && typedDestination(setupTexts(before));
  return JSON.stringify(typed) === JSON.stringify(shown) ? null : typed;
}

/** The names of the errors that the form can show for the typed texts, besides those of the destination. */
export const setupErrorNames = ['settlement.asset', 'settlement.stellar_address', 'settlement.hour'];

interface SetupForm {
  readonly texts: FormTexts;
  /** Messages by field. Those of the destination begin with `destination`. */
  readonly errors: FormTexts;
  readonly type: (name: string, text: string) => void;
  readonly ways: WaysOut;
  readonly timezone: string;
}

/** The fields of the form: what completed payments become, and where it goes. */
export function setupFields(form: SetupForm): TemplateResult {
  const { texts, type } = form;
  const isAsset = texts['kind'] === 'asset';
  return html`${formField({
    label: 'Payments become',
    name: 'kind',
    value: texts['kind'] ?? '',
    options: [
      ['asset', 'An asset on Stellar'],
      ['currency', 'A currency, by payouts'],
    ],
    onInput: value => type('kind', value),
  })}
  ${isAsset ? assetFields(form) : currencyFields(form)}`;
}

function assetFields({ texts, errors, type }: SetupForm): TemplateResult {
  return html`${formField({
    label: 'Asset',
    name: 'asset',
    required: true,
    maxLength: 70,
    hint: 'USDC, EURC, XLM, or CODE:ISSUER.',
    value: texts['asset'] ?? '',
    error: errors['settlement.asset'],
    onInput: text => type('asset', text),
  })}
  ${formField({
    label: 'Stellar address',
    name: 'settlement.stellar_address',
    maxLength: 80,
    hint: 'G… of an account that holds the asset. Without an address money waits in the balance.',
    value: texts['settlement.stellar_address'] ?? '',
    error: errors['settlement.stellar_address'],
    onInput: text => type('settlement.stellar_address', text),
  })}
  ${formField({
    label: 'When',
    name: 'settlement.schedule',
    options: [
      ['automatic', 'Each payment, as it completes'],
      ['manual', 'Keep money in the balance'],
    ],
    value: texts['settlement.schedule'] ?? '',
    onInput: value => type('settlement.schedule', value),
  })}`;
}

const hours = Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const);

function currencyFields({ texts, errors, type, ways, timezone }: SetupForm): TemplateResult {
  return html`${formField({
    label: 'Currency',
    name: 'currency',
    required: true,
    maxLength: 3,
    hint: 'The currency of the account below, for example EUR.',
    value: texts['currency'] ?? '',
    error: errors['settlement.asset'],
    onInput: text => type('currency', text),
  })}
  ${destinationFields({ texts, errors, type, ways, offered: ['iban', 'domestic', 'swift', 'mobile'] })}
  ${formField({
    label: 'When',
    name: 'when',
    options: [
      ['payment', 'One payout for each payment'],
      ['daily', 'One payout a day'],
      ['manual', 'Keep money in the balance'],
    ],
    value: texts['when'] ?? '',
    ...(texts['when'] === 'manual' && { hint: 'Settlements that are still open are kept, too.' }),
    onInput: value => type('when', value),
  })}
  ${
    texts['when'] === 'daily'
      ? formField({
          label: 'At',
          name: 'settlement.hour',
          options: hours,
          hint: `In the account’s time zone, ${timezone}. By bank, on bank days.`,
          value: texts['settlement.hour'] ?? '0',
          error: errors['settlement.hour'],
          onInput: value => type('settlement.hour', value),
        })
      : nothing
  }`;
}
