import { html, nothing, type TemplateResult } from 'lit';
import type { Invitation, TeamMember } from '../../api/people/team.ts';
import { systemClock } from '../../core/clock.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import type { Role } from '../app/session.ts';
import { type Action, ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { agoText } from '../controls/ago-text.ts';
import { formField } from '../controls/form-field.ts';
import { icon } from '../controls/icons.ts';
import { chip } from '../controls/status-chip.ts';
import { timeWords } from '../controls/values.ts';
import { confirmAction, orConfirm } from './account-actions.ts';
import { peopleStyles } from './people.styles.ts';
import { roleOptions, roleWords } from './role-words.ts';

interface People {
  readonly members: readonly TeamMember[];
  readonly invitations: readonly Invitation[];
}

/** The team: members with their roles, and open invitations. */
class TeamPage extends ActionPage {
  static override readonly styles = [ActionPage.styles, peopleStyles];

  readonly #people = new Loaded<People>(this, async signal => {
    const mayManage = this.app.may('manage');
    const [members, invitations] = await Promise.all([
      this.app.calls.get<{ data: TeamMember[] }>('/v1/team', { signal }),
      mayManage ? this.app.calls.get<{ data: Invitation[] }>('/v1/invitations', { signal }) : { data: [] },
    ]);
    return { members: members.data, invitations: invitations.data };
  });

  override render(): TemplateResult {
    const mayManage = this.app.may('manage');
    const actions = html`<a class="second" href=${pathTo('/audit-log')}>Audit log</a>
      <button class="main" type="button" @click=${() => this.ask(this.#inviteAction())}>${icon('add')} Invite a person</button>`;
    return pageFrame({
      title: 'Team',
      subtitle: 'Everyone signs in with an own account. The role says what a person may do.',
      actions: mayManage ? actions : nothing,
      body: html`${this.#people.render(people => this.#content(people))}
        ${actionDialog(this)}`,
    });
  }

  #content({ members, invitations }: People): TemplateResult {
    return html`<section class="card" aria-labelledby="members">
        <h2 id="members">Members</h2>
        <ul class="people">${members.map(member => this.#memberRow(member))}</ul>
      </section>
      ${invitations.length === 0 ? nothing : this.#invitations(invitations)}`;
  }

  #memberRow(member: TeamMember): TemplateResult {
    const { id, email, name, role, last_seen_at: seenAt, two_factor: isSafe } = member;
    const isMe = id === this.app.session?.person.id;
    const may = this.app.may('manage') && (role !== 'owner' || this.app.session?.role === 'owner');
    return html`<li>
      <div class="who"><strong>${nameOf(member)}</strong>${isMe ? ' (you)' : ''}
        <div class="second-line">${name !== null && email !== null ? `${email} · ` : ''}${seenAt === null ? 'not seen yet' : html`seen ${agoText(seenAt, systemClock)}`}</div></div>
      <span>${chip(role, 'plain')} ${isSafe ? chip('two factors', 'good') : nothing}</span>
      <span>${
        may
          ? html`<button class="plain" type="button" aria-label=${`Change the role of ${nameOf(member)}`} @click=${() => this.ask(this.#roleAction(member))}>Role</button>
            ${this.#factorsButton(member)}
            <button class="plain" type="button" aria-label=${`Remove ${nameOf(member)}`} @click=${() => this.ask(this.#removeAction(member))}>Remove</button>`
          : nothing
      }</span>
    </li>`;
  }

  /** A button that removes the codes and passkeys of a person who lost the phone. Only the operator has the button. */
  #factorsButton(member: TeamMember): TemplateResult | typeof nothing {
    const { session } = this.app;
    if (!session?.is_operator || !member.two_factor || member.id === session.person.id) return nothing;
    return html`<button class="plain" type="button" aria-label=${`Remove codes and passkeys of ${nameOf(member)}`}
      @click=${() => this.ask(this.#factorsAction(member))}>Lost phone</button>`;
  }

  #factorsAction(member: TeamMember): Action {
    return {
      heading: `${nameOf(member)} lost the phone`,
      effects: () => [
        { what: 'Codes and passkeys', result: 'no longer sign in' },
        { what: 'Open sessions', result: 'end at once' },
        { what: 'Sign-in', result: 'takes the password alone' },
      ],
      note: 'Be sure that the person asks for it: call, or meet.',
      button: () => 'Remove codes and passkeys',
      isDangerous: true,
      run: () =>
        orConfirm(
          run => {
            const { session, calls } = this.app;
            if (session !== null) this.ask(confirmAction(calls, session.person, run));
          },
          () => this.app.calls.post(`/v1/team/${member.id}/remove-second-factors`),
          () => this.#done(`${nameOf(member)} signs in by password`),
        ),
    };
  }

  #invitations(invitations: readonly Invitation[]): TemplateResult {
    return html`<section class="card" aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <ul class="people">${invitations.map(
        invitation => html`<li>
          <div class="who"><strong>${invitation.email}</strong>
            <div class="second-line">until ${timeWords(invitation.expires_at)}</div></div>
          <span>${chip(invitation.role, 'plain')}</span>
          <span><button class="plain" type="button" aria-label=${`Withdraw the invitation of ${invitation.email}`}
            @click=${() => this.ask(this.#withdrawAction(invitation))}>Withdraw</button></span>
        </li>`,
      )}</ul>
    </section>`;
  }

  async #change(run: Promise<unknown>, text: string): Promise<void> {
    await run;
    await this.#done(text);
  }

  async #done(text: string): Promise<void> {
    this.app.toast({ text, tone: 'good' });
    await this.#people.reload();
  }

  #inviteAction(): Action {
    const options = roleOptions(this.app.session?.role ?? 'viewer');
    return {
      heading: 'Invite a person',
      start: { role: 'viewer' },
      fields: (texts, errors, type) => html`
        ${formField({ label: 'E-mail', name: 'email', type: 'email', value: texts['email'] ?? '', error: errors['email'], onInput: text => type('email', text) })}
        ${formField({ label: 'Role', name: 'role', value: texts['role'] ?? '', options, onInput: text => type('role', text) })}`,
      effects: ({ email = '', role = '' }) => [
        { what: 'Mail to', result: email || '…' },
        { what: 'Role', result: `${role}: ${roleWords[role as Role] ?? ''}` },
        { what: 'The mail works for', result: 'seven days, once' },
        ...this.#startEnds(),
      ],
      button: ({ email = '' }) => (email.includes('@') ? 'Send the invitation' : null),
      run: ({ email = '', role = '' }, idempotencyKey) => {
        const body = { email: email.trim(), role };
        return this.#change(this.app.calls.post('/v1/invitations', body, { idempotencyKey }), `${email} is invited`);
      },
    };
  }

  /** A warning for a person who signs in only by the start address, which ends with any person's first password. */
  #startEnds() {
    const me = this.app.session?.person;
    if (me === undefined || me.has_password || me.passkeys > 0) return [];
    return [{ what: 'Your start address', result: 'ends with the first password: set yours before, under My account' }];
  }

  #roleAction(member: TeamMember): Action {
    const options = roleOptions(this.app.session?.role ?? 'viewer');
    return {
      heading: `Role of ${nameOf(member)}`,
      start: { role: member.role },
      fields: (texts, _, type) =>
        formField({
          label: 'Role',
          name: 'role',
          value: texts['role'] ?? '',
          options,
          onInput: text => type('role', text),
        }),
      effects: ({ role = '' }) => [
        { what: 'Now', result: member.role },
        { what: 'From the next press on', result: role },
      ],
      button: ({ role = '' }) => (role === member.role ? null : 'Change the role'),
      run: ({ role }) =>
        this.#change(this.app.calls.patch(`/v1/team/${member.id}`, { role }), `${nameOf(member)} has another role`),
    };
  }

  #removeAction(member: TeamMember): Action {
    return {
      heading: `Remove ${nameOf(member)}`,
      effects: () => [
        { what: 'Access to this merchant', result: 'ends at once' },
        { what: 'Open sessions', result: 'end at once' },
        { what: 'What the person did', result: 'stays in the audit log' },
      ],
      button: () => 'Remove',
      isDangerous: true,
      run: () => this.#change(this.app.calls.remove(`/v1/team/${member.id}`), `${nameOf(member)} is removed`),
    };
  }

  #withdrawAction({ id, email }: Invitation): Action {
    return {
      heading: 'Withdraw the invitation',
      effects: () => [{ what: `The mail to ${email}`, result: 'no longer works' }],
      button: () => 'Withdraw',
      isDangerous: true,
      run: () => this.#change(this.app.calls.remove(`/v1/invitations/${id}`), 'The invitation is withdrawn'),
    };
  }
}

const nameOf = ({ name, email }: TeamMember) => name ?? email ?? 'Owner';

customElements.define('pay-team-page', TeamPage);
