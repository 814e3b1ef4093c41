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

const root = join(import.meta.dirname, '../..');
let manifest: Package;
let element: CustomElement;
/** The element's sources without comments. */
let code: string;

beforeAll(async () => {
  manifest = await elementManifest();
  element = manifest.modules[0]?.declarations?.[0] as unknown as CustomElement;
  const files = (await filesBelow(root, 'src/element')).filter(file => !file.includes('element/ramp/'));
  const texts = files.map(file => readFileSync(join(root, file), 'utf8'));
  code = texts.join('\n').replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
});

const all = (pattern: RegExp) => [...code.matchAll(pattern)].map(match => match[1] ?? '');
const unique = (names: readonly string[]) => [...new Set(names)].sort();
const namesOf = (list: readonly { readonly name: string }[] = []) => list.map(({ name }) => name).sort();
const membersOf = (kind: 'field' | 'method') => namesOf(element.members?.filter(member => member.kind === kind));

/** Names that a class adds to the prototype of Lit's elements. */
const ownNames = () =>
  Object.getOwnPropertyNames(PayCheckout.prototype).filter(name => !(name in LitElement.prototype));

describe('the custom-elements manifest', () => {
  it('follows the published schema', () => {
    const validate = new Ajv({ strict: false }).compile(schema);
    expect([validate(manifest), validate.errors]).toEqual([true, null]);
  });

  it('names the tag and the files of the npm package', () => {
    expect(element).toMatchObject({ tagName: 'pay-checkout', customElement: true, name: 'PayCheckout' });
    const paths = manifest.modules.map(({ path }) => path);
    expect(paths).toEqual(['element/pay-checkout.js', 'element/index.js', 'element/define.js']);
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

  it('cannot miss a part or slot whose name is computed', () => {
    expect(all(/((?:\spart|<slot name)=[^"].{0,20})/g)).toEqual([]);
  });

  it('describes every entry', () => {
    const { attributes, members, events, slots, cssParts, cssProperties } = element;
    const entries = [attributes, members, events, slots, cssParts, cssProperties].flatMap(list => list ?? []);
    expect(entries.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('has the types and defaults of the code', () => {
    const typeOf = (list: readonly { name: string; type?: { text: string } }[] | undefined, name: string) =>
      list?.find(entry => entry.name === name)?.type?.text;
    expect(typeOf(element.events, 'pay-success')).toBe('CustomEvent<Payment>');
    expect(typeOf(element.events, 'pay-method')).toBe('CustomEvent<{ readonly method: CheckoutMethod }>');
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
