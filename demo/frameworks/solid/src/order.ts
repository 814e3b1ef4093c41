/** What the shop's page knows: where the service is, and its publishable key. */
export const baseUrl = import.meta.env['VITE_PAY_URL'] as string;
export const apiKey = import.meta.env['VITE_PAY_KEY'] as string;
