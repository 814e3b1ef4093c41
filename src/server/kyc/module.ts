import * as kycSchemas from '../../api/kyc/kyc.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { createKycForms, type KycForms } from './access/kyc-forms.ts';
import { registerKycCallback } from './checks/callback.routes.ts';
import { createCheckSweep } from './checks/check.service.ts';
import { registerKycFileRoutes } from './files/kyc-file.routes.ts';
import { registerKycRoutes } from './kyc.routes.ts';
import { kycErasure } from './kyc.store.ts';
import type { KycDeps } from './kyc-deps.ts';
import { kycEvents } from './kyc-events.ts';
import { kycStandings } from './read.service.ts';
import { registerKycTestRoute, registerReviewRoutes } from './review.routes.ts';

/** Identity checks of customers: data by SEP-9, providers, review by staff, and decisions of platforms. */
export const kyc = defineModule<KycDeps, { services: { kycStandings: typeof kycStandings; kycForms: KycForms } }>({
  name: 'kyc',
  provides: { kycStandings: () => kycStandings, kycForms: createKycForms },
  tables: ['kyc_records', 'kyc_files'],
  schemas: schemasIn(kycSchemas),
  events: kycEvents,
  scopes: { kyc: { read: everybody, write: accountants } },
  tags: { 'Identity checks': 'Who your customers are, before they ramp.' },
  fieldNotes: { requested_tier: 'The tier that is checked, or was checked last.' },
  requestExamples: {
    UpdateKyc: {
      tier: 'basic',
      first_name: 'Ada',
      last_name: 'Lovelace',
      birth_date: '1990-12-10',
      address_country_code: 'GBR',
    },
  },
  erasures: () => [kycErasure],
  routes: (app, deps) => {
    registerKycRoutes(app, deps);
    registerKycFileRoutes(app, deps);
    registerReviewRoutes(app, deps);
    registerKycCallback(app, deps);
  },
  testRoutes: registerKycTestRoute,
  sweeps: deps => [createCheckSweep(deps)],
  remarks: ({ kycProvider }) => [kycProvider?.problem?.() ?? []].flat(),
  stop: ({ kycProvider }) => kycProvider?.close?.(),
});
