import type { MobileMoneyOption, Payment } from '../../../src/api/payment.ts';
import { exampleOperators } from './example-mobile-money.ts';
import { offerPhones } from './fake-service.ts';
import { type Mounted, mount, serviceOf } from './mounted.ts';

/** The button that asks for a prompt. */
export const send = 'Send prompt to phone';
/** The field of the phone number. */
export const field = ({ element }: Mounted) => element.shadowRoot?.querySelector('#pay-number') as HTMLInputElement;
/** Waits until the focus is in the field of the phone number. */
export async function fieldFocused(checkout: Mounted): Promise<void> {
  const isFocused = () => checkout.element.shadowRoot?.activeElement === field(checkout);
  for (const end = performance.now() + 15_000; !isFocused(); await checkout.settle()) {
    if (performance.now() > end) throw new Error('the focus is not in the field of the phone number');
  }
}
export const place = ({ element }: Mounted) =>
  element.shadowRoot?.querySelector<HTMLSelectElement>('select[aria-label="Country"]') ?? null;
/** The bodies of the calls that ask for a prompt. */
export const bodies = ({ service }: Mounted) =>
  service.calls.filter(({ path }) => path.endsWith('/confirm')).map(({ body }) => body);

/** Checkout that shows the tab of mobile money. */
export async function phoneTab(
  operators: readonly MobileMoneyOption[] = exampleOperators,
  payment: Partial<Payment> = {},
): Promise<Mounted> {
  const checkout = await mount(offerPhones(serviceOf(payment), operators));
  await checkout.waitForButton('Pay €128.40');
  await checkout.chooseTab('Mobile money');
  await checkout.waitForButton(send);
  return checkout;
}

export async function enter(checkout: Mounted, text: string, event: InputEventInit): Promise<void> {
  const input = field(checkout);
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { ...event, bubbles: true }));
  await checkout.settle();
}

export const paste = (checkout: Mounted, text: string) => enter(checkout, text, { inputType: 'insertFromPaste' });

/** Checkout with an open or refused prompt, as after a reload or on a second device. */
export async function resumed(payment: Partial<Payment>): Promise<Mounted> {
  const service = serviceOf();
  offerPhones(service, exampleOperators).change(payment);
  const checkout = await mount(service);
  if (!service.payment.next_action) {
    await checkout.waitForButton('Pay €128.40');
    await checkout.chooseTab('Mobile money');
  }
  return checkout;
}
