import { css, html, nothing, type TemplateResult } from 'lit';
import type { MailDetails } from '../../api/dashboard/mail.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { type Action, ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { timeText } from '../controls/values.ts';
import { mailChip } from './mail-words.ts';

/** One mail: its state and its text. */
class MailPage extends ActionPage {
  static override readonly styles = [
    ActionPage.styles,
    css`
      iframe {
        inline-size: 100%;
        block-size: 36rem;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: #f4f5f7;
      }
      .text {
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }
    `,
  ];

  readonly #mail = new Loaded<MailDetails>(this, signal =>
    this.app.client.mails.retrieve(this.params['id'] ?? '', { signal }),
  );

  #resend({ id, to, subject, documents }: MailDetails): Action {
    return {
      heading: 'Send this mail again?',
      effects: () => [
        { what: 'To', result: to },
        { what: 'Subject', result: subject },
        { what: 'Attached', result: documents === 0 ? 'nothing' : `${documents} drawn again` },
      ],
      button: () => 'Send again',
      run: async (_, idempotencyKey) => {
        await this.app.client.mails.resend(id, { idempotencyKey });
        this.app.toast({ text: 'The mail is sent again', tone: 'good' });
        this.app.go('/settings/mails');
      },
    };
  }

  override render(): TemplateResult {
    const mail = this.#mail.value;
    const mayResend = mail !== null && !['queued', 'canceled'].includes(mail.status) && this.app.may('money');
    return html`${pageFrame({
      above: { label: 'Mail outbox', path: '/settings/mails' },
      title: mail === null ? 'Mail' : html`<bdi>${mail.subject}</bdi>`,
      subtitle: mail === null ? '' : mailChip(mail),
      actions: mayResend
        ? html`${actionButtons(this, [{ label: 'Send again', style: 'second', start: () => this.#resend(mail) }])}`
        : nothing,
      body: this.#mail.render(content),
    })}
    ${actionDialog(this)}`;
  }
}

/** The mail's data, HTML and text. The HTML is in a sandboxed frame: its scripts cannot run or access the dashboard. */
function content(mail: MailDetails): TemplateResult {
  return html`
    <section class="card" aria-label="Mail">
      ${keyValues([
        { label: 'To', value: html`<bdi>${mail.to_name ?? ''}</bdi> ${mail.to}`, copy: mail.to },
        { label: 'Written', value: timeText(mail.created_at) },
        { label: 'Ended', value: mail.ended_at === null ? null : timeText(mail.ended_at) },
        { label: 'Attempts', value: mail.attempts },
        { label: 'Last error', value: mail.error },
        { label: 'About', value: html`<span class="mono">${mail.resource}</span>`, copy: mail.resource },
      ])}
      <iframe title="The mail as it is read" src=${mail.html_url} sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
      <details><summary>As text</summary><p class="text">${mail.text}</p></details>
    </section>`;
}

customElements.define('pay-mail-page', MailPage);
