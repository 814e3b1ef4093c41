import { answerText } from '../../api/openapi/answer-text.ts';
import { addressOf } from '../../api/openapi/document.ts';
import { create } from './create.ts';

/** The name of the visitor's key in the session storage. The browser deletes this storage with the tab. */
const keyName = 'docs-test-key';

/** A call as in its code block: the first line, and the body after an empty line. */
interface ShownCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** Adds “Try it” to each block with a call. */
export function offerTries(): void {
  for (const block of document.querySelectorAll<HTMLElement>('[data-try]')) {
    const button = create('button', { type: 'button', class: 'try', 'aria-expanded': 'false' }, 'Try it');
    const form = createForm(readCall(block.querySelector('code')?.textContent ?? ''));
    form.hidden = true;
    button.addEventListener('click', () => {
      form.hidden = !form.hidden;
      button.setAttribute('aria-expanded', String(!form.hidden));
      if (!form.hidden) form.querySelector('input')?.focus();
    });
    block.append(button);
    block.after(form);
  }
}

function readCall(text: string): ShownCall {
  const [line = '', ...rest] = text.split('\n');
  const [method = 'GET', path = ''] = line.split(' ');
  const body = rest.join('\n').trim();
  return { method, path, body: body === '' ? null : body };
}

function createForm(call: ShownCall): HTMLFormElement {
  const key = create('input', {
    name: 'key',
    type: 'password',
    autocomplete: 'off',
    placeholder: 'sk_test_…',
    required: '',
  });
  key.value = sessionStorage.getItem(keyName) ?? '';
  const ids = [...call.path.matchAll(/\{([^}]+)\}/g)].map(match => match[1] ?? '');
  const fields = ids.map(name => labelled(name, create('input', { name, required: '', autocomplete: 'off' })));
  const query = create('input', { name: 'query', autocomplete: 'off', placeholder: 'limit=3' });
  query.value = call.path.split('?')[1] ?? '';
  const body = create('textarea', { name: 'body', rows: '8', spellcheck: 'false' });
  body.value = call.body ?? '';
  const output = create('output', { class: 'answer' });
  const form = create('form', { class: 'try-form', 'aria-label': `Try ${call.method} ${call.path}` });
  const note = 'The key stays in this tab and is sent to this server only. Live keys are refused.';
  form.append(
    labelled('Test key', key, note),
    ...fields,
    ...(call.method === 'GET' ? [labelled('Query', query)] : []),
    ...(call.body === null ? [] : [labelled('Body', body)]),
    create('button', { type: 'submit', class: 'send' }, `Send ${call.method}`),
    output,
  );
  form.addEventListener('submit', event => {
    event.preventDefault();
    sessionStorage.setItem(keyName, key.value.trim());
    const path = addressOf(call.path, Object.fromEntries(ids.map(name => [name, enteredIn(form, name)])), {});
    const address =
      call.method === 'GET' ? `${path.split('?')[0]}${query.value === '' ? '' : `?${query.value}`}` : path;
    run({ method: call.method, path: address, body: call.body === null ? null : body.value }, key.value.trim(), output);
  });
  return form;
}

const enteredIn = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? '').trim();

function labelled(text: string, control: HTMLElement, note = ''): HTMLElement {
  const label = create('label', {}, create('span', {}, text), control);
  if (note !== '') label.append(create('small', {}, note));
  return label;
}

/** Makes the call, but only with a test key. Shows status, duration and body of the answer. */
async function run({ method, path, body }: ShownCall, key: string, output: HTMLElement): Promise<void> {
  if (!/^[sp]k_test_/.test(key)) {
    show(output, 'Not sent', 'Only test keys may be used here: sk_test_… or pk_test_….');
    return;
  }
  const start = performance.now();
  try {
    const answer = await fetch(path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
        ...(body !== null && { 'Content-Type': 'application/json' }),
      },
      ...(body !== null && { body }),
    });
    const milliseconds = Math.round(performance.now() - start);
    show(output, `${answer.status} ${answer.statusText} · ${milliseconds} ms`, await answerText(answer));
  } catch {
    show(output, 'No answer', 'The server could not be reached. Check the connection and send again.');
  }
}

function show(output: HTMLElement, status: string, text: string): void {
  const label = `Answer: ${status}`;
  const pre = create('pre', { tabindex: '0', role: 'group', 'aria-label': label }, create('code', {}, text));
  output.replaceChildren(create('b', {}, status), pre);
}
