import { h, icon } from '../shop/dom.ts';
import { button, note } from '../wallet/elements.ts';
import { followPrompts, type PromptFollower } from './follow-prompts.ts';
import { type Answer, PhoneError, type Prompt, phoneApi } from './phone-api.ts';
import { type PromptCard, promptCard, sumOf } from './prompt-card.ts';

const handset =
  'M7 2.5h6A1.5 1.5 0 0 1 14.5 4v12a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 16V4A1.5 1.5 0 0 1 7 2.5ZM9 15h2';

/** The prompts of a phone, and the messages about those that have ended. */
export interface PromptList extends PromptFollower {
  readonly element: HTMLElement;
}

/** Creates the list. It reads prompts while the page is visible. */
export function createPromptList(showAll: () => void): PromptList {
  const messages = h('div', { class: 'stack', role: 'log', 'aria-label': 'Messages' });
  const trouble = h('div', { class: 'said-place', 'aria-live': 'polite' });
  const idle = h('div');
  const cards = createCards({
    say: message => {
      message.tabIndex = -1;
      messages.prepend(message);
      return message;
    },
    onCount: count => {
      idle.hidden = count > 0;
    },
  });
  const follower = followPrompts(cards.show, message => {
    if (message === null) trouble.replaceChildren();
    else if (!trouble.hasChildNodes()) trouble.append(note('warn', message, 'The phone tries again.'));
  });
  return {
    element: h('section', { class: 'stack', 'aria-label': 'Prompts' }, trouble, ...cards.elements, messages, idle),
    follow(number) {
      cards.clear();
      messages.replaceChildren();
      idle.replaceChildren(emptyState(number, showAll));
      follower.follow(number);
    },
  };
}

interface CardDeps {
  /** Adds a message and returns it. */
  readonly say: (message: HTMLElement) => HTMLElement;
  readonly onCount: (count: number) => void;
}

/** A card with the moment of its end, in milliseconds of the page. */
interface Shown {
  readonly card: PromptCard;
  readonly endsAt: number;
}

/** The cards of prompts that wait, the newest first. */
function createCards({ say, onCount }: CardDeps) {
  const place = h('div.stack');
  const announced = h('p', { class: 'said', role: 'status' });
  const shown = new Map<string, Shown>();
  /** Answered prompts, which an answer that is under way may still list. */
  const answered = new Set<string>();
  const remove = (id: string) => {
    shown.get(id)?.card.element.remove();
    shown.delete(id);
    onCount(shown.size);
  };
  const tick = () => {
    for (const { card, endsAt } of shown.values())
      card.tick(Math.max(0, Math.ceil((endsAt - performance.now()) / 1000)));
  };
  const answer = async (prompt: Prompt, given: Answer) => {
    try {
      const { taken } = await phoneApi.answer(prompt.id, given);
      answered.add(prompt.id);
      remove(prompt.id);
      say(resultNote(prompt, given, taken)).focus();
    } catch (error) {
      if (!(error instanceof PhoneError)) throw error;
      say(note('bad', 'That did not work.', error.message)).focus();
    }
  };
  setInterval(tick, 1_000);
  return {
    elements: [announced, place],
    clear: () => [...shown.keys()].forEach(remove),
    show(prompts: readonly Prompt[]): void {
      const fresh = prompts.filter(({ id }) => !shown.has(id) && !answered.has(id));
      for (const prompt of fresh.toReversed()) {
        const card = promptCard(prompt, given => answer(prompt, given));
        shown.set(prompt.id, { card, endsAt: performance.now() + prompt.expires_in * 1000 });
        place.prepend(card.element);
      }
      const [newest] = fresh;
      if (newest !== undefined) announced.textContent = `${newest.payee} asks for ${sumOf(newest)}.`;
      for (const [id, { card }] of shown) {
        if (prompts.some(prompt => prompt.id === id)) continue;
        remove(id);
        say(note('plain', `${card.prompt.payee} no longer asks for ${sumOf(card.prompt)}.`, 'The prompt has ended.'));
      }
      onCount(shown.size);
      tick();
    },
  };
}

function resultNote(prompt: Prompt, { choice }: Answer, taken: boolean): HTMLElement {
  if (taken) return note('good', `${sumOf(prompt)} paid to ${prompt.payee}.`);
  if (choice === 'refuse') return note('plain', 'You refused.', `${prompt.payee} got nothing.`);
  return note('bad', 'The PIN is wrong.', 'The operator has taken nothing.');
}

function emptyState(number: string | null, showAll: () => void): HTMLElement {
  const text =
    number === null
      ? 'Pay by mobile money in the shop. The prompt then appears here, whatever number you type there.'
      : 'Pay by mobile money and type this number. The prompt then appears here.';
  return h(
    'div.welcome',
    h('span', { class: 'verdict welcome-mark', 'aria-hidden': 'true' }, icon(handset)),
    h('h2', 'No payment waits'),
    h('p.second', text),
    h('a', { class: 'button main', href: '/demo/' }, 'To the shop'),
    number === null ? null : button('text', 'Show every phone of the shop', showAll),
  );
}
