import '../../src/dashboard/controls/data-table.ts';
import '../../src/dashboard/controls/dialog.ts';
import '../../src/dashboard/controls/picker/picker.ts';
import { expect, fixture, html } from '@open-wc/testing';
import { PayApiError } from '../../src/api/client.ts';
import { PagedRows } from '../../src/dashboard/app/paged-rows.ts';
import { noticeTime } from '../../src/dashboard/app/session.ts';
import type { Column, DataTable } from '../../src/dashboard/controls/data-table.ts';
import { effectsTable } from '../../src/dashboard/controls/dialog.ts';
import { fieldErrors, formField } from '../../src/dashboard/controls/form-field.ts';
import { keyValues } from '../../src/dashboard/controls/key-values.ts';
import type { Pick, Picker } from '../../src/dashboard/controls/picker/picker.ts';
import { errorNote } from '../../src/dashboard/controls/states.ts';
import { timeline } from '../../src/dashboard/controls/timeline.ts';
import { agoWords, assetWords, moneyWords, shortenedWords } from '../../src/dashboard/controls/values.ts';
import { find, textOf, waitUntil } from './support/mounted.ts';

const refused = new PayApiError({
  status: 400,
  type: 'invalid_request_error',
  code: 'parameter_invalid',
  docUrl: null,
  retryAfterSeconds: null,
  message: 'The amount is too large. Take at most €128.40.',
  param: 'amount',
  errors: [{ param: 'customer.email', code: 'parameter_invalid', message: 'That is no e-mail address.' }],
  requestId: 'req_7',
});

interface Row {
  readonly id: string;
  readonly name: string;
}

const columns: readonly Column<Row>[] = [
  { label: 'Name', cell: ({ name }) => name },
  { label: 'Id', cell: ({ id }) => id, align: 'end' },
];

/** A table of `total` rows, of which the service answers 50 at a time. */
async function table(total: number, fails = () => false) {
  const all = Array.from({ length: total }, (_, index) => ({ id: `row_${index}`, name: `Name ${index}` }));
  const element = await fixture<DataTable<Row>>(
    html`<pay-data-table label="Rows" .columns=${columns} .rows=${{ isEmpty: true }}>
      <p slot="empty">Nothing yet</p>
    </pay-data-table>`,
  );
  const rows = new PagedRows<Row>(
    {
      addController: () => undefined,
      removeController: () => undefined,
      updateComplete: Promise.resolve(true),
      requestUpdate: () => {
        element.rows = rows;
      },
    },
    async ({ starting_after: after }) => {
      if (fails()) throw refused;
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      return { object: 'list', url: '', has_more: from + 50 < total, data: all.slice(from, from + 50) };
    },
  );
  element.href = ({ id }) => `/dashboard/rows/${id}`;
  await rows.reload();
  await element.updateComplete;
  const shown = () => element.renderRoot.querySelectorAll('.page [role=row]').length;
  return { element, rows, shown };
}

describe('the table', () => {
  it('has a link in each row, and loads the next page when its end comes into view', async () => {
    const { element, shown } = await table(120);
    expect(find(element, 'a', 'Name 3').getAttribute('href')).to.equal('/dashboard/rows/row_3');
    await waitUntil(() => {
      element.renderRoot.querySelector('.more')?.scrollIntoView();
      return shown() === 120;
    });
    expect(element.renderRoot.querySelector('.more')).to.equal(null);
    await expect(element).to.be.accessible();
  });

  it('shows what was loaded when the next page fails, and tries again', async () => {
    let fails = false;
    const { element, rows, shown } = await table(60, () => fails);
    fails = true;
    await rows.more();
    await element.updateComplete;
    expect(textOf(element)).to.contain('The amount is too large.');
    expect(shown()).to.equal(50);
    fails = false;
    find(element, 'button', 'Try again').click();
    await waitUntil(() => shown() === 60);
  });

  it('replaces, adds and removes single rows', async () => {
    const { element, rows } = await table(3);
    rows.replace({ id: 'row_1', name: 'Changed' });
    rows.add({ id: 'row_new', name: 'New' });
    rows.remove('row_2');
    await element.updateComplete;
    const names = [...element.renderRoot.querySelectorAll('.cell.title')].map(cell => cell.textContent);
    expect(names).to.deep.equal(['New', 'Name 0', 'Changed']);
  });

  it('shows the slot for a list without rows', async () => {
    const { element } = await table(0);
    expect(element.renderRoot.querySelector('slot[name=empty]')).to.exist;
  });
});

