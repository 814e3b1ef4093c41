import type { Static } from 'typebox';
import type { BankAnswer } from '../dashboard/bank-answer.ts';
import type { Capabilities } from '../dashboard/capabilities.ts';
import { type ListParams, listOf, type Page } from '../pages.ts';
import type { AddPasskey, ConfirmTotp, Passkey, PasskeyOptions, RecoveryCodes, TotpSecret } from '../people/factor.ts';
import type { ConfirmSession, CreateSession, Person, PersonSession, Session, UpdatePerson } from '../people/person.ts';
import type {
  AuditEntry,
  CreateInvitation,
  CreateMerchant,
  Invitation,
  NewMerchant,
  TeamMember,
  UpdateTeamMember,
} from '../people/team.ts';
import type { Deleted } from '../schema.ts';
import type { TreasuryHealth } from '../treasury.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { Transport } from './transport.ts';

type Gone = Static<typeof Deleted>;

/** `client.session`: the dashboard session of the browser's cookie. */
export function session(transport: Transport) {
  const { get, post, remove } = verbs(transport);
  const path = '/v1/session';
  return {
    create: (body: CreateSession, options?: Options) => post<Session>(path, body, options),
    retrieve: (options?: Options) => get<Session>(path, options),
    /** Confirms the session by password or passkey. Changes of passkeys and codes need a recent confirmation. */
    confirm: (body: ConfirmSession, options?: Options) => post<Session>(`${path}/confirm`, body, options),
    passkeyOptions: (options?: Options) => post<PasskeyOptions>(`${path}/passkey-options`, undefined, options),
    /** Signs out. */
    delete: (options?: Options) => remove<Gone>(path, options),
  };
}

/** `client.person`: the signed-in person's own data, sessions and second factors. */
export function person(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const path = '/v1/person';
  return {
    update: (body: UpdatePerson, options?: Options) => patch<Person>(path, body, options),
    sessions: (options?: Options) => get<Page<PersonSession>>(`${path}/sessions`, options),
    endSession: (id: string, options?: Options) => remove<Gone>(`${path}/sessions/${pathId(id)}`, options),
    passkeys: (options?: Options) => get<Page<Passkey>>(`${path}/passkeys`, options),
    addPasskey: (body: Static<typeof AddPasskey>, options?: Options) =>
      post<Passkey>(`${path}/passkeys`, body, options),
    removePasskey: (id: string, options?: Options) => remove<Gone>(`${path}/passkeys/${pathId(id)}`, options),
    startCodes: (options?: Options) => post<TotpSecret>(`${path}/totp`, undefined, options),
    confirmCodes: (body: Static<typeof ConfirmTotp>, options?: Options) =>
      post<RecoveryCodes>(`${path}/totp/confirm`, body, options),
    removeCodes: (options?: Options) => remove<Person>(`${path}/totp`, options),
    newRecoveryCodes: (options?: Options) => post<RecoveryCodes>(`${path}/recovery-codes`, undefined, options),
  };
}

/** `client.team`: the people of a merchant. Needs a dashboard session. */
export function team(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const at = (id: string) => `/v1/team/${pathId(id)}`;
  return {
    list: (options?: Options) => get<Page<TeamMember>>('/v1/team', options),
    update: (id: string, body: Static<typeof UpdateTeamMember>, options?: Options) =>
      patch<TeamMember>(at(id), body, options),
    remove: (id: string, options?: Options) => remove<Gone>(at(id), options),
    invitations: (options?: Options) => get<Page<Invitation>>('/v1/invitations', options),
    invite: (body: Static<typeof CreateInvitation>, options?: Options) =>
      post<Invitation>('/v1/invitations', body, options),
    withdraw: (id: string, options?: Options) => remove<Gone>(`/v1/invitations/${pathId(id)}`, options),
    auditLog: (params?: ListParams, options?: Options) =>
      listOf<AuditEntry>(transport, '/v1/audit-log', params, options),
    /** Creates a merchant. Only the operator may do this. The operator becomes the merchant's owner. */
    createMerchant: (body: Static<typeof CreateMerchant>, options?: Options) =>
      post<Static<typeof NewMerchant>>('/v1/merchants', body, options),
  };
}

/** `client.capabilities`: the connected rails and chains. */
export function capabilities(transport: Transport) {
  const { get } = verbs(transport);
  return { retrieve: (options?: Options) => get<Capabilities>('/v1/capabilities', options) };
}

/** `client.treasury`: the account that sends the service's money. Needs a session of the operator's merchant. */
export function treasury(transport: Transport) {
  const { get } = verbs(transport);
  return { retrieve: (options?: Options) => get<TreasuryHealth>('/v1/treasury', options) };
}

/** `client.bankAnswers`: answers of the banks that changed nothing. Needs a key or session of the operator's merchant. */
export function bankAnswers(transport: Transport) {
  const { get, post } = verbs(transport);
  const at = (id: string) => `/v1/bank-answers/${pathId(id)}`;
  return {
    list: (params?: ListParams & { handled?: 'true' | 'false' }, options?: Options) =>
      listOf<BankAnswer>(transport, '/v1/bank-answers', params, options),
    retrieve: (id: string, options?: Options) => get<BankAnswer>(at(id), options),
    /** Marks the answer as handled. Payments of its files may complete by date again. */
    dismiss: (id: string, options?: Options) => post<BankAnswer>(`${at(id)}/dismiss`, undefined, options),
  };
}
