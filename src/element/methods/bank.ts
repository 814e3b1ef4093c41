import { html, nothing, type TemplateResult } from 'lit';
import type { BankInstructions, PaymentOptions } from '../../api/payment.ts';
import { dueOf } from '../checkout-selectors.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { announce, type Desk, dispatch, localeOf, stateOf } from '../desk.ts';
import { decimalsOf, decimalText, moneyText } from '../money-text.ts';
import { focusOn, note, plainButton } from '../parts/furniture.ts';
import { createQrFigure, isPhone } from '../parts/qr-figure.ts';
import { createRows, type Row } from '../parts/rows.ts';
import { waiting } from '../parts/waiting.ts';
import { say } from '../strings/en.ts';
import { bankStrings } from '../strings/en-bank.ts';
import type { View } from '../view-rack.ts';
import { styles } from './bank.styles.ts';

export { styles };

type Rail = NonNullable<PaymentOptions['bank_transfer']>['rails'][number];

type Words = typeof bankStrings;

const stringsOf = ({ strings }: Desk): Words => strings.parts?.bank ?? bankStrings;

interface BankTab {
  readonly desk: Desk;
  readonly rows: ReturnType<typeof createRows>;
  readonly code: ReturnType<typeof createQrFigure>;
  /** The rail that the payer has marked. */
  chosen: string;
  /** The payer wants another rail than the one whose details are known. */
  isChoosing: boolean;
}

/** The bank tab: which kind of transfer, then what to type or scan, then waiting. */
export function createView(desk: Desk): View {
  const tab: BankTab = { desk, rows: createRows(desk), code: createQrFigure(desk), chosen: '', isChoosing: false };
  return {
    render(state) {
      const action = instructionsOf(tab, state);
      return action ? instructions(tab, state, action) : choosing(tab, state);
    },
    action: state => (instructionsOf(tab, state) || !railsOf(state).length ? null : stringsOf(desk).show),
    async confirm() {
      const rail = chosenRail(tab, stateOf(desk))?.rail;
      if (!rail) return;
      await dispatch(desk, { type: 'confirm', body: { method: 'bank_transfer', rail } });
      if (stateOf(desk).problem) return;
      tab.isChoosing = false;
      announce(desk, stringsOf(desk).shown);
      await desk.element.updateComplete;
      focusOn(desk, '.rows button');
    },
  };
}

function update(tab: BankTab, change: Partial<BankTab>): void {
  Object.assign(tab, change);
  tab.desk.element.requestUpdate();
}

const railsOf = ({ options }: CheckoutState) => options?.bank_transfer?.rails ?? [];

function chosenRail({ chosen }: BankTab, state: CheckoutState): Rail | undefined {
  const rails = railsOf(state);
  return rails.find(({ rail }) => rail === chosen) ?? rails[0];
}

function instructionsOf({ isChoosing }: BankTab, { payment }: CheckoutState): BankInstructions | null {
  return payment?.next_action?.type === 'bank_instructions' && !isChoosing ? payment.next_action : null;
}

const money = ({ desk }: BankTab, { amount, currency }: { amount: number; currency: string }) =>
  moneyText(amount, currency, localeOf(desk));

function arrival({ desk }: BankTab, rail: Rail | undefined): string {
  const strings = stringsOf(desk);
  const days = rail?.settlement_days ?? 1;
  if (days === 0) return strings.arrives0;
  const format = new Intl.NumberFormat(localeOf(desk), { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return days === 1 ? strings.arrives1 : say(strings.arrives, { days, duration: format.format(days) });
}

function choosing(tab: BankTab, state: CheckoutState): unknown {
  const strings = stringsOf(tab.desk);
  const rails = railsOf(state);
  const [first] = rails;
  if (rails.length < 2) return first ? note(say(strings.intro, { amount: money(tab, first) })) : nothing;
  return html`<fieldset>
    <legend>${strings.choose}</legend>
    ${rails.map(rail => choice(tab, rail, rail === chosenRail(tab, state)))}
  </fieldset>`;
}

function choice(tab: BankTab, rail: Rail, isChosen: boolean): TemplateResult {
  const { rails, railNames } = stringsOf(tab.desk);
  const known = rail.rail as keyof typeof rails;
  return html`<label class="choice">
    <input type="radio" name="rail" .checked=${isChosen} @change=${() => update(tab, { chosen: rail.rail })} />
    <span>${rails[known] ?? rail.currency}<small>${railNames[known] ?? rail.rail} · ${arrival(tab, rail)}</small></span>
    <b>${money(tab, rail)}</b>
  </label>`;
}

function instructions(tab: BankTab, state: CheckoutState, action: BankInstructions): TemplateResult {
  const strings = stringsOf(tab.desk);
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

/** What there is to do; after a part has arrived also how much that was, so that it is said in one place. */
function introduction(tab: BankTab, state: CheckoutState, action: BankInstructions, hasCode: boolean): unknown {
  const strings = stringsOf(tab.desk);
  const { payment } = state;
  const rail = railsOf(state).find(known => known.rail === action.rail);
  const received = payment?.amount_received ?? 0;
  const values = {
    amount: money(tab, action),
    received: money(tab, { amount: received, currency: payment?.currency ?? '' }),
    arrives: arrival(tab, rail),
  };
  if (received > 0) return note(say(hasCode ? strings.scanRest : strings.copyRest, values), 'warn');
  return note(say(hasCode ? strings.scan : strings.copy, values));
}

function rowOf(tab: BankTab, field: BankInstructions['fields'][number], action: BankInstructions): Row {
  const { labels } = stringsOf(tab.desk);
  const label = labels[field.name as keyof typeof labels] ?? field.label;
  if (field.name === 'amount') {
    return { label, value: money(tab, action), copy: decimalText(action.amount, decimalsOf(action.currency)) };
  }
  // Many banks' forms count the blanks of an IBAN as characters.
  const copy = field.name === 'iban' ? field.value.replaceAll(' ', '') : field.value;
  return { label, value: field.value, ...(field.copyable && { copy }), code: field.name === 'reference' };
}

function code(tab: BankTab, action: BankInstructions): TemplateResult {
  const strings = stringsOf(tab.desk);
  return tab.code({
    payload: action.qr?.payload ?? '',
    name: say(strings.code, { amount: money(tab, action), reference: action.reference }),
    caption: isPhone() ? strings.otherDevice : '',
    // As EPC069-12 asks.
    errorCorrection: 'M',
  });
}

/** In test mode the payer may be the bank, too. */
function simulation({ desk }: BankTab, { payment, busy }: CheckoutState, { amount }: BankInstructions): TemplateResult {
  const strings = stringsOf(desk);
  const send = (part?: number) => () =>
    dispatch(desk, {
      type: 'ask',
      async ask(api, known) {
        await api.ask(known, '/simulate_bank_transfer', part === undefined ? {} : { amount: part });
        return await api.read(known);
      },
    });
  const isPartOffered = amount > 1 && payment && dueOf(payment) === payment.amount;
  return html`<div class="test">
    <p>${strings.simulateNote}</p>
    <button class="second" type="button" ?disabled=${busy !== null} @click=${send()}>${strings.simulate}</button>
    ${
      isPartOffered
        ? html`<button class="second" type="button" ?disabled=${busy !== null} @click=${send(Math.ceil(amount / 2))}>${strings.simulatePart}</button>`
        : nothing
    }
  </div>`;
}
