import { Type } from 'typebox';
import {
  AddPasskey,
  ConfirmTotp,
  Passkey,
  PasskeyOptions,
  Passkeys,
  RecoveryCodes,
  TotpSecret,
} from '../../../api/people/factor.ts';
import { Person } from '../../../api/people/person.ts';
import { Deleted } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { personOf } from '../../platform/http/access/caller.ts';
import { everybody } from '../../platform/http/access/roles.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { assertConfirmed } from '../confirmation.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { requirePerson } from '../person.store.ts';
import { readPerson } from '../session.view.ts';
import { listPasskeys, type PasskeyRow } from './passkey.store.ts';
import { addPasskey, registrationOptions, removePasskey } from './passkeys.ts';
import { confirmTotp, renewRecoveryCodes, startTotp, turnTotpOff } from './totp.ts';

const tags = ['People'];
const config = { access: 'person', roles: everybody, ignoresKey: true } as const;

/** `/v1/person/totp`, `/v1/person/recovery-codes` and `/v1/person/passkeys`. */
export function registerFactorRoutes(app: HttpApp, deps: PeopleDeps): void {
  registerTotp(app, deps);
  registerPasskeys(app, deps);
}

function registerTotp(app: HttpApp, deps: PeopleDeps): void {
  app.post(
    '/v1/person/totp',
    {
      schema: {
        response: { 200: TotpSecret },
        tags,
        summary: 'Set up codes',
        description: 'The secret takes effect when a code confirms it. Only this response contains it.',
      },
      config,
    },
    async request => {
      await assertConfirmed(deps, personOf(request));
      const started = await startTotp(deps, await requirePerson(deps.db, personOf(request).personId));
      return { object: 'totp_secret' as const, ...started };
    },
  );
  app.post(
    '/v1/person/totp/confirm',
    { schema: { body: ConfirmTotp, response: { 200: RecoveryCodes }, tags, summary: 'Turn codes on' }, config },
    async request => {
      const person = await requirePerson(deps.db, personOf(request).personId);
      return recoveryCodes(await confirmTotp(deps, person, request.body.code));
    },
  );
  app.delete(
    '/v1/person/totp',
    { schema: { response: { 200: Person }, tags, summary: 'Turn codes off' }, config },
    async request => {
      const person = personOf(request);
      await assertConfirmed(deps, person);
      await turnTotpOff(deps, await requirePerson(deps.db, person.personId));
      return await readPerson(deps.db, person.personId);
    },
  );
  app.post(
    '/v1/person/recovery-codes',
    { schema: { response: { 200: RecoveryCodes }, tags, summary: 'Replace the recovery codes' }, config },
    async request => {
      const { personId } = personOf(request);
      await assertConfirmed(deps, personOf(request));
      const person = await requirePerson(deps.db, personId);
      if (person.totp_confirmed_at === null)
        throw new PayError('illegal_state', 'Codes of an authenticator app are off. Set them up first.');
      return recoveryCodes(await renewRecoveryCodes(deps, person));
    },
  );
}

function recoveryCodes(codes: readonly string[]) {
  return { object: 'recovery_codes' as const, recovery_codes: [...codes] };
}

function registerPasskeys(app: HttpApp, deps: PeopleDeps): void {
  app.get(
    '/v1/person/passkeys',
    { schema: { response: { 200: Passkeys }, tags, summary: 'List your passkeys' }, config },
    async request => {
      const rows = await listPasskeys(deps.db, personOf(request).personId);
      return { object: 'list' as const, url: '/v1/person/passkeys', has_more: false, data: rows.map(passkeyToWire) };
    },
  );
  app.post(
    '/v1/person/passkeys/options',
    { schema: { response: { 200: PasskeyOptions }, tags, summary: 'Begin a passkey' }, config },
    async request => {
      await assertConfirmed(deps, personOf(request));
      const person = await requirePerson(deps.db, personOf(request).personId);
      return { object: 'passkey_options' as const, options: { ...(await registrationOptions(deps, person)) } };
    },
  );
  app.post(
    '/v1/person/passkeys',
    { schema: { body: AddPasskey, response: { 201: Passkey }, tags, summary: 'Add a passkey' }, config },
    async (request, reply) => {
      await assertConfirmed(deps, personOf(request));
      const person = await requirePerson(deps.db, personOf(request).personId);
      return reply.code(201).send(passkeyToWire(await addPasskey(deps, person, request.body)));
    },
  );
  app.delete(
    '/v1/person/passkeys/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Deleted },
        tags,
        summary: 'Remove a passkey',
        description: 'The last passkey of a person without a password stays: it is the only way to sign in.',
      },
      config,
    },
    async request => {
      await assertConfirmed(deps, personOf(request));
      const { id } = request.params;
      await removePasskey(deps, personOf(request).personId, id);
      return { id, object: 'passkey', deleted: true as const };
    },
  );
}

function passkeyToWire({ id, name, created_at: createdAt, last_used_at: usedAt }: PasskeyRow): Passkey {
  const times = { created_at: createdAt.toISOString(), last_used_at: usedAt?.toISOString() ?? null };
  return { id, object: 'passkey', name, ...times };
}
