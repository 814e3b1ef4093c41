import { type CardField, type CardFrameLabels, cardFields } from '../../api/card-frame.ts';
import { detectBrand } from '../../core/card/card-number.ts';
import { formatCode, formatExpiry, formatNumber, keepFormatted } from './typing.ts';

/** The entered texts of the four fields. */
export type CardInputs = Readonly<Record<CardField, string>>;

/** The form of the frame: labels, formats during typing, and the brand. `card-checks.ts` checks the fields. */
export interface CardForm {
  readonly inputs: Readonly<Record<CardField, HTMLInputElement>>;
  values(): CardInputs;
  focus(): void;
  /** Prevents typing while `locked`. The focus stays. */
  lock(locked: boolean): void;
}

const find = (id: string) => document.getElementById(id) as HTMLElement;

/** Attaches the form to the inputs of the document. */
export function createCardForm(labels: CardFrameLabels, onEnter: () => void): CardForm {
  const inputs = Object.fromEntries(cardFields.map(field => [field, find(field)])) as CardForm['inputs'];
  const { number, expiry, cvc } = inputs;
  keepFormatted(number, formatNumber);
  keepFormatted(expiry, formatExpiry);
  keepFormatted(cvc, formatCode(number));
  number.addEventListener('input', () => showBrand(labels, number, cvc));
  for (const field of cardFields) {
    const input = inputs[field];
    const [text] = input.labels ?? [];
    if (text) text.textContent = labels[field];
    input.placeholder = labels[field === 'cvc' ? 'cvcHint3' : (`${field}Hint` as const)];
    input.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || event.isComposing) return;
      event.preventDefault();
      if (!event.repeat) onEnter();
    });
  }
  const all = Object.values(inputs);
  return {
    inputs,
    values: () => Object.fromEntries(cardFields.map(field => [field, inputs[field].value])) as CardInputs,
    focus: () => (all.find(input => !input.value) ?? number).focus(),
    lock: locked => {
      for (const input of all) input.readOnly = locked;
    },
  };
}

function showBrand(labels: CardFrameLabels, number: HTMLInputElement, cvc: HTMLInputElement): void {
  const brand = detectBrand(number.value);
  find('brand').textContent = brand?.label ?? '';
  cvc.placeholder = brand?.cvcLength === 4 ? labels.cvcHint4 : labels.cvcHint3;
}
