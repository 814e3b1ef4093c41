/**
 * Makes `custom-elements.json`, the manifest of both elements, from their sources. Descriptions are doc
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
import { PayRamp } from '../element/ramp/pay-ramp.ts';
import { filesBelow } from './build-when-changed.ts';
import { cssDefaults } from './css-defaults.ts';

declare module '@custom-elements-manifest/analyzer' {
  // The package exports these names, but its types lack them.
  export const ts: { createSourceFile(name: string, text: string, syntax: number, setParents: boolean): object };
  export function create(options: { readonly modules: readonly object[] }): Package;
}

const sources = resolve(import.meta.dirname, '..');
const read = (file: string) => readFile(join(sources, file), 'utf8');

interface Source {
  /** The file of the npm package that contains the class. */
  readonly file: string;
  readonly element: typeof PayCheckout | typeof PayRamp;
  /** The interfaces that type the events and the callbacks. */
  readonly events: string;
  readonly callbacks: string;
}

const checkout: Source = {
  file: 'element/pay-checkout.js',
  element: PayCheckout,
  events: 'PayEventDetails',
  callbacks: 'CheckoutCallbacks',
};
const ramp: Source = {
  file: 'element/ramp/pay-ramp.js',
  element: PayRamp,
  events: 'RampEventDetails',
  callbacks: 'RampCallbacks',
};
type Declaration = CustomElement & { readonly kind: 'class' };

/** TypeScript's number for the newest syntax. */
const newestSyntax = 99;

/** The manifest in schema 1.0.0 of custom-elements-manifest. Its paths are those of the npm package. */
export async function elementManifest(): Promise<Package> {
  const [ofCheckout, ofRamp] = await Promise.all([analyzed(checkout), analyzed(ramp)]);
  const shared = await sharedProperties(ofCheckout);
  const declarations = [
    { source: checkout, declaration: { ...ofCheckout, ...(await factsOf(checkout, ofCheckout)) } },
    { source: ramp, declaration: { ...ofRamp, ...(await factsOf(ramp, { ...ofRamp, cssProperties: shared })) } },
  ];
  return { schemaVersion: '1.0.0', modules: modulesOf(declarations) };
}

async function analyzed(source: Source): Promise<Declaration> {
  const file = source.file.replace('.js', '.ts');
  const { modules } = create({ modules: [ts.createSourceFile(file, await read(file), newestSyntax, true)] });
  const found = modules[0]?.declarations?.find(({ kind }) => kind === 'class');
  if (found?.kind !== 'class') throw new Error(`the analyzer found no class in ${file}`);
  return found as Declaration;
}

/** The checkout's custom properties that the widget's style sheets read too. They are described once, at the checkout. */
async function sharedProperties({ cssProperties = [] }: CustomElement) {
  const own = (await filesBelow(sources, 'element')).filter(file => file.includes('element/ramp/'));
  const css = (await Promise.all(['element/pay-checkout.styles.ts', ...own].map(read))).join('\n');
  const used = cssDefaults(css);
  return cssProperties.filter(({ name }) => used.has(name));
}

/** The parts of the manifest that are read from the code. */
async function factsOf(source: Source, { members = [], events = [], cssProperties = [] }: CustomElement) {
  const [types, defaults] = await Promise.all([declaredTypes(), readDefaults()]);
  const published = members.filter(({ privacy, static: isStatic }) => (privacy ?? 'public') === 'public' && !isStatic);
  const typed = published.map(member => (member.kind === 'field' ? withType(source, member, types) : member));
  return {
    members: typed,
    attributes: attributesOf(source, typed),
    events: events.map(event => ({
      ...event,
      type: { text: `CustomEvent<${types.get(`${source.events}.${event.name}`)}>` },
    })),
    cssProperties: cssProperties.map(property => {
      const value = defaults.get(property.name);
      return value ? { ...property, default: value } : property;
    }),
  };
}

/** The field with its whole type, instead of the name of a callback interface or type alias. */
function withType({ callbacks }: Source, field: ClassField, types: ReadonlyMap<string, string>): ClassField {
  const text = types.get(`${callbacks}.${field.name}`) ?? types.get(field.type?.text ?? '');
  return text === undefined ? field : { ...field, type: { text } };
}

/** The attributes that Lit observes, with the description, type and default of their properties. */
function attributesOf({ element }: Source, members: readonly ClassMember[]): Attribute[] {
  // Lit prepares the properties at the first read of the attributes.
  const observed = element.observedAttributes;
  return members.flatMap(member => {
    const attribute = element.elementProperties.get(member.name)?.attribute;
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
  for (const file of ['element/events.ts', 'element/checkout-properties.ts', 'element/ramp/ramp-events.ts']) {
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

interface Declared {
  readonly source: Source;
  readonly declaration: Declaration;
}

function modulesOf(declared: readonly Declared[]): JavaScriptModule[] {
  const exported = (of: Declared) => ({ kind: 'js' as const, name: of.declaration.name, declaration: referenceTo(of) });
  return [
    ...declared.map(of => ({
      kind: 'javascript-module' as const,
      path: of.source.file,
      declarations: [of.declaration],
      exports: [exported(of)],
    })),
    { kind: 'javascript-module', path: 'element/index.js', declarations: [], exports: declared.map(exported) },
    {
      kind: 'javascript-module',
      path: 'element/define.js',
      declarations: [],
      exports: declared.map(of => ({
        kind: 'custom-element-definition',
        name: of.declaration.tagName ?? '',
        declaration: referenceTo(of),
      })),
    },
  ];
}

const referenceTo = ({ source, declaration }: Declared) => ({ name: declaration.name, module: source.file });
