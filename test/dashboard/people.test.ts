import '../../src/dashboard/sign-in/forgot-password-page.ts';
import '../../src/dashboard/sign-in/invitation-page.ts';
import '../../src/dashboard/sign-in/reset-password-page.ts';
import '../../src/dashboard/sign-in/sign-in-page.ts';
import '../../src/dashboard/team/account-page.ts';
import '../../src/dashboard/team/audit-log-page.ts';
import '../../src/dashboard/team/team-page.ts';
import { expect } from '@open-wc/testing';
import { listOf, Refusal } from './support/fake-service.ts';
import { exampleSession, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const closedWindow = () => Promise.reject(new DOMException('The operation was not allowed.', 'NotAllowedError'));
const bytes = new ArrayBuffer(2);
const usedPasskey = {
  id: 'AAA',
  rawId: bytes,
  type: 'public-key',
  getClientExtensionResults: () => ({}),
  response: { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes, userHandle: null },
};
/** What the person does in the browser's window for passkeys. */
let passkeyWindow: () => Promise<unknown> = closedWindow;
Object.defineProperty(navigator, 'credentials', {
  value: { get: () => passkeyWindow(), create: () => passkeyWindow() },
});

const at = new Date().toISOString();
const ada = {
  id: 'person_1',
  object: 'team_member',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  role: 'owner',
  two_factor: true,
  created_at: at,
  last_seen_at: at,
};
const eve = {
  ...ada,
  id: 'person_2',
  email: 'eve@example.com',
  name: '<b>Eve</b>',
  role: 'viewer',
  last_seen_at: null,
};

const type = (page: Element, name: string, text: string) => {
  const input = find<HTMLInputElement>(page, `[name=${name}]`);
  input.value = text;
  input.dispatchEvent(new Event(input.localName === 'select' ? 'change' : 'input'));
};

describe('the sign-in', () => {
  it('asks for the code after the right password, and says why it refuses', async () => {
    const service = serviceOf({
      'GET /v1/session/options': { object: 'sign_in_options', sandbox: false },
      'POST /v1/session': ({ body }: { body: Record<string, unknown> }) => {
        if (body['password'] !== ' right one ')
          return new Refusal(401, 'invalid_credentials', 'The password is wrong.');
        return body['code'] === undefined ? new Refusal(401, 'two_factor_required') : exampleSession();
      },
    });
    const { page } = await mountPage('pay-sign-in-page');
    await settle(page);
    expect(textOf(page)).not.to.contain('sandbox');
    await expect(page).shadowDom.to.be.accessible();
    type(page, 'email', 'ada@example.com');
    type(page, 'password', 'wrong');
    find(page, 'button', 'Sign in').click();
    await waitUntil(() => textOf(page).includes('The password is wrong.'));
    type(page, 'password', ' right one ');
    find(page, 'button', 'Sign in').click();
    await waitUntil(() => textOf(page).includes('Enter your code'));
    await expect(page).shadowDom.to.be.accessible();
    type(page, 'code', '123456');
    find(page, 'button', 'Sign in').click();
    await waitUntil(() => service.callsOf('POST /v1/session').length === 3);
    const last = service.callsOf('POST /v1/session')[2];
    expect(last?.body).to.deep.equal({ email: 'ada@example.com', password: ' right one ', code: '123456' });
  });

  it('says once what is wrong with a field, at the field, and goes to it', async () => {
    const message = 'This is no e-mail address.';
    serviceOf({
      'GET /v1/session/options': { object: 'sign_in_options', sandbox: false },
      'POST /v1/session': new Refusal(400, 'invalid_email', message, 'email'),
    });
    const { page } = await mountPage('pay-sign-in-page');
    type(page, 'email', 'ada');
    find(page, 'button', 'Sign in').click();
    await waitUntil(() => textOf(page).includes(message));
    expect(textOf(page).split(message)).to.have.length(2);
    await waitUntil(() => page.shadowRoot?.activeElement?.getAttribute('name') === 'email');
  });

  it('offers one press in the sandbox without passwords', async () => {
    const service = serviceOf({
      'GET /v1/session/options': { object: 'sign_in_options', sandbox: true },
      'POST /v1/session': exampleSession(),
    });
    const { page } = await mountPage('pay-sign-in-page');
    await waitUntil(() => textOf(page).includes('Open the sandbox dashboard'));
    find(page, 'button', 'Open the sandbox dashboard').click();
    await waitUntil(() => service.callsOf('POST /v1/session').length === 1);
    expect(service.callsOf('POST /v1/session')[0]?.body).to.deep.equal({ sandbox: true });
  });
});

describe('a passkey', () => {
  it('signs in, and says so when none was used', async () => {
    const service = serviceOf({
      'GET /v1/session/options': { object: 'sign_in_options', sandbox: false },
      'POST /v1/session/passkey-options': { options: { challenge: 'AAAA', allowCredentials: [] } },
      'POST /v1/session/passkey': exampleSession(),
    });
    const { page } = await mountPage('pay-sign-in-page');
    passkeyWindow = closedWindow;
    find(page, 'button', 'Sign in with a passkey').click();
    await waitUntil(() => textOf(page).includes('No passkey was used. Try again.'));
    passkeyWindow = async () => usedPasskey;
    find(page, 'button', 'Sign in with a passkey').click();
    await waitUntil(() => service.callsOf('POST /v1/session/passkey').length === 1);
  });
});

describe('the pages of mails', () => {
  it('send a new password with the token of the address, which leaves the address bar', async () => {
    const service = serviceOf({ 'POST /v1/password-resets/confirm': { object: 'password_reset', email: '' } });
    const before = location.href;
    history.replaceState(null, '', '#token=secret');
    const { page } = await mountPage('pay-reset-password-page');
    expect(location.hash).to.equal('');
    history.replaceState(null, '', before);
    await expect(page).shadowDom.to.be.accessible();
    type(page, 'password', 'correct horse battery');
    find(page, 'button', 'Save the password').click();
    await waitUntil(() => textOf(page).includes('Your password is changed'));
    expect(service.calls[0]?.body).to.deep.equal({ token: 'secret', password: 'correct horse battery' });
  });

  it('say the same for every e-mail address', async () => {
    serviceOf({ 'POST /v1/password-resets': { object: 'password_reset', email: '' } });
    const { page } = await mountPage('pay-forgot-password-page');
    type(page, 'email', 'nobody@example.com');
    find(page, 'button', 'Send the mail').click();
    await waitUntil(() => textOf(page).includes('has an account here'));
    await expect(page).shadowDom.to.be.accessible();
  });

  it('let an invited person choose name and password', async () => {
    const merchant = { id: 'acct_1', name: 'Nordlys Supply' };
    const service = serviceOf({
      'POST /v1/invitations/open': {
        object: 'opened_invitation',
        email: 'nina@example.com',
        role: 'finance',
        merchant,
        has_account: false,
      },
      'POST /v1/invitations/accept': { object: 'accepted_invitation', merchant, session: exampleSession() },
    });
    const { page, visits } = await mountPage('pay-invitation-page');
    await waitUntil(() => textOf(page).includes('Join Nordlys Supply'));
    await expect(page).shadowDom.to.be.accessible();
    type(page, 'name', 'Nina');
    type(page, 'password', 'correct horse battery');
    find(page, 'button', 'Accept the invitation').click();
    await waitUntil(() => visits.includes('/'));
    const { body } = service.callsOf('POST /v1/invitations/accept')[0] ?? {};
    expect(body).to.include({ name: 'Nina', password: 'correct horse battery' });
  });
});

describe('the team', () => {
  it('shows names as text, invites, and removes after it says what happens', async () => {
    const service = serviceOf({
      'GET /v1/team': listOf(ada, eve),
      'GET /v1/invitations': listOf(),
      'POST /v1/invitations': {},
      'DELETE /v1/team/person_2': {},
    });
    const { page, toasts } = await mountPage('pay-team-page');
    await waitUntil(() => textOf(page).includes('<b>Eve</b>'));
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Invite a person').click();
    await settle(page);
    type(page, 'email', 'nina@example.com');
    type(page, 'role', 'finance');
    await settle(page);
    find(page, 'button', 'Send the invitation').click();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('POST /v1/invitations')[0]?.body).to.deep.equal({
      email: 'nina@example.com',
      role: 'finance',
    });
    await settle(page);
    find(page, 'button', 'Remove <b>Eve</b>').click();
    await settle(page);
    expect(textOf(page)).to.contain('Open sessions');
    expect(service.callsOf('DELETE /v1/team/person_2')).to.have.length(0);
    find(page, 'button.danger', 'Remove').click();
    await waitUntil(() => service.callsOf('DELETE /v1/team/person_2').length === 1);
  });

  it('warns an owner without a password before the first invitation', async () => {
    const { person } = exampleSession();
    for (const [hasPassword, isWarned] of [
      [false, true],
      [true, false],
    ] as const) {
      serviceOf({ 'GET /v1/team': listOf(ada), 'GET /v1/invitations': listOf() });
      const { page } = await mountPage('pay-team-page', {
        session: { person: { ...person, has_password: hasPassword } },
      });
      await waitUntil(() => textOf(page).includes('Ada Lovelace'));
      find(page, 'button', 'Invite a person').click();
      await settle(page);
      expect(textOf(page).includes('Your start address ends with the first password')).to.equal(isWarned);
      page.remove();
    }
  });

  it('lets the operator, and no other owner, remove codes and passkeys of a person who lost the phone', async () => {
    const path = 'POST /v1/team/person_2/remove-second-factors';
    const service = serviceOf({
      'GET /v1/team': listOf(ada, eve),
      'GET /v1/invitations': listOf(),
      'POST /v1/session/confirm': {},
      [path]: new Refusal(403, 'confirmation_required', 'Confirm with your password first.'),
    });
    const { page: other } = await mountPage('pay-team-page');
    await waitUntil(() => textOf(other).includes('<b>Eve</b>'));
    expect(textOf(other)).not.to.contain('Lost phone');
    other.remove();
    const { page, toasts } = await mountPage('pay-team-page', { session: { is_operator: true } });
    await waitUntil(() => textOf(page).includes('<b>Eve</b>'));
    expect(textOf(page).match(/Lost phone/g)).to.have.length(1);
    find(page, 'button', 'Remove codes and passkeys of <b>Eve</b>').click();
    await settle(page);
    expect(textOf(page)).to.contain('takes the password alone');
    find(page, 'button.danger', 'Remove codes and passkeys').click();
    await waitUntil(() => textOf(page).includes('Confirm your password'));
    service.answers[path] = ada;
    type(page, 'password', 'correct horse battery');
    await settle(page);
    find(page, 'button', 'Confirm').click();
    await waitUntil(() => toasts.some(({ text }) => text === '<b>Eve</b> signs in by password'));
    expect(service.callsOf(path)).to.have.length(2);
  });

  it('offers nothing that the role may not do', async () => {
    const service = serviceOf({ 'GET /v1/team': listOf(ada, eve) });
    const { page } = await mountPage('pay-team-page', { role: 'viewer' });
    await waitUntil(() => textOf(page).includes('Ada Lovelace'));
    expect(textOf(page)).not.to.match(/Invite|Remove|Audit/);
    expect(service.callsOf('GET /v1/invitations')).to.have.length(0);
  });

  it('has an audit log', async () => {
    const entry = {
      id: 'audit_1',
      object: 'audit_entry',
      person: ada,
      action: 'Give money back',
      method: 'POST',
      path: '/v1/payments/pay_1/refunds',
      status: 403,
      network: '203.0.113.7',
      user_agent: 'Firefox',
      created_at: at,
    };
    serviceOf({ 'GET /v1/audit-log': listOf(entry) });
    const { page } = await mountPage('pay-audit-log-page');
    await waitUntil(() => /Give money back.*refused 403.*203\.0\.113\.7/.test(textOf(page)));
    await expect(page).shadowDom.to.be.accessible();
  });
});

