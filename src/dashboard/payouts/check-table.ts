import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { PayoutBatch, RowError } from '../../api/payout.ts';
import { PagedRows, pageSize } from '../app/paged-rows.ts';
import type { Column } from '../controls/data-table.ts';
import { type StateTable, statusChip } from '../controls/status-chip.ts';
import { controlStyles } from '../controls/styles.ts';
import '../controls/data-table.ts';

/** One problem of a row. `row` counts from 1. */
interface CheckedRow {
  readonly id: string;
  readonly row: number;
  readonly field: string;
  readonly message: string;
  readonly effect: Effect;
}

type Effect = 'left_out' | 'fails' | 'waits';

const effects: StateTable = {
  left_out: ['Left out', 'bad'],
  fails: ['Would fail', 'warn'],
  waits: ['Would wait', 'warn'],
};

/** The rows that a person should look at: rows with errors, and rows whose payouts would wait on hold. */
export type RowsToLookAt = Pick<PayoutBatch, 'errors' | 'holds'>;

/** Whether the error is an objection of the network to a wallet. The row is accepted, but its payout would fail. */
export const isWarning = ({ param, code }: RowError): boolean =>
  param.endsWith('.destination.address') && code !== 'invalid_address';

/** The field without its row. For example, `payouts[57].destination.iban` becomes `destination.iban`. */
const withoutRow = (text: string): string => text.replace(/payouts\[\d+\]\.?/g, '');

function checkedRows({ errors, holds = [] }: RowsToLookAt): readonly CheckedRow[] {
  const marked = [
    ...errors.map(error => ({ error, effect: isWarning(error) ? ('fails' as const) : ('left_out' as const) })),
    ...holds.map(error => ({ error, effect: 'waits' as const })),
  ];
  return marked
    .toSorted((one, other) => one.error.index - other.error.index)
    .map(({ error, effect }, at) => ({
      id: String(at),
      row: error.index + 1,
      field: withoutRow(error.param) || 'row',
      effect,
      message: withoutRow(error.message),
    }));
}

const columns: readonly Column<CheckedRow>[] = [
  { label: 'Row', share: 0.5, cell: ({ row }) => html`<span class="num">Row ${row.toLocaleString('en')}</span>` },
  { label: 'Field', share: 1.2, cell: ({ field }) => html`<span class="mono">${field}</span>` },
  { label: 'What is wrong', share: 4, cell: ({ message }) => message },
  {
    label: 'Effect',
    share: 1,
    align: 'end',
    inCard: 'last',
    cell: ({ effect }) => statusChip(effect, effects),
  },
];

/** `<pay-check-table .found>`: the rows to look at, each with its field, message and effect. */
class CheckTable extends LitElement {
  static override readonly properties = { found: { attribute: false } };
  static override readonly styles = [
    controlStyles,
    css`
      :host {
        display: block;
      }
    `,
  ];

  declare found: RowsToLookAt;

  readonly #rows = new PagedRows<CheckedRow>(this, async ({ starting_after: after }) => {
    const start = after === undefined ? 0 : Number(after) + 1;
    const rows = checkedRows(this.found);
    const end = start + pageSize;
    return { object: 'list', url: '', has_more: end < rows.length, data: rows.slice(start, end) };
  });

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('found') !== undefined) void this.#rows.reload();
  }

  override render(): TemplateResult {
    return html`<pay-data-table label="Rows to look at" .columns=${columns} .rows=${this.#rows}></pay-data-table>`;
  }
}

customElements.define('pay-check-table', CheckTable);

/** A card with the rows to look at. Nothing if there are none. */
export function checkTable(heading: string, found: RowsToLookAt): TemplateResult | typeof nothing {
  if (found.errors.length + (found.holds ?? []).length === 0) return nothing;
  return html`<section class="card" aria-label=${heading}>
    <h2>${heading}</h2>
    <p class="hint">Row 1 is the first payout. The row with the names of the columns is not counted.</p>
    <pay-check-table .found=${found}></pay-check-table>
  </section>`;
}
