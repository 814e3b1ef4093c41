import * as linkSchemas from '../../api/link.ts';
import { idOf } from '../../core/id.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import { searchIn } from '../platform/db/search.ts';
import { createRateLimiter } from '../platform/http/access/rate-limit.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { linkSweeps } from './link.jobs.ts';
import { type LinkDeps, registerLinkRoutes } from './link.routes.ts';
import { findLinkOwner } from './link.store.ts';
import { linkEvents } from './link.view.ts';
import { createLinkPurpose } from './link-purpose.ts';
import { registerLinkPage } from './pages/page-link.routes.ts';

interface Deps extends Omit<LinkDeps, 'starts'> {
  readonly keys: Pick<KeyDirectory, 'findMerchant'>;
  readonly config: { readonly clientRateLimit: number };
}

declare module '../platform/http/access/guest.ts' {
  interface GuestKinds {
    /** Has the id of the payment link `:id`. */
    link: true;
  }
}

/** Payment links: fixed or payer-chosen amounts, limited uses, hosted pages. */
export const links = defineModule<Deps, { purposes: PaymentPurpose }>({
  name: 'links',
  guests: {
    link: {
      security: [{}],
      create: ({ db, keys }) => ({
        object: 'payment link',
        secret: null,
        find: async linkId => {
          const link = await findLinkOwner(db, linkId);
          const merchant = link && (await keys.findMerchant(link.merchantId));
          return merchant && { merchant, livemode: link.livemode };
        },
      }),
    },
  },
  pageIds: { l: name => idOf('paymentLink', name) },
  tables: ['payment_links', 'payment_link_routes', 'payment_link_reservations', 'payment_link_visits'],
  schemas: schemasIn(linkSchemas),
  events: linkEvents,
  tags: {
    'Payment links':
      'Payment pages with their own address: send it, print it as a QR code, or embed it with the element.',
  },
  search: [
    searchIn('payment_links', {
      kind: 'paymentLink',
      type: 'payment_link',
      path: '/v1/payment-links',
      scope: 'payments:read',
      matches: [{ column: 'reference', as: 'exact' }],
      show: row => ({ title: row.description ?? row.id, subtitle: row.status }),
    }),
  ],
  purposes: ({ hosts }) => [createLinkPurpose({ hosts })],
  routes: (app, deps) => registerLinkRoutes(app, { ...deps, starts: limitStarts(deps) }),
  pages: registerLinkPage,
  sweeps: linkSweeps,
});

/**
 * Limits the payments that one IP address starts on one link: 120 at once (people may share an address), then 30 per
 * minute. No limit if `clientRateLimit` is 0.
 */
function limitStarts({ config }: Deps) {
  return createRateLimiter(config.clientRateLimit === 0 ? 0 : 30 / 60, 120);
}