describe('the picker', () => {
  const ada = { id: 'rec_1', label: 'Ada Lovelace', detail: 'ada@example.com' };
  const grace = { id: 'rec_2', label: 'Grace Hopper' };

  const press = (input: HTMLElement, key: string) =>
    input.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }));
  const type = (input: HTMLInputElement, text: string) => {
    input.value = text;
    input.dispatchEvent(new InputEvent('input'));
  };

  async function picker(find_: Picker['find'], chosen: Pick | null = null) {
    const picks: (string | null)[] = [];
    const pick = (event: CustomEvent<Pick | null>) => picks.push(event.detail?.id ?? null);
    const element =
      await fixture<Picker>(html`<pay-picker .label=${'Recipient'} .none=${'Somebody else'} .chosen=${chosen}
      .find=${find_} @pick=${pick}></pay-picker>`);
    const input = find<HTMLInputElement>(element, 'input');
    input.focus();
    const options = () => [...(element.shadowRoot?.querySelectorAll('[role=option]') ?? [])];
    const marked = () => textOf(find(element, `#${input.getAttribute('aria-activedescendant')}`));
    return { element, input, picks, options, marked };
  }

  it('offers the newest and nothing, and is used by keyboard alone', async () => {
    const { element, input, picks, options, marked } = await picker(async () => [ada, grace], ada);
    expect([input.value, input.getAttribute('aria-expanded')]).to.deep.equal(['Ada Lovelace', 'false']);
    press(input, 'ArrowDown');
    await waitUntil(() => options().length === 3);
    expect([input.getAttribute('aria-expanded'), marked()]).to.deep.equal(['true', 'Ada Lovelace ada@example.com']);
    await expect(element).to.be.accessible();
    press(input, 'ArrowDown');
    await waitUntil(() => marked() === 'Grace Hopper');
    press(input, 'ArrowDown');
    await waitUntil(() => marked() === 'Somebody else');
    press(input, 'Enter');
    expect(picks).to.deep.equal([null]);
    await waitUntil(() => options().length === 0);
  });

  it('takes nothing while it looks for the text, and asks once for several letters', async () => {
    const asked: string[] = [];
    const { promise, resolve } = Promise.withResolvers<readonly Pick[]>();
    const { input, picks, options } = await picker(async text => {
      asked.push(text);
      return await promise;
    });
    type(input, 'Gra');
    press(input, 'Enter');
    await waitUntil(() => asked.length > 0);
    resolve([grace]);
    await waitUntil(() => options().length === 1);
    expect([asked.at(-1), picks, input.value]).to.deep.equal(['Gra', [], 'Gra']);
    press(input, 'Enter');
    expect(picks).to.deep.equal(['rec_2']);
  });

  it('leaves by Escape with the earlier choice, and keeps the dialog around it open', async () => {
    const { element, input, picks, options } = await picker(async () => [grace], ada);
    let isSeenOutside = false;
    element.addEventListener('keydown', () => {
      isSeenOutside = true;
    });
    type(input, 'G');
    await waitUntil(() => options().length === 1);
    isSeenOutside = false;
    press(input, 'Escape');
    await waitUntil(() => options().length === 0);
    expect([input.value, picks, isSeenOutside]).to.deep.equal(['Ada Lovelace', [], false]);
  });

  it('says that nothing was found, and why a search failed', async () => {
    const answers = [async () => [], async () => await Promise.reject(refused)];
    const { element, input } = await picker(async () => (await answers.shift()?.()) ?? []);
    type(input, 'x');
    await waitUntil(() => textOf(element).includes('Nothing found.'));
    type(input, 'y');
    await waitUntil(() => textOf(element).includes('The amount is too large.'));
    await expect(element).to.be.accessible();
  });
});

