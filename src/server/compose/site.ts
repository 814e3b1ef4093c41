import type { FastifyInstance } from 'fastify';
import { mountDemoShop } from '../../../demo/mount.ts';
import { createHostedInvoices } from '../invoices/hosted-invoice.service.ts';
import { registerInvoicePage } from '../invoices/pages/page-invoice.routes.ts';
import { createLinkPages } from '../links/link-page.service.ts';
import { registerLinkPage } from '../links/pages/page-link.routes.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { registerCardFrameRoutes } from '../payments/card/card-frame.routes.ts';
import { registerPageRoutes } from '../payments/checkout/checkout-page.routes.ts';
import { findPublicPayment } from '../payments/checkout/payment-lifecycle.service.ts';
import type { PaymentKey } from '../payments/payment.store.ts';
import { claimRefund, findClaim } from '../payments/refunds/refund-claim.service.ts';
import { registerRefundPage } from '../payments/refunds/refund-page.routes.ts';
import { readPageAssets } from '../platform/pages/page-assets.ts';
import { limitWrongAddresses } from '../platform/pages/page-guard.ts';
import { serveBrowserFiles } from '../platform/pages/static-files.ts';
import { type Core, showsDemo } from './core.ts';

/** The pages that people see, where there is a browser build. */
export async function registerSite(http: FastifyInstance, core: Core, browserDir: string): Promise<void> {
  const { secrets, clock, publicUrl, database, payments } = core;
  const assets = readPageAssets(browserDir);
  const find = {
    findMerchant: (merchantId: string) => findMerchant(database.db, merchantId),
    findPublicPayment: (key: PaymentKey) => findPublicPayment(payments, key),
  };
  registerPageRoutes(http, { secrets, assets, publicUrl, ...find });
  const limitWrong = limitWrongAddresses();
  registerInvoicePage(http, { assets, publicUrl, limitWrong, ...createHostedInvoices(payments) });
  registerLinkPage(http, { assets, publicUrl, limitWrong, ...createLinkPages(payments) });
  await registerRefundPage(http, {
    ...{ secrets, assets, findMerchant: find.findMerchant },
    findClaim: ids => findClaim(payments, ids),
    claim: (ids, target) => claimRefund(payments, ids, target),
  });
  const { card } = payments.rails;
  if (card !== null) registerCardFrameRoutes(http, { secrets, clock, card, assets, publicUrl, ...find });
  if (showsDemo(core)) mountDemoShop(http, { browserDir, publicUrl, testKeys: core.testKeys });
  await serveBrowserFiles(http, browserDir, showsDemo(core) ? [] : ['demo/**']);
}
