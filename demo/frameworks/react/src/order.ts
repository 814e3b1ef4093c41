import { useState } from 'react';

/** What the shop's page knows: where the service is, and its publishable key. */
export const baseUrl = import.meta.env['VITE_PAY_URL'] as string;
export const apiKey = import.meta.env['VITE_PAY_KEY'] as string;

/** A list of the calls of the page's handlers, and a function that adds one. */
export function useCalls(): readonly [calls: readonly string[], add: (name: string, what: string) => void] {
  const [calls, setCalls] = useState<readonly string[]>([]);
  return [calls, (name, what) => setCalls(known => [...known, `${name} ${what}`])];
}
