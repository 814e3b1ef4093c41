import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type ApiDocument, type Call, callPath, type Parameter } from '../../api/openapi/document.ts';
import { curl, typescript } from '../../api/openapi/samples.ts';
import { pageFrame } from '../app/dashboard-page.ts';
import { codeBlock, jsonStyles } from '../app/json-text.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { type Action, ActionPage, actionDialog } from '../controls/action-dialog.ts';
import { copyButton } from '../controls/copy-button.ts';
import { formField } from '../controls/form-field.ts';
import { emptyState, errorNote, note, roleNote } from '../controls/states.ts';
import { chip } from '../controls/status-chip.ts';
import {
  type Answer,
  bodyType,
  type EnteredCall,
  enteredBefore,
  faultsOf,
  isFinal,
  type Operations,
  operationsOf,
  parametersIn,
  runCall,
  type SentCall,
  sampleOf,
  sentCall,
} from './explorer-call.ts';

const path = '/developers/explorer';

/** Makes calls of the API with the session, in the mode that the dashboard shows. */
class ExplorerPage extends ActionPage {
  static override readonly styles = [
    ActionPage.styles,
    jsonStyles,
    css`
      .explorer {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 16px;
        align-items: start;
      }
      .operations {
        max-block-size: 24rem;
        overflow: auto;
      }
      .operations summary {
        padding-block: 8px;
        font-weight: 600;
        cursor: pointer;
      }
      .operations a {
        display: flex;
        gap: 8px;
        padding: 8px;
        border-radius: 8px;
        color: var(--ink);
        text-decoration: none;
      }
      .operations a[aria-current] {
        background: var(--soft);
      }
      .operations .mono {
        flex: none;
        inline-size: 4.5em;
        color: var(--ink2);
        font-size: 0.8rem;
      }
      .request {
        overflow-wrap: anywhere;
      }
      textarea {
        font-family: ui-monospace, monospace;
      }
      @media (width >= 1000px) {
        .explorer {
          grid-template-columns: 19rem minmax(0, 1fr);
        }
        .operations {
          max-block-size: 70dvh;
        }
      }
    `,
  ];
  static override readonly properties = {
    ...ActionPage.properties,
    find: { state: true },
    entered: { state: true },
    faults: { state: true },
    answer: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };

  /** The search text for the list of operations. */
  declare find: string;
  declare entered: EnteredCall;
  declare faults: Readonly<Record<string, string>>;
  declare answer: Answer | null;
  declare error: unknown;
  declare isBusy: boolean;

