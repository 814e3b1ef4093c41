import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { findMerchant } from '../../merchants/merchant.store.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { noticePage, pageLanguage, sendPage } from '../../platform/pages/page-document.ts';
import { protectPage } from '../../platform/pages/page-policy.ts';
import type { PaymentPageDeps } from '../payment-deps.ts';
import { claimRefund, findClaim, type RefundKey } from './refund-claim.service.ts';
import { type RefundEntry, refundPage } from './refund-page.ts';

const path = '/refund/:token';
const params = Type.Object({ token: Type.String() });
const options = { schema: { params, hide: true }, config: hostedPage } as const;
const longestForm = 4_096;

/** `GET` and `POST /refund/:token`: the page where a payer enters the destination of a refund. It needs no script. */
export async function registerRefundPage(app: HttpApp, deps: PaymentPageDeps): Promise<void> {
  const openToken = (request: FastifyRequest<{ Params: { token: string } }>) => {
    const opened = deps.secrets.openObjectToken('refund', request.params.token);
    if (opened === null || !servesPagesOf(deps, request, opened.merchantId)) return null;
    return { merchantId: opened.merchantId, refundId: opened.id };
  };
  await app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: longestForm },
      (_, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.get(path, options, async (request, reply) => {
      const ids = openToken(request);
      return await show(deps, reply, ids, null);
    });
    scope.post(path, options, async (request, reply) => {
      const ids = openToken(request);
      if (ids === null) return await show(deps, reply, null, null);
      const entry = await take(deps, ids, request.body);
      if (entry.error !== null) return await show(deps, reply.code(400), ids, entry);
      // Redirects to the same page, so that a reload does not submit the form again.
      return protectPage(reply, policy).code(303).header('location', request.params.token).send();
    });
  });
}

/** The page loads only its own files and the shop's logo, and submits its form to itself. No site may embed it. */
const policy = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
};

/** Submits the payer's entry. Returns the entry and, after an error, the key of the error's text. */
async function take(deps: PaymentPageDeps, ids: RefundKey, body: unknown): Promise<RefundEntry> {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const textOf = (name: string) => (form.get(name) ?? '').trim().slice(0, 200);
  const [address, memo, memoType] = [textOf('address'), textOf('memo'), textOf('memo_type') || 'text'];
  const entry = { address, memo, memoType };
  if (address === '') return { ...entry, error: 'empty' };
  try {
    await claimRefund(deps, ids, memo === '' ? { address } : { address, memo, memo_type: memoType });
    return { ...entry, error: null };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return { ...entry, error: errorOf(error) };
  }
}

/** The key of the text for an error. Null if the page already shows the refund's state. */
function errorOf({ code, param }: PayError): string | null {
  if (code === 'illegal_state') return null;
  if (code === 'unavailable') return 'unavailable';
  if (param?.startsWith('destination.memo')) return 'memo';
  return param === 'address' || param === 'destination.address' ? 'invalid' : (param ?? 'other');
}

async function show(
  deps: PaymentPageDeps,
  reply: FastifyReply,
  ids: RefundKey | null,
  entry: RefundEntry | null,
): Promise<FastifyReply> {
  const [claim, merchant] = ids ? await Promise.all([findClaim(deps, ids), findMerchant(deps.db, ids.merchantId)]) : [];
  const locale = merchant?.locale ?? 'en';
  const strings = await stringsFor('refund-page', locale);
  protectPage(reply, policy);
  if (!claim || !merchant) {
    const { missingTitle: title, missingText: text } = strings;
    return sendPage(reply.code(404), noticePage(pageLanguage(locale), deps.assets.refund.styles, { title, text }));
  }
  const looks = { files: deps.assets.refund, brandStyles: brandStylesPath(merchant.branding) };
  return sendPage(reply, refundPage({ ...claim, ...looks, merchant, strings, entry }));
}
