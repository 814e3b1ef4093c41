import { css, html, nothing, type TemplateResult } from 'lit';
import type { Balance } from '../../api/balance/balance.ts';
import type { PayoutBatch } from '../../api/payout.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { SendKey } from '../app/send-key.ts';
import { type Action, ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { checkField, formField } from '../controls/form-field.ts';
import { errorNote, note } from '../controls/states.ts';
import { timeWords } from '../controls/values.ts';
import { totalEffects } from './batch-actions.ts';
import { type BatchFile, exampleFile, readBatchFile } from './batch-file.ts';
import { availableOf, shortfalls } from './batch-funds.ts';
import { counted } from './batch-words.ts';
import { checkTable, isWarning } from './check-table.ts';
import { unitWords } from './payout-words.ts';
import { mayNotSend } from './roles.ts';

/** The person's choices for the batch. */
interface Choices {
  readonly description: string;
  /** Local date and time. Blank: send at once. */
  readonly at: string;
  readonly approval: boolean;
}

/** A new batch from a CSV file: dropped, picked or pasted, checked by the service, and sent after a confirmation. */
class NewBatchPage extends ActionPage {
  static override readonly properties = {
    ...ActionPage.properties,
    file: { state: true },
    check: { state: true },
    error: { state: true },
    isChecking: { state: true },
    isOver: { state: true },
    choices: { state: true },
  };
  static override readonly styles = [
    ActionPage.styles,
    css`
      .drop {
        display: grid;
        gap: 8px;
        justify-items: center;
        padding: 32px 20px;
        border: 2px dashed var(--edge);
        border-radius: 20px;
        text-align: center;
      }
      .drop.over {
        border-color: var(--accent);
        background: var(--neutral-soft);
      }
      .drop:focus-within {
        outline: 3px solid var(--accent);
        outline-offset: 2px;
      }
      .drop input {
        position: absolute;
        inline-size: 1px;
        block-size: 1px;
        opacity: 0;
      }
    `,
  ];

  declare file: BatchFile | null;
  /** The result of the service's dry run of the file. */
  declare check: PayoutBatch | null;
  declare error: unknown;
  declare isChecking: boolean;
  /** Whether the person holds a file over the drop area. */
  declare isOver: boolean;
  declare choices: Choices;

  readonly #balance = new Loaded<Balance>(this, signal => this.app.client.balance.retrieve({ signal }));
  readonly #key = new SendKey();
  #running = new AbortController();

  constructor() {
    super();
    Object.assign(this, { file: null, check: null, error: null, isChecking: false, isOver: false });
    this.choices = { description: '', at: '', approval: false };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#running.abort();
  }

  readonly #take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      await this.#ask(await readBatchFile(file));
    } catch (error) {
      this.error = error;
    }
  };

  /** Asks the service to check the file. Uses only the answer for the last file. */
  async #ask(file: BatchFile): Promise<void> {
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    Object.assign(this, { file, check: null, error: null, isChecking: true });
    try {
      const options = { signal: running.signal };
      const [check] = await Promise.all([
        this.app.client.payouts.dryRunCsv(file.text, { on_error: 'skip_invalid' }, options),
        this.#balance.reload(),
      ]);
      if (running.signal.aborted) return;
      this.check = check;
    } catch (error) {
      if (running.signal.aborted) return;
      this.error = error;
    }
    this.isChecking = false;
  }

  override render(): TemplateResult {
    const { check, file } = this;
    return html`${pageFrame({
      above: { label: 'Batches', path: '/payouts/batches' },
      title: check === null ? 'Pay many' : `Pay ${counted(check.counts.accepted, 'recipient')}`,
      subtitle:
        file === null ? 'From a CSV file. Nothing moves before you confirm.' : `${file.name} · nothing has moved yet`,
      body: html`${mayNotSend(this.app)} ${this.app.may('money') ? this.#body() : nothing}`,
    })}
    ${actionDialog(this)}`;
  }

  #body(): TemplateResult {
    const { error, isChecking, check } = this;
    return html`${check === null ? this.#source() : nothing}
      ${isChecking ? note('Checking each row …', '', 'status') : nothing}
      ${error === null ? nothing : errorNote(error)}
      ${check === null ? nothing : this.#checked(check)}`;
  }

  #source(): TemplateResult {
    const hold = (isOver: boolean) => (event: DragEvent) => {
      event.preventDefault();
      this.isOver = isOver;
    };
    const drop = (event: DragEvent) => {
      hold(false)(event);
      void this.#take(event.dataTransfer?.files[0]);
    };
    const pick = (event: Event) => void this.#take((event.target as HTMLInputElement).files?.[0]);
    return html`<section class="card" aria-labelledby="file">
        <h2 id="file">A CSV file</h2>
        <label class="drop ${this.isOver ? 'over' : ''}" @dragover=${hold(true)} @dragleave=${hold(false)} @drop=${drop}>
          <strong>Drop a file here, or choose one</strong>
          <span class="hint">Up to 10,000 rows in UTF-8. The first row names the columns.</span>
          <input type="file" accept=".csv,text/csv" aria-label="CSV file" @change=${pick}>
        </label>
      </section>
      ${this.#paste()}`;
  }

  #paste(): TemplateResult {
    const submit = (event: Event) => {
      event.preventDefault();
      const text = (event.target as HTMLFormElement).querySelector('textarea')?.value.trim() ?? '';
      if (text !== '') void this.#ask({ name: 'Pasted rows', text });
    };
    return html`<form class="card" aria-labelledby="paste" @submit=${submit}>
      <h2 id="paste">Or paste rows</h2>
      ${formField({
        label: 'Rows',
        name: 'rows',
        rows: 6,
        value: this.file?.text ?? exampleFile,
        hint: 'Amounts are whole numbers of the smallest unit: 12500 is €125.00. The columns are described in the API reference of POST /v1/payouts/bulk.',
      })}
      <div class="actions"><button class="second" type="submit" ?disabled=${this.isChecking}>Check rows</button></div>
    </form>`;
  }

  #checked(check: PayoutBatch): TemplateResult {
    const again = () => {
      this.check = null;
    };
    return html`${this.#figures(check)}
      ${checkTable('Rows to look at', check)}
      ${check.counts.accepted === 0 ? nothing : this.#options(check)}
      <section class="card" aria-label="Confirm">
        ${this.#obstacle(check)}
        <div class="actions">
          <button class="second" type="button" @click=${again}>Change the file</button>
          ${
            check.counts.accepted === 0
              ? nothing
              : html`<button class="main" type="button" @click=${() => this.ask(this.#confirm(check))}>${this.#payWords(check)} …</button>`
          }
        </div>
      </section>`;
  }

  #payWords({ counts: { accepted, rejected } }: PayoutBatch): string {
    return rejected > 0
      ? `Pay the ${accepted.toLocaleString('en')} that can be paid`
      : `Pay ${counted(accepted, 'recipient')}`;
  }

  #figures(check: PayoutBatch): TemplateResult {
    const { totals, counts, errors, holds = [] } = check;
    const warned = new Set(errors.filter(isWarning).map(({ index }) => index)).size;
    const lines = totals.map(
      ({ currency }) => `of ${unitWords(availableOf(this.#balance.value, currency), currency)} available`,
    );
    const look = [
      counts.rejected > 0 && `${counts.rejected.toLocaleString('en')} left out`,
      warned > 0 && `${warned.toLocaleString('en')} would fail`,
      holds.length > 0 && `${holds.length.toLocaleString('en')} would wait on hold`,
    ];
    return html`<div class="grid">
      ${figure(
        'Leaves your balance',
        totals.map(({ amount, currency }) => unitWords(amount, currency)),
        lines.join(', '),
      )}
      ${figure('Ready', [(counts.accepted - warned - holds.length).toLocaleString('en')], `of ${counted(counts.total, 'row')}`)}
      ${figure('To look at', [(counts.rejected + warned + holds.length).toLocaleString('en')], look.filter(Boolean).join(', '))}
      ${figure(
        'Fees',
        totals.map(({ fee, currency }) => unitWords(fee, currency)),
        'These are the current rates. A payout waits if its rate becomes more than 2 % worse.',
      )}
    </div>`;
  }

  #options(check: PayoutBatch): TemplateResult {
    const set = (changed: Partial<Choices>) => {
      this.choices = { ...this.choices, ...changed };
    };
    const { description, at, approval } = this.choices;
    return html`<section class="card" aria-labelledby="how">
      <h2 id="how">How</h2>
      <div class="fields">
        ${formField({
          label: 'Name of the batch',
          name: 'description',
          value: description,
          maxLength: 200,
          placeholder: 'Wages, November',
          onInput: value => set({ description: value }),
        })}
        ${formField({
          label: 'Send at',
          name: 'scheduled_at',
          type: 'datetime-local',
          value: at,
          hint: 'Empty: at once. The money is reserved at once in both cases.',
          onInput: value => set({ at: value }),
        })}
        ${
          check.status === 'awaiting_approval'
            ? note('Your account asks a second person to approve a batch of this size.')
            : checkField('A second person approves it before anything is sent', 'approval', approval, checked =>
                set({ approval: checked }),
              )
        }
      </div>
    </section>`;
  }

  #obstacle(check: PayoutBatch): TemplateResult {
    const short = shortfalls(check, this.#balance.value);
    if (check.counts.accepted === 0)
      return note('No row can be paid. Correct the rows above, and check the file again.', 'bad');
    if (short.length === 0)
      return html`<p class="hint">You see once more what will happen before anything is sent.</p>`;
    return note(
      html`<strong>Your balance is short of ${short.join(' and ')}.</strong> <a href=${pathTo('/balance')}>Add money</a>, or
        take rows out.`,
      'warn',
      'status',
    );
  }

  #confirm(check: PayoutBatch): Action {
    const { description, at, approval } = this.choices;
    const needsApproval = approval || check.status === 'awaiting_approval';
    const time = at === '' ? null : new Date(at);
    const isShort = shortfalls(check, this.#balance.value).length > 0;
    const held = check.holds?.length ?? 0;
    const order = {
      text: this.file?.text ?? '',
      options: {
        on_error: check.counts.rejected > 0 ? ('skip_invalid' as const) : ('reject_all' as const),
        ...(description.trim() !== '' && { description: description.trim() }),
        ...(time !== null && { scheduled_at: time.toISOString() }),
        ...(approval && { approval }),
      },
    };
    return {
      heading: this.#payWords(check),
      effects: () => [
        ...totalEffects(check),
        ...(check.counts.rejected > 0
          ? [{ what: counted(check.counts.rejected, 'row'), result: 'Left out, because something is wrong in it' }]
          : []),
        ...(held === 0
          ? []
          : [{ what: counted(held, 'payout'), result: 'Waits on hold, because no rail can send it yet' }]),
        { what: 'Your balance', result: 'The money is reserved now' },
        {
          what: 'Sent',
          result:
            time === null ? (needsApproval ? 'After the approval' : 'At once') : timeWords(time.toISOString(), 'full'),
        },
        { what: 'Approval', result: needsApproval ? 'A second person' : 'Not needed' },
      ],
      note: noteOf(isShort, this.#key.isDoubtful(order)),
      button: () => (isShort ? null : this.#payWords(check)),
      run: async () => {
        const batch = await this.#key.run(order, idempotencyKey =>
          this.app.client.payouts.bulkCsv(order.text, order.options, { idempotencyKey }),
        );
        this.app.toast({ text: needsApproval ? 'Batch waits for its approval' : 'Batch accepted', tone: 'good' });
        this.app.go(`/payouts/batches/${batch.id}`);
      },
    };
  }
}

function noteOf(isShort: boolean, isDoubtful: boolean): string {
  if (isShort) return 'Your available balance is too small for it.';
  if (isDoubtful) {
    return 'An earlier attempt had no answer, and may have been accepted. Look at your batches before you send this one.';
  }
  return 'If the connection breaks, press again: the batch is made only once. Sending goes on when you leave the page.';
}

function figure(label: string, values: readonly string[], text: string): TemplateResult {
  return html`<section class="card" aria-label=${label}>
    <p>${label}</p>
    ${values.length === 0 ? html`<div class="big">0</div>` : values.map(value => html`<div class="big">${value}</div>`)}
    <p class="hint">${text}</p>
  </section>`;
}

customElements.define('pay-new-batch-page', NewBatchPage);
