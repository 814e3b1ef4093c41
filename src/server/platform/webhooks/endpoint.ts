import { randomBytes } from 'node:crypto';
import type { EventCatalogue } from '../events/sample.ts';

/** Webhook endpoints a merchant may have in a mode. */
export const maxEndpoints = 100;

/** How long the old secret stays valid after a rotation, in seconds. */
export const rotationSeconds = 86_400;

/** A new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks asks for 24 to 64). */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The patterns without repetitions. Throws PayError `invalid_event_type` for a pattern that matches no event type. */
export function checkPatterns(events: EventCatalogue, patterns: readonly string[]): string[] {
  for (const [index, pattern] of patterns.entries()) events.checkPattern(pattern, `events[${index}]`);
  return [...new Set(patterns)];
}

/** Whether one of the patterns takes in the type; the database decides the same in `listensTo`. */
export function matchesType(patterns: readonly string[], type: string): boolean {
  const family = `${type.split('.')[0]}.*`;
  return patterns.some(pattern => pattern === '*' || pattern === family || pattern === type);
}
