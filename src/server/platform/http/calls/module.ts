import { ApiRequest } from '../../../../api/dashboard/request.ts';
import { addSeconds, type Clock } from '../../../../core/clock.ts';
import { searchIn } from '../../db/search.ts';
import type { Log } from '../../logging.ts';
import { defineModule } from '../../module.ts';
import { developers } from '../access/roles.ts';
import { type CallDeps, registerCallRoutes } from './call.routes.ts';
import { deleteCalls } from './call.store.ts';
import { type CallLog, createCallLog } from './call-log.ts';

const keptSeconds = 30 * 86_400;
const batch = 5_000;

/** The log of API calls that merchants read. */
export const requests = defineModule<
  CallDeps & { readonly clock: Clock; readonly log: Log },
  { services: { callLog: CallLog } }
>({
  name: 'requests',
  provides: { callLog: createCallLog },
  tables: ['api_requests'],
  schemas: { ApiRequest },
  scopes: { requests: { read: developers } },
  tags: { Requests: 'The calls of the last 30 days, with the reason of each refusal.' },
  search: [
    searchIn('api_requests', {
      kind: 'request',
      type: 'request',
      path: '/v1/requests',
      scope: 'requests:read',
      show: ({ method, path, status, code }) => ({
        title: `${method} ${path}`,
        subtitle: `${status} ${code ?? ''}`.trim(),
      }),
    }),
  ],
  routes: registerCallRoutes,
  sweeps: ({ db, clock }) => [
    {
      name: 'requests.expire',
      everyMs: 600_000,
      run: () => deleteCalls(db, addSeconds(clock.now(), -keptSeconds), batch),
    },
  ],
  gauges: ({ callLog }) => [
    { name: 'pay_calls_unlogged_total', help: 'API calls that are missing in the log.', read: callLog.dropped },
  ],
  stop: ({ callLog }) => callLog.flush(),
});
