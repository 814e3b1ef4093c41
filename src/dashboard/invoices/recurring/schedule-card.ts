import { html, nothing, type TemplateResult } from 'lit';
import { checkField } from '../../controls/form-field.ts';
import { type Editing, valueField } from '../editor/editing.ts';

const units = [
  ['weeks', 'Weeks'],
  ['months', 'Months'],
  ['years', 'Years'],
  ['rule', 'By a rule'],
] as const;

const ends = [
  ['never', 'When I end it'],
  ['day', 'On a day'],
  ['count', 'After some invoices'],
] as const;

const ruleHint = 'RFC 5545, for example FREQ=MONTHLY;BYDAY=1MO for the first Monday of each month.';

/** The card for interval, first day and end of a schedule. */
export function scheduleCard(editing: Editing): TemplateResult {
  const { texts, change } = editing;
  const { unit, until, auto_send: sent } = texts.values;
  const put = (isSent: boolean) => change({ values: { ...texts.values, auto_send: isSent ? 'yes' : '' } });
  const field = (given: Parameters<typeof valueField>[1]) => valueField(editing, given);
  return html`<section class="card" aria-labelledby="schedule">
    <h2 id="schedule">Schedule</h2>
    <div class="fields two">
      ${unit === 'rule' ? nothing : field({ label: 'Every', name: 'every', inputMode: 'numeric', maxLength: 4 })}
      ${field({ label: 'Repeats', name: 'unit', options: units })}
      ${field({ label: 'First day', name: 'starts_on', type: 'date', required: true })}
    </div>
    ${unit === 'rule' ? field({ label: 'Rule', name: 'rrule', maxLength: 300, hint: ruleHint }) : nothing}
    <div class="fields two">
      ${field({ label: 'Ends', name: 'until', options: ends })}
      ${until === 'day' ? field({ label: 'Last day', name: 'ends_on', type: 'date' }) : nothing}
      ${until === 'count' ? field({ label: 'Invoices', name: 'count', inputMode: 'numeric', maxLength: 5 }) : nothing}
    </div>
    ${checkField('Send each invoice on its day', 'auto_send', sent === 'yes', put)}
  </section>`;
}
