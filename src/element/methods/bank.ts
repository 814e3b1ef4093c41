import { css, html, nothing, type TemplateResult } from 'lit';
import type { BankInstructions, PaymentOptions } from '../../api/payment.ts';
import { announce, type CheckoutContext, localeOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note, plainButton } from '../controls/controls.ts';
import { createRows, type Row, rowStyles } from '../controls/rows.ts';
import { createQrFigure, isPhone, transferStyles, waiting } from '../controls/transfer-parts.ts';
import { decimalsOf, decimalText, moneyText } from '../money-text.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { dueOf } from '../state/checkout-state.ts';
import { bankStrings } from '../strings/en/bank.ts';
import { say } from '../strings/en.ts';

export const styles = css`
  ${rowStyles}
  ${transferStyles}
  .test {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    padding-block-start: 14px;
    border-block-start: 1px dashed var(--line);
    color: var(--ink3);
    font-size: 0.867em;
  }
  .test p {
    flex: 1 0 100%;
  }
  .test .second {
    flex: 1 1 9em;
    inline-size: auto;
  }
`;

type Rail = NonNullable<PaymentOptions['bank_transfer']>['rails'][number];

type Words = typeof bankStrings;

const stringsOf = ({ strings }: CheckoutContext): Words => strings.parts?.bank ?? bankStrings;

interface BankTab {
  readonly context: CheckoutContext;
  readonly rows: ReturnType<typeof createRows>;
  readonly code: ReturnType<typeof createQrFigure>;
  /** The rail that the payer has selected. */
  chosen: string;
  /** Whether the payer wants to leave the shown details and choose another rail. */
  isChoosing: boolean;
}

/** The bank tab. The payer chooses a kind of transfer, sees the bank details, and waits for the money. */
export function createView(context: CheckoutContext): View {
  const tab: BankTab = {
    context,
    rows: createRows(context),
    code: createQrFigure(context),
    chosen: '',
    isChoosing: false,
  };
  return {
    render(state) {
      const action = instructionsOf(tab, state);
      return action ? instructions(tab, state, action) : choosing(tab, state);
    },
    action: state => (instructionsOf(tab, state) || !railsOf(state).length ? null : stringsOf(context).show),
    quoted(state) {
      const asked = instructionsOf(tab, state) ?? chosenRail(tab, state);
      return asked && asked.currency !== state.payment?.currency ? money(tab, asked) : null;
    },
    async confirm() {
      const rail = chosenRail(tab, stateOf(context))?.rail;
      if (!rail) return;
      await storeOf(context)?.confirm({ method: 'bank_transfer', rail });
      if (stateOf(context).problem) return;
      tab.isChoosing = false;
      announce(context, stringsOf(context).shown);
      await context.element.updateComplete;
      focusOn(context, '.rows button');
    },
  };
}

function update(tab: BankTab, change: Partial<BankTab>): void {
  Object.assign(tab, change);
  tab.context.element.requestUpdate();
}

const railsOf = ({ options }: CheckoutState) => options?.bank_transfer?.rails ?? [];

function chosenRail({ chosen }: BankTab, state: CheckoutState): Rail | undefined {
  const rails = railsOf(state);
  return rails.find(({ rail }) => rail === chosen) ?? rails[0];
}

function instructionsOf({ isChoosing }: BankTab, { payment }: CheckoutState): BankInstructions | null {
  return payment?.next_action?.type === 'bank_instructions' && !isChoosing ? payment.next_action : null;
}

const money = ({ context }: BankTab, { amount, currency }: { amount: number; currency: string }) =>
  moneyText(amount, currency, localeOf(context));

