import * as personSchemas from '../../api/people/person.ts';
import type { Clock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import type { PeopleDeps } from './people-deps.ts';
import { registerPersonRoutes } from './person.routes.ts';
import { registerSessionRoutes } from './session/session.routes.ts';
import { deleteExpiredSessions } from './session/session.store.ts';

/** People who use the dashboard: sign-in, sessions and roles. */
export const people = defineModule<PeopleDeps>({
  name: 'people',
  tables: ['people', 'memberships', 'person_sessions'],
  schemas: schemasIn(personSchemas),
  tags: { People: 'Sign-in to the dashboard, and your own data.' },
  routes: (app, deps) => {
    registerSessionRoutes(app, deps);
    registerPersonRoutes(app, deps);
  },
  sweeps: deps => [endedSessions(deps)],
});

function endedSessions({ db, clock }: { readonly db: Db; readonly clock: Clock }): Sweep {
  return { name: 'people.sessions', everyMs: 3_600_000, run: () => deleteExpiredSessions(db, clock.now(), 500) };
}
