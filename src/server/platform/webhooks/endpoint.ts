import { randomBytes } from 'node:crypto';
import { eventTypes } from '../../../api/event.ts';
import { PayError } from '../../../core/error.ts';

/** Webhook endpoints a merchant may have in a mode. */
export const maxEndpoints = 100;

/** How long the old secret stays valid after a rotation, in seconds. */
export const rotationSeconds = 86_400;

const families: ReadonlySet<string> = new Set(eventTypes.map(type => `${type.split('.')[0]}.*`));
const known: ReadonlySet<string> = new Set(eventTypes);

/** A new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks asks for 24 to 64). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The patterns without repetitions. Throws PayError `invalid_event_type`, naming the parameter, for one that no event will ever match. */
export function checkPatterns(
  patterns: readonly string[],
  paramOf: (index: number) => string = index => `events[${index}]`,
): string[] {
  for (const [index, pattern] of patterns.entries()) {
    if (pattern === '*' || known.has(pattern) || families.has(pattern)) continue;
    throw new PayError(
      'invalid_event_type',
      `There are no events called ${pattern}. Use "*", a family such as "payment.*", or one of: ${eventTypes.join(', ')}.`,
      { param: paramOf(index) },
    );
  }
  return [...new Set(patterns)];
}

/** Whether one of the patterns takes in the type; the database decides the same in `listensTo`. */
export function matchesType(patterns: readonly string[], type: string): boolean {
  const family = `${type.split('.')[0]}.*`;
  return patterns.some(pattern => pattern === '*' || pattern === family || pattern === type);
}
