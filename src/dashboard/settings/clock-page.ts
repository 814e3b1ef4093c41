import { html, type TemplateResult } from 'lit';
import { pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { noticeTime } from '../app/session.ts';
import { ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { note, roleNote } from '../controls/states.ts';
import { timeWords } from '../controls/values.ts';
import { hasClock } from './offers.ts';

/** Steps of the clock: an ISO 8601 duration and its words. */
const steps = [
  ['PT15M', '15 minutes'],
  ['P1D', '1 day'],
  ['P3D', '3 days'],
  ['P7D', '1 week'],
  ['P30D', '30 days'],
] as const;

/** The test clock of the merchant. Moving it ahead shows at once what would otherwise take days. */
class ClockPage extends ActionPage {
  readonly #clock = new Loaded(this, signal =>
    hasClock(this.app) ? this.app.client.testHelpers.clock({ signal }) : null,
  );

  #advance(duration: string, words: string, now: string): void {
    this.action = {
      heading: `Move the clock by ${words}?`,
      effects: () => [
        { what: 'Clock', result: timeWords(now, 'full') },
        { what: 'Payments, links and quotes that end by then', result: 'expire' },
        { what: 'Reminders, schedules and retries', result: 'run' },
        { what: 'Afterwards', result: 'the clock cannot go back' },
      ],
      button: () => `Move by ${words}`,
      run: async (_, idempotencyKey) => {
        const { testHelpers } = this.app.client;
        const clock = await testHelpers.advanceClock({ advance: duration }, { idempotencyKey });
        noticeTime(clock.now);
        this.#clock.set(clock);
        this.app.toast({ text: `The clock moved by ${words}`, tone: 'good' });
      },
    };
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Test clock',
      subtitle: 'Expiry, reminders, schedules and webhook retries of test mode use it.',
      body: this.#body(),
    })}
    ${actionDialog(this)}`;
  }

  #body(): TemplateResult {
    if (this.app.session?.livemode) return note('Live mode has no test clock. Switch to test mode.');
    if (!this.app.may('develop')) return html`${roleNote(this.app, 'develop')}`;
    return this.#clock.render(
      ({ now }) => html`<section class="card" aria-labelledby="clock">
        <h2 id="clock">${timeWords(now, 'full')}</h2>
        <p class="hint">The clock keeps running and cannot go back, because objects have times of it.</p>
        <div class="actions">${steps.map(
          ([duration, words]) =>
            html`<button class="second" type="button" @click=${() => this.#advance(duration, words, now)}>Move by ${words}</button>`,
        )}</div>
      </section>`,
    );
  }
}

customElements.define('pay-clock-page', ClockPage);
