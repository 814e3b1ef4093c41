import { css, html, nothing, type TemplateResult } from 'lit';
import type { MobileMoneyOption } from '../../api/payment.ts';
import type { ConfirmPayment } from '../../api/payments/attempt.ts';
import { announce, type CheckoutContext, localeOf, stateOf } from '../checkout-context.ts';
import { focusOn, problemText } from '../controls/controls.ts';
import { moneyText } from '../money-text.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import type { mobileMoneyStrings } from '../strings/en/mobile-money.ts';
import { say } from '../strings/en.ts';
import { digitsOf, flagOf, matchLength, readNumber, type TypedNumber } from './phone-number.ts';

export const phoneFormStyles = css`
  .phone label {
    display: block;
    margin-block-end: 6px;
    color: var(--ink2);
    font-size: 0.934em;
  }
  .dial {
    display: flex;
    border: 1px solid var(--edge);
    border-radius: var(--corner);
    background: var(--field);
    font-size: calc(1em / 0.9375);
    font-variant-numeric: tabular-nums;
  }
  .dial:has(:focus-visible) {
    border-color: var(--accent-text);
    outline: 3px solid color-mix(in srgb, var(--accent-text) 28%, transparent);
  }
  .dial:has([aria-invalid="true"]) {
    border-color: var(--bad);
  }
  .dial input,
  .dial select {
    min-block-size: 48px;
    border: 0;
    outline: 0;
    background: none;
    color: var(--ink);
    font: inherit;
  }
  .dial input {
    flex: 1;
    inline-size: 100%;
    min-inline-size: 0;
    padding: 8px 12px;
    border-radius: inherit;
  }
  .code {
    position: relative;
    display: flex;
    flex: none;
    gap: 6px;
    align-items: center;
    padding-inline: 12px;
    border-inline-end: 1px solid var(--line);
    color: var(--ink);
  }
  .code:has(:focus-visible) {
    border-radius: inherit;
    box-shadow: inset 0 0 0 2px var(--accent-text);
  }
  .code select {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .code option {
    background: var(--card);
  }
  .code svg {
    inline-size: 0.8em;
    color: var(--ink3);
  }
  @media (width < 320px) {
    .code svg {
      display: none;
    }
    .code,
    .dial input {
      padding-inline: 8px;
    }
  }
  .wrong,
  .hint {
    margin-block-start: 6px;
    color: var(--bad);
    font-size: 0.934em;
  }
  .hint {
    color: var(--ink2);
  }
`;

type Words = typeof mobileMoneyStrings;
type Operators = readonly MobileMoneyOption[];

/** The fields of the tab. Typed text stays while the payer uses other tabs. */
export interface PhoneForm {
  render(words: Words, state: CheckoutState): unknown;
  /** The operator of the number, else the first of the country. It decides amount and currency. */
  option(operators: Operators): MobileMoneyOption | undefined;
  /** The request for a prompt. Null for an invalid field: it then shows the reason and gets the focus. */
  take(words: Words, operators: Operators): Promise<ConfirmPayment | null>;
  focus(): void;
}

interface Entry {
  readonly context: CheckoutContext;
  /** The country that the payer chose, or that the typed calling code names. */
  country: string;
  typed: string;
  /** The operator that the payer chose by hand. Blank: the operator of the number's prefix. */
  byHand: string;
  /** Whether the fields show their errors. They do so after the first press. */
  isChecked: boolean;
}

export function createPhoneForm(context: CheckoutContext): PhoneForm {
  const entry: Entry = { context, country: '', typed: '', byHand: '', isChecked: false };
  const focus = () => focusOn(context, '#pay-number');
  return {
    focus,
    option: operators => operatorOf(entry, operators) ?? chosenPlace(entry, operators),
    render: (words, state) => drawn(entry, words, state),
    async take(words, operators) {
      const operator = operatorOf(entry, operators);
      const number = numberOf(entry, operators);
      const wrong = numberProblem(entry, words, operators);
      if (!wrong && operator && number) {
        Object.assign(entry, { isChecked: false, typed: number.national });
        const isConverted = operator.currency !== stateOf(context).payment?.currency;
        return {
          method: 'mobile_money',
          provider: operator.provider,
          number: `+${operator.calling_code}${number.national}`,
          // The service refuses the prompt if the rate has changed the amount that the payer has seen.
          ...(isConverted && { amount: operator.amount }),
        };
      }
      entry.isChecked = true;
      context.element.requestUpdate();
      await context.element.updateComplete;
      if (wrong) focus();
      else focusOn(context, '#panel-mobile_money [type=radio]');
      return null;
    },
  };
}

