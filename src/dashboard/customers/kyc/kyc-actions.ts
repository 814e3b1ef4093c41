import { html, type TemplateResult } from 'lit';
import { PayApiError, type PayClient } from '../../../api/client.ts';
import type { Kyc, KycTier, KycValues } from '../../../api/kyc/kyc.ts';
import { sep9Fields } from '../../../core/kyc/sep9-fields.ts';
import { kycTiers } from '../../../core/kyc/tiers.ts';
import type { Action, ActionButton, FormTexts } from '../../controls/action-dialog.ts';
import { checkField, formField } from '../../controls/form-field.ts';
import { fieldWords, tierWords } from './kyc-words.ts';

/** The input of the actions. `done` gets the changed check, and the sentence for the toast. */
interface Acting {
  readonly client: PayClient;
  readonly kyc: Kyc;
  readonly done: (kyc: Kyc, sentence: string) => void;
}

type Type = (name: string, text: string) => void;

/** The decisions of staff about an identity check. A step that is already taken is not offered. */
export function kycActions(acting: Acting): readonly (ActionButton | false)[] {
  const { status } = acting.kyc;
  if (status === 'not_started') return [];
  return [
    status !== 'rejected' && { label: 'Reject', style: 'second', start: () => rejectAction(acting) },
    { label: 'Ask for more', style: 'second', start: () => askAction(acting) },
    {
      label: status === 'approved' ? 'Approve another tier' : 'Approve',
      style: status === 'under_review' ? 'main' : 'second',
      start: () => approveAction(acting),
    },
  ];
}

/** Shows the given values. The server writes each look in the audit log. */
export function revealAction(
  client: PayClient,
  { customer }: Kyc,
  show: (values: KycValues['values']) => void,
): Action {
  return {
    heading: 'Reveal the data',
    effects: () => [
      { what: 'This page', result: 'Shows the values until you hide them or leave' },
      { what: 'The audit log', result: 'Has your name and the time of the look' },
    ],
    button: () => 'Reveal',
    run: async () => show((await client.kyc.reveal(customer)).values),
  };
}

function approveAction({ client, kyc, done }: Acting): Action {
  // A list may have a new hit since the flags were written. The refusal says so, and the box lets the person decide.
  let isHeld = kyc.flags.length > 0;
  return {
    heading: 'Approve',
    start: { tier: kyc.requested_tier },
    fields: (texts, errors, type) => html`${formField({
      label: 'Tier',
      name: 'tier',
      value: texts['tier'] ?? '',
      error: errors['tier'],
      options: kycTiers.map(tier => [tier, tierWords(tier)] as const),
      hint: 'A higher tier includes the lower ones, and needs more data.',
      onInput: text => type('tier', text),
    })}
      ${isHeld ? overrideField(kyc, texts, type) : ''}`,
    effects: texts => [
      { what: 'The customer', result: `May do what ${tierWords(texts['tier'] as KycTier)} allows` },
      { what: 'Counts for', result: 'All later ramps, and those that wait for the check' },
    ],
    button: () => 'Approve',
    run: async (texts, idempotencyKey) => {
      const overrides = isHeld && texts['override'] === 'yes';
      const body = { tier: texts['tier'] as KycTier, ...(overrides && { override_flags: true }) };
      try {
        done(await client.kyc.approve(kyc.customer, body, { idempotencyKey }), 'Customer approved');
      } catch (error) {
        isHeld ||= error instanceof PayApiError && error.message.includes('override_flags');
        throw error;
      }
    },
  };
}

function overrideField({ flags }: Kyc, texts: FormTexts, type: Type): TemplateResult {
  return html`<ul>${flags.map(({ reason }) => html`<li>${reason}</li>`)}</ul>
    ${checkField('I have examined the hits, and approve anyway', 'override', texts['override'] === 'yes', isOn => type('override', isOn ? 'yes' : ''))}`;
}

const reasonsOf = (texts: FormTexts): string[] =>
  (texts['reasons'] ?? '').split('\n').flatMap(line => line.trim() || []);

function reasonsField(label: string, texts: FormTexts, errors: FormTexts, type: Type): TemplateResult {
  const error = Object.entries(errors).find(([param]) => param.startsWith('reasons'))?.[1];
  return formField({
    label,
    name: 'reasons',
    rows: 3,
    maxLength: 2_000,
    required: true,
    hint: 'For the customer, one reason on each line. Webhooks contain them, so write no personal data.',
    value: texts['reasons'] ?? '',
    error,
    onInput: text => type('reasons', text),
  });
}

function askAction({ client, kyc, done }: Acting): Action {
  const given = new Set(kyc.fields.filter(({ status }) => status === 'provided').map(({ name }) => name));
  const choices = sep9Fields.filter(({ of }) => of === kyc.type);
  const chosenIn = (texts: FormTexts) => choices.filter(({ name }) => texts[name] === 'yes').map(({ name }) => name);
  return {
    heading: 'Ask for more',
    isWide: true,
    fields: (texts, errors, type) => html`${reasonsField('What is needed, and why', texts, errors, type)}
      <fieldset class="pair"><legend>Fields that are needed, or needed again</legend>
        ${choices.map(field =>
          checkField(
            `${fieldWords(field)}${given.has(field.name) ? ' (given)' : ''}`,
            field.name,
            texts[field.name] === 'yes',
            isOn => type(field.name, isOn ? 'yes' : ''),
          ),
        )}
      </fieldset>`,
    effects: texts => [
      { what: 'The check', result: 'Is incomplete until the customer has given the data' },
      { what: 'Fields', result: String(chosenIn(texts).length) },
    ],
    button: texts => (reasonsOf(texts).length === 0 ? null : 'Ask for more'),
    run: async (texts, idempotencyKey) => {
      const fields = chosenIn(texts);
      const body = { reasons: reasonsOf(texts), ...(fields.length > 0 && { fields }) };
      done(await client.kyc.requestMore(kyc.customer, body, { idempotencyKey }), 'The customer is asked for more');
    },
  };
}

function rejectAction({ client, kyc, done }: Acting): Action {
  return {
    heading: 'Reject',
    isDangerous: true,
    fields: (texts, errors, type) => reasonsField('Why', texts, errors, type),
    effects: () => [
      { what: 'The customer', result: 'Cannot pass a limit that needs an identity check' },
      { what: 'An approved tier', result: kyc.tier === null ? 'There is none' : `${tierWords(kyc.tier)} ends` },
      { what: 'Later', result: 'You can ask for more, or approve' },
    ],
    button: texts => (reasonsOf(texts).length === 0 ? null : 'Reject'),
    run: async (texts, idempotencyKey) =>
      done(
        await client.kyc.reject(kyc.customer, { reasons: reasonsOf(texts) }, { idempotencyKey }),
        'Customer rejected',
      ),
  };
}
