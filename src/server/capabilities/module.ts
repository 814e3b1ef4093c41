import * as capabilitySchemas from '../../api/dashboard/capabilities.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type CapabilityRouteDeps, registerCapabilityRoutes } from './capabilities.routes.ts';

/** Lists the connected rails and chains. */
export const capabilities = defineModule<CapabilityRouteDeps>({
  name: 'capabilities',
  schemas: schemasIn(capabilitySchemas),
  routes: registerCapabilityRoutes,
});
