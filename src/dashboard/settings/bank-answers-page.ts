import { html, nothing, type TemplateResult } from 'lit';
import type { BankAnswer } from '../../api/dashboard/bank-answer.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { keyValues } from '../controls/key-values.ts';
import { emptyState, roleNote } from '../controls/states.ts';
import { timeText } from '../controls/values.ts';

/** The headings of answers, by the reason why they were put aside. */
const headings: Readonly<Record<BankAnswer['reason'], string>> = {
  unreadable: 'Not readable',
  unsupported: 'Not read yet',
  unclear: 'Not understood',
  unrelated: 'About no payment',
  unknown_payment: 'Unknown payment',
  unknown_file: 'Unknown file',
  other_currency: 'Another currency came back',
  excess: 'More came back than was sent',
  contradiction: 'Against an earlier report',
  repeated: 'Reported twice',
};

/** Answers of the operator's banks that changed nothing, and wait for a person. */
class BankAnswersPage extends ActionPage {
  readonly #answers = new Loaded<readonly BankAnswer[]>(this, async signal => {
    const { data } = await this.app.client.bankAnswers.list({ limit: 100, handled: 'false' }, { signal });
    return data;
  });

  readonly #dismiss = ({ id, message, bank_files: files }: BankAnswer): void =>
    this.ask({
      heading: 'Dismiss this answer?',
      effects: () => [
        { what: 'The bank', result: message },
        { what: 'Money', result: 'does not move' },
        {
          what: files.length === 0 ? 'Payouts' : 'Payouts of its files',
          result: files.length === 0 ? 'do not change' : 'complete on their day of arrival, if the bank accepted them',
        },
      ],
      button: () => 'Dismiss',
      run: async (_, idempotencyKey) => {
        await this.app.client.bankAnswers.dismiss(id, { idempotencyKey });
        this.app.toast({ text: 'The answer is dismissed', tone: 'good' });
        await this.#answers.reload();
      },
    });

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Bank answers',
      subtitle: 'Answers of your banks that changed nothing. Payouts of their files wait for you.',
      body: html`${roleNote(this.app, 'money')}
        ${this.#answers.render(answers =>
          answers.length === 0
            ? html`<section class="card">${emptyState('Nothing waits', 'Every answer of the banks was booked.')}</section>`
            : html`${answers.map(answer => this.#card(answer))}`,
        )}`,
    })}
    ${actionDialog(this)}`;
  }

  #card(answer: BankAnswer): TemplateResult {
    const { id, reason, message, file_name: file, reference, amount, currency } = answer;
    const { payment_amount: sent, payment_currency: unit, bank_files: files, received_at: at } = answer;
    const heading = `answer-${id}`;
    // Several answers may have the same reason: the message tells their names apart.
    return html`<section class="card" aria-labelledby=${`${heading} ${heading}-text`}>
      <h2 id=${heading}>${headings[reason] ?? reason}</h2>
      <p id=${`${heading}-text`}><bdi>${message}</bdi></p>
      ${keyValues([
        {
          label: 'File of the bank',
          value: html`<bdi>${file}</bdi>`,
          copy: file,
          name: `file of the bank: ${message}`,
        },
        { label: 'Received', value: timeText(at) },
        // The bank's own text may be no number.
        amount !== null && { label: 'Not credited', value: html`<bdi>${amount} ${currency}</bdi>` },
        sent !== null && { label: 'Payment', value: html`<bdi>${sent} ${unit}</bdi>` },
        reference !== null && {
          label: 'Reference',
          value: html`<bdi>${reference}</bdi>`,
          copy: reference,
          name: `reference: ${message}`,
        },
        files.length > 0 && { label: 'Our files', value: html`<span class="mono">${files.join(', ')}</span>` },
      ])}
      ${
        this.app.may('money')
          ? html`<div class="actions"><button class="second" type="button" aria-label=${`Dismiss ${message}`} @click=${() => this.#dismiss(answer)}>Dismiss</button></div>`
          : nothing
      }
    </section>`;
  }
}

customElements.define('pay-bank-answers-page', BankAnswersPage);