/** One row for each country, in the service's order: countries of the payment's currency first. */
const placesOf = (operators: Operators): Operators =>
  operators.filter(({ country }, at) => operators.findIndex(each => each.country === country) === at);

/** The country that the payer chose. At first: one with the payment's currency, the browser's, or the first. */
function chosenPlace({ context, country }: Entry, operators: Operators): MobileMoneyOption | undefined {
  const { currency } = stateOf(context).payment ?? {};
  const regions = navigator.languages.map(tag => tag.split('-').at(-1));
  return (
    operators.find(each => each.country === country) ??
    operators.find(each => each.currency === currency) ??
    operators.find(each => regions.includes(each.country)) ??
    operators[0]
  );
}

function numberOf(entry: Entry, operators: Operators): TypedNumber<MobileMoneyOption> | null {
  const chosen = chosenPlace(entry, operators);
  return chosen ? readNumber(entry.typed, chosen, placesOf(operators)) : null;
}

const inCountry = (operators: Operators, place: MobileMoneyOption | undefined): Operators =>
  operators.filter(({ country }) => country === place?.country);

/** The operator chosen by hand, the one whose prefix fits best, or the country's only one. */
function operatorOf(entry: Entry, operators: Operators): MobileMoneyOption | undefined {
  const { place, national = '' } = numberOf(entry, operators) ?? {};
  const near = inCountry(operators, place);
  const byHand = near.find(({ provider }) => provider === entry.byHand);
  if (byHand) return byHand;
  const lengths = near.map(({ prefixes }) => matchLength(national, prefixes));
  const longest = Math.max(0, ...lengths);
  return longest > 0 ? near[lengths.indexOf(longest)] : near.length === 1 ? near[0] : undefined;
}

const nameOfCountry = ({ context }: Entry, country: string): string =>
  new Intl.DisplayNames(localeOf(context), { type: 'region' }).of(country) ?? country;

/** The error of the number. Blank if it may be sent. */
function numberProblem(entry: Entry, words: Words, operators: Operators): string {
  const number = numberOf(entry, operators);
  if (!number || !/\p{Nd}/u.test(entry.typed)) return words.missing;
  const { place, national } = number;
  if (!place) {
    const names = placesOf(operators).map(({ country }) => nameOfCountry(entry, country));
    return say(words.foreign, { countries: new Intl.ListFormat(localeOf(entry.context)).format(names) });
  }
  const { country, calling_code: code } = place;
  const digits = digitsOf(country);
  if (national.length === digits) return '';
  const values = { country: nameOfCountry(entry, country), digits, code: `\u2066+${code}\u2069` };
  return say(national.length < digits ? words.short : words.long, values);
}

/** The service's refusal of a field, in the tab's language. */
function refusalOf({ context }: Entry, words: Words, { problem }: CheckoutState): string {
  if (problem?.param !== 'number' && problem?.param !== 'provider') return '';
  return (words.problems[problem.code] ?? problemText(context, problem)).replace('|', ' ');
}

/** Why the last prompt took no money, or why there is none. Blank after a press, and for errors of fields. */
export function setbackText(words: Words, { payment, problem, busy }: CheckoutState): string {
  if (busy || problem?.status === 0 || problem?.code === 'quote_expired') return '';
  if (problem?.param === 'number' || problem?.param === 'provider') return '';
  const last = payment?.last_attempt;
  const found = problem ?? (last?.method === 'mobile_money' ? last : null);
  return found ? (words.problems[found.code] ?? found.message.replace('. ', '.|')) : '';
}

function enter(entry: Entry, words: Words, operators: Operators, event: Event): void {
  const { context } = entry;
  const input = event.target as HTMLInputElement;
  const before = operatorOf(entry, operators);
  entry.typed = input.value;
  const number = numberOf(entry, operators);
  if (number?.place) entry.country = number.place.country;
  // A typed number loses its calling code when the payer leaves the field. A pasted or filled-in number loses it at once,
  // also one that a keyboard offers: its event is that of typed text. Lit writes only a value that differs from the last.
  const { data, inputType } = event as InputEvent;
  const isTyped = data?.length === 1 || /^[dh]/.test(inputType);
  if (number?.place && number.isInternational && !isTyped) input.value = entry.typed = number.national;
  const operator = operatorOf(entry, operators);
  if (operator && operator !== before) announce(context, say(words.found, { operator: operator.name }));
  context.element.requestUpdate();
}

