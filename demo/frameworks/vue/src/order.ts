import type { PayErrorDetail, Payment } from 'pay-checkout';
import { ref } from 'vue';

/** What the shop's page knows: where the service is, and its publishable key. */
export const baseUrl = import.meta.env['VITE_PAY_URL'] as string;
export const apiKey = import.meta.env['VITE_PAY_KEY'] as string;

/** The calls of the page's handlers, in order. */
export const calls = ref<string[]>([]);

/** Makes a handler that adds its calls to the list. Handlers get an event; its detail is the payment or the error. */
export const note = (name: string) => (event: CustomEvent<Payment | PayErrorDetail>) => {
  calls.value.push(`${name} ${'id' in event.detail ? event.detail.id : event.detail.code}`);
};
