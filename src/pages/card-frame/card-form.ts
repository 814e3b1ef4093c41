import { type CardField, type CardFieldProblem, type CardFrameStrings, cardFields } from '../../api/card-frame.ts';
import { detectBrand } from '../../core/card-number.ts';
import { type CardInputs, type CardRules, codeLength, problemOf } from './card.ts';
import { formatCode, formatExpiry, formatNumber, keepFormatted } from './typing.ts';

/** One field of the document: `#number`, its label, its error text. */
interface FieldParts {
  readonly input: HTMLInputElement;
  readonly label: HTMLElement;
  readonly error: HTMLElement;
}

/** The form of the frame: it shows, checks and marks; it sends nothing. */
export interface CardForm {
  values(): CardInputs;
  /** Shows what is wrong in each field, moves the focus to the first of them, and says it. */
  check(): CardFieldProblem[];
  /** Shows the service's own objection to a field. */
  object(field: CardField, message: string): void;
  focus(): void;
  /** Keeps the payer from typing while an answer is awaited; the focus stays where it is. */
  lock(locked: boolean): void;
}

/** What the form depends on and whom it tells. */
export interface CardFormDeps {
  readonly document: Document;
  readonly strings: CardFrameStrings;
  readonly rules: CardRules;
  readonly onChange: (state: { complete: boolean; brand: string | null; empty: boolean }) => void;
  readonly onEnter: () => void;
}

/** Brings the four inputs of the document to life. */
export function createCardForm(deps: CardFormDeps): CardForm {
  const parts = findParts(deps.document);
  const form = {
    values: () => ({
      number: parts.number.input.value,
      expiry: parts.expiry.input.value,
      cvc: parts.cvc.input.value,
      name: parts.name.input.value,
    }),
    check: () => checkAll(deps, parts, form.values()),
    object: (field: CardField, message: string) => {
      mark(parts[field], message);
      parts[field].input.focus();
    },
    focus: () =>
      (cardFields.map(field => parts[field].input).find(input => !input.value) ?? parts.number.input).focus(),
    lock: (locked: boolean) => {
      for (const field of cardFields) parts[field].input.readOnly = locked;
    },
  };
  write(deps, parts);
  listen(deps, parts, form.values);
  return form;
}

function findParts(document: Document): Record<CardField, FieldParts> {
  const find = (field: CardField): FieldParts => ({
    input: document.querySelector<HTMLInputElement>(`#${field}`) as HTMLInputElement,
    label: document.querySelector(`label[for=${field}]`) as HTMLElement,
    error: document.querySelector(`#${field}-error`) as HTMLElement,
  });
  return { number: find('number'), expiry: find('expiry'), cvc: find('cvc'), name: find('name') };
}

function write({ strings }: CardFormDeps, parts: Record<CardField, FieldParts>): void {
  for (const field of cardFields) parts[field].label.textContent = strings[field];
  parts.number.input.placeholder = strings.numberHint;
  parts.expiry.input.placeholder = strings.expiryHint;
  parts.cvc.input.placeholder = strings.cvcHint3;
  parts.name.input.placeholder = strings.nameHint;
}

function listen(deps: CardFormDeps, parts: Record<CardField, FieldParts>, values: () => CardInputs): void {
  keepFormatted(parts.number.input, formatNumber);
  keepFormatted(parts.expiry.input, formatExpiry);
  const longest = () => codeLength(parts.number.input.value);
  keepFormatted(parts.cvc.input, formatCode(longest));
  for (const field of cardFields) {
    const { input } = parts[field];
    const problem = () => problemOf(field, values(), deps.rules);
    // A field that was left half-filled is marked; one that is being mended is unmarked as soon as it is right.
    input.addEventListener('change', () => {
      const found = input.value === '' ? null : problem();
      mark(parts[field], found && deps.strings[found]);
    });
    input.addEventListener('input', () => {
      if (input.ariaInvalid === 'true' && !problem()) mark(parts[field], null);
      showBrand(deps, parts);
      report(deps, values());
    });
    input.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || event.isComposing) return;
      event.preventDefault();
      if (!event.repeat) deps.onEnter();
    });
  }
}

function showBrand({ document, strings }: CardFormDeps, parts: Record<CardField, FieldParts>): void {
  const brand = detectBrand(parts.number.input.value);
  const badge = document.querySelector('#brand') as HTMLElement;
  const label = brand?.label ?? '';
  if (badge.textContent !== label) badge.textContent = label;
  parts.cvc.input.placeholder = brand?.cvcLength === 4 ? strings.cvcHint4 : strings.cvcHint3;
}

function report({ rules, onChange }: CardFormDeps, card: CardInputs): void {
  onChange({
    complete: cardFields.every(field => !problemOf(field, card, rules)),
    brand: detectBrand(card.number)?.brand ?? null,
    empty: cardFields.every(field => card[field].trim() === ''),
  });
}

function checkAll({ strings, rules }: CardFormDeps, parts: Record<CardField, FieldParts>, card: CardInputs) {
  const problems: CardFieldProblem[] = [];
  for (const field of cardFields) {
    const found = problemOf(field, card, rules);
    mark(parts[field], found && strings[found]);
    if (found) problems.push({ field, message: strings[found] });
  }
  if (problems[0]) parts[problems[0].field].input.focus();
  return problems;
}

function mark({ input, error }: FieldParts, message: string | null): void {
  input.ariaInvalid = String(message !== null);
  if (error.textContent !== (message ?? '')) error.textContent = message;
}
