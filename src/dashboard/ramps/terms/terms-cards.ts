import { html, nothing, type TemplateResult } from 'lit';
import type { RampMethod } from '../../../api/ramps/ramp-settings.ts';
import { kycTiers } from '../../../core/kyc/tiers.ts';
import { checkField, formField } from '../../controls/form-field.ts';
import { note } from '../../controls/states.ts';
import { shortenedWords } from '../../controls/values.ts';
import { tierWords } from '../../customers/kyc/kyc-words.ts';
import { methods } from '../../payments/payment-states.ts';
import { countries } from '../../payouts/countries.ts';
import { type RuleField, ruleList } from './rule-list.ts';
import { type FeeTexts, type LimitTexts, newFee, newLimit, type TermsTexts } from './terms-texts.ts';

/** The form of the rules. */
export interface TermsForm {
  readonly texts: TermsTexts;
  /** The assets that the operator lists. */
  readonly listed: readonly string[];
  readonly change: (changed: Partial<TermsTexts>) => void;
  /** Changes the order or the number of rules. */
  readonly arrange: (changed: Partial<TermsTexts>) => void;
  readonly errorOf: (param: string) => string | undefined;
  readonly focus: (selector: string) => void;
}

const methodNames = Object.entries(methods).filter(([method]) => method !== 'crypto') as [RampMethod, string][];

/** An asset in words: its code and the beginning and end of its issuer. */
function assetLabel(asset: string): string {
  const [code = asset, issuer] = asset.split(':');
  return issuer === undefined ? code : `${code} · ${shortenedWords(issuer)}`;
}

/** The listed assets, and the chosen ones that are no longer listed. */
const assetsOf = ({ listed, texts }: TermsForm): string[] => [
  ...new Set([...listed, ...texts.assets, ...texts.fees.flatMap(({ asset }) => asset || [])]),
];

/** What customers buy, how they pay, and who checks them. */
export function offerCard(form: TermsForm): TemplateResult {
  const { texts, change } = form;
  const isEmpty = texts.enabled && (texts.assets.length === 0 || texts.methods.length === 0);
  return html`<section class="card" aria-labelledby="offer">
    <h2 id="offer">Offer</h2>
    ${checkField('Customers can buy coins', 'ramps.enabled', texts.enabled, enabled => change({ enabled }))}
    <div role="status">${isEmpty ? note('Choose at least one asset and one method. Without them, customers can buy nothing.', 'warn') : nothing}</div>
    ${choices(
      form,
      'assets',
      'Assets',
      'The operator lists them.',
      assetsOf(form).map(asset => [asset, assetLabel(asset)]),
    )}
    ${choices(form, 'methods', 'Customers pay by', '', methodNames)}
    <div class="grid">
      ${formField({
        label: 'Money that arrives after the price has ended',
        name: 'ramps.late_money',
        options: [
          ['market', 'Buys at the market rate'],
          ['refund', 'Goes back'],
          ['wait', 'Waits for you'],
        ],
        value: texts.late_money,
        error: form.errorOf('ramps.late_money'),
        onInput: late => change({ late_money: late }),
      })}
      ${formField({
        label: 'Identity checks',
        name: 'ramps.kyc',
        options: [
          ['service', 'The provider and your staff decide'],
          ['platform', 'Your own program decides'],
        ],
        value: texts.kyc,
        error: form.errorOf('ramps.kyc'),
        onInput: kyc => change({ kyc }),
      })}
    </div>
  </section>`;
}

/** Boxes for a list of values. */
function choices(
  { texts, change, errorOf }: TermsForm,
  list: 'assets' | 'methods',
  label: string,
  hint: string,
  options: readonly (readonly [value: string, label: string])[],
): TemplateResult {
  const chosen: readonly string[] = texts[list];
  const errorAt = [`ramps.${list}`, ...chosen.map((_, index) => `ramps.${list}[${index}]`)];
  const error = errorAt.flatMap(param => errorOf(param) ?? [])[0];
  const set = (value: string, isOn: boolean) =>
    change({ [list]: isOn ? [...chosen, value] : chosen.filter(each => each !== value) });
  return html`<fieldset class="field" aria-describedby=${error === undefined ? nothing : `${list}-error`}>
    <legend class="label">${label}</legend>
    ${hint === '' ? nothing : html`<div class="hint">${hint}</div>`}
    <div class="choices">${options.map(([value, words]) =>
      checkField(
        words,
        `ramps.${list}.${value}`,
        chosen.includes(value),
        isOn => set(value, isOn),
        error !== undefined,
      ),
    )}</div>
    ${error === undefined ? nothing : html`<div class="error" id=${`${list}-error`}>${error}</div>`}
  </fieldset>`;
}

/** Fees and limits, rule by rule. */
export function ruleCards(form: TermsForm): TemplateResult {
  const { texts, change, arrange, errorOf, focus } = form;
  return html`<section class="card" aria-labelledby="fees">
      <div><h2 id="fees">Fees</h2>
        <p class="hint">The first rule that fits counts. Without a rule, a purchase is free. The customer pays the fee within the amount.</p></div>
      ${ruleList<FeeTexts>({
        name: 'Fee',
        param: 'ramps.fees',
        rules: texts.fees,
        fields: feeFields(form),
        add: () => newFee(texts.fees),
        change: fees => change({ fees }),
        arrange: fees => arrange({ fees }),
        errorOf,
        focus,
      })}
    </section>
    <section class="card" aria-labelledby="limits">
      <div><h2 id="limits">Limits</h2>
        <p class="hint">A purchase must fit one rule whose identity check the customer has passed. Without a rule, nothing
          is limited, and nobody needs a check.</p></div>
      ${ruleList<LimitTexts>({
        name: 'Limit',
        param: 'ramps.limits',
        rules: texts.limits,
        fields: limitFields(),
        add: () => newLimit(texts.limits),
        change: limits => change({ limits }),
        arrange: limits => arrange({ limits }),
        errorOf,
        focus,
      })}
    </section>`;
}

const feeFields = (form: TermsForm): readonly RuleField<FeeTexts>[] => [
  {
    label: 'Asset',
    name: 'asset',
    options: [['', 'Every'], ...assetsOf(form).map(asset => [asset, assetLabel(asset)] as const)],
  },
  { label: 'Paid by', name: 'method', options: [['', 'Every'], ...methodNames] },
  { label: 'Currency', name: 'currency', maxLength: 3, placeholder: 'Every' },
  { label: 'Percent', name: 'percent', inputMode: 'decimal', maxLength: 10, placeholder: '1.5' },
  { label: 'Fixed', name: 'fixed', inputMode: 'decimal', maxLength: 20, placeholder: 'None' },
];

const limitFields = (): readonly RuleField<LimitTexts>[] => [
  {
    label: 'Identity check',
    name: 'tier',
    options: [['', 'None'], ...kycTiers.map(tier => [tier, tierWords(tier)] as const)],
  },
  { label: 'Country', name: 'country', options: [['', 'Every'], ...countries()] },
  { label: 'Currency', name: 'currency', maxLength: 3, required: true },
  { label: 'One purchase', name: 'per_transaction', inputMode: 'decimal', maxLength: 20, placeholder: 'No limit' },
  { label: 'In 24 hours', name: 'per_day', inputMode: 'decimal', maxLength: 20, placeholder: 'No limit' },
  { label: 'In 30 days', name: 'per_month', inputMode: 'decimal', maxLength: 20, placeholder: 'No limit' },
];
