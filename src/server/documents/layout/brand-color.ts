/** The seller's colour and what it needs to be read. All `#rrggbb`. */
export interface BrandColors {
  /** As it was given, for areas. */
  readonly accent: string;
  /** Text colour on the accent. */
  readonly onAccent: string;
  /** The accent, darkened until text on white is readable. */
  readonly ink: string;
  /** A tint for areas behind text. */
  readonly soft: string;
}

const defaultAccent = '#2f5bea';
/** WCAG 2.2, 1.4.3: contrast of normal text. */
const readable = 4.5;

type Rgb = readonly [number, number, number];

/** Colours of a document made of the seller's one; an unreadable text is taken for none. */
export function brandColors(primary: string | null): BrandColors {
  const accent = primary !== null && /^#[0-9a-f]{6}$/i.test(primary) ? primary.toLowerCase() : defaultAccent;
  const rgb = parse(accent);
  return {
    accent,
    onAccent: contrast(rgb, [255, 255, 255]) >= readable ? '#ffffff' : '#10151d',
    ink: hex(darkened(rgb)),
    soft: hex(mixed(rgb, [255, 255, 255], 0.93)),
  };
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function hex(rgb: Rgb): string {
  return `#${rgb.map(part => Math.trunc(part).toString(16).padStart(2, '0')).join('')}`;
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * share;
  return [part(0), part(1), part(2)];
}

function darkened(rgb: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const color = mixed(rgb, [0, 0, 0], share);
    if (contrast(color, [255, 255, 255]) >= readable) return color;
  }
  return [0, 0, 0];
}

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance, WCAG 2.2. */
function luminance(rgb: Rgb): number {
  const linear = (part: number) => (part <= 10.31 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}
