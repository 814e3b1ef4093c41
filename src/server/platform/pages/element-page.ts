import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustomElement, Package } from 'custom-elements-manifest/schema.d.ts';
import type { OpenApiSource } from '../http/openapi/openapi.ts';
import { besideContents, markdown } from './docs-parts.ts';
import type { SitePage } from './landing-page.ts';
import { html, type Markup } from './page-html.ts';

/** One line of the reference: an attribute, an event, a part … */
interface Entry {
  readonly name: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
  readonly description?: string;
}

/** The reference of `<pay-checkout>`: the custom-elements manifest of the browser build as a page. */
export async function elementPage({ routes }: OpenApiSource, browserDir: string): Promise<SitePage> {
  const text = await readFile(join(browserDir, 'custom-elements.json'), 'utf8');
  const element = declared(JSON.parse(text) as Package);
  const tag = `<${element.tagName}>`;
  return {
    title: `${tag} · pay-checkout`,
    description: `Attributes, events, methods, slots and styles of ${tag}.`,
    body: besideContents(
      routes,
      html`<h1>${tag}</h1>
        <p class="quiet">Also as a <a href="/custom-elements.json">custom-elements manifest</a> for editors and tools.</p>
        ${markdown(element.description ?? '')} ${sections(element)}`,
    ),
  };
}

function declared({ modules }: Package): CustomElement {
  const found = modules.flatMap(({ declarations = [] }) => declarations).find(declaration => 'tagName' in declaration);
  if (found === undefined) throw new Error('custom-elements.json declares no element. Run: npm run build');
  return found as unknown as CustomElement;
}

function sections({ members = [], ...element }: CustomElement): Markup[] {
  const byAttribute = new Set(element.attributes?.map(({ fieldName }) => fieldName));
  const fields = members.filter(member => member.kind === 'field');
  const methods = members.filter(member => member.kind === 'method');
  return [
    section(
      'Attributes',
      element.attributes,
      'Each attribute is also a property in camel case: `api-key` is `apiKey`.',
    ),
    section(
      'Properties',
      fields.filter(({ name }) => !byAttribute.has(name)),
      'Set them by script.',
    ),
    section('Events', element.events, 'All events bubble out of the element and its shadow root.'),
    section(
      'Methods',
      methods.map(method => ({ ...method, name: `${method.name}()`, ...typeOf(method.return?.type) })),
    ),
    section('Slots', element.slots),
    section('Parts', element.cssParts, 'Style them by `pay-checkout::part(button)`.'),
    section(
      'Custom properties',
      element.cssProperties,
      'Set them on the element or above it. Of `light-dark()` the first value is for the light theme.',
    ),
  ];
}

const typeOf = (type: Entry['type']) => (type === undefined ? {} : { type });

function section(title: string, entries: readonly Entry[] = [], note = ''): Markup {
  return html`<section>
    <h2 id="${title.toLowerCase().replace(' ', '-')}">${title}</h2>
    ${markdown(note)}
    <ul class="fields">${entries.map(line)}</ul>
  </section>`;
}

function line({ name, type, default: standard, description = '' }: Entry): Markup {
  return html`<li>
    <b>${name}</b>${type !== undefined && html`<span class="type">${type.text}</span>`}
    ${standard !== undefined && html`<span class="type">default <code>${standard}</code></span>`}
    ${markdown(description)}
  </li>`;
}
