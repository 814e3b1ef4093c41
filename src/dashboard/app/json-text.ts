import { css, html, type TemplateResult } from 'lit';

/** Styles of `codeBlock` and `rawJson`. Add them to `static styles` of the page. */
export const jsonStyles = css`
  .code {
    max-block-size: min(32rem, 60dvh);
    margin: 0;
    padding: 14px;
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--page);
    font: 0.867rem / 1.5 ui-monospace, monospace;
    overflow: auto;
    white-space: pre;
  }
  .code .key {
    color: var(--accent);
  }
  .code .text {
    color: var(--good);
  }
  .code .word {
    color: var(--warn);
  }
  .raw-card summary {
    min-block-size: 44px;
    align-content: center;
    cursor: pointer;
    font-weight: 550;
  }
`;

/** A token of JSON: a key with its colon, a text, a number, or one of the words true, false and null. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Texts with more characters stay plain, because thousands of coloured parts make a page slow. */
const longest = 60_000;

/** Colours a text that begins like a JSON object or array. Other texts stay plain. */
function jsonText(text: string): TemplateResult {
  if (text.length > longest || !/^\s*[[{]/.test(text)) return html`${text}`;
  const parts: (TemplateResult | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    const kind = quoted === undefined ? 'word' : colon === undefined ? 'text' : 'key';
    parts.push(html`<span class=${kind}>${whole}</span>`);
    end = match.index + whole.length;
  }
  return html`${parts}${text.slice(end)}`;
}

/** A block that keyboard users can scroll. */
const block = (label: string, content: TemplateResult | string): TemplateResult =>
  html`<pre class="code" tabindex="0" role="group" aria-label=${label}><code>${content}</code></pre>`;

/** A block of code. JSON has colours. */
export const codeBlock = (label: string, text: string): TemplateResult => block(label, jsonText(text));

/** A value in the API's own JSON. It has no colours, because a page may show dozens of such values. */
export const rawJson = (value: unknown): TemplateResult => block('Raw content', JSON.stringify(value, null, 2));

/** A closed card with the JSON of the page's object. */
export const rawCard = (value: unknown): TemplateResult =>
  html`<details class="card raw-card"><summary>As the API shows it</summary>${rawJson(value)}</details>`;
