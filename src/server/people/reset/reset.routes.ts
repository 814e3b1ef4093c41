import { ConfirmPasswordReset, PasswordReset, RequestPasswordReset } from '../../../api/people/person.ts';
import { assertOwnOrigin } from '../../platform/http/access/session-access.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { assertEmail } from '../../platform/mail/mail.ts';
import { rememberDevice } from '../guard/known-device.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { confirmReset, requestReset } from './password-reset.ts';

const tags = ['People'];
const config = { access: 'public' } as const;

/** `/v1/password-resets`: a new password by mail. */
export function registerResetRoutes(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/password-resets',
    {
      schema: {
        body: RequestPasswordReset,
        response: { 200: PasswordReset },
        tags,
        summary: 'Ask for a new password',
        description: 'Mails an address that works for one hour. An unknown e-mail address gets the same response.',
      },
      config,
    },
    async request => {
      assertOwnOrigin(request, deps.publicUrl());
      const { email } = request.body;
      assertEmail(email, 'email');
      await requestReset(deps, request, email);
      return { object: 'password_reset' as const, email };
    },
  );
  app.post(
    '/v1/password-resets/confirm',
    {
      schema: {
        body: ConfirmPasswordReset,
        response: { 200: PasswordReset },
        tags,
        summary: 'Set a new password',
        description: 'Ends all sessions of the person. Sign in afterwards; codes stay on.',
      },
      config,
    },
    async (request, reply) => {
      assertOwnOrigin(request, deps.publicUrl());
      const person = await confirmReset(deps, request.body.token, request.body.password);
      // Wrong passwords of others do not block sign-ins on a known device.
      reply.header('set-cookie', await rememberDevice(deps, request, person.id));
      return { object: 'password_reset' as const, email: person.email ?? '' };
    },
  );
}
