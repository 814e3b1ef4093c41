import MiniSearch, { type SearchResult } from 'minisearch';
import { create } from './create.ts';

const mostResults = 12;

interface Search {
  readonly dialog: HTMLDialogElement;
  readonly input: HTMLInputElement;
}

let search: Promise<Search> | null = null;

/** Opens the search. `file`: the URL of the searched documents, which are loaded once. */
export async function openSearch(file: string): Promise<void> {
  search ??= createSearch(file);
  const { dialog, input } = await search.catch(error => {
    search = null;
    throw error;
  });
  if (!dialog.open) dialog.showModal();
  input.select();
}

async function createSearch(file: string): Promise<Search> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`the documents of the search answered ${answer.status}`);
  const index = new MiniSearch({
    fields: ['title', 'headings', 'text'],
    storeFields: ['title', 'section', 'text'],
    searchOptions: { boost: { title: 6, headings: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(await answer.json());
  const view = createView();
  view.input.addEventListener('input', () => showResults(view.results, view.count, index.search(view.input.value)));
  document.body.append(view.dialog);
  return view;
}

function createView() {
  const input = create('input', {
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': 'Search the documentation',
    placeholder: 'Search: refund, webhook, iban …',
    autofocus: '',
  });
  const results = create('ol', { class: 'results' });
  const count = create('p', { class: 'count', role: 'status' });
  const close = create('button', { type: 'button', class: 'close', 'aria-label': 'Close the search' }, 'Esc');
  const dialog = create('dialog', { id: 'search-dialog', 'aria-label': 'Search' });
  dialog.append(create('div', { class: 'query' }, input, close), count, results);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', event => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('keydown', event => moveFocus(event, input, results));
  return { dialog, input, results, count };
}

/** Arrow keys move between the field and the results. Enter in the field opens the first result. */
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, results: HTMLElement): void {
  const stops = [input, ...results.querySelectorAll('a')];
  const index = stops.indexOf(document.activeElement as HTMLInputElement);
  if (event.key === 'Enter' && index === 0) results.querySelector('a')?.click();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  stops[(index + step + stops.length) % stops.length]?.focus();
}

function showResults(list: HTMLElement, count: HTMLElement, found: readonly SearchResult[]): void {
  count.textContent =
    found.length === 0 ? 'Nothing found.' : `${found.length} ${found.length === 1 ? 'page' : 'pages'}`;
  list.replaceChildren(...found.slice(0, mostResults).map(result));
}

function result({ id, title, section, text, terms }: SearchResult): HTMLElement {
  const link = create('a', { href: id }, create('b', {}, title), create('span', {}, section));
  link.append(create('small', {}, excerpt(text, terms)));
  return create('li', {}, link);
}

/** The part of the text that begins shortly before the first found word. */
function excerpt(text: string, terms: readonly string[]): string {
  const places = terms.map(term => text.toLowerCase().indexOf(term)).filter(place => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 40);
  return start === 0 || places.length === 0 ? text.slice(0, 120) : `… ${text.slice(start, start + 120)}`;
}
