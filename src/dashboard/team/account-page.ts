import { html, nothing, type TemplateResult } from 'lit';
import type { Passkey } from '../../api/people/factor.ts';
import type { PersonSession, Session } from '../../api/people/person.ts';
import { systemClock } from '../../core/clock.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import { keyValues } from '../controls/key-values.ts';
import { errorWords } from '../controls/states.ts';
import { chip } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';
import {
  addPasskeyAction,
  codesOffAction,
  confirmAction,
  needsConfirmation,
  passwordAction,
  profileAction,
  removePasskeyAction,
} from './account-actions.ts';
import { type CodeSetup, recoveryCodesDialog, setupDialog } from './code-setup.ts';
import { merchantsCard } from './merchants-card.ts';
import { peopleStyles } from './people.styles.ts';

interface Account {
  readonly session: Session;
  readonly person: Session['person'];
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly PersonSession[];
}

/** The person's own account: name, password, codes, passkeys and sessions. */
class AccountPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, peopleStyles];
  static override readonly properties = {
    ...ActionPage.properties,
    setup: { state: true },
    codes: { state: true },
  };

  /** The authenticator app that is being set up. */
  declare setup: CodeSetup | null;
  /** New recovery codes, shown once. */
  declare codes: readonly string[] | null;

  readonly #account = new Loaded<Account>(this, async signal => {
    const { calls } = this.app;
    const [session, passkeys, sessions] = await Promise.all([
      calls.get<Session>('/v1/session', { signal }),
      calls.get<{ data: Passkey[] }>('/v1/person/passkeys', { signal }),
      calls.get<{ data: PersonSession[] }>('/v1/person/sessions', { signal }),
    ]);
    return { session, person: session.person, passkeys: passkeys.data, sessions: sessions.data };
  });

  constructor() {
    super();
    this.setup = null;
    this.codes = null;
  }

  override render(): TemplateResult {
    return pageFrame({
      title: 'My account',
      body: html`${this.#account.render(account => this.#content(account))}
        ${actionDialog(this)}
        ${setupDialog(this.setup, this.#setupHandlers)}
        ${recoveryCodesDialog(this.codes, () => this.#closeCodes())}`,
    });
  }

  #closeCodes(): void {
    this.codes = null;
  }

  readonly #changed = async (text: string): Promise<void> => {
    this.app.toast({ text, tone: 'good' });
    await this.#account.reload();
  };

  /** Shows a toast and reads the session again, because the frame shows the person's name or e-mail address. */
  readonly #renamed = async (text: string): Promise<void> => {
    this.app.toast({ text, tone: 'good' });
    await this.app.refreshSession();
  };

  readonly #confirm = (run: () => Promise<unknown>): void => {
    const person = this.#account.value?.person;
    if (person !== undefined) this.ask(confirmAction(this.app.calls, person, run));
  };

  /** Runs a call. If the service requires a confirmation, asks the person and runs the call again. */
  async #secured(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (needsConfirmation(error)) this.#confirm(run);
      else this.app.toast({ text: errorWords(error), tone: 'bad' });
    }
  }

  readonly #setupHandlers = {
    close: () => {
      this.setup = null;
    },
    change: (setup: CodeSetup) => {
      this.setup = setup;
    },
    confirm: async (code: string) => {
      const path = '/v1/person/totp/confirm';
      const { recovery_codes: codes } = await this.app.calls.post<{ recovery_codes: string[] }>(path, { code });
      this.setup = null;
      this.codes = codes;
      await this.#changed('Codes are on');
    },
  };

  async #setUpCodes(): Promise<void> {
    const { secret, uri } = await this.app.calls.post<{ secret: string; uri: string }>('/v1/person/totp');
    const { drawQrCode } = await import('../../element/controls/qr-code.ts');
    this.setup = { secret, qr: drawQrCode(uri, 'M'), error: null, isBusy: false };
  }

  async #newCodes(): Promise<void> {
    const path = '/v1/person/recovery-codes';
    this.codes = (await this.app.calls.post<{ recovery_codes: string[] }>(path)).recovery_codes;
  }

  #content({ session, person, passkeys, sessions }: Account): TemplateResult {
    return html`<div class="grid">${this.#profileCard(person)}${this.#codesCard(person)}</div>
      ${this.#passkeysCard(passkeys)}${this.#sessionsCard(sessions)}
      ${merchantsCard(this.app, session, action => this.ask(action))}`;
  }

  #profileCard(person: Account['person']): TemplateResult {
    const { calls } = this.app;
    return html`<section class="card" aria-labelledby="profile">
      <h2 id="profile">Sign-in</h2>
      ${
        person.has_password || person.passkeys > 0
          ? nothing
          : html`<p class="note warn">Set an e-mail address and a password. Until then, everyone with the start address can enter.</p>`
      }
      ${keyValues([
        { label: 'Name', value: person.name ?? '–' },
        {
          label: 'E-mail',
          value:
            person.email === null
              ? '–'
              : html`${person.email}${person.email_verified ? nothing : html`<div class="second-line">not verified by a mail yet</div>`}`,
        },
        { label: 'Password', value: person.has_password ? 'set' : 'none' },
      ])}
      <div class="actions">
        <button class="second" type="button" @click=${() => this.ask(profileAction(calls, person, this.#renamed, this.#confirm))}>Change name or e-mail</button>
        <button class=${person.has_password ? 'second' : 'main'} type="button"
          @click=${() => this.ask(passwordAction(calls, person, this.#renamed, this.#confirm))}>${person.has_password ? 'Change the password' : 'Set a password'}</button>
      </div>
    </section>`;
  }

  #codesCard({ two_factor: isOn }: Account['person']): TemplateResult {
    const off = codesOffAction(this.app.calls, this.#changed, this.#confirm);
    return html`<section class="card" aria-labelledby="codes">
      <div class="card-head"><h2 id="codes">Authenticator app</h2>${chip(isOn ? 'on' : 'off', isOn ? 'good' : 'plain')}</div>
      <p>Besides the password, an app on your phone shows a code that changes every 30 seconds.</p>
      <div class="actions">${
        isOn
          ? html`<button class="second" type="button" @click=${() => void this.#secured(() => this.#newCodes())}>New recovery codes</button>
            <button class="second" type="button" @click=${() => this.ask(off)}>Turn off</button>`
          : html`<button class="second" type="button" @click=${() => void this.#secured(() => this.#setUpCodes())}>Set up an app</button>`
      }</div>
    </section>`;
  }

  #passkeysCard(passkeys: readonly Passkey[]): TemplateResult {
    const { calls } = this.app;
    return html`<section class="card" aria-labelledby="passkeys">
      <div class="card-head">
        <h2 id="passkeys">Passkeys</h2>
        <button class="second" type="button" @click=${() => this.ask(addPasskeyAction(calls, this.#changed, this.#confirm))}>Add a passkey</button>
      </div>
      <p>A passkey signs in with your fingerprint, face or a security key. It cannot be guessed.</p>
      <ul class="people">${passkeys.map(
        passkey => html`<li>
          <div class="who"><strong>${passkey.name}</strong>
            <div class="second-line">${passkey.last_used_at === null ? 'not used yet' : html`used ${agoText(passkey.last_used_at, systemClock)}`}</div></div>
          <span><button class="plain" type="button" aria-label=${`Remove ${passkey.name}`}
            @click=${() => this.ask(removePasskeyAction(calls, passkey, this.#changed, this.#confirm))}>Remove</button></span>
        </li>`,
      )}</ul>
    </section>`;
  }

  #sessionsCard(sessions: readonly PersonSession[]): TemplateResult {
    return html`<section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="people">${sessions.map(
        session => html`<li>
          <div class="who"><strong>${browserWords(session.user_agent)}</strong>
            <div class="second-line">${session.network} · ${agoText(session.last_seen_at, systemClock)}</div></div>
          <span>${
            session.is_current
              ? chip('this one', 'good')
              : html`<button class="plain" type="button" aria-label=${`End the session of ${browserWords(session.user_agent)}, ${session.network}, ${timeWords(session.last_seen_at, 'full')}`}
                @click=${() => void this.#endSession(session.id)}>End</button>`
          }</span>
        </li>`,
      )}</ul>
    </section>`;
  }

  async #endSession(id: string): Promise<void> {
    await this.#secured(async () => {
      await this.app.calls.remove(`/v1/person/sessions/${id}`);
      await this.#changed('The session has ended');
    });
  }
}

/** The browser and the system of a user agent. The result may be wrong. */
function browserWords(agent: string): string {
  const browser = /Edg|Firefox|Chrome|Safari/.exec(agent)?.[0].replace('Edg', 'Edge') ?? 'A program';
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  return system === undefined ? browser : `${browser} on ${system.replace('Mac OS', 'macOS')}`;
}

customElements.define('pay-account-page', AccountPage);
