import { type ESTree, type Plugin, parseSync, Visitor } from 'vite';

type Shrink = (text: string) => string;

/** Functions that shorten the text of a template without changing its meaning. */
const shrinkByTag: Readonly<Record<string, Shrink>> = {
  css: shrinkCss,
  html: text => text.replace(/\s*\n\s*/g, ' '),
  svg: text => text.replace(/>\s*\n\s*</g, '><').replace(/\s*\n\s*/g, ' '),
};

/**
 * Removes indentation from `css`, `html` and `svg` templates, and comments from `css` templates. The minifier leaves
 * templates as they are. This saves 260 bytes of the script tag's core and 800 bytes of all its files (brotli).
 */
export function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    enforce: 'post',
    transform(code, id) {
      if (!id.includes('/src/') || !/\b(css|html|svg)`/.test(code)) return null;
      const parts: { start: number; end: number; text: string }[] = [];
      new Visitor({
        TaggedTemplateExpression: node => {
          const shrink = node.tag.type === 'Identifier' ? shrinkByTag[node.tag.name] : undefined;
          if (shrink) parts.push(...node.quasi.quasis.map(quasi => shortened(code, quasi, shrink)));
        },
      }).visit(parseSync(id, code, { lang: 'js' }).program);
      return parts
        .sort((a, b) => b.start - a.start)
        .reduce((text, part) => text.slice(0, part.start) + part.text + text.slice(part.end), code);
    },
  };
}

function shortened(code: string, quasi: ESTree.TemplateElement, shrink: Shrink) {
  const start = code.indexOf(quasi.value.raw, quasi.start);
  const end = start + quasi.value.raw.length;
  return { start, end, text: shrink(quasi.value.raw) };
}

/** Shortens CSS. Keeps spaces around `+` and `-` and before `:`, because they can have a meaning. */
function shrinkCss(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .replace(/\b0\./g, '.');
}
