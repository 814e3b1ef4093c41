import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { fill } from '../../../core/locale/locale.ts';
import { hostedPage, servesPagesOf } from '../../platform/http/access/page-hosts.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { brandStylesPath } from '../../platform/pages/page-brand.ts';
import {
  type PageStrings,
  pageDocument,
  pageLanguage,
  pageStrings,
  sendPage,
} from '../../platform/pages/page-document.ts';
import { limitedTo, rateLimitErrorHandler, sendMissingPage } from '../../platform/pages/page-guard.ts';
import { html, type Markup } from '../../platform/pages/page-html.ts';
import { languageSwitcher, pageLocale, visitorLocale } from '../../platform/pages/page-locale.ts';
import { frameAncestors, protectPayeePage } from '../../platform/pages/page-policy.ts';
import { payeeHeading, supportLink } from '../../platform/pages/payee-parts.ts';
import type { PageDeps } from '../../platform/pages/static-files.ts';
import { findRamp, findRampMode } from '../ramp.store.ts';
import type { RampDeps } from '../ramp-deps.ts';
import type { RampRow } from '../tables.ts';
import { openWidgetToken } from './ramp-session.ts';

type Deps = RampDeps & PageDeps;

/** Page requests for one ramp, per IP address and minute. */
const opensPerMinute = 120;

/** `/ramp/:token`: the page on which a customer continues a ramp, also in a frame of the merchant's page. */
export function registerRampPage(app: HttpApp, deps: Deps): void {
  const opens = limitedTo(opensPerMinute);
  app.get(
    '/ramp/:token',
    {
      config: hostedPage,
      schema: { params: Type.Object({ token: Type.String() }), hide: true },
      errorHandler: rateLimitErrorHandler(deps.assets.return.styles),
    },
    async (request, reply) => {
      const ids = openWidgetToken(deps.secrets, request.params.token, deps.clock.now());
      const row = ids !== null && servesPagesOf(deps, request, ids.merchantId) ? await rowOf(deps, ids) : null;
      if (row === null) {
        deps.limitWrong(request);
        const locale = visitorLocale(request, reply);
        const { missingTitle: title, missingText: text } = await pageStrings(locale);
        return sendMissingPage(reply, deps.assets.return.styles, locale, { title, text });
      }
      opens(request, row.id);
      const merchant = await deps.findMerchant(row.merchant_id);
      const locale = pageLocale(request, reply, { own: null, merchant: merchant.locale });
      return await show(deps, reply, { row, merchant, locale, strings: await pageStrings(locale) });
    },
  );
}

async function rowOf({ db }: Deps, { merchantId, id }: { merchantId: string; id: string }): Promise<RampRow | null> {
  const mode = await findRampMode(db, merchantId, id);
  return mode && (await findRamp(db, { merchantId, livemode: mode.livemode }, id));
}

interface RampPage {
  readonly row: RampRow;
  readonly merchant: Merchant;
  readonly locale: string;
  readonly strings: PageStrings;
}

async function show(deps: Deps, reply: FastifyReply, page: RampPage): Promise<FastifyReply> {
  const { row, merchant } = page;
  const payee = { merchant, livemode: row.livemode };
  protectPayeePage(reply, deps, payee);
  return sendPage(reply, rampPage(page, deps, frameAncestors(deps, payee)));
}

/** The page. `hosts`: the sites that may frame it, and with which its script exchanges messages. */
function rampPage({ row, merchant, locale, strings }: RampPage, deps: Deps, hosts: readonly string[]): Markup {
  const { checkout, ramp, element } = deps.assets;
  const colours = brandStylesPath(merchant.branding);
  const help = supportLink(merchant) ?? fill(strings.helpShop, { merchant: merchant.name });
  return pageDocument({
    language: pageLanguage(locale),
    title: merchant.name,
    icon: merchant.branding.icon,
    styles: [...checkout.styles, ...ramp.styles, ...(colours === null ? [] : [colours])],
    scripts: html`<script src="${element}" defer></script>
      <script type="module" src="${ramp.script}"></script>`,
    body: html`<main class="page" data-font="${merchant.branding.font}" data-border="${merchant.branding.border_style}">
      <header class="payee">${payeeHeading(merchant, strings)}</header>
      <section class="payment" aria-label="${strings.payment}">
        <pay-ramp
          ramp-id="${row.id}"
          client-secret="${deps.secrets.rampSecret(merchant.id, row.id)}"
          locale="${locale}"
          theme="auto"
          data-hosts="${hosts.join(' ')}"
        ></pay-ramp>
        <noscript><p class="no-script">${strings.noScript}</p></noscript>
      </section>
      <footer>
        <p>${strings.help} ${help}</p>
        ${languageSwitcher(locale, strings.language)}
      </footer>
    </main>`,
  });
}
