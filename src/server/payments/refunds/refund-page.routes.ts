import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import { noticePage, pageLanguage, sendPage } from '../../platform/pages/page-document.ts';
import { protectPage } from '../../platform/pages/page-policy.ts';
import type { PageAssets } from '../../platform/pages/static-files.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type RefundEntry, type RefundView, refundPage } from './refund-page.ts';

/** Which refund a token stands for. */
export interface RefundIds {
  readonly merchantId: string;
  readonly refundId: string;
}

/** A refund as its payer may see it. */
export type ShownRefund = Pick<RefundView, 'state' | 'sums' | 'reason' | 'address' | 'transactions' | 'livemode'>;

/** Where a payer wants a refund. */
export interface RefundTarget extends Readonly<Record<string, string>> {
  readonly address: string;
}

/** What the refund page needs. */
export interface RefundPageDeps {
  readonly secrets: Pick<Secrets, 'openRefundToken'>;
  readonly assets: PageAssets;
  readonly findMerchant: (merchantId: string) => Promise<Merchant | null>;
  readonly findClaim: (ids: RefundIds) => Promise<ShownRefund | null>;
  /** Throws PayError with what is wrong; its param is `address`, `destination.memo`, or what the account lacks. */
  readonly claim: (ids: RefundIds, target: RefundTarget) => Promise<void>;
}

const path = '/refund/:token';
const params = Type.Object({ token: Type.String() });
const options = { schema: { params, hide: true }, config: { access: 'public' } } as const;
const longestForm = 4_096;

/** `GET` and `POST /refund/:token`: the page on which a payer says where a refund is to go. A form of plain HTML. */
export async function registerRefundPage(app: HttpApp, deps: RefundPageDeps): Promise<void> {
  await app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: longestForm },
      (_, body, done) => done(null, new URLSearchParams(String(body))),
    );
    scope.get(path, options, async (request, reply) => {
      const ids = deps.secrets.openRefundToken(request.params.token);
      return await show(deps, reply, ids, null);
    });
    scope.post(path, options, async (request, reply) => {
      const ids = deps.secrets.openRefundToken(request.params.token);
      if (ids === null) return await show(deps, reply, null, null);
      const entry = await take(deps, ids, request.body);
      if (entry.error !== null) return await show(deps, reply.code(400), ids, entry);
      // Back to the page itself, so that a reload sends nothing again.
      return protectPage(reply, policy).code(303).header('location', request.params.token).send();
    });
  });
}

/** It loads its own two files and the shop’s logo, sends its form to itself, and may be shown in no frame. */
const policy = {
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ["'none'"],
};

/** Hands over what was entered; what is wrong with it is in the answer. */
async function take(deps: RefundPageDeps, ids: RefundIds, body: unknown): Promise<RefundEntry> {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const textOf = (name: string) => (form.get(name) ?? '').trim().slice(0, 200);
  const [address, memo, memoType] = [textOf('address'), textOf('memo'), textOf('memo_type') || 'text'];
  const entry = { address, memo, memoType };
  if (address === '') return { ...entry, error: 'empty' };
  try {
    await deps.claim(ids, memo === '' ? { address } : { address, memo, memo_type: memoType });
    return { ...entry, error: null };
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return { ...entry, error: errorOf(error) };
  }
}

/** Which sentence an error is told by; null where the page itself shows how things stand. */
function errorOf({ code, param }: PayError): string | null {
  if (code === 'illegal_state') return null;
  if (code === 'unavailable') return 'unavailable';
  if (param?.startsWith('destination.memo')) return 'memo';
  return param === 'address' || param === 'destination.address' ? 'invalid' : (param ?? 'other');
}

async function show(
  deps: RefundPageDeps,
  reply: FastifyReply,
  ids: RefundIds | null,
  entry: RefundEntry | null,
): Promise<FastifyReply> {
  const found = ids && (await Promise.all([deps.findClaim(ids), deps.findMerchant(ids.merchantId)]));
  const [claim, merchant] = found ?? [];
  const locale = merchant?.locale ?? 'en';
  const strings = await stringsFor('refund-page', locale);
  protectPage(reply, policy);
  if (!claim || !merchant) {
    const { missingTitle: title, missingText: text } = strings;
    return sendPage(reply.code(404), noticePage(pageLanguage(locale), deps.assets.refund.styles, { title, text }));
  }
  const view = {
    ...claim,
    merchant,
    strings,
    entry,
    files: deps.assets.refund,
    brandStyles: brandStylesPath(merchant.branding),
  };
  return sendPage(reply, refundPage(view));
}
