import type { Payment } from '../../../src/api/payment.ts';
import type { PayCheckout } from '../../../src/element/pay-checkout.ts';
import type { FakeService } from '../support/fake-service.ts';

/** One state of the checkout, and how to reach it. */
export interface Story {
  readonly payment?: Partial<Payment>;
  /** Attributes instead of payment id and secret. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly prepare?: (service: FakeService) => void;
  /** Called when the checkout is shown. */
  readonly act?: (element: PayCheckout, service: FakeService) => unknown;
}

export const wait = (ms: number) => new Promise(done => setTimeout(done, ms));

/** Presses the button, choice or summary with this text. */
export async function press(element: PayCheckout, label: string): Promise<void> {
  const targets = [...(element.shadowRoot?.querySelectorAll<HTMLElement>('button, label, summary') ?? [])];
  targets.find(target => target.offsetParent !== null && target.textContent?.includes(label))?.click();
  await wait(300);
}
