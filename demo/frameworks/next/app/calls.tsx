'use client';

import { useState } from 'react';

/** What the shop's page knows: where the service is, and its publishable key. */
export const baseUrl = process.env.NEXT_PUBLIC_PAY_URL;
export const apiKey = process.env.NEXT_PUBLIC_PAY_KEY;

/** A list of the calls of the page's handlers, and a function that adds one. */
export function useCalls(): readonly [calls: readonly string[], add: (name: string, what: string) => void] {
  const [calls, setCalls] = useState<readonly string[]>([]);
  return [calls, (name, what) => setCalls(known => [...known, `${name} ${what}`])];
}

/** Shows which handlers were called. */
export function Calls({ calls }: { readonly calls: readonly string[] }) {
  return (
    <ol aria-label="Calls">
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
        <li key={index}>{call}</li>
      ))}
    </ol>
  );
}
