import { Capabilities, type Capability } from '../../api/dashboard/capabilities.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { type CapabilityDeps, createCapabilities } from './capabilities.ts';

export interface CapabilityRouteDeps extends CapabilityDeps {
  /** Returns the id of the operator's own merchant. */
  readonly testKeys: () => Promise<{ readonly merchantId: string }>;
}

/** `GET /v1/capabilities`. Only the operator's merchant sees names of settings; the rest is the same for all. */
export function registerCapabilityRoutes(app: HttpApp, deps: CapabilityRouteDeps): void {
  const read = createCapabilities(deps);
  app.get(
    '/v1/capabilities',
    {
      schema: {
        response: { 200: Capabilities },
        tags: ['Account'],
        summary: 'Read the connected rails and chains',
        description:
          'The ways in which payers pay and payouts leave, what is not connected, and why. Chains are asked every 10 seconds.',
      },
      config: { access: 'secret', scope: 'account:read' },
    },
    async request => {
      const { merchant, now } = callerOf(request);
      const [found, { merchantId }] = await Promise.all([read(now), deps.testKeys()]);
      if (merchant.id === merchantId) return found;
      return { ...found, pay_in: found.pay_in.map(withoutSettings), pay_out: found.pay_out.map(withoutSettings) };
    },
  );
}

const withoutSettings = (capability: Capability): Capability => ({ ...capability, settings: [] });
