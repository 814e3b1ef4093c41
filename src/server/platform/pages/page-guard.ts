import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import { createGuessCounter } from '../http/access/rate-limit.ts';
import { asksForPage } from '../http/access/visitor.ts';
import { noticePage, pageLanguage, pageStrings, sendPage } from './page-document.ts';
import { visitorLocale } from './page-locale.ts';
import { protectPage } from './page-policy.ts';

/**
 * Counts a request from an IP address. With `of`, each page has its own limit. Visitors who share an IP address then
 * use up only the limits of the pages that they open. Throws `rate_limited` with the seconds to wait.
 */
export type Limit = (request: Pick<FastifyRequest, 'ip'>, of?: string) => void;

/** Creates a limit of `perMinute` requests per minute from one IP address. */
export function limitedTo(perMinute: number): Limit {
  const counter = createGuessCounter(perMinute);
  return ({ ip }, of) => {
    const wait = counter.count(ip, of);
    if (wait === null) return;
    throw new PayError('rate_limited', 'Too many requests came from your address. Wait a minute, then try again.', {
      retryAfterSeconds: wait,
    });
  };
}

/** The page for a wrong address. `words` are in the language of `locale`. */
export function sendMissingPage(
  reply: FastifyReply,
  styles: readonly string[],
  locale: string,
  words: { readonly title: string; readonly text: string },
): FastifyReply {
  protectPage(reply, noticePolicy).code(404);
  return sendPage(reply, noticePage(pageLanguage(locale), styles, words));
}

const noticePolicy = { 'style-src': ["'self'"], 'img-src': ["'self'"], 'frame-ancestors': ["'none'"] };

/**
 * The error handler of page routes. Too many visits get a page in the visitor's language. Other errors are rethrown.
 */
export function rateLimitErrorHandler(styles: readonly string[]) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!(error instanceof PayError) || error.code !== 'rate_limited' || !asksForPage(request)) throw error;
    const locale = visitorLocale(request, reply);
    const { waitTitle: title, waitText: text } = await pageStrings(locale);
    protectPage(reply, noticePolicy)
      .code(429)
      .header('retry-after', String(error.retryAfterSeconds ?? 60));
    return sendPage(reply, noticePage(pageLanguage(locale), styles, { title, text }));
  };
}
