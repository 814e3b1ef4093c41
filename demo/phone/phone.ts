import { h } from '../shop/dom.ts';
import { createPromptList } from './prompt-list.ts';

const iconUrl = new URL('../pictures/phone.svg', import.meta.url).href;

/** The number after `#` in the address, in international form. Null without a number. */
function numberInAddress(): string | null {
  return readNumber(location.hash.slice(1));
}

/** `+256 772 123-456` or `00256772123456` as E.164. Null for other texts. */
function readNumber(text: string): string | null {
  const digits = text.replace(/[\s().-]/g, '').replace(/^00/, '+');
  return /^\+[0-9]{6,15}$/.test(digits) ? digits : null;
}

function header(): HTMLElement {
  return h(
    'header.header',
    h(
      'span.brand',
      h('img', { src: iconUrl, alt: '', width: 36, height: 36 }),
      h('span', 'Phone', h('span.second.network', 'Mobile money of test mode')),
    ),
    h('a', { class: 'button quiet', href: '/demo/' }, 'To the shop'),
  );
}

/** The form that chooses whose phone this is. Its number is kept in the address. */
function numberForm() {
  const input = h('input', {
    id: 'number',
    type: 'tel',
    autocomplete: 'off',
    dir: 'ltr',
    placeholder: '+256 772 123 456',
    'aria-describedby': 'number-hint number-wrong',
  });
  const wrong = h('p', { class: 'wrong', id: 'number-wrong', role: 'alert' });
  const form = h(
    'form',
    { class: 'field', novalidate: true },
    h('label', { for: 'number' }, 'Phone number'),
    h('div.field-line', input, h('button', { type: 'submit', class: 'button quiet' }, 'Use')),
    h('p', { class: 'third small', id: 'number-hint' }, 'Without a number: every phone that pays in the shop.'),
    wrong,
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    const number = readNumber(input.value);
    const isWrong = number === null && input.value.trim() !== '';
    wrong.textContent = isWrong ? 'Write the number with its country code: +256 772 123 456.' : '';
    input.setAttribute('aria-invalid', String(isWrong));
    if (isWrong) input.focus();
    else location.hash = number ?? '';
  });
  return {
    form,
    show: (number: string | null) => {
      input.value = number ?? '';
      wrong.textContent = '';
      input.removeAttribute('aria-invalid');
    },
  };
}

const testNumbers = [
  ['789', 'approves'],
  ['039', 'refuses'],
  ['049', 'has too little money'],
  ['059', 'types a wrong PIN'],
  ['099', 'does not answer'],
  ['109', 'approves too late'],
] as const;

function help(): HTMLElement {
  return h(
    'aside',
    { class: 'card', 'aria-label': 'How this phone works' },
    h('h2', 'How this phone works'),
    h('p.second', 'It shows the prompts that the operators of test mode send. No money is real.'),
    h(
      'ul.hints.second',
      h('li', 'The PIN 1234 pays. Every other PIN is wrong, and the operator refuses.'),
      h('li', 'A prompt without an answer ends after two minutes.'),
      h('li', 'Some numbers answer on their own, and their prompts do not appear here:'),
    ),
    h('dl.facts', ...testNumbers.map(([digits, what]) => h('div.fact', h('dt', `… ${digits}`), h('dd', what)))),
  );
}

/** The part after `#` is the number, so the link must move the focus in code. */
function skipLink(screen: HTMLElement): HTMLElement {
  const link = h('a', { class: 'skip', href: '#screen' }, 'Skip to the content');
  link.addEventListener('click', event => {
    event.preventDefault();
    screen.focus();
  });
  return link;
}

function start(): void {
  const number = numberForm();
  const list = createPromptList(() => {
    location.hash = '';
  });
  const screen = h(
    'main',
    { class: 'card handset', id: 'screen', tabindex: -1 },
    h('h1.hidden', 'Phone'),
    list.element,
    number.form,
  );
  const columns = h('div.columns', screen, help());
  document.body.append(skipLink(screen), header(), columns);
  const follow = () => {
    number.show(numberInAddress());
    list.follow(numberInAddress());
  };
  addEventListener('hashchange', follow);
  follow();
}

start();
