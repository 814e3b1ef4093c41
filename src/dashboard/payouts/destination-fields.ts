import { html, nothing, type TemplateResult } from 'lit';
import type { PayoutDestination, SettlementDestination } from '../../api/payout.ts';
import { walletChains } from '../../core/chains/wallet-chains.ts';
import { wayName } from '../../core/locale/way-name.ts';
import type { FormTexts } from '../controls/action-dialog.ts';
import { type FormField, formField } from '../controls/form-field.ts';
import { note } from '../controls/states.ts';
import { countries } from './countries.ts';
import { obstacleTo, operatorsOf, type WaysOut } from './destination-ways.ts';

/** One field of a destination. Its name in the form is `destination.` and its name in the API. */
type Field = Omit<FormField, 'value' | 'error' | 'onInput'>;

/** A kind of destination that a person can choose. */
interface Kind {
  readonly label: string;
  /** The values of the API's fields that this choice determines. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly fields: readonly Field[];
}

const holder: Field = { label: 'Account holder', name: 'account_holder', maxLength: 140 };
const account: Field = { label: 'Account number', name: 'account', required: true, maxLength: 40 };
const anyCountry = (): Field => ({
  label: 'Country of the account',
  name: 'country',
  required: true,
  options: [['', 'Choose'], ...countries()],
});

/** The field of the operator. It offers the connected operators. If none is known, the person types the operator. */
const operator = (ways: WaysOut): Field => {
  const known = operatorsOf(ways);
  const field = { label: 'Operator', name: 'provider', required: true };
  return known.length === 0
    ? { ...field, maxLength: 40, placeholder: 'mpesa' }
    : { ...field, options: [['', 'Choose'], ...known] };
};

/** The kinds of destinations that the API takes. The fields of a kind may depend on other fields and on the rails. */
const kinds: Readonly<Record<string, (texts: FormTexts, ways: WaysOut) => Kind>> = {
  iban: () => ({
    label: 'Bank account by IBAN',
    fixed: { type: 'bank_account' },
    fields: [
      { label: 'IBAN', name: 'iban', required: true, maxLength: 50 },
      { label: 'BIC', name: 'bic', maxLength: 11, hint: 'Most accounts by IBAN do not need it.' },
      holder,
    ],
  }),
  domestic: () => ({
    label: 'Bank account by routing number',
    fixed: { type: 'bank_account' },
    fields: [
      {
        label: 'Country of the account',
        name: 'country',
        options: ['US', 'GB', 'NG', 'MX'].map(code => countries().find(([known]) => known === code) ?? [code, code]),
      },
      {
        label: 'Routing number',
        name: 'routing',
        maxLength: 20,
        hint: 'US: ABA routing number. UK: sort code. Nigeria: bank code. Mexico: leave it empty.',
      },
      { ...account, hint: 'Nigeria: the NUBAN. Mexico: the CLABE.' },
      holder,
    ],
  }),
  swift: () => ({
    label: 'Bank account by SWIFT',
    fixed: { type: 'bank_account' },
    fields: [{ label: 'BIC', name: 'bic', required: true, maxLength: 11 }, account, anyCountry(), holder],
  }),
  mobile: (_texts, ways) => ({
    label: 'Mobile money',
    fixed: { type: 'mobile_money' },
    fields: [
      operator(ways),
      {
        label: 'Phone number',
        name: 'number',
        type: 'tel',
        required: true,
        maxLength: 30,
        hint: 'With + and the country code.',
      },
    ],
  }),
  stellar: () => ({
    label: 'Stellar wallet',
    fixed: { type: 'crypto_wallet', chain: 'stellar' },
    fields: [
      { label: 'Stellar address', name: 'address', required: true, maxLength: 150, hint: 'G… or M….' },
      { label: 'Asset', name: 'asset', required: true, maxLength: 80, hint: 'USDC, EURC, XLM, or CODE:ISSUER.' },
      { label: 'Memo', name: 'memo', maxLength: 64, hint: 'Exchanges ask for it.' },
      {
        label: 'Kind of memo',
        name: 'memo_type',
        options: [
          ['', 'By its form'],
          ['text', 'Text'],
          ['id', 'Number'],
          ['hash', 'Hash'],
          ['return', 'Return hash'],
        ],
      },
    ],
  }),
  wallet: ({ 'destination.chain': chain }) => ({
    label: 'Wallet on another chain',
    fixed: { type: 'crypto_wallet' },
    fields: [
      {
        label: 'Chain',
        name: 'chain',
        required: true,
        options: [['', 'Choose'], ...walletChains.map(id => [id, wayName(id)] as const)],
      },
      { label: 'Address', name: 'address', required: true, maxLength: 150 },
      { label: 'Asset', name: 'asset', required: true, maxLength: 80, hint: 'Its code on that chain, such as USDC.' },
      ...(chain === 'xrpl'
        ? [{ label: 'Destination tag', name: 'memo', maxLength: 10, hint: 'Exchanges ask for it.' }]
        : []),
    ],
  }),
};

/** The kind that is chosen when a form opens. */
const firstKind = 'iban';

/** The texts of a form before a person has typed a destination. */
export const destinationStart: FormTexts = {
  'destination.kind': firstKind,
  'destination.country': 'US',
  'destination.asset': 'USDC',
};

const kindOf = (texts: FormTexts, ways: WaysOut = null): Kind | undefined =>
  kinds[texts['destination.kind'] ?? firstKind]?.(texts, ways);

/** The typed destination. The service checks it later. Null if the person chose no destination. */
export function typedDestination(texts: FormTexts): PayoutDestination | null {
  const kind = kindOf(texts);
  if (kind === undefined) return null;
  const given = kind.fields.flatMap(({ name }) => {
    const text = texts[`destination.${name}`]?.trim();
    return text ? [[name, text] as const] : [];
  });
  return { ...kind.fixed, ...Object.fromEntries(given) } as PayoutDestination;
}

/** The texts of a form that shows a stored destination of a bank account or mobile money. */
export function destinationTexts(destination: SettlementDestination): FormTexts {
  const { type, ...fields } = destination;
  const given = Object.entries(fields).map(([name, text]) => [`destination.${name}`, String(text)]);
  return { 'destination.kind': kindNameOf(destination), ...Object.fromEntries(given) };
}

function kindNameOf(destination: SettlementDestination): string {
  if (destination.type === 'mobile_money') return 'mobile';
  if (destination.iban !== undefined) return 'iban';
  return destination.bic === undefined ? 'domestic' : 'swift';
}

/** The data of the form, and the function that stores its texts. */
interface DestinationForm {
  readonly texts: FormTexts;
  /** Error messages by `destination` or by a field such as `destination.iban`. */
  readonly errors: FormTexts;
  readonly type: (name: string, text: string) => void;
  /** The label of the first choice, if a destination is optional. */
  readonly none?: string;
  readonly ways?: WaysOut;
  /** The kinds to choose from, if not all. */
  readonly offered?: readonly string[];
}

/**
 * The kind of a destination, the fields of this kind, and a note if payouts there would wait or be refused. An error of
 * the whole destination is shown at the kind.
 */
export function destinationFields({
  texts,
  errors,
  type,
  none,
  ways = null,
  offered = Object.keys(kinds),
}: DestinationForm): TemplateResult {
  const kind = texts['destination.kind'] ?? firstKind;
  const fields = kindOf(texts, ways)?.fields ?? [];
  const options = Object.entries(kinds)
    .filter(([name]) => offered.includes(name))
    .map(([name, make]) => [name, make(texts, ways).label] as const);
  return html`${formField({
    label: 'Pay to',
    name: 'destination.kind',
    value: kind,
    options: none === undefined ? options : [['', none], ...options],
    error: errors['destination'],
    onInput: value => type('destination.kind', value),
  })}
  ${fields.map(field => {
    const name = `destination.${field.name}`;
    return formField({
      ...field,
      name,
      value: texts[name] ?? '',
      error: errors[name],
      onInput: value => type(name, value),
    });
  })}
  ${obstacleNote(typedDestination(texts), ways)}`;
}

/** A note that payouts to the destination would wait or be refused. Empty if no obstacle is known. */
export function obstacleNote(destination: PayoutDestination | null, ways: WaysOut): TemplateResult {
  const obstacle = obstacleTo(destination, ways);
  return html`<div role="status">${obstacle === null ? nothing : note(obstacle, 'warn')}</div>`;
}

/** The names of the errors that `destinationFields` can show for the chosen kind. */
export const destinationErrorNames = (texts: FormTexts): readonly string[] => [
  'destination',
  ...(kindOf(texts)?.fields ?? []).map(({ name }) => `destination.${name}`),
];

const plain = (text: string): string =>
  text.replace(/payouts\[\d+\](\.|: ?)?/g, '').replace(/destinations\[\d+\]/g, 'destination');

/** A refusal's messages by field of the form: `payouts[0].destination.iban` becomes `destination.iban`. */
export const plainErrors = (errors: FormTexts): FormTexts =>
  Object.fromEntries(Object.entries(errors).map(([param, message]) => [plain(param), plain(message)]));
