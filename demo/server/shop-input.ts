import { readBounded } from '../../src/proxy/bounded-body.ts';
import type { Wish } from '../catalogue.ts';
import { type Way, ways } from './shop-orders.ts';

const largestBody = 262_144;

/** The body's text; null when it is too long. */
export async function bodyText(request: Request): Promise<string | null> {
  const bytes = await readBounded(request.body, largestBody);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/** The body as a JSON object. Null for any other body, such as a form posted from another site. */
export async function jsonBody(request: Request): Promise<Readonly<Record<string, unknown>> | null> {
  if (!request.headers.get('content-type')?.startsWith('application/json')) return null;
  return objectOf(parsed((await bodyText(request)) ?? ''));
}

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

/** The basket lines of a body, at most 50. Omits lines with wrong types. */
export function wishesOf(value: unknown): Wish[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 50).flatMap(item => {
    const { product, quantity } = objectOf(item) ?? {};
    return typeof product === 'string' && typeof quantity === 'number' ? [{ product, quantity }] : [];
  });
}

/** The integration that a body names, or null. */
export function wayOf(value: unknown): Way | null {
  return ways.find(way => way === value) ?? null;
}

/** The customer for the payment service. The service checks the e-mail address. */
export function customerOf(value: unknown): { email: string; name?: string } {
  const { email, name } = objectOf(value) ?? {};
  return { email: typeof email === 'string' ? email : '', ...(typeof name === 'string' && name !== '' && { name }) };
}
