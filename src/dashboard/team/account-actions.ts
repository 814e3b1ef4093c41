import { html, nothing, type TemplateResult } from 'lit';
import { PayApiError } from '../../api/client.ts';
import type { Passkey, PasskeyOptions } from '../../api/people/factor.ts';
import type { Session } from '../../api/people/person.ts';
import type { Calls } from '../app/service-client.ts';
import type { Action, FormTexts } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';
import { ShownError } from '../controls/states.ts';
import { askPasskey } from '../sign-in/ask-passkey.ts';

type Person = Session['person'];
type Changed = (text: string) => Promise<void>;
/** Opens the confirmation dialog, and then runs the call that needed the confirmation. */
type Confirm = (run: () => Promise<unknown>) => void;
type Type = (name: string, text: string) => void;

/** Whether the service refused a change because it requires a new confirmation first. */
export function needsConfirmation(error: unknown): boolean {
  return error instanceof PayApiError && error.code === 'confirmation_required';
}

function field(label: string, name: string, texts: FormTexts, errors: FormTexts, type: Type, more: object = {}) {
  const common = {
    label,
    name,
    value: texts[name] ?? '',
    error: errors[name],
    onInput: (text: string) => type(name, text),
  };
  return formField({ ...common, ...more });
}

const passwordOf = (autocomplete: string, hint?: string) => ({
  type: 'password' as const,
  autocomplete,
  ...(hint !== undefined && { hint }),
});

/** Asks for the password, or for a passkey if the person has no password. Then runs the call that needed the proof. */
export function confirmAction(
  calls: Calls,
  { has_password: hasPassword }: Person,
  run: () => Promise<unknown>,
): Action {
  const effects = () => [{ what: 'Changes of how you sign in', result: 'are allowed for ten minutes' }];
  if (!hasPassword) {
    return {
      heading: 'Confirm with your passkey',
      effects,
      button: () => 'Use a passkey',
      run: async () => confirmed(calls, { response: await askPasskey(calls) }, run),
    };
  }
  return {
    heading: 'Confirm your password',
    effects,
    button: ({ password }) => (password ? 'Confirm' : null),
    fields: (texts, errors, type) => field('Password', 'password', texts, errors, type, passwordOf('current-password')),
    run: ({ password = '' }) => confirmed(calls, { password }, run),
  };
}

async function confirmed(calls: Calls, proof: object, run: () => Promise<unknown>): Promise<void> {
  await calls.post('/v1/session/confirm', proof);
  await run();
}

function currentPassword(
  person: Person,
  texts: FormTexts,
  errors: FormTexts,
  type: Type,
): TemplateResult | typeof nothing {
  if (!person.has_password) return nothing;
  return field('Current password', 'current_password', texts, errors, type, passwordOf('current-password'));
}

const shown = (text: string | undefined) => text?.trim() || '–';

/** Changes name and e-mail address. For a new e-mail address, a person with a password must type the password. */
export function profileAction(calls: Calls, person: Person, changed: Changed, confirm: Confirm): Action {
  const isNew = ({ email = '' }: FormTexts) => email.trim() !== (person.email ?? '');
  return {
    heading: 'Name and e-mail',
    start: { name: person.name ?? '', email: person.email ?? '' },
    fields: (texts, errors, type) => html`
      ${field('Name', 'name', texts, errors, type, { autocomplete: 'name', maxLength: 100 })}
      ${field('E-mail', 'email', texts, errors, type, { type: 'email', autocomplete: 'email' })}
      ${isNew(texts) ? currentPassword(person, texts, errors, type) : nothing}`,
    effects: texts => [
      { what: 'Name', result: shown(texts['name']) },
      { what: 'You sign in as', result: shown(texts['email']) },
    ],
    button: () => 'Save',
    run: async texts => {
      const email = isNew(texts) ? { email: texts['email']?.trim(), ...currentOf(texts) } : {};
      const body = { name: texts['name']?.trim() || null, ...email };
      await orConfirm(
        confirm,
        () => calls.patch('/v1/person', body),
        () => changed('Saved'),
      );
    },
  };
}