describe('the own account', () => {
  const answers = () => ({
    'GET /v1/session': exampleSession(),
    'GET /v1/person/passkeys': listOf({ id: 'passkey_1', name: 'Phone', created_at: at, last_used_at: null }),
    'GET /v1/person/sessions': listOf({
      id: 'ses_1',
      is_current: true,
      network: '203.0.113.7',
      user_agent: '',
      last_seen_at: at,
    }),
  });

  it('lists the merchants, of which the operator adds one', async () => {
    const service = serviceOf({
      ...answers(),
      'GET /v1/session': exampleSession({ is_operator: true }),
      'POST /v1/merchants': { id: 'acct_2', name: 'Branch' },
    });
    const { page, toasts } = await mountPage('pay-account-page');
    await waitUntil(() => /Merchants.*Nordlys Supply owner this one/.test(textOf(page)));
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Add a merchant').click();
    await settle(page);
    type(page, 'name', ' Branch ');
    await settle(page);
    find(page, 'button', 'Add the merchant').click();
    await waitUntil(() => toasts.some(({ text }) => text === 'Branch is added'));
    expect(service.callsOf('POST /v1/merchants')[0]?.body).to.deep.equal({ name: 'Branch' });
  });

  it('shows no merchants to a person with one, who is not the operator', async () => {
    serviceOf(answers());
    const { page } = await mountPage('pay-account-page');
    await waitUntil(() => textOf(page).includes('Where you are signed in'));
    expect(textOf(page)).not.to.contain('Merchants');
  });

  it('asks for the password when the service wants it, and then does what was asked', async () => {
    let isConfirmed = false;
    const service = serviceOf({
      ...answers(),
      'DELETE /v1/person/passkeys/passkey_1': () =>
        isConfirmed ? {} : new Refusal(403, 'confirmation_required', 'Confirm your password first.'),
      'POST /v1/session/confirm': () => {
        isConfirmed = true;
        return exampleSession();
      },
    });
    const { page, toasts } = await mountPage('pay-account-page');
    await waitUntil(() => textOf(page).includes('Where you are signed in'));
    await expect(page).shadowDom.to.be.accessible();
    find(page, 'button', 'Remove Phone').click();
    await settle(page);
    find(page, 'button.danger', 'Remove').click();
    await waitUntil(() => textOf(page).includes('Confirm your password'));
    type(page, 'password', 'correct horse battery');
    await settle(page);
    find(page, 'button', 'Confirm').click();
    await waitUntil(() => toasts.some(({ text }) => text === 'Phone is removed'));
    expect(service.callsOf('DELETE /v1/person/passkeys/passkey_1')).to.have.length(2);
  });

  it('asks a person without a password for a passkey, again when none was used, and then does what was asked', async () => {
    const person = { ...exampleSession().person, has_password: false, passkeys: 1 };
    const needed = new Refusal(403, 'confirmation_required', 'Confirm with your passkey first.');
    const service = serviceOf({
      ...answers(),
      'GET /v1/session': exampleSession({ person }),
      'PATCH /v1/person': needed,
      'POST /v1/session/passkey-options': { options: { challenge: 'AAAA', allowCredentials: [] } },
      'POST /v1/session/confirm': exampleSession({ person }),
    });
    const { page, toasts } = await mountPage('pay-account-page');
    await waitUntil(() => textOf(page).includes('Where you are signed in'));
    find(page, 'button', 'Set a password').click();
    await settle(page);
    type(page, 'password', 'correct horse battery');
    await settle(page);
    find(page, 'button', 'Save the password').click();
    await waitUntil(() => textOf(page).includes('Confirm with your passkey'));
    passkeyWindow = closedWindow;
    find(page, 'button', 'Use a passkey').click();
    await waitUntil(() => textOf(page).includes('No passkey was used. Try again.'));
    passkeyWindow = async () => usedPasskey;
    service.answers['PATCH /v1/person'] = {};
    find(page, 'button', 'Use a passkey').click();
    await waitUntil(() => toasts.some(({ text }) => text === 'The password is saved'));
    expect(service.callsOf('POST /v1/session/confirm')).to.have.length(1);
    expect(service.callsOf('PATCH /v1/person')[1]?.body).to.deep.equal({ password: 'correct horse battery' });
  });

  it('says that no passkey was added when its window was closed', async () => {
    const options = { challenge: 'AAAA', rp: { name: 'x' }, user: { id: 'AAAA', name: 'x', displayName: 'x' } };
    const service = serviceOf({ ...answers(), 'POST /v1/person/passkeys/options': { options } });
    const { page } = await mountPage('pay-account-page');
    await waitUntil(() => textOf(page).includes('Where you are signed in'));
    find(page, 'button', 'Add a passkey').click();
    await settle(page);
    type(page, 'name', 'Phone');
    await settle(page);
    passkeyWindow = closedWindow;
    find(page, 'button', 'Add').click();
    await waitUntil(() => textOf(page).includes('No passkey was added. Try again.'));
    expect(service.callsOf('POST /v1/person/passkeys')).to.have.length(0);
  });

  it('shows the key of the app as a code, and the recovery codes once', async () => {
    serviceOf({
      ...answers(),
      'POST /v1/person/totp': { secret: 'ABCDEF', uri: 'otpauth://totp/x?secret=ABCDEF' },
      'POST /v1/person/totp/confirm': { recovery_codes: ['aaaaa-11111', 'bbbbb-22222'] },
    });
    const { page } = await mountPage('pay-account-page');
    await waitUntil(() => textOf(page).includes('Set up an app'));
    find(page, 'button', 'Set up an app').click();
    await waitUntil(() => textOf(page).includes('ABCDEF'));
    expect(find(page, 'svg[role=img]').getAttribute('aria-label')).to.equal('QR code of the key');
    type(page, 'code', '123456');
    find(page, 'button', 'Turn codes on').click();
    await waitUntil(() => textOf(page).includes('bbbbb-22222'));
    find(page, 'button', 'I have kept them').click();
    await settle(page);
    expect(textOf(page)).not.to.contain('bbbbb-22222');
  });
});
