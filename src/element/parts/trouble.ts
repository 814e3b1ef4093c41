import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import { configProblem } from '../config-problem.ts';
import { type Desk, stateOf } from '../desk.ts';
import { say } from '../strings/en.ts';
import { troubleStrings } from '../strings/en-trouble.ts';
import type { View } from '../view-rack.ts';
import { note, problemText, report } from './furniture.ts';

export const styles = css`
  .ask {
    color: var(--ink3);
    text-align: center;
  }
`;

/** There is no payment to show: the payer is told why, and what the developer has to mend is told to the developer. */
export function createView(desk: Desk): View {
  const refusal = desk.isRefused ? configProblem(desk.element) : null;
  const way = parseWebAddress(desk.element.redirectUrl ?? '');
  const again = () => stateOf(desk).options || void desk.session?.begin();
  if (refusal) report(desk, refusal);
  else addEventListener('online', again);
  return {
    render({ problem }) {
      if (refusal) return note(refusal.message.replace('. ', '.|'), 'bad', 'alert');
      const strings = desk.strings.parts?.trouble ?? troubleStrings;
      const text = problem?.status
        ? say(strings.notStarted, { message: problemText(desk, problem).replace('|', ' ') })
        : strings.noAnswer;
      return html`${note(text, 'bad', 'alert')}
        <button class="second" type="button" @click=${again}>${desk.strings.tryAgain}</button>
        <p class="ask">${strings.ask}</p>
        ${way ? html`<a class="second" href=${way.href}>${strings.back}</a>` : nothing}`;
    },
    dispose: () => removeEventListener('online', again),
  };
}
