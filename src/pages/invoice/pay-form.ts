import { isEmail } from '../../core/email.ts';
import { parseAmount } from '../../core/typed-amount.ts';
import { decimalText, moneyFormat } from './minor-units.ts';

/** The form in which the payer chooses the amount. */
export interface PayForm {
  /** Shows an error and moves the focus to the error. An empty message removes the error. */
  object(message: string): void;
  /** While busy, the form ignores presses of its button. */
  busy(isBusy: boolean): void;
  /** Formats an amount in minor units like the rest of the page. */
  money(amount: number): string;
}

/** The chosen amount and its texts. */
interface Chosen {
  /** The amount in minor units. Null if it cannot be paid. */
  amount(): number | null;
  /** The reason why the amount cannot be paid. */
  problem(): string;
  /** Formats an amount, such as `€400.00`. */
  money(amount: number): string;
  /** Whether the payer chose to type an amount. */
  isOwn(): boolean;
}

/** Largest amount of the example in an error message, in minor units. If less is due, the example is lower. */
const exampleAmount = 2500;

function chosenIn(form: HTMLFormElement, own: HTMLInputElement | null): Chosen {
  const {
    currency = '',
    locale = 'en',
    decimals = '2',
    most = '0',
    missing = '',
    wrong = '',
    much = '',
  } = form.dataset;
  const digits = Number(decimals);
  const format = moneyFormat(locale, currency, digits);
  const sign = format.formatToParts(1.1).find(({ type }) => type === 'decimal')?.value ?? '.';
  const value = () => String(new FormData(form).get('amount') ?? '');
  const entered = () => (value() === '' ? parseAmount(own?.value ?? '', digits, sign) : Number(value()));
  const amount = () => {
    const value = entered();
    return value !== null && value > 0 && value <= Number(most) ? value : null;
  };
  const example = decimalText(Math.min(exampleAmount, Number(most)), digits).replace('.', sign);
  return {
    amount,
    problem() {
      if (!own?.value.trim()) return missing;
      if ((entered() ?? 0) > Number(most)) return much;
      return wrong.replace('{currency}', currency).replace('{example}', example);
    },
    money: minor => format.format(decimalText(minor, digits) as Intl.StringNumericLiteral),
    isOwn: () => own !== null && value() === '',
  };
}

/** The request that the form sends. */
export interface PayRequest {
  readonly amount: number;
  /** Present only if the form has an e-mail field. */
  readonly email?: string;
}

/**
 * Connects the form. The button shows the chosen amount. Calls `submit` only with an amount that can be paid. If the
 * form has an e-mail field, the address must be valid, too.
 */
export function createPayForm(form: HTMLFormElement, submit: (request: PayRequest) => void): PayForm {
  const { pay = '', starting = '' } = form.dataset;
  const email = form.querySelector<HTMLInputElement>('#email');
  const button = form.querySelector('button') as HTMLButtonElement;
  const alert = form.querySelector('.wrong') as HTMLElement;
  const own = form.querySelector<HTMLInputElement>('#own');
  const chosen = chosenIn(form, own);
  let isBusy = false;

  function object(message: string, field: HTMLInputElement | null = null): void {
    alert.textContent = message;
    for (const input of [own, email]) if (input) input.ariaInvalid = String(input === field);
    if (message === '') return;
    alert.tabIndex = -1;
    (field ?? alert).focus();
    alert.scrollIntoView({ block: 'nearest' });
  }

  function update(): void {
    const block = own?.closest<HTMLElement>('.own');
    if (block) block.hidden = !chosen.isOwn();
    const amount = chosen.amount();
    button.textContent = isBusy ? starting : pay.replace('{amount}', amount === null ? '…' : chosen.money(amount));
    button.ariaDisabled = String(isBusy);
  }

  form.addEventListener('input', () => {
    if (chosen.amount() !== null || !chosen.isOwn()) object('');
    update();
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (isBusy) return;
    const amount = chosen.amount();
    const address = email?.value.trim();
    if (amount === null) return object(chosen.problem(), own);
    if (address !== undefined && !isEmail(address)) return object(form.dataset['email'] ?? '', email);
    submit({ amount, ...(address !== undefined && { email: address }) });
  });
  return {
    object,
    money: chosen.money,
    busy(value) {
      isBusy = value;
      update();
    },
  };
}