describe('the controls', () => {
  it('a field belongs to its label, hint and error', async () => {
    const errors = fieldErrors(refused);
    const form = await fixture(
      html`<form>${formField({ label: 'Amount', name: 'amount', hint: 'At most €128.40', error: errors['amount'] })}
        ${formField({ label: 'E-mail', name: 'customer.email', error: errors['customer.email'] })}</form>`,
    );
    const input = form.querySelector('input') as HTMLInputElement;
    const described = input.getAttribute('aria-describedby')?.split(' ') ?? [];
    expect(described.map(id => form.querySelector(`#${id}`)?.textContent)).to.deep.equal([
      'At most €128.40',
      'The amount is too large. Take at most €128.40.',
    ]);
    expect(input.getAttribute('aria-invalid')).to.equal('true');
    expect(textOf(form)).to.contain('That is no e-mail address.');
    await expect(form).to.be.accessible();
  });

  it('an error says what happened, and names the request', async () => {
    const place = await fixture(html`<div>${errorNote(refused)}</div>`);
    expect(textOf(place)).to.match(/^The amount is too large\. Take at most €128\.40\. Request req_7/);
    expect(find(place.parentElement as Element, 'button', 'Copy request id')).to.exist;
  });

  it('a dialog has a name, keeps the focus inside, and asks before it closes', async () => {
    let closed = 0;
    const dialog = await fixture<HTMLElement & { open: boolean; busy: boolean }>(
      html`<pay-dialog heading="Refund" @close=${() => closed++}>
        ${effectsTable([{ what: 'Goes back to the payer', result: '€128.40' }])}
        <button slot="buttons" class="main">Refund €128.40</button>
      </pay-dialog>`,
    );
    dialog.open = true;
    await waitUntil(() => dialog.shadowRoot?.querySelector('dialog[open]'));
    await expect(dialog).to.be.accessible();
    find(dialog, 'button', 'Close').click();
    dialog.busy = true;
    await waitUntil(() => find<HTMLButtonElement>(dialog, 'button', 'Close').disabled);
    dialog.shadowRoot?.querySelector('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }));
    expect(closed).to.equal(1);
  });

  it('a dialog with fields starts in the first one', async () => {
    const dialog = await fixture<HTMLElement & { open: boolean }>(
      html`<pay-dialog heading="New link"><label>Amount <input></label><label>Currency <input></label></pay-dialog>`,
    );
    dialog.open = true;
    await waitUntil(() => dialog.shadowRoot?.querySelector('dialog[open]'));
    expect(document.activeElement === dialog.querySelector('input')).to.equal(true);
  });

  it('a timeline names each new day', async () => {
    const place = await fixture(
      html`<div>${timeline([
        { at: '2026-11-21T14:02:00', title: 'Paid', text: 'Visa •••• 4242' },
        { at: '2026-11-20T09:00:00', title: 'Created' },
      ])}</div>`,
    );
    expect(textOf(place)).to.match(/^Paid .*Visa •••• 4242 .*20.* Created/);
  });

  it('key-value lists leave out what is not there', async () => {
    const place = await fixture(
      html`<div>${keyValues([{ label: 'Rate', value: '1.0900' }, { label: 'Fee', value: null }, false])}</div>`,
    );
    expect(textOf(place)).to.equal('Rate 1.0900');
  });

  it('writes money, assets, times and hashes', () => {
    expect(moneyWords(12_840, 'EUR')).to.equal('€128.40');
    expect(moneyWords(-500, 'JPY')).to.equal('−¥500');
    expect(assetWords('139.9600000', `USDC:G${'A'.repeat(55)}`)).to.equal('139.96\u00a0USDC');
    expect(shortenedWords('GCRJABCDEFGHDRYT5')).to.equal('GCRJAB…DRYT5');
    const ago = (seconds: number) => agoWords(new Date(Date.now() - seconds * 1000).toISOString());
    expect([ago(5), ago(125), ago(7300)]).to.deep.equal(['now', '2m ago', '2h ago']);
    // The merchant's test clock is an hour ahead, and a second, because time passes between the calls.
    noticeTime(new Date(Date.now() + 3_601_000).toISOString());
    expect([ago(-3_600), ago(0), ago(3_600)]).to.deep.equal(['now', '1h ago', '2h ago']);
  });
});
