/**
 * Makes `custom-elements.json`, the manifest of `<pay-checkout>`, from the element's sources. Descriptions are doc
 * comments. Attributes, types and defaults come from the code, so that they always match the code.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { create, ts } from '@custom-elements-manifest/analyzer';
import type {
  Attribute,
  ClassField,
  ClassMember,
  CustomElement,
  JavaScriptModule,
  Package,
} from 'custom-elements-manifest/schema.d.ts';
import { parseSync, Visitor } from 'vite';
import { PayCheckout } from '../element/pay-checkout.ts';
import { filesBelow } from './build-when-changed.ts';
import { cssDefaults } from './css-defaults.ts';

declare module '@custom-elements-manifest/analyzer' {
  // The package exports these names, but its types lack them.
  export const ts: { createSourceFile(name: string, text: string, syntax: number, setParents: boolean): object };
  export function create(options: { readonly modules: readonly object[] }): Package;
}

const sources = resolve(import.meta.dirname, '..');
const read = (file: string) => readFile(join(sources, file), 'utf8');

/** The file of the npm package that contains the class. */
const classFile = 'element/pay-checkout.js';
/** TypeScript's number for the newest syntax. */
const newestSyntax = 99;

/** The manifest in schema 1.0.0 of custom-elements-manifest. Its paths are those of the npm package. */
export async function elementManifest(): Promise<Package> {
  const file = classFile.replace('.js', '.ts');
  const analyzed = create({ modules: [ts.createSourceFile(file, await read(file), newestSyntax, true)] });
  const [found] = analyzed.modules[0]?.declarations ?? [];
  if (found?.kind !== 'class') throw new Error(`the analyzer found no class in ${file}`);
  const element = found as typeof found & CustomElement;
  const declaration = { ...element, ...(await factsOf(element)) };
  return { schemaVersion: analyzed.schemaVersion, modules: modulesOf(declaration) };
}

/** The parts of the manifest that are read from the code. */
async function factsOf({ members = [], events = [], cssProperties = [] }: CustomElement) {
  const [types, defaults] = await Promise.all([declaredTypes(), readDefaults()]);
  const published = members.filter(({ privacy, static: isStatic }) => (privacy ?? 'public') === 'public' && !isStatic);
  const typed = published.map(member => (member.kind === 'field' ? withType(member, types) : member));
  return {
    members: typed,
    attributes: attributesOf(typed),
    events: events.map(event => ({
      ...event,
      type: { text: `CustomEvent<${types.get(`PayEventDetails.${event.name}`)}>` },
    })),
    cssProperties: cssProperties.map(property => {
      const value = defaults.get(property.name);
      return value ? { ...property, default: value } : property;
    }),
  };
}

/** The field with its whole type, instead of the name of a callback interface or type alias. */
function withType(field: ClassField, types: ReadonlyMap<string, string>): ClassField {
  const text = types.get(`CheckoutCallbacks.${field.name}`) ?? types.get(field.type?.text ?? '');
  return text === undefined ? field : { ...field, type: { text } };
}

/** The attributes that Lit observes, with the description, type and default of their properties. */
function attributesOf(members: readonly ClassMember[]): Attribute[] {
  // Lit prepares the properties at the first read of the attributes.
  const observed = PayCheckout.observedAttributes;
  return members.flatMap(member => {
    const attribute = PayCheckout.elementProperties.get(member.name)?.attribute;
    const name = typeof attribute === 'string' ? attribute : member.name.toLowerCase();
    if (!observed.includes(name)) return [];
    const { kind: _, name: fieldName, type, ...described } = member as ClassField;
    // An absent attribute leaves its property undefined.
    return [{ name, fieldName, type: { text: (type?.text ?? 'string').replace(' | undefined', '') }, ...described }];
  });
}

/** Types by name: `CheckoutMode`, and `PayEventDetails.pay-ready` for the member of an interface. */
async function declaredTypes(): Promise<Map<string, string>> {
  const types = new Map<string, string>();
  for (const file of ['element/events.ts', 'element/checkout-properties.ts']) {
    const code = await read(file);
    const textOf = ({ start, end }: { start: number; end: number }) => code.slice(start, end);
    new Visitor({
      TSTypeAliasDeclaration: ({ id, typeAnnotation }) => types.set(id.name, textOf(typeAnnotation)),
      TSInterfaceDeclaration: ({ id, body }) => {
        for (const member of body.body) {
          if (member.type !== 'TSPropertySignature' || !member.typeAnnotation) continue;
          const name = textOf(member.key).replaceAll("'", '');
          types.set(`${id.name}.${name}`, textOf(member.typeAnnotation.typeAnnotation));
        }
      },
    }).visit(parseSync(file, code).program);
  }
  return types;
}

async function readDefaults(): Promise<Map<string, string | null>> {
  // The element's own style sheet comes first, as in the page.
  const views = (await filesBelow(sources, 'element')).filter(file => !file.endsWith('pay-checkout.styles.ts'));
  const texts = await Promise.all(['element/pay-checkout.styles.ts', ...views].map(read));
  return cssDefaults(texts.join('\n'));
}

function modulesOf(element: CustomElement & { readonly kind: 'class' }): JavaScriptModule[] {
  const { name, tagName = '' } = element;
  const declaration = { name, module: classFile };
  const exported = [{ kind: 'js' as const, name, declaration }];
  return [
    { kind: 'javascript-module', path: classFile, declarations: [element], exports: exported },
    { kind: 'javascript-module', path: 'element/index.js', declarations: [], exports: exported },
    {
      kind: 'javascript-module',
      path: 'element/define.js',
      declarations: [],
      exports: [{ kind: 'custom-element-definition', name: tagName, declaration }],
    },
  ];
}
