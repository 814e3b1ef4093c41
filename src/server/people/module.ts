import * as factorSchemas from '../../api/people/factor.ts';
import * as personSchemas from '../../api/people/person.ts';
import * as teamSchemas from '../../api/people/team.ts';
import { addSeconds } from '../../core/clock.ts';
import type { Sessions } from '../platform/http/access/session-access.ts';
import { endStreamsWith } from '../platform/http/sse.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerFactorRoutes } from './factors/factor.routes.ts';
import { fieldNotes } from './field-notes.ts';
import { deviceSeconds } from './guard/known-device.ts';
import { deleteOldTraces } from './guard/sign-in-guard.store.ts';
import { createPasswords, type Passwords } from './password.ts';
import type { PeopleDeps } from './people-deps.ts';
import { registerPersonRoutes } from './person.routes.ts';
import { sendResets } from './reset/password-reset.ts';
import { registerResetRoutes } from './reset/reset.routes.ts';
import { registerSessionRoutes } from './session/session.routes.ts';
import { deleteExpiredSessions } from './session/session.store.ts';
import { createSessions, createSessionWatch } from './session/sessions.ts';
import { registerSignInRoutes } from './session/sign-in.routes.ts';
import { auditWrites } from './team/audit.ts';
import { registerInvitationRoutes } from './team/invitation.routes.ts';
import { registerTeamRoutes } from './team/team.routes.ts';

interface Deps extends PeopleDeps {
  readonly keys: { readonly findMerchant: PeopleDeps['findMerchant'] };
}

/** People who use the dashboard: sign-in, sessions, roles, teams and the audit log. */
export const people = defineModule<Deps, { services: { passwords: Passwords; sessions: Sessions } }>({
  name: 'people',
  provides: {
    passwords: () => createPasswords(),
    sessions: ({ db, clock, secrets, keys }) => createSessions({ db, clock, secrets, findMerchant: keys.findMerchant }),
  },
  fieldNotes,
  tables: [
    ...['people', 'memberships', 'person_sessions', 'recovery_codes', 'passkeys', 'used_tokens', 'known_devices'],
    ...['sign_in_attempts', 'password_reset_requests', 'invitations', 'person_actions'],
  ],
  schemas: schemasIn(personSchemas, factorSchemas, teamSchemas),
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'pay_session',
      description: 'The cookie of a dashboard session. Writes also need the header X-CSRF-Token.',
    },
  },
  tags: {
    People: 'Sign-in to the dashboard, and your own data.',
    Team: 'The people of a merchant, and what they did.',
  },
  routes: (app, deps) => {
    auditWrites(app, deps);
    endStreamsWith(app, createSessionWatch(deps));
    registerSignInRoutes(app, deps);
    registerSessionRoutes(app, deps);
    registerPersonRoutes(app, deps);
    registerFactorRoutes(app, deps);
    registerResetRoutes(app, deps);
    registerTeamRoutes(app, deps);
    registerInvitationRoutes(app, deps);
  },
  sweeps: deps => [endedSessions(deps), oldTraces(deps), sendResets(deps)],
});

const hourMs = 3_600_000;

function endedSessions({ db, clock }: PeopleDeps): Sweep {
  return { name: 'people.sessions', everyMs: hourMs, run: () => deleteExpiredSessions(db, clock.now(), 500) };
}

function oldTraces({ db, clock }: PeopleDeps): Sweep {
  return {
    name: 'people.traces',
    everyMs: hourMs,
    run: () => deleteOldTraces(db, clock.now(), addSeconds(clock.now(), -deviceSeconds)),
  };
}
