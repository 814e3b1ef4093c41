import { Kyc, type KycEvents } from '../../api/kyc/kyc.ts';
import { newId } from '../../core/id.ts';
import { fieldsNeeded } from '../../core/kyc/tiers.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import { kycToWire, newKyc } from './kyc.ts';

function sampleKyc({ caller: { livemode, now } }: SampleContext): Kyc {
  const fresh = newKyc({ merchantId: newId('account'), livemode }, newId('customer'), now);
  return kycToWire({
    ...fresh,
    status: 'under_review',
    provided: [...fieldsNeeded('person', 'basic')],
    provider: 'sandbox',
    provider_reference: 'sbx_check_3kTMd0PpC1hJ6nLq2uXs9B',
  });
}

/** The events of identity checks, with samples. */
export const kycEvents: EventDefinitions<KycEvents> = sampleEvents(Kyc, sampleKyc, {
  'kyc.updated': () => ({ status: 'incomplete', rejection_reasons: ['The document has expired.'] }),
  'kyc.approved': now => ({ status: 'approved', tier: 'basic', decided_at: now.toISOString() }),
  'kyc.rejected': now => ({
    status: 'rejected',
    rejection_reasons: ['The document is not genuine.'],
    decided_at: now.toISOString(),
  }),
});
