import { isEmail } from '../../core/email.ts';
import { parseAmount } from '../../core/typed-amount.ts';

/** The form that says how much. */
export interface PayForm {
  /** Says what is wrong, and takes the payer to the field where it is; empty: nothing is. */
  object(message: string): void;
  /** While it is busy it takes no press. */
  busy(isBusy: boolean): void;
  /** An amount of minor units as the page writes it. */
  money(amount: number): string;
}

/** What is chosen in the form, in minor units and in words. */
interface Chosen {
  /** Null when it is nothing that can be paid. */
  amount(): number | null;
  /** Why it cannot. */
  problem(): string;
  /** `€400.00`. */
  money(amount: number): string;
  /** Whether the payer is to type the amount. */
  isOwn(): boolean;
}

/** A sum to show how one is written, in minor units. */
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
  const format = new Intl.NumberFormat([locale, 'en'], {
    ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol' },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  });
  const sign = format.formatToParts(1.1).find(({ type }) => type === 'decimal')?.value ?? '.';
  const value = () => String(new FormData(form).get('amount') ?? '');
  const entered = () => (value() === '' ? parseAmount(own?.value ?? '', digits, sign) : Number(value()));
  const amount = () => {
    const sum = entered();
    return sum !== null && sum > 0 && sum <= Number(most) ? sum : null;
  };
  const example = decimalText(Math.min(exampleAmount, Number(most)), digits).replace('.', sign);
  return {
    amount,
    problem() {
      if (!own?.value.trim()) return missing;
      if ((entered() ?? 0) > Number(most)) return much;
      return wrong.replace('{currency}', currency).replace('{example}', example);
    },
    money: sum => format.format(decimalText(sum, digits) as Intl.StringNumericLiteral),
    isOwn: () => own !== null && value() === '',
  };
}

/** What is asked for when the form is sent. */
export interface PayWish {
  readonly amount: number;
  /** Where the form asks for it. */
  readonly email?: string;
}

/** Brings the form to life: its button names the sum that is chosen. `submit` is called with a sum that can be paid. */
export function createPayForm(form: HTMLFormElement, submit: (wish: PayWish) => void): PayForm {
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
    field?.focus();
  }

  function update(): void {
    const block = own?.closest<HTMLElement>('.own');
    if (block) block.hidden = !chosen.isOwn();
    const sum = chosen.amount();
    button.textContent = isBusy ? starting : pay.replace('{amount}', sum === null ? '…' : chosen.money(sum));
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

/** Minor units as decimal text, so that no sum is too large to be exact. */
function decimalText(amount: number, decimals: number): string {
  const text = String(amount).padStart(decimals + 1, '0');
  return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
}
