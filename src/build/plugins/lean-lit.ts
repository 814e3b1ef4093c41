import type { Plugin } from 'vite';

type Cut = readonly [piece: RegExp, instead: string];

/**
 * Parts of Lit that the element does not use, by file. Without them the script tag's core is 1.1 kB smaller (brotli).
 * The build fails for a version of Lit with another structure, and for an import of a directive.
 */
const cuts: Readonly<Record<string, readonly Cut[]>> = {
  'reactive-element/css-tag': [
    // Every supported browser has constructable style sheets.
    [
      /t\.ShadowRoot&&\(void 0===t\.ShadyCSS\|\|t\.ShadyCSS\.nativeShadow\)&&"adoptedStyleSheets"in Document\.prototype&&"replace"in CSSStyleSheet\.prototype/,
      'true',
    ],
    [/o\.map\(t=>t instanceof CSSStyleSheet\?t:t\.styleSheet\)/, 'o.map(t=>t.styleSheet)'],
    // Checks of the types of styles, which the compiler makes.
    [/if\(this\._\$cssResult\$=!0,o!==s\)throw Error\(.*?\);/, ''],
    [/\(t=>\{if\(!0===t\._\$cssResult\$\).*?\}\)\(s\)/, 's.cssText'],
    // Sheets by template: each style of the element is made once.
    [/,this\.t=e\}/, '}'],
    [
      /const s=this\.t;if\(e&&void 0===t\)\{.*?\}return t\}toString\(\)\{return this\.cssText\}/,
      'return void 0===t&&(this.o=t=new CSSStyleSheet).replaceSync(this.cssText),t}',
    ],
  ],
  'reactive-element/reactive-element': [
    // Polyfills, server-side rendering and the list of loaded versions.
    [/,c=a\.trustedTypes,l=.*?,p=a\.reactiveElementPolyfillSupport/, ''],
    [/,p\?\.\(\{ReactiveElement:y\}\),\(a\.reactiveElementVersions.*?\);/, ';'],
    // Parts of controllers, and lists of styles.
    [/removeController\(t\)\{.*?\}/, ''],
    [/this\._\$EO\?\.forEach\(t=>t\.hostUpdate\?\.\(\)\),/, ''],
    [/this\._\$EO\?\.forEach\(t=>t\.hostUpdated\?\.\(\)\),/, ''],
    [/static finalizeStyles\(s\)\{.*?return i\}(?=static _\$Eu)/, ''],
    [/this\.finalizeStyles\(this\.styles\)/, '[this.styles]'],
    [/s\.state&&\(s\.attribute=!1\),/, ''],
    // Decorators and initializers.
    [/Symbol\.metadata\?\?=Symbol\("metadata"\),a\.litPropertyMetadata\?\?=new WeakMap;/, ''],
    [/const t=this\[Symbol\.metadata\];if\(null!==t\)\{.*?\}(?=this\._\$Eh=new Map)/, ''],
    [/static addInitializer\(t\)\{.*?\}(?=static get)/, ''],
    [/,void 0!==t\.l&&\(this\.l=\[\.\.\.t\.l\]\)/, ''],
    [/,this\.constructor\.l\?\.forEach\(t=>t\(this\)\)/, ''],
    // Symbols as properties, properties without accessors, and accessors of the class itself.
    [/\[\.\.\.r\(t\),\.\.\.o\(t\)\]/, 'r(t)'],
    [/"string"==typeof t\?t\.toLowerCase\(\):void 0/, 't.toLowerCase()'],
    [/,!s\.noAccessor\)\{(.*?)\}(?=\}static getPropertyDescriptor)/, ',1){$1}'],
    [/,this\.prototype\.hasOwnProperty\(t\)&&\(\(s=Object\.create\(s\)\)\.wrapped=!0\)/, ''],
    [/const t=this\.constructor\.elementProperties;if\(t\.size>0\)for\(.*?this\.C\(s,void 0,i,e\)\}/, ''],
    // Properties that are reflected as attributes, and attributes of lists and objects.
    [/_\$ET\(t,s\)\{.*?\}(?=_\$AK)/, ''],
    [/this\._\$Eq&&=this\._\$Eq\.forEach\(t=>this\._\$ET\(t,this\[t\]\)\),/, ''],
    [/,!0===e&&this\._\$Em!==t&&\(this\._\$Eq\?\?=new Set\)\.add\(t\)/, ''],
    [/toAttribute\(t,s\)\{.*?\},(?=fromAttribute)/, ''],
    [/case Object:case Array:try\{i=JSON\.parse\(t\)\}catch\(t\)\{i=null\}/, ''],
    // Defaults that return when an attribute is removed.
    [/\|\|i\.useDefault&&i\.reflect&&.*?r\._\$Eu\(t,i\)\)/, ''],
    [/i&&!\(this\._\$Ej\?\?=new Map\)\.has\(t\)&&.*?\|\|(?=\(this\._\$AL\.has)/, ''],
    [/C\(t,s,\{useDefault:i,reflect:e,wrapped:h\},r\)/, 'C(t,s)'],
    [/this\.hasUpdated\|\|i\|\|/, 'this.hasUpdated||'],
    [/,reflect:!1,useDefault:!1/, ''],
    [/r\?\?this\._\$Ej\?\.get\(e\)\?\?r/, 'r'],
  ],
  'lit-element/lit-element': [
    [/,s\.litElementHydrateSupport.*?o\?\.\(\{LitElement:i\}\);/, ';'],
    [/\(s\.litElementVersions.*?\);/, ''],
    // Existing content of the shadow root, and the connection state for directives.
    [/createRenderRoot\(\)\{.*?\}(?=update\(t\))/, ''],
    [/,this\._\$Do=void 0/, ''],
    [/this\.hasUpdated\|\|\(this\.renderOptions.*?\),(?=super)/, ''],
    [/this\._\$Do=(?=e\()/, ''],
    [/connectedCallback\(\)\{.*?setConnected\(!1\)\}/, ''],
  ],
  'lit-html/lit-html': [
    [/,B=t\.litHtmlPolyfillSupport;.*?\.push\(.*?\);/, ';'],
    [/"invalid template strings array"/, ''],
    [/\(t\?\.creationScope\?\?l\)/, 'l'],
    [/const e=s\?\.renderBefore\?\?i;/, 'const e=i;'],
    [/const t=s\?\.renderBefore\?\?null;/, 'const t=null;'],
    // Compiled templates.
    [/const\{values:i,_\$litType\$:s\}=t,e=.*?,s\);(?=if)/, 'const{values:i}=t,e=this._$AC(t);'],
    // Listeners that are objects.
    [/\|\|t\.capture!==s\.capture\|\|.*?t\.passive!==s\.passive/, ''],
    [/"function"==typeof this\._\$AH\?(this\._\$AH\.call\(.*?\)):this\._\$AH\.handleEvent\(t\)/, '$1'],
    // Directives, and the properties of parts that they read.
    [/,this\._\$AN=void 0(?=,this\._\$AD)/, ''],
    [/,this\._\$AN=void 0(?=,this\._\$AA)/, ''],
    [/,this\._\$AN=void 0(?=,this\.element=t,this\.name)/, ''],
    [/,this\._\$Cv=e\?\.isConnected\?\?!0/, ''],
    [/this\._\$AP\?\.\(!1,!0,s\)(?=;t!==)/, ''],
    [/setConnected\(t\)\{.*?\}(?=\}class H)/, ''],
    [/get parentNode\(\)\{return this\._\$AM\.parentNode\}get _\$AU\(\)\{return this\._\$AM\._\$AU\}/, ''],
    [/get _\$AU\(\)\{return this\._\$AM\?\._\$AU\?\?this\._\$Cv\}/, ''],
    [/get parentNode\(\)\{let t=.*?get endNode\(\)\{return this\._\$AB\}/, ''],
    [/get tagName\(\)\{return this\.element\.tagName\}get _\$AU\(\)\{return this\._\$AM\._\$AU\}/, ''],
    [/function M\(t,i,s=t,e\)\{.*?\}(?=class R)/, 'const M=(t,i)=>i;'],
    // Parts in raw text and in comments, and element parts.
    [/if\(y\.test\(r\.tagName\)\)\{.*?r\.append\(t\[i\],c\(\)\)\}\}(?=\}else)/, ''],
    [/\(y\.test\(u\[2\]\)&&\(n=RegExp\("<\/"\+u\[2\],"g"\)\),c=p\)/, 'c=p'],
    [/else\{let t=-1;.*?t\+=o\.length-1\}/, ''],
    [/else t\.startsWith\(o\)&&\(.*?r\.removeAttribute\(t\)\);/, ''],
    [/1===r\.type\?(i=new r\.ctor\(.*?\)):6===r\.type&&\(i=new Z\(h,this,t\)\)/, '$1'],
    // MathML.
    [/3===i\?"<math>":""/, '""'],
    [/3===i\?"<\/math>":""/, '""'],
  ],
};

/** The code of a file of Lit without the unused parts. Null for other files. Throws if a part is missing. */
function leanLitCode(path: string, code: string): string | null {
  const [, name = ''] = /[/\\]((?:reactive-element|lit-element|lit-html)[/\\][\w-]+)\.js$/.exec(path) ?? [];
  const pieces = cuts[name.replace('\\', '/')];
  if (!pieces) return null;
  return pieces.reduce((text, [piece, instead]) => {
    if (!piece.test(text)) throw new Error(`lean-lit: ${name} has no ${piece}`);
    return text.replace(piece, instead);
  }, code);
}

/** Removes the parts of Lit that the element does not use. */
export function leanLit(): Plugin {
  return {
    name: 'lean-lit',
    transform(code, id) {
      if (/[/\\]lit-html[/\\](async-)?directive\.js$/.test(id)) this.error('Directives are not part of this Lit');
      const lean = leanLitCode(id, code);
      return lean === null ? null : { code: lean, map: null };
    },
  };
}
