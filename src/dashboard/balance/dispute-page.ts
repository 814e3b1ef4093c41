import { css, html, nothing, type TemplateResult } from 'lit';
import type { Dispute } from '../../api/client.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { ActionPage, actionButtons, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { note } from '../controls/states.ts';
import { statusChip } from '../controls/status-chip.ts';
import { moneyOf, shortened, shortenedWords, timeText } from '../controls/values.ts';
import { acceptAction, evidenceAction } from './dispute-actions.ts';
import { deadlineWords, disputeStates, mayAnswer, reasonWords, stateOf } from './dispute-words.ts';

/** One dispute: its reason, its deadline, the answer, and the outcome. */
class DisputePage extends ActionPage {
  static override readonly styles = [
    ActionPage.styles,
    css`
      .answer {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  readonly #dispute = new Loaded<Dispute>(this, signal => this.app.client.disputes.retrieve(this.#id, { signal }));

  get #id(): string {
    return this.params['id'] ?? '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.follow({ type: 'dispute.', object: this.#id }, ({ data }) =>
      this.#dispute.set((data as { object: Dispute }).object),
    );
  }

  override render(): TemplateResult {
    const dispute = this.#dispute.value;
    return html`${pageFrame({
      above: { label: 'Disputes', path: '/balance/disputes' },
      title: dispute
        ? html`${moneyOf(dispute.amount, dispute.currency)} ${statusChip(stateOf(dispute), disputeStates)}`
        : 'Dispute',
      ...(dispute ? { subtitle: shortened(dispute.id, 8, 4) } : {}),
      actions: dispute && mayAnswer(dispute) && this.app.may('money') ? this.#actions(dispute) : nothing,
      body: html`${this.#dispute.render(value => this.#body(value))}`,
    })}
    ${actionDialog(this)}`;
  }

  #actions(dispute: Dispute): TemplateResult {
    const { client } = this.app;
    const done = (sentence: string) => (changed: Dispute) => {
      this.app.toast({ text: sentence, tone: 'good' });
      this.#dispute.set(changed);
    };
    const accept = () => acceptAction(client, dispute, done('Dispute accepted'));
    const answer = () => evidenceAction(client, dispute, done('The bank has your evidence'));
    return html`${actionButtons(this, [
      { label: 'Accept', style: 'second', start: accept },
      { label: 'Send evidence', style: 'main', start: answer },
    ])}`;
  }

  #body(dispute: Dispute): TemplateResult {
    return html`${this.#stand(dispute)}
      <div class="beside">
        <section class="card" aria-labelledby="evidence">
          <h2 id="evidence">Your evidence</h2>
          ${evidenceOf(dispute)}
        </section>
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Dispute</h2>
          ${keyValues([
            { label: 'Reason', value: reasonWords(dispute) },
            {
              label: 'Payment',
              value: html`<a href=${pathTo(`/payments/${dispute.payment}`)}>${shortenedWords(dispute.payment, 8, 4)}</a>`,
            },
            { label: 'Opened', value: timeText(dispute.created_at) },
            { label: 'Answer by', value: timeText(dispute.evidence_due_at) },
            dispute.closed_at !== null && { label: 'Closed', value: timeText(dispute.closed_at) },
          ])}
        </section>
      </div>`;
  }

  #stand(dispute: Dispute): TemplateResult {
    if (dispute.status === 'under_review') return note('The cardholder’s bank reads your evidence.', '', 'status');
    if (dispute.outcome === 'won') return note('You won. The amount is yours again.', '', 'status');
    if (dispute.status === 'closed') return note('The amount stays with the cardholder.', 'warn', 'status');
    if (!mayAnswer(dispute)) return note('The deadline has passed. The bank decides without you.', 'warn', 'status');
    const may = this.app.may('money')
      ? 'Without evidence by then, the dispute is lost.'
      : 'Owners, admins and finance people may answer it; your role may not.';
    return note(html`<strong>${deadlineWords(dispute)}.</strong> ${may}`, 'warn', 'status');
  }
}

function evidenceOf({ evidence, evidence_submitted_at: at }: Dispute): TemplateResult {
  if (evidence === null) return html`<p class="hint">Nothing was sent.</p>`;
  const { explanation, tracking_number: tracking, customer_message: message, file_names: files = [] } = evidence;
  return html`<p class="answer">${explanation}</p>
    ${keyValues([
      { label: 'Tracking number', value: tracking },
      { label: 'The customer wrote', value: message },
      { label: 'Files', value: files.join(', ') },
      at !== null && { label: 'Sent', value: timeText(at) },
    ])}`;
}

customElements.define('pay-dispute-page', DisputePage);
