import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../core/error.ts';
import { createGuessCounter } from '../http/rate-limit.ts';
import { sendPage } from './page-answer.ts';
import { noticePage } from './page-document.ts';
import { protectPage } from './page-policy.ts';
import { pageLanguage } from './page-strings.ts';

/** Counts a request of an address. Throws `rate_limited` with the seconds to wait when there were too many. */
export type Limit = (request: Pick<FastifyRequest, 'ip'>) => void;

/** Makes a limit of so many requests of an address in a minute. */
export function limitedTo(perMinute: number): Limit {
  const counter = createGuessCounter(perMinute);
  return ({ ip }) => {
    const wait = counter.count(ip);
    if (wait === null) return;
    throw new PayError('rate_limited', 'Too many requests came from your address. Wait a minute, then try again.', {
      retryAfterSeconds: wait,
    });
  };
}

/** Addresses of pages that nobody may guess: this many wrong ones of all kinds together, then whoever tries waits. */
const wrongPerMinute = 30;

/** Makes the limit of wrong addresses, one for all pages that are opened by theirs alone. */
export function limitWrongAddresses(): Limit {
  return limitedTo(wrongPerMinute);
}

/** The answer at an address that leads nowhere. */
export function sendMissingPage(
  reply: FastifyReply,
  styles: readonly string[],
  words: { readonly title: string; readonly text: string },
): FastifyReply {
  protectPage(reply, { 'style-src': ["'self'"], 'img-src': ["'self'"], 'frame-ancestors': ["'none'"] }).code(404);
  return sendPage(reply, noticePage(pageLanguage('en'), styles, words));
}
