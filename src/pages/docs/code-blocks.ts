import { create } from './create.ts';

/** The address in samples. It equals `sampleUrl` of `src/build/docs/api/document.ts`. */
const sampleUrl = 'https://pay.example.com';
const chosenTab = 'docs-tab';

/** Writes this server's address into the samples, so that visitors can run them unchanged. */
export function serverAddress(): void {
  const walker = document.createTreeWalker(document.querySelector('article') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeValue?.includes(sampleUrl)) node.nodeValue = node.nodeValue.replaceAll(sampleUrl, location.origin);
  }
}

/** Adds a copy button to each code block. The button shows that it has copied. */
export function copyButtons(): void {
  for (const figure of document.querySelectorAll<HTMLElement>('figure.code')) {
    const button = create('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code')?.textContent ?? '');
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    figure.append(button);
  }
}

/** Turns each group of samples into tabs. This browser keeps the chosen language for all pages. */
export function tabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>('.tabs')].map(tabGroup);
  const show = (name: string) => {
    for (const group of groups) group(name);
  };
  document.addEventListener('docs-tab', event => {
    const name = (event as CustomEvent<string>).detail;
    localStorage.setItem(chosenTab, name);
    show(name);
  });
  const kept = localStorage.getItem(chosenTab);
  if (kept !== null) show(kept);
}

let groupCount = 0;

/** Builds the tabs of one group and shows the first tab. Returns a function that shows another tab. */
function tabGroup(group: HTMLElement): (name: string) => void {
  groupCount += 1;
  const panels = [...group.querySelectorAll<HTMLElement>('figure')];
  const list = create('div', { role: 'tablist', 'aria-label': 'Language' });
  const buttons = panels.map((panel, index) => {
    panel.id = `sample-${groupCount}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-label', `Sample in ${panel.dataset['tab']}`);
    panel.querySelector('figcaption')?.remove();
    return create('button', { type: 'button', role: 'tab', 'aria-controls': panel.id }, panel.dataset['tab'] ?? '');
  });
  const show = (name: string) => {
    if (!panels.some(panel => panel.dataset['tab'] === name)) return;
    for (const [index, panel] of panels.entries()) {
      const isShown = panel.dataset['tab'] === name;
      panel.hidden = !isShown;
      buttons[index]?.setAttribute('aria-selected', String(isShown));
      buttons[index]?.setAttribute('tabindex', isShown ? '0' : '-1');
    }
  };
  const choose = (button: HTMLElement) =>
    document.dispatchEvent(new CustomEvent('docs-tab', { detail: button.textContent ?? '' }));
  for (const button of buttons) button.addEventListener('click', () => choose(button));
  list.addEventListener('keydown', event => moveAmong(buttons, event, choose));
  list.append(...buttons);
  group.prepend(list);
  show(panels[0]?.dataset['tab'] ?? '');
  return show;
}

/** Chooses a tab by arrow keys, Home and End (WAI-ARIA). */
function moveAmong(buttons: readonly HTMLElement[], event: KeyboardEvent, choose: (button: HTMLElement) => void): void {
  const index = buttons.indexOf(event.target as HTMLElement);
  const next: Readonly<Record<string, number>> = {
    ArrowRight: (index + 1) % buttons.length,
    ArrowLeft: (index + buttons.length - 1) % buttons.length,
    Home: 0,
    End: buttons.length - 1,
  };
  const button = buttons[next[event.key] ?? -1];
  if (!button) return;
  event.preventDefault();
  button.focus();
  choose(button);
}
