/**
 * Keeps the payer's texts while the page changes its language, which is a navigation. Keeps only fields of the page and
 * of the element. The card's fields are in a frame with another document, which no script of this page can read.
 */

type Field = HTMLInputElement | HTMLSelectElement;

const key = `pay-typed:${location.pathname}`;

/** The page and the shadow trees of its checkouts. */
const trees = (): ParentNode[] => [
  document,
  ...[...document.querySelectorAll('pay-checkout')].flatMap(({ shadowRoot }) => shadowRoot ?? []),
];

const fields = () =>
  trees().flatMap(tree => [...tree.querySelectorAll<Field>('form :is(input:not([type=hidden]), select)')]);

/** The name of a field, equal in all languages: its id, or its name. For a radio button also its value. */
const nameOf = ({ id, name, type, value }: Field) => id || `${name || 'select'} ${type === 'radio' ? value : ''}`;
const isRadio = (field: Field): field is HTMLInputElement => field.type === 'radio';

function keep(): void {
  const typed = fields().filter(field => !isRadio(field) || field.checked);
  remember(JSON.stringify(typed.map(field => [nameOf(field), field.value])));
}

function remember(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The storage cannot be used.
  }
}

/** Reads and removes the kept fields, because they are for one navigation only. */
function recall(): Map<string, string> {
  try {
    const text = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return new Map(JSON.parse(text ?? '[]'));
  } catch {
    return new Map();
  }
}

/** Fills in the fields that exist now. A choice comes first, because it may change other fields. */
function restore(kept: Map<string, string>): void {
  const choices = (field: Field) => Number(field.type.startsWith('select') || isRadio(field));
  for (const field of fields().sort((one, other) => choices(other) - choices(one))) {
    const value = kept.get(nameOf(field));
    if (value === undefined) continue;
    kept.delete(nameOf(field));
    if (isRadio(field)) field.checked = true;
    else field.value = value;
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
    // The other fields exist only after the element has drawn the choice.
    if (choices(field)) return void setTimeout(restore, 50, kept);
  }
}

/** Time in ms for which the page waits for fields that the element has not drawn yet. */
const giveUpMs = 60_000;

function restoreWhenDrawn(kept: Map<string, string>): void {
  const timer = setInterval(() => {
    restore(kept);
    if (kept.size === 0) clearInterval(timer);
  }, 100);
  setTimeout(() => clearInterval(timer), giveUpMs);
}

document.querySelector('.languages')?.addEventListener('click', keep);
const kept = recall();
if (kept.size > 0) restoreWhenDrawn(kept);

export {};
