import { type ErrorCode, errorCatalogue } from '../../../core/error.ts';
import type { Access } from '../http/access/caller.ts';
import type { OpenApiSource } from '../http/openapi/openapi.ts';
import { apiDescription, apiPurpose, errorGuide } from '../http/openapi/openapi-text.ts';
import type { RouteDescription } from '../http/openapi/route-description.ts';
import type { JsonSchema } from '../http/violations.ts';
import { anchorOf, besideContents, byTag, markdown, slug } from './docs-parts.ts';
import type { SitePage } from './landing-page.ts';
import { html, type Markup } from './page-html.ts';
import { examplePayment } from './welcome.ts';

const who: Readonly<Record<Access, string>> = {
  secret: 'Secret key',
  test: 'Secret key of test mode',
  create: 'Secret key, or a publishable key from a page of an allowed origin',
  payer: 'Secret key, or the client secret of the payment',
  link: 'Secret key, or only the id of the link',
  public: 'Every caller',
};

/** The API reference: the OpenAPI document as a page. */
export function docsPage({ routes, tags, publicUrl }: OpenApiSource): SitePage {
  const sections = [...byTag(routes)].map(
    ([tag, operations]) => html`<section>
      <h2 id="${slug(tag)}">${tag}</h2>
      ${tags[tag] !== undefined && html`<p class="quiet">${tags[tag]}</p>`}
      ${operations.map(operation => operationCard(operation, publicUrl()))}
    </section>`,
  );
  return {
    title: 'API reference · pay-checkout',
    description: 'Every call of the payment API, with its fields.',
    body: besideContents(
      routes,
      html`<h1>API reference</h1>
        <p class="quiet">Also as <a href="/openapi.json">OpenAPI 3.1</a> for tools and <a href="/llms.txt">plain text</a> for assistants.</p>
        ${markdown(apiDescription)} ${sections}`,
    ),
  };
}

function operationCard(route: RouteDescription, publicUrl: string): Markup {
  const anchor = anchorOf(route);
  return html`<article class="operation card" id="${anchor}">
    <h3><a href="#${anchor}">${route.summary}</a></h3>
    <div class="call"><span class="verb ${route.method.toLowerCase()}">${route.method}</span><span>${route.url}</span></div>
    <p class="who">${who[route.access]}${route.scope !== null && html` · scope <code>${route.scope}</code>`}</p>
    ${route.description !== null && markdown(route.description)}
    ${route.query !== null && html`<h4>Query</h4>${fieldList(route.query)}`}
    ${route.body !== null && html`<h4>Body</h4>${fieldList(route.body)}`}
    <pre><code>${curl(route, publicUrl)}</code></pre>
    ${Object.entries(route.answers).map(
      ([status, schema]) => html`<details><summary>Answer ${status}</summary>${fieldList(schema)}</details>`,
    )}
  </article>`;
}

function curl({ method, url, body }: RouteDescription, publicUrl: string): string {
  const lines = [
    `curl ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}${publicUrl}${url.replace(/:([a-z_]+)/gi, '{$1}')}`,
    `  -H 'Authorization: Bearer sk_test_…'`,
  ];
  if (method === 'POST') lines.push(`  -H 'Idempotency-Key: order-4711'`);
  if (body !== null) {
    const example = url === '/v1/payments' ? JSON.stringify(examplePayment) : '{ … }';
    lines.push(`  -H 'Content-Type: application/json'`, `  -d '${example}'`);
  } else if (method === 'POST') lines.push('  -X POST');
  return lines.join(' \\\n');
}

/** The meaning of every error code. The `doc_url` of an error leads to this page. */
export function errorsPage({ routes }: OpenApiSource): SitePage {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  return {
    title: 'Errors · pay-checkout',
    description: 'What each error code means and what to do about it.',
    body: besideContents(
      routes,
      html`<h1>Errors</h1>
        <p>
          Every error has a <code>code</code>. Its <code>message</code> is written for the very request; this page says
          what the code means in general. Codes may be added; treat one you do not know by its HTTP status.
        </p>
        <table class="codes">
          <thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
          <tbody>${codes.map(errorRow)}</tbody>
        </table>`,
    ),
  };
}

