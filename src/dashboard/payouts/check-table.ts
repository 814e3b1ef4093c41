import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import type { RowError } from '../../api/payout.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import type { Column } from '../controls/data-table.ts';
import { controlStyles } from '../controls/styles.ts';
import '../controls/data-table.ts';

/** One refused row, with its number in the table. */
interface CheckedRow {
  readonly id: string;
  readonly row: number;
  readonly field: string;
  readonly message: string;
  readonly stops: boolean;
}

/** The network's objections to a wallet. The row is accepted, and would fail when it is sent. */
export const isWarning = ({ param, code }: RowError): boolean =>
  param.endsWith('.destination.address') && code !== 'invalid_address';

/** The field without its row. For example, `payouts[57].destination.iban` becomes `destination.iban`. */
const withoutRow = (text: string): string => text.replace(/payouts\[\d+\]\.?/g, '');

function checkedRow(error: RowError, at: number): CheckedRow {
  return {
    ...{ id: String(at), row: error.index + 1, field: withoutRow(error.param) || 'row', stops: !isWarning(error) },
    message: withoutRow(error.message),
  };
}

const columns: readonly Column<CheckedRow>[] = [
  { label: 'Row', share: 0.5, cell: ({ row }) => html`<span class="num">Row ${row.toLocaleString('en')}</span>` },
  { label: 'Field', share: 1.2, cell: ({ field }) => html`<span class="mono">${field}</span>` },
  { label: 'What is wrong', share: 4, cell: ({ message }) => message },
  {
    ...{ label: 'Effect', share: 1, align: 'end', inCard: 'last' },
    cell: ({ stops }) =>
      stops ? html`<span class="chip bad">Left out</span>` : html`<span class="chip warn">Would fail</span>`,
  },
];

/** `<pay-check-table .errors>`: the rows with errors, each with its field and message. */
class CheckTable extends LitElement {
  static override readonly properties = { errors: { attribute: false } };
  static override readonly styles = [
    controlStyles,
    css`
      :host {
        display: block;
      }
    `,
  ];

  declare errors: readonly RowError[];

  readonly #rows = new PagedRows<CheckedRow>(this, async ({ starting_after: after }) => {
    const start = after === undefined ? 0 : Number(after) + 1;
    const data = this.errors.slice(start, start + pageSize).map((error, at) => checkedRow(error, start + at));
    return { object: 'list', url: '', has_more: start + pageSize < this.errors.length, data };
  });

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('errors') !== undefined) void this.#rows.reload();
  }

  override render(): TemplateResult {
    return html`<pay-data-table label="Rows to look at" .columns=${columns} .rows=${this.#rows}></pay-data-table>`;
  }
}

customElements.define('pay-check-table', CheckTable);

/** A card with the rows that have errors. */
export function checkTable(heading: string, errors: readonly RowError[]): TemplateResult {
  return html`<section class="card" aria-label=${heading}>
    <h2>${heading}</h2>
    <pay-check-table .errors=${errors}></pay-check-table>
  </section>`;
}
