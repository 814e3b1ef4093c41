/** A child of an element. Text is never parsed as HTML. */
export type Child = Node | string | null | false;

/** `true` sets an empty attribute, `false` and null set none. A function named like `onclick` listens to the event. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>>;

type Tag = keyof HTMLElementTagNameMap;
type TagOf<Selector extends string> = Extract<Selector extends `${infer Name}.${string}` ? Name : Selector, Tag>;

/** Creates an element from a selector such as `p.note.bad`, optional attributes, and children. */
export function h<Selector extends Tag | `${Tag}.${string}`>(
  selector: Selector,
  ...rest: readonly (Child | Attributes)[]
): HTMLElementTagNameMap[TagOf<Selector>] {
  const [tag = '', ...classes] = selector.split('.');
  const element = document.createElement(tag as TagOf<Selector>);
  element.classList.add(...classes);
  for (const part of rest) {
    if (part === null || part === false) continue;
    if (typeof part === 'string' || part instanceof Node) element.append(part);
    else setAttributes(element, part);
  }
  return element;
}

function setAttributes(element: HTMLElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An icon of 20 px from an SVG path. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svgNamespace, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** SVG paths of the shop's icons. */
export const icons = {
  basket: 'M3 7h14l-1.4 8.6a1.5 1.5 0 0 1-1.5 1.2H5.9a1.5 1.5 0 0 1-1.5-1.2L3 7Zm3.4 0L9 2.8M13.6 7 11 2.8',
  close: 'M5 5l10 10M15 5 5 15',
  minus: 'M5 10h10',
  plus: 'M5 10h10M10 5v10',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  check: 'M4 10.5l4 4 8-9',
  back: 'M12 5l-5 5 5 5',
} as const;