function errorRow(code: ErrorCode): Markup {
  const { status, type } = errorCatalogue[code];
  return html`<tr id="${code}">
    <td><code>${code}</code></td>
    <td>${status} <span class="label">${type}</span></td>
    <td>${markdown(errorGuide[code])}</td>
  </tr>`;
}

/** The API in plain text, for assistants that write code against it (llmstxt.org). */
export function llmsText({ routes, publicUrl }: OpenApiSource): string {
  const lines = routes.map(({ method, url, summary, access }) => `- ${method} ${url}: ${summary} (${who[access]})`);
  return [
    '# pay-checkout',
    '',
    `> ${apiPurpose}, on your own server.`,
    '',
    `- [OpenAPI 3.1](${publicUrl()}/openapi.json): every call with its fields`,
    `- [Reference](${publicUrl()}/docs): the same, as a page for people`,
    `- [Errors](${publicUrl()}/docs/errors): every code, what it means, what to do`,
    `- [Element](${publicUrl()}/custom-elements.json): attributes, events, methods, slots and styles of <pay-checkout>`,
    '',
    apiDescription.replace(/^## /gm, '### '),
    '',
    '## Calls',
    ...lines,
    '',
  ].join('\n');
}

type Described = JsonSchema & { readonly description?: string };

/** The fields of an object schema as a nested list: name, type, whether it is required, and its meaning. */
function fieldList(schema: JsonSchema): Markup {
  const variants = withoutNull(schema).anyOf;
  if (variants !== undefined) {
    return html`${variants.map((variant, index) => html`${index > 0 && html`<p class="label">or</p>`}${fieldList(variant)}`)}`;
  }
  const { properties = {}, required = [] } = objectOf(schema) ?? {};
  return html`<ul class="fields">${Object.entries(properties).map(([name, property]) => field(name, property, required.includes(name)))}</ul>`;
}

function field(name: string, schema: Described, required: boolean): Markup {
  const plain = withoutNull(schema);
  const isChoice = plain.anyOf?.some(({ type }) => type === 'object') === true;
  return html`<li>
    <b>${name}</b><span class="type">${typeName(schema)}</span>${required && html`<span class="must">required</span>`}
    ${schema.description !== undefined && markdown(schema.description)}
    ${(isChoice || objectOf(schema)?.properties !== undefined) && fieldList(plain)}
  </li>`;
}

/** The schema without its null variant. A union of one schema becomes that schema. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const variants = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (schema.anyOf === undefined) return schema;
  const [only] = variants;
  return variants.length === 1 && only !== undefined ? withoutNull(only) : { anyOf: variants };
}

/** The object schema of a field; of a list, the object schema of its items. */
function objectOf(schema: JsonSchema): JsonSchema | null {
  const plain = withoutNull(schema);
  if (plain.type === 'object') return plain;
  return plain.type === 'array' && plain.items !== undefined ? objectOf(plain.items) : null;
}

function typeName(schema: JsonSchema): string {
  const orNull = schema.anyOf?.some(({ type }) => type === 'null') ? ' or null' : '';
  const plain = withoutNull(schema);
  if (plain.anyOf !== undefined) return [...new Set(plain.anyOf.map(typeName))].join(' or ') + orNull;
  if (plain.type === 'array') return `list of ${typeName(plain.items ?? {})}${orNull}`;
  const choices = plain.const === undefined ? plain.enum : [plain.const];
  if (choices !== undefined) return choices.map(choice => JSON.stringify(choice)).join(' · ') + orNull;
  return `${plain.type ?? 'anything'}${bounds(plain)}${orNull}`;
}

function bounds({ type, format, minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (format === 'date-time') return ', RFC 3339';
  if (maxLength !== undefined && minLength === maxLength) return `, ${maxLength} characters`;
  if (type === 'string') return maxLength === undefined ? '' : `, up to ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER
    ? `, from ${minimum}`
    : `, ${minimum} to ${maximum}`;
}