function arrival({ context }: BankTab, rail: Rail | undefined): string {
  const strings = stringsOf(context);
  const days = rail?.settlement_days ?? 1;
  if (days === 0) return strings.arrives0;
  const format = new Intl.NumberFormat(localeOf(context), { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return days === 1 ? strings.arrives1 : say(strings.arrives, { days, duration: format.format(days) });
}

function choosing(tab: BankTab, state: CheckoutState): unknown {
  const strings = stringsOf(tab.context);
  const rails = railsOf(state);
  const [first] = rails;
  if (rails.length < 2) return first ? note(say(strings.intro, { amount: money(tab, first) })) : nothing;
  return html`<fieldset>
    <legend>${strings.choose}</legend>
    ${rails.map(rail => choice(tab, rail, rail === chosenRail(tab, state)))}
  </fieldset>`;
}

function choice(tab: BankTab, rail: Rail, isChosen: boolean): TemplateResult {
  const { rails, railNames } = stringsOf(tab.context);
  const known = rail.rail as keyof typeof rails;
  return html`<label class="choice">
    <input type="radio" name="rail" .checked=${isChosen} @change=${() => update(tab, { chosen: rail.rail })} />
    <span>${rails[known] ?? rail.currency}<small>${railNames[known] ?? rail.rail} · ${arrival(tab, rail)}</small></span>
    <b>${money(tab, rail)}</b>
  </label>`;
}

function instructions(tab: BankTab, state: CheckoutState, action: BankInstructions): TemplateResult {
  const strings = stringsOf(tab.context);
  const hasCodeFirst = action.qr !== null && !isPhone();
  const list = tab.rows(
    action.fields.map(field => rowOf(tab, field, action)),
    strings.details,
  );
  return html`${introduction(tab, state, action, hasCodeFirst)}
    ${hasCodeFirst ? [code(tab, action), list] : [list, action.qr ? code(tab, action) : nothing]}
    ${waiting(strings.waiting, strings.leave)}
    ${railsOf(state).length > 1 ? plainButton(strings.otherRail, () => update(tab, { isChoosing: true })) : nothing}
    ${state.payment?.livemode ? nothing : simulation(tab, state, action)}`;
}

/** The instruction for the payer. After a partial payment it also names the received amount. */
function introduction(tab: BankTab, state: CheckoutState, action: BankInstructions, hasCodeFirst: boolean): unknown {
  const strings = stringsOf(tab.context);
  const { payment } = state;
  const rail = railsOf(state).find(known => known.rail === action.rail);
  const received = payment?.amount_received ?? 0;
  const values = {
    amount: money(tab, action),
    received: money(tab, { amount: received, currency: payment?.currency ?? '' }),
    arrives: arrival(tab, rail),
  };
  if (received > 0) return note(say(hasCodeFirst ? strings.scanRest : strings.copyRest, values), 'warn');
  return note(say(hasCodeFirst ? strings.scan : strings.copy, values));
}

function rowOf(tab: BankTab, field: BankInstructions['fields'][number], action: BankInstructions): Row {
  const { labels } = stringsOf(tab.context);
  const label = labels[field.name as keyof typeof labels] ?? field.label;
  if (field.name === 'amount') {
    return { label, value: money(tab, action), copy: decimalText(action.amount, decimalsOf(action.currency)) };
  }
  // Copies an IBAN without spaces, because many bank forms count spaces as characters.
  const copy = field.name === 'iban' ? field.value.replaceAll(' ', '') : field.value;
  return { label, value: field.value, ...(field.copyable && { copy }), code: field.name === 'reference' };
}

function code(tab: BankTab, action: BankInstructions): TemplateResult {
  const strings = stringsOf(tab.context);
  return tab.code({
    payload: action.qr?.payload ?? '',
    name: say(strings.code, { amount: money(tab, action), reference: action.reference }),
    caption: isPhone() ? strings.otherDevice : '',
    // EPC069-12 requires this level.
    errorCorrection: 'M',
  });
}

/** The part for test mode in which the payer simulates the bank's transfer. */
function simulation(
  { context }: BankTab,
  { payment, busy }: CheckoutState,
  { amount }: BankInstructions,
): TemplateResult {
  const strings = stringsOf(context);
  const send = (part?: number) => () =>
    storeOf(context)?.ask(async (api, handle) => {
      await api.ask(handle, '/simulate_bank_transfer', part === undefined ? {} : { amount: part });
      return await api.read(handle);
    });
  const isPartOffered = amount > 1 && payment && dueOf(payment) === payment.amount;
  return html`<div class="test">
    <p>${strings.simulateNote}</p>
    <button class="second" type="button" aria-disabled=${busy !== null} @click=${send()}>${strings.simulate}</button>
    ${
      isPartOffered
        ? html`<button class="second" type="button" aria-disabled=${busy !== null} @click=${send(Math.ceil(amount / 2))}>${strings.simulatePart}</button>`
        : nothing
    }
  </div>`;
}
