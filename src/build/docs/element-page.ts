import type { CustomElement, Package } from 'custom-elements-manifest/schema.d.ts';
import { type DocPage, pageFrom } from './page.ts';

/** One line of the reference, for example an attribute, an event or a part. */
interface Entry {
  readonly name: string;
  readonly type?: { readonly text: string };
  readonly default?: string;
  readonly description?: string;
}

/** The reference of `<pay-checkout>`, made from its custom-elements manifest. */
export function elementPage(manifest: Package): DocPage {
  const element = declared(manifest);
  const text = [
    `# \`<${element.tagName}>\``,
    element.description ?? '',
    'Also as a custom-elements manifest for editors and tools: `/custom-elements.json`.',
    ...sections(element),
  ];
  return { ...pageFrom('element', 'API', text.join('\n\n')), title: `<${element.tagName}>` };
}

function declared({ modules }: Package): CustomElement {
  const found = modules.flatMap(({ declarations = [] }) => declarations).find(declaration => 'tagName' in declaration);
  if (found === undefined) throw new Error('custom-elements.json declares no element. Run: npm run build');
  return found as unknown as CustomElement;
}

function sections({ members = [], ...element }: CustomElement): string[] {
  const byAttribute = new Set(element.attributes?.map(({ fieldName }) => fieldName));
  const fields = members.filter(member => member.kind === 'field');
  const methods = members.filter(member => member.kind === 'method');
  const typeOf = (type: Entry['type']) => (type === undefined ? {} : { type });
  return [
    list('Attributes', element.attributes, 'Each attribute is also a property in camel case: `api-key` is `apiKey`.'),
    list(
      'Properties',
      fields.filter(({ name }) => !byAttribute.has(name)),
      'Set them by script.',
    ),
    list('Events', element.events, 'All events bubble out of the element and its shadow root.'),
    list(
      'Methods',
      methods.map(method => ({ ...method, name: `${method.name}()`, ...typeOf(method.return?.type) })),
    ),
    list('Slots', element.slots),
    list('Parts', element.cssParts, 'Style them by `pay-checkout::part(button)`.'),
    list(
      'Custom properties',
      element.cssProperties,
      'Set them on the element or above it. Of `light-dark()` the first value is for the light theme.',
    ),
  ];
}

function list(title: string, entries: readonly Entry[] = [], note = ''): string {
  return [`## ${title}`, note, entries.map(line).join('\n')].filter(text => text !== '').join('\n\n');
}

function line({ name, type, default: standard, description = '' }: Entry): string {
  const facts = [
    ...(type === undefined ? [] : [`\`${type.text.replace(/\s+/g, ' ')}\``]),
    ...(standard === undefined ? [] : [`default \`${standard}\``]),
  ];
  const text = description.replace(/\s*\n\s*/g, ' ');
  return `- **\`${name}\`**${facts.length === 0 ? '' : ` *${facts.join(', ')}*`}${text === '' ? '' : `  \n  ${text}`}`;
}
