import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { CustomElement, Package } from 'custom-elements-manifest/schema.d.ts';
import schema from 'custom-elements-manifest/schema.json' with { type: 'json' };
import { LitElement } from 'lit';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesBelow } from '../../src/build/build-when-changed.ts';
import { elementManifest } from '../../src/build/element-manifest.ts';
import { PayCheckout } from '../../src/element/pay-checkout.ts';
import { PayRamp } from '../../src/element/ramp/pay-ramp.ts';

const root = join(import.meta.dirname, '../..');
let manifest: Package;
let element: CustomElement;
let ramp: CustomElement;
/** The checkout's sources without comments. */
let code: string;
/** The widget's sources and the shared style sheet, without comments. */
let rampCode: string;

beforeAll(async () => {
  manifest = await elementManifest();
  element = manifest.modules[0]?.declarations?.[0] as unknown as CustomElement;
  ramp = manifest.modules[1]?.declarations?.[0] as unknown as CustomElement;
  const files = await filesBelow(root, 'src/element');
  const isRamp = (file: string) => file.includes('element/ramp/');
  code = codeOf(files.filter(file => !isRamp(file)));
  rampCode = codeOf(files.filter(file => isRamp(file) || file.endsWith('pay-checkout.styles.ts')));
});

const codeOf = (files: readonly string[]) =>
  files
    .map(file => readFileSync(join(root, file), 'utf8'))
    .join('\n')
    .replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(match => match[1] ?? '');
const all = (pattern: RegExp) => matches(code, pattern);
const ofRamp = (pattern: RegExp) => matches(rampCode, pattern);
const unique = (names: readonly string[]) => [...new Set(names)].sort();
const namesOf = (list: readonly { readonly name: string }[] = []) => list.map(({ name }) => name).sort();
const membersOf = (kind: 'field' | 'method', of = element) =>
  namesOf(of.members?.filter(member => member.kind === kind));

/** Names that a class adds to the prototype of Lit's elements. */
const ownNames = () =>
  Object.getOwnPropertyNames(PayCheckout.prototype).filter(name => !(name in LitElement.prototype));

/** Parts of the widget that the checkout's controls draw. */
const sharedParts = ['note'];

describe('the custom-elements manifest', () => {
  it('follows the published schema', () => {
    const validate = new Ajv({ strict: false }).compile(schema);
    expect([validate(manifest), validate.errors]).toEqual([true, null]);
  });

  it('names the tag and the files of the npm package', () => {
    expect(element).toMatchObject({ tagName: 'pay-checkout', customElement: true, name: 'PayCheckout' });
    const paths = manifest.modules.map(({ path }) => path);
    expect(ramp).toMatchObject({ tagName: 'pay-ramp', customElement: true, name: 'PayRamp' });
    expect(paths).toEqual([
      'element/pay-checkout.js',
      'element/ramp/pay-ramp.js',
      'element/index.js',
      'element/define.js',
    ]);
  });

  it.each<[string, () => readonly string[], () => readonly string[]]>([
    ['attribute', () => namesOf(element.attributes), () => PayCheckout.observedAttributes],
    [
      'property',
      () => membersOf('field'),
      () => [...[...PayCheckout.elementProperties.keys()].map(String), ...all(/^ {2}(on[A-Z]\w+): \(\(/gm)],
    ],
    [
      'method',
      () => membersOf('method'),
      () =>
        ownNames().filter(
          name => typeof Object.getOwnPropertyDescriptor(PayCheckout.prototype, name)?.value === 'function',
        ),
    ],
    [
      'event',
      () => namesOf(element.events),
      () => all(/'(pay-[a-z]+)'/g).filter(name => name !== 'pay-checkout' && name !== 'pay-ramp'),
    ],
    ['slot', () => namesOf(element.slots), () => all(/<slot(?: name="([^"]*)")?/g)],
    ['part', () => namesOf(element.cssParts), () => all(/\spart="([^"]+)"/g)],
    ['custom property', () => namesOf(element.cssProperties), () => all(/var\((--pay-[\w-]+)/g)],
  ])('lists every %s that the element has, and no other', (_kind, listed, real) => {
    expect(listed()).toEqual(unique(real()));
  });

  it.each<[string, () => readonly string[], () => readonly string[]]>([
    ['attribute', () => namesOf(ramp.attributes), () => PayRamp.observedAttributes],
    [
      'property',
      () => membersOf('field', ramp),
      () => [...[...PayRamp.elementProperties.keys()].map(String), ...ofRamp(/^ {2}declare (on[A-Z]\w+):/gm)],
    ],
    ['method', () => membersOf('method', ramp), () => ['restart']],
    ['event', () => namesOf(ramp.events), () => ofRamp(/'(pay-ramp-[a-z]+)'/g)],
    ['part', () => namesOf(ramp.cssParts), () => [...ofRamp(/\spart="([^"]+)"/g), ...sharedParts]],
    ['custom property', () => namesOf(ramp.cssProperties), () => ofRamp(/var\((--pay-[\w-]+)/g)],
  ])('lists every %s that the widget of ramps has, and no other', (_kind, listed, real) => {
    expect(listed()).toEqual(unique(real()));
  });

  it('cannot miss a part or slot whose name is computed', () => {
    expect(all(/((?:\spart|<slot name)=[^"].{0,20})/g)).toEqual([]);
  });

  it('describes every entry', () => {
    const entries = [element, ramp].flatMap(({ attributes, members, events, slots, cssParts, cssProperties }) =>
      [attributes, members, events, slots, cssParts, cssProperties].flatMap(list => list ?? []),
    );
    expect(entries.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('has the types and defaults of the code', () => {
    const typeOf = (list: readonly { name: string; type?: { text: string } }[] | undefined, name: string) =>
      list?.find(entry => entry.name === name)?.type?.text;
    expect(typeOf(element.events, 'pay-success')).toBe('CustomEvent<Payment>');
    expect(typeOf(element.events, 'pay-method')).toBe('CustomEvent<{ readonly method: CheckoutMethod }>');
    expect(typeOf(ramp.events, 'pay-ramp-success')).toBe('CustomEvent<CustomerRamp>');
    expect(typeOf(element.attributes, 'mode')).toBe("'embedded' | 'redirect' | 'popup'");
    expect(element.attributes?.find(({ name }) => name === 'mode')?.default).toBe("'embedded'");
    const defaults = Object.fromEntries((element.cssProperties ?? []).map(entry => [entry.name, entry.default]));
    expect(defaults).toMatchObject({
      '--pay-accent': 'light-dark(#2f5bea, #7d9bff)',
      '--pay-accent-soft': 'color-mix(in srgb, var(--pay-accent) 9%, var(--pay-background))',
      '--pay-radius': '20px',
    });
    expect(defaults['--pay-accent-ink']).toBeUndefined();
  });
});