function currentOf({ current_password: current }: FormTexts): object {
  return current ? { current_password: current } : {};
}

/** Sets a password. Also sets the e-mail address if the person has none yet. */
export function passwordAction(calls: Calls, person: Person, changed: Changed, confirm: Confirm): Action {
  const hint = 'At least 10 characters. Several words make a good one.';
  return {
    heading: person.has_password ? 'Change the password' : 'Set a password',
    start: { email: person.email ?? '' },
    fields: (texts, errors, type) => html`
      ${person.email === null ? field('E-mail', 'email', texts, errors, type, { type: 'email', autocomplete: 'username' }) : nothing}
      ${currentPassword(person, texts, errors, type)}
      ${field('New password', 'password', texts, errors, type, passwordOf('new-password', hint))}`,
    effects: texts => [
      { what: 'You sign in as', result: shown(texts['email']) },
      { what: 'Your other sessions', result: 'end' },
      ...(person.has_password
        ? []
        : [{ what: 'The start address and the sandbox button', result: 'no longer sign in' }]),
    ],
    button: ({ password = '' }) => (password.length >= 10 ? 'Save the password' : null),
    run: async texts => {
      const email = person.email === null ? { email: texts['email']?.trim() } : {};
      const body = { ...email, password: texts['password'], ...currentOf(texts) };
      await orConfirm(
        confirm,
        () => calls.patch('/v1/person', body),
        () => changed('The password is saved'),
      );
    },
  };
}

export function codesOffAction(calls: Calls, changed: Changed, confirm: Confirm): Action {
  return {
    heading: 'Turn codes off',
    effects: () => [
      { what: 'Sign-in', result: 'takes the password alone' },
      { what: 'Recovery codes', result: 'no longer work' },
    ],
    button: () => 'Turn off',
    isDangerous: true,
    run: () =>
      orConfirm(
        confirm,
        () => calls.remove('/v1/person/totp'),
        () => changed('Codes are off'),
      ),
  };
}

export function addPasskeyAction(calls: Calls, changed: Changed, confirm: Confirm): Action {
  return {
    heading: 'Add a passkey',
    start: { name: '' },
    fields: (texts, errors, type) =>
      field('Name', 'name', texts, errors, type, { hint: 'For example the phone or the key.', maxLength: 60 }),
    effects: () => [
      { what: 'Your browser', result: 'asks you to confirm' },
      { what: 'Sign-in', result: 'works without password and code' },
    ],
    button: ({ name = '' }) => (name.trim() === '' ? null : 'Add'),
    run: ({ name = '' }) =>
      orConfirm(
        confirm,
        () => createPasskey(calls, name.trim()),
        () => changed(`${name} is added`),
      ),
  };
}

async function createPasskey(calls: Calls, name: string): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { options } = await calls.post<PasskeyOptions>('/v1/person/passkeys/options');
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'];
  const response = await startRegistration({ optionsJSON }).catch(() => {
    throw new ShownError('No passkey was added. Try again.');
  });
  await calls.post('/v1/person/passkeys', { response, name });
}

export function removePasskeyAction(calls: Calls, { id, name }: Passkey, changed: Changed, confirm: Confirm): Action {
  return {
    heading: `Remove ${name}`,
    effects: () => [{ what: name, result: 'no longer signs in' }],
    button: () => 'Remove',
    isDangerous: true,
    run: () =>
      orConfirm(
        confirm,
        () => calls.remove(`/v1/person/passkeys/${id}`),
        () => changed(`${name} is removed`),
      ),
  };
}

/**
 * Runs `change`, then `done`. If the service requires a confirmation, the current dialog closes. Then `confirm` opens
 * another dialog, and later runs both again.
 */
export async function orConfirm(
  confirm: Confirm,
  change: () => Promise<unknown>,
  done: () => Promise<void>,
): Promise<void> {
  const run = async () => {
    await change();
    await done();
  };
  try {
    await run();
  } catch (error) {
    if (!needsConfirmation(error)) throw error;
    setTimeout(() => confirm(run));
  }
}
