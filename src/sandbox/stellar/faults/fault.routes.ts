import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Faults } from './fault.store.ts';
import { Fault, type SwitchedFault } from './fault.ts';

const path = '/sandbox/stellar/faults';

/** Hides the routes from the API reference, because only tests need them. */
const hidden = { hide: true } as const;
const read = { access: 'test', scope: 'test_helpers:read' } as const;
const write = { access: 'test', scope: 'test_helpers:write' } as const;

const mostFaults = 50;
const FaultList = Type.Object({ faults: Type.Array(Fault, { maxItems: mostFaults }) }, { additionalProperties: false });

/**
 * Registers `GET`, `PUT` and `DELETE /sandbox/stellar/faults`, which require a secret test key. They read and change
 * the faults between clients and the sandbox network’s Horizon. A `PUT` replaces all faults, for example with
 * `{"faults": [{"fault": "timeout_after_apply", "probability": 0.2}]}`.
 */
export function registerFaultRoutes(app: FastifyInstance, faults: Faults): void {
  const list = async () => ({ faults: (await faults.list()).map(shown) });
  app.get(path, { schema: hidden, config: read }, list);
  app.put<{ Body: { faults: Fault[] } }>(
    path,
    { schema: { ...hidden, body: FaultList }, config: write },
    async request => {
      await faults.replace(request.body.faults);
      return await list();
    },
  );
  app.delete(path, { schema: hidden, config: write }, async () => {
    await faults.replace([]);
    return await list();
  });
}

function shown({ fault, remaining }: SwitchedFault): object {
  return { ...fault, ...(remaining !== null && { remaining }) };
}
