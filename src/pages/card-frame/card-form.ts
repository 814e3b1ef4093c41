import { type CardField, type CardFieldProblem, type CardFrameStrings, cardFields } from '../../api/card-frame.ts';
import { detectBrand } from '../../core/card-number.ts';
import { type CardInputs, type CardRules, codeLength, problemOf } from './card.ts';
import { formatCode, formatExpiry, formatNumber, keepFormatted } from './typing.ts';

/** The four inputs of the document. The error text of each is `#<field>-error`. */
type Inputs = Readonly<Record<CardField, HTMLInputElement>>;

/** The form of the frame. It checks the fields and marks errors, but sends nothing. */
export interface CardForm {
  values(): CardInputs;
  /** Checks all fields, marks and returns the errors, and focuses the first wrong field. */
  check(): CardFieldProblem[];
  /** Shows an error from the service at a field. */
  object(field: CardField, message: string): void;
  focus(): void;
  /** Prevents typing while an answer is awaited. The focus stays. */
  lock(locked: boolean): void;
}

/** Texts, rules and callbacks of the form. */
export interface CardFormDeps {
  readonly strings: CardFrameStrings;
  readonly rules: CardRules;
  readonly onChange: (state: { complete: boolean; brand: string | null; empty: boolean }) => void;
  readonly onEnter: () => void;
}

const find = (id: string) => document.getElementById(id) as HTMLElement;

/** Attaches the form to the inputs of the document. */
export function createCardForm(deps: CardFormDeps): CardForm {
  const inputs = Object.fromEntries(cardFields.map(field => [field, find(field)])) as Inputs;
  const values = () =>
    Object.fromEntries(cardFields.map(field => [field, inputs[field].value])) as Record<CardField, string>;
  label(deps, inputs);
  listen(deps, inputs, values);
  return {
    values,
    check: () => checkAll(deps, inputs, values()),
    object: (field, message) => {
      mark(inputs[field], message);
      inputs[field].focus();
    },
    focus: () => (cardFields.map(field => inputs[field]).find(input => !input.value) ?? inputs.number).focus(),
    lock: locked => {
      for (const field of cardFields) inputs[field].readOnly = locked;
    },
  };
}

function label({ strings }: CardFormDeps, inputs: Inputs): void {
  const hints = {
    number: strings.numberHint,
    expiry: strings.expiryHint,
    cvc: strings.cvcHint3,
    name: strings.nameHint,
  };
  for (const field of cardFields) {
    const [text] = inputs[field].labels ?? [];
    if (text) text.textContent = strings[field];
    inputs[field].placeholder = hints[field];
  }
}

function listen(deps: CardFormDeps, inputs: Inputs, values: () => CardInputs): void {
  keepFormatted(inputs.number, formatNumber);
  keepFormatted(inputs.expiry, formatExpiry);
  keepFormatted(
    inputs.cvc,
    formatCode(() => codeLength(inputs.number.value)),
  );
  for (const field of cardFields) {
    const input = inputs[field];
    const problem = () => problemOf(field, values(), deps.rules);
    // An error is marked when the field is left, and removed as soon as the text is correct.
    input.addEventListener('change', () => {
      const found = input.value && problem();
      mark(input, found && deps.strings[found]);
    });
    input.addEventListener('input', () => {
      if (input.ariaInvalid === 'true' && !problem()) mark(input, null);
      showBrand(deps, inputs);
      report(deps, values());
    });
    input.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || event.isComposing) return;
      event.preventDefault();
      if (!event.repeat) deps.onEnter();
    });
  }
}

function showBrand({ strings }: CardFormDeps, { number, cvc }: Inputs): void {
  const brand = detectBrand(number.value);
  find('brand').textContent = brand?.label ?? '';
  cvc.placeholder = brand?.cvcLength === 4 ? strings.cvcHint4 : strings.cvcHint3;
}

function report({ rules, onChange }: CardFormDeps, card: CardInputs): void {
  onChange({
    complete: cardFields.every(field => !problemOf(field, card, rules)),
    brand: detectBrand(card.number)?.brand ?? null,
    empty: cardFields.every(field => !card[field].trim()),
  });
}

function checkAll({ strings, rules }: CardFormDeps, inputs: Inputs, card: CardInputs): CardFieldProblem[] {
  const problems: CardFieldProblem[] = [];
  for (const field of cardFields) {
    const found = problemOf(field, card, rules);
    mark(inputs[field], found && strings[found]);
    if (found) problems.push({ field, message: strings[found] });
  }
  if (problems[0]) inputs[problems[0].field].focus();
  return problems;
}

function mark(input: HTMLInputElement, message: string | null): void {
  input.ariaInvalid = String(!!message);
  find(`${input.id}-error`).textContent = message;
}