function drawn(entry: Entry, words: Words, state: CheckoutState): TemplateResult {
  const operators = state.options?.mobile_money?.operators ?? [];
  const { context, typed, isChecked } = entry;
  const wrong = (isChecked && numberProblem(entry, words, operators)) || refusalOf(entry, words, state);
  const typing = (event: Event) => enter(entry, words, operators, event);
  return html`<div class="phone">
      <label for="pay-number">${words.number}</label>
      <div class="dial" dir="ltr">
        ${code(entry, words, operators)}
        <input
          id="pay-number"
          part="field"
          type="tel"
          inputmode="tel"
          autocomplete="tel-national"
          maxlength="30"
          .value=${typed}
          ?readonly=${state.busy === 'confirm'}
          aria-invalid=${wrong ? 'true' : 'false'}
          aria-describedby=${wrong ? 'wrong-number' : nothing}
          @input=${typing}
          @change=${typing}
          @keydown=${({ key }: KeyboardEvent) => key === 'Enter' && context.element.confirm()}
        />
      </div>
      ${wrong ? html`<p class="wrong" id="wrong-number">${wrong}</p>` : nothing}
    </div>
    ${choices(entry, words, operators)}`;
}

/** Flag and calling code. Where several countries are offered, an invisible list lies on top. */
function code(entry: Entry, words: Words, operators: Operators): TemplateResult {
  const places = placesOf(operators);
  const place = numberOf(entry, operators)?.place ?? chosenPlace(entry, operators);
  if (!place) return html``;
  const change = ({ target }: Event) => {
    Object.assign(entry, { country: (target as HTMLSelectElement).value, byHand: '' });
    entry.context.element.requestUpdate();
  };
  const label = (each: MobileMoneyOption) => `${nameOfCountry(entry, each.country)} (+${each.calling_code})`;
  return html`<span class="code">
    <span aria-hidden="true">${flagOf(place.country)}</span>+${place.calling_code}${
      places.length < 2
        ? nothing
        : html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m5 9 7 7 7-7"></path></svg>
            <select aria-label=${words.country} autocomplete="off" @change=${change}>
              ${places.map(
                each => html`<option value=${each.country} .selected=${each === place}>
                  ${flagOf(each.country)} ${label(each)}
                </option>`,
              )}
            </select>`
    }
  </span>`;
}

/** The operators of the country, and a hint if the number does not look like the chosen operator's. */
function choices(entry: Entry, words: Words, operators: Operators): unknown {
  const number = numberOf(entry, operators);
  const near = inCountry(operators, number?.place ?? chosenPlace(entry, operators));
  const operator = operatorOf(entry, operators);
  const isMissing = entry.isChecked && !operator && !numberProblem(entry, words, operators);
  const isComplete = number?.place && number.national.length === digitsOf(number.place.country);
  const isOther = operator && isComplete && operator.prefixes[0] && !matchLength(number.national, operator.prefixes);
  const hint = isOther ? say(words.ported, { operator: operator.name }) : '';
  return html`${
    near.length < 2
      ? nothing
      : html`<fieldset aria-describedby=${isMissing ? 'wrong-operator' : hint ? 'hint-operator' : nothing}>
          <legend>${words.operator}</legend>
          ${near.map(each => choice(entry, each, each === operator, near))}
        </fieldset>`
  }
  ${isMissing ? html`<p class="wrong" id="wrong-operator">${words.choose}</p>` : nothing}
  ${hint ? html`<p class="hint" id="hint-operator" role="status">${hint}</p>` : nothing}`;
}

/** One operator. Its amount is shown only if the operators' amounts differ, because of their steps. */
function choice(entry: Entry, each: MobileMoneyOption, isChosen: boolean, near: Operators): TemplateResult {
  const { context } = entry;
  const mark = () => {
    entry.byHand = each.provider;
    context.element.requestUpdate();
  };
  return html`<label class="choice">
    <input type="radio" name="operator" .checked=${isChosen} @change=${mark} />
    <span>${each.name}</span>
    ${
      near.every(({ amount }) => amount === each.amount)
        ? nothing
        : html`<b>${moneyText(each.amount, each.currency, localeOf(context))}</b>`
    }
  </label>`;
}
