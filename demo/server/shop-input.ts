import { readBounded } from '../../src/proxy/bounded-body.ts';
import type { Wish } from '../catalogue.ts';
import { type Way, ways } from './shop-orders.ts';

const largestBody = 262_144;

/** The text of a body; null when it is too large. */
export async function bodyText(request: Request): Promise<string | null> {
  const bytes = await readBounded(request.body, largestBody);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** A body as a JSON object. Null for anything else, a form from another site's page included. */
export async function jsonBody(request: Request): Promise<Readonly<Record<string, unknown>> | null> {
  if (!request.headers.get('content-type')?.startsWith('application/json')) return null;
  return objectOf(parsed((await bodyText(request)) ?? ''));
}

/** The value as an object whose fields may be looked at, or null. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The things wished for in a body; whatever is no wish is left out. */
export function wishesOf(value: unknown): Wish[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 50).flatMap(item => {
    const { product, quantity } = objectOf(item) ?? {};
    return typeof product === 'string' && typeof quantity === 'number' ? [{ product, quantity }] : [];
  });
}

/** The way to pay in a body, or null. */
export function wayOf(value: unknown): Way | null {
  return ways.find(way => way === value) ?? null;
}

/** Who buys, as the payment service wants it; whether the address is one, the service says. */
export function customerOf(value: unknown): { email: string; name?: string } {
  const { email, name } = objectOf(value) ?? {};
  return { email: typeof email === 'string' ? email : '', ...(typeof name === 'string' && name !== '' && { name }) };
}