  readonly #operations = new Loaded<Operations>(this, signal =>
    this.app.may('develop') ? this.app.calls.get<ApiDocument>('/openapi.json', { signal }).then(operationsOf) : null,
  );
  /** The call whose form is shown. */
  #shown: Call | null = null;
  /** The last call, while it has no final answer. A repeated POST keeps its idempotency key and takes effect once. */
  #open: SentCall | null = null;

  constructor() {
    super();
    Object.assign(this, { find: '', entered: { parameters: {}, body: '' }, faults: {}, answer: null });
    Object.assign(this, { error: null, isBusy: false });
  }

  get #call(): Call | null {
    const id = this.query.get('call');
    const calls = this.#operations.value?.groups.flatMap(group => group.calls) ?? [];
    return calls.find(({ operationId }) => operationId === id) ?? null;
  }

  override willUpdate(_changed: PropertyValues<this>): void {
    const call = this.#call;
    if (call === this.#shown || this.#operations.value === null) return;
    this.#shown = call;
    Object.assign(this, { faults: {}, answer: null, error: null });
    if (call !== null) this.entered = enteredBefore(call, this.#operations.value);
  }

  override render(): TemplateResult {
    return html`${pageFrame({
      above: { label: 'Developers', path: '/developers' },
      title: 'API explorer',
      subtitle: 'Calls run in your session, at this merchant, in the mode on screen.',
      actions: html`<a class="second" href="/docs/api">API reference</a>`,
      body: this.app.may('develop')
        ? this.#operations.render(operations => this.#body(operations))
        : html`${roleNote(this.app, 'develop')}`,
    })}
    ${actionDialog(this)}`;
  }

  #body(operations: Operations): TemplateResult {
    const call = this.#call;
    return html`<div class="explorer">
      ${this.#list(operations)}
      ${
        call === null
          ? html`<section class="card">${emptyState('Choose a call', 'Its form has the example of its body. You see the answer, and the same call as a program.')}</section>`
          : html`<div class="body">${this.#form(call)} ${this.#result(call)} ${this.#samples(call)}</div>`
      }
    </div>`;
  }

  #list({ groups }: Operations): TemplateResult {
    const words = this.find.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = ({ method, path: address, summary }: Call) =>
      words.every(word => `${method} ${address} ${summary}`.toLowerCase().includes(word));
    const current = this.query.get('call');
    const shown = groups
      .map(({ name, calls }) => ({ name, calls: calls.filter(isFound) }))
      .filter(({ calls }) => calls.length > 0);
    return html`<nav class="card" aria-label="Calls">
      ${formField({ label: 'Find a call', name: 'find', type: 'search', value: this.find, onInput: text => this.#find(text) })}
      <div class="operations">${shown.map(
        ({
          name,
          calls,
        }) => html`<details ?open=${words.length > 0 || calls.some(call => call.operationId === current)}>
          <summary>${name}</summary>
          ${calls.map(
            ({ method, operationId, summary }) => html`<a href=${pathTo(`${path}?call=${operationId}`)}
              aria-current=${operationId === current ? 'page' : nothing}><span class="mono">${method}</span> ${summary}</a>`,
          )}
        </details>`,
      )}
      ${shown.length === 0 ? html`<p role="status">No call has these words.</p>` : nothing}</div>
    </nav>`;
  }

  #find(text: string): void {
    this.find = text;
  }

  #form(call: Call): TemplateResult {
    const [ids, query] = [parametersIn(call, 'path'), parametersIn(call, 'query')];
    const required = query.filter(parameter => parameter.required);
    const optional = query.filter(parameter => !parameter.required);
    const field = (parameter: Parameter) => this.#parameter(parameter, call);
    return html`<section class="card" aria-labelledby="call">
      <h2 id="call">${call.summary}</h2>
      <p class="request mono">${call.method} ${call.path}</p>
      <p class="hint">${call.description.replaceAll('`', '')} <a href=${callPath(call)}>Fields and answers in the docs</a></p>
      <form class="fields" novalidate @submit=${this.#submit}>
        ${ids.map(field)} ${required.map(field)}
        ${optional.length === 0 ? nothing : html`<details><summary>Query</summary><div class="fields">${optional.map(field)}</div></details>`}
        ${this.#bodyField(call)}
        <div class="actions"><button class="main" type="submit" ?disabled=${this.isBusy}>${this.isBusy ? 'One moment …' : `Send ${call.method}`}</button></div>
      </form>
    </section>`;
  }

  #parameter({ name, schema, description, required }: Parameter, call: Call): TemplateResult {
    const choices = schema.enum ?? schema.anyOf?.map(variant => variant.const).filter(value => value !== undefined);
    const parameter = { name, schema, in: '', required };
    const example = this.#operations.value?.examples.parameterOf(parameter, call);
    const options = choices !== undefined && choices.length > 0 && (['', ...choices] as string[]);
    return formField({
      label: name,
      name,
      required,
      value: this.entered.parameters[name] ?? '',
      error: this.faults[name],
      ...(description !== undefined && { hint: description }),
      ...(options
        ? { options: options.map(value => [value, value || '–'] as const) }
        : { placeholder: String(example ?? '') }),
      onInput: text => {
        this.entered = { ...this.entered, parameters: { ...this.entered.parameters, [name]: text } };
      },
    });
  }

  #bodyField(call: Call): TemplateResult | typeof nothing {
    const type = bodyType(call);
    if (type === null) {
      return call.requestBody === undefined ? nothing : note('This call takes a file. Send it with a program.');
    }
    return formField({
      label: `Body (${type === 'text/csv' ? 'CSV' : 'JSON'})`,
      name: 'body',
      value: this.entered.body,
      rows: 12,
      error: this.faults['body'],
      onInput: body => {
        this.entered = { ...this.entered, body };
      },
    });
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    if (this.#call !== null) this.#send(this.#call);
  };

  /** Sends the entered call. A write in live mode needs a confirmation first. */
  #send(call: Call): void {
    if (this.isBusy) return;
    this.faults = faultsOf(call, this.entered);
    if (Object.keys(this.faults).length > 0) {
      void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      return;
    }
    if (call.method !== 'GET' && this.app.session?.livemode === true) this.ask(this.#liveAction(call));
    else void this.#run(call);
  }

  #isRepeated(call: Call): boolean {
    return sentCall(call, this.entered, this.#open).idempotencyKey === this.#open?.idempotencyKey;
  }

  #liveAction(call: Call): Action {
    return {
      heading: 'Send this call in live mode?',
      effects: () => [
        { what: 'Call', result: `${call.method} ${sampleOf(call, this.entered).path}` },
        { what: 'Meaning', result: call.summary },
        { what: 'Money and objects', result: 'are real' },
        ...(call.method === 'POST' && this.#isRepeated(call)
          ? [{ what: 'Idempotency-Key', result: 'is that of the last try: the call takes effect once' }]
          : []),
      ],
      button: () => `Send ${call.method}`,
      isDangerous: true,
      run: () => this.#run(call),
    };
  }

  async #run(call: Call): Promise<void> {
    Object.assign(this, { isBusy: true, answer: null, error: null });
    try {
      this.#open = sentCall(call, this.entered, this.#open);
      const answer = await runCall(this.app, this.#open);
      if (isFinal(answer)) this.#open = null;
      if (this.#call === call) this.answer = answer;
    } catch (error) {
      if (this.#call === call) this.error = error;
    }
    this.isBusy = false;
  }

  #result(call: Call): TemplateResult | typeof nothing {
    if (this.error !== null) return errorNote(this.error, this.#isRepeated(call) ? () => this.#send(call) : undefined);
    if (this.answer === null) return nothing;
    const { status, milliseconds, requestId, version, type, text } = this.answer;
    const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad';
    return html`<section class="card" aria-labelledby="answer">
      <div class="card-head"><h2 id="answer">Answer</h2>${copyButton(text, 'answer')}</div>
      <p role="status">${chip(String(status), tone)} ${milliseconds} ms</p>
      <p class="second-line mono">${[
        requestId === null ? nothing : html`Request-Id: ${requestId} ${copyButton(requestId, 'request id')}<br>`,
        version === null ? nothing : html`Pay-Version: ${version}<br>`,
        type === null ? nothing : html`Content-Type: ${type}`,
      ]}</p>
      ${codeBlock('Body of the answer', text)}
    </section>`;
  }

  #samples(call: Call): TemplateResult {
    const sample = sampleOf(call, this.entered);
    const programs = [
      ['curl', curl(sample)],
      ['TypeScript', typescript(sample)],
    ] as const;
    return html`<section class="card" aria-labelledby="program">
      <h2 id="program">As a program</h2>
      ${programs.map(
        ([name, text]) => html`<details><summary>${name}</summary>
          <p>${copyButton(text, name)}</p>${codeBlock(name, text)}</details>`,
      )}
    </section>`;
  }
}

customElements.define('pay-explorer-page', ExplorerPage);
