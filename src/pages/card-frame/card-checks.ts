import {
  type CardField,
  type CardFieldProblem,
  type CardFrameReply,
  type CardFrameStrings,
  cardFields,
} from '../../api/card-frame.ts';
import { detectBrand } from '../../core/card/card-number.ts';
import { type CardRules, problemOf } from './card.ts';
import type { CardForm } from './card-form.ts';
import { englishProblems } from './problem-strings.ts';
import { english } from './strings.ts';
import { requestToken, type TokenAnswer } from './token.ts';

/** The functions of the frame that the checks call. */
export interface CheckPort {
  readonly send: (reply: CardFrameReply) => void;
  /** Like `send`, but only if the reply differs from the last one of its type. */
  readonly tell: (reply: CardFrameReply) => void;
  /** Locks the fields as long as any holder requires the lock. */
  readonly lock: (holder: 'page' | 'submit' | 'wallet', locked: boolean) => void;
}

interface Checks {
  readonly form: CardForm;
  readonly port: CheckPort;
  readonly strings: CardFrameStrings;
  readonly rules: CardRules;
}

/** Texts (null for English) and rules of the checks. */
export interface CheckOptions {
  readonly strings: CardFrameStrings | null;
  readonly rules: CardRules;
}

/**
 * Begins to check the fields, and returns the submit handler. The handler answers each submit exactly once. A submit
 * during another submit gets the same answer.
 */
export function createChecks(form: CardForm, port: CheckPort, options: CheckOptions): (id: string) => Promise<void> {
  const strings = options.strings ?? { ...english, ...englishProblems };
  const checks = { form, port, strings, rules: options.rules };
  listen(checks);
  let running: Promise<TokenAnswer> | null = null;
  return async id => {
    if (!running) {
      const fields = checkAll(checks);
      if (fields.length > 0) return port.send({ type: 'invalid', id, fields });
      port.lock('submit', true);
      running = requestToken(form.values(), strings).finally(() => {
        port.lock('submit', false);
        running = null;
      });
    }
    port.send(toReply(checks, id, await running));
  };
}

/** Marks an error when the payer leaves a changed field that has a text. Removes the mark when the text is correct. */
function listen(checks: Checks): void {
  const { form, strings, rules } = checks;
  for (const field of cardFields) {
    const input = form.inputs[field];
    const problem = () => problemOf(field, form.values(), rules);
    input.addEventListener('change', () => {
      const found = input.value && problem();
      mark(input, found && strings[found]);
    });
    input.addEventListener('input', () => {
      if (input.ariaInvalid === 'true' && !problem()) mark(input, null);
      report(checks);
    });
  }
  // The payer may have typed before the checks were loaded.
  if (Object.values(form.values()).join('')) report(checks);
}

function report({ form, port, rules }: Checks): void {
  const card = form.values();
  port.tell({
    type: 'change',
    complete: cardFields.every(field => !problemOf(field, card, rules)),
    brand: detectBrand(card.number)?.brand ?? null,
    empty: cardFields.every(field => !card[field].trim()),
  });
}

/** Checks all fields. Marks and returns the errors, and focuses the first wrong field. */
function checkAll({ form, strings, rules }: Checks): CardFieldProblem[] {
  const problems: CardFieldProblem[] = [];
  for (const field of cardFields) {
    const found = problemOf(field, form.values(), rules);
    mark(form.inputs[field], found && strings[found]);
    if (found) problems.push({ field, message: strings[found] });
  }
  if (problems[0]) form.inputs[problems[0].field].focus();
  return problems;
}

function mark(input: HTMLInputElement, message: string | null): void {
  input.ariaInvalid = String(!!message);
  (document.getElementById(`${input.id}-error`) as HTMLElement).textContent = message;
}

/** For each error code of the service that concerns one field: the field and the text to show. */
const objections: Readonly<Record<string, readonly [CardField, keyof CardFrameStrings]>> = {
  incorrect_number: ['number', 'numberInvalid'],
  invalid_expiry: ['expiry', 'expiryInvalid'],
  expired_card: ['expiry', 'expiryPast'],
  incorrect_cvc: ['cvc', 'cvcInvalid'],
};

function toReply({ form, strings }: Checks, id: string, answer: TokenAnswer): CardFrameReply {
  if ('token' in answer) return { type: 'token', id, ...answer };
  const objection = objections[answer.code];
  if (!objection) return { type: 'error', id, ...answer };
  const [field, text] = objection;
  mark(form.inputs[field], strings[text]);
  form.inputs[field].focus();
  return { type: 'invalid', id, fields: [{ field, message: strings[text] }] };
}
