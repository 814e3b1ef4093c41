import { html, nothing, type TemplateResult } from 'lit';
import { type CallOptions, type ListParams, PayApiError } from '../../../api/client.ts';
import type { Recipient } from '../../../api/recipient.ts';
import { DashboardPage, pageFrame } from '../../app/dashboard-page.ts';
import { PagedRows } from '../../app/paged-rows.ts';
import { pathTo } from '../../app/router.ts';
import { type Filter, filterStyles, filtersBar, filtersIn } from '../../controls/filters-bar.ts';
import { icon } from '../../controls/icons.ts';
import { emptyState } from '../../controls/states.ts';
import { countries } from '../countries.ts';
import { mayNotSend } from '../roles.ts';
import { recipientColumns, recipientTypes } from './recipient-words.ts';
import '../../controls/data-table.ts';

const filters = (): readonly Filter[] => [
  { name: 'type', label: 'Type', kind: 'choice', options: recipientTypes },
  { name: 'country', label: 'Country', kind: 'choice', options: countries() },
];

/** The list of recipients. Its URL contains the filters and the searched text. */
class RecipientsPage extends DashboardPage {
  static override readonly styles = [DashboardPage.styles, filterStyles];

  readonly #rows = new PagedRows<Recipient>(this, async (page, options) => {
    const found = this.query.get('find');
    const params = filtersIn(this.query, ['type', 'country']);
    if (found) return { object: 'list', url: '', has_more: false, data: await this.#find(found, params, options) };
    return await this.app.client.recipients.list({ ...params, ...page }, options);
  });

  /** The recipients that the service's search finds, reduced to the filters of the list. */
  async #find(text: string, params: ListParams, options: CallOptions): Promise<readonly Recipient[]> {
    const { recipients, search } = this.app.client;
    const { data } = await search({ q: text, type: 'recipient' }, options);
    const read = await Promise.all(data.map(({ id }) => recipients.retrieve(id, options).catch(unlessGone)));
    const wanted = ({ type, country }: Recipient) =>
      [params.type ?? type, params.country ?? country].join() === [type, country].join();
    return read.filter(recipient => recipient !== null).filter(wanted);
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Payouts', path: '/payouts' },
      title: 'Recipients',
      actions: this.app.may('money')
        ? html`<a class="main" href=${pathTo('/recipients/new')}>${icon('add')} New recipient</a>`
        : nothing,
      body: html`${mayNotSend(this.app)}
        ${filtersBar({
          page: this,
          path: '/recipients',
          filters: filters(),
          search: { name: 'find', label: 'Name, e-mail or reference' },
        })}
        <section class="card" aria-label="Recipients">
          <pay-data-table label="Recipients" .columns=${recipientColumns} .rows=${this.#rows}
            .href=${({ id }: Recipient) => pathTo(`/recipients/${id}`)}>
            <div slot="empty">${this.query.size > 0 ? nothingFound : noRecipients}</div>
          </pay-data-table>
        </section>`,
    });
  }
}

/** Null for a recipient that was removed between the two calls. Other errors are thrown. */
function unlessGone(error: unknown): null {
  if (error instanceof PayApiError && error.status === 404) return null;
  throw error;
}

const nothingFound = emptyState(
  'No recipient matches',
  'Type the beginning of a first or last name or of an e-mail address, or a whole reference or id.',
);
const noRecipients = emptyState(
  'No recipients yet',
  'A recipient is a person or business whom you pay more than once, with the accounts that you pay to.',
);

customElements.define('pay-recipients-page', RecipientsPage);
