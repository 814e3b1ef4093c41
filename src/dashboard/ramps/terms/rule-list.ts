import { css, html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type FormField, formField } from '../../controls/form-field.ts';
import { icon } from '../../controls/icons.ts';

/** Styles of `ruleList` and of groups of boxes. Add them to `static styles` of the page. */
export const ruleStyles = css`
  .rules {
    display: grid;
    gap: 12px;
  }
  .rules > li {
    padding: 14px;
    border: 1px solid var(--line);
    border-radius: 14px;
  }
  .rule-fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr));
    gap: 12px;
    align-items: start;
  }
  .rule-fields .field {
    grid-template-columns: minmax(0, 1fr);
    overflow-wrap: anywhere;
  }
  .rule-buttons {
    display: flex;
    justify-content: end;
    margin-block-end: -8px;
  }
  .up .icon {
    rotate: 180deg;
  }
  fieldset.field legend {
    padding: 0;
  }
  .choices label {
    font-weight: 400;
  }
  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: 0 20px;
  }
`;

interface Rule {
  readonly key: number;
}

/** A list of rules in their order, and the functions that show and change it. */
interface RuleList<T extends Rule> {
  /** The name of one rule, for example `Fee`. */
  readonly name: string;
  /** The name of the list in the API, for example `ramps.fees`. */
  readonly param: string;
  readonly rules: readonly T[];
  readonly add: () => T;
  /** Takes over a typed text. */
  readonly change: (rules: readonly T[]) => void;
  /** Takes over a new order or number of rules. */
  readonly arrange: (rules: readonly T[]) => void;
  readonly errorOf: (param: string) => string | undefined;
  readonly fields: readonly RuleField<T>[];
  /** Moves the focus to the element of the selector after the next rendering. */
  readonly focus: (selector: string) => void;
}

/** A field of a rule. `name`: also its name in the API. */
export interface RuleField<T> extends Omit<FormField, 'name' | 'value' | 'error' | 'onInput'> {
  readonly name: keyof T & string;
}

/** Rules with fields, and buttons that add, move and remove them. */
export function ruleList<T extends Rule>(list: RuleList<T>): TemplateResult {
  const { name, param, rules, add, arrange, fields, focus } = list;
  const word = name.toLowerCase();
  const addOne = () => {
    arrange([...rules, add()]);
    focus(`[name="${param}[${rules.length}].${fields[0]?.name}"]`);
  };
  return html`<ol class="rules">
      ${repeat(
        rules,
        ({ key }) => key,
        (rule, index) =>
          html`<li aria-label=${`${name} ${index + 1}`}>
          <div class="rule-fields">${fieldsOf(list, rule, index)}</div>
          ${buttonsOf(list, index)}
        </li>`,
      )}
    </ol>
    <div class="actions">
      <button class="second" type="button" id=${`add-${word}`} @click=${addOne}>${icon('add')} Add a ${word}</button>
    </div>`;
}

function fieldsOf<T extends Rule>({ param, rules, change, fields, errorOf }: RuleList<T>, rule: T, index: number) {
  return fields.map(field => {
    const name = `${param}[${index}].${field.name}`;
    return formField({
      ...field,
      name,
      value: String(rule[field.name]),
      error: errorOf(name),
      onInput: text => change(rules.map(each => (each === rule ? { ...each, [field.name]: text } : each))),
    });
  });
}

function buttonsOf<T extends Rule>({ name, param, rules, arrange, fields, focus }: RuleList<T>, index: number) {
  const word = `${name.toLowerCase()} ${index + 1}`;
  const first = (at: number) => `[name="${param}[${at}].${fields[0]?.name}"]`;
  const move = (by: -1 | 1) => {
    const moved = [...rules];
    moved.splice(index + by, 0, ...moved.splice(index, 1));
    arrange(moved);
    focus(first(index + by));
  };
  const remove = () => {
    arrange(rules.filter((_, at) => at !== index));
    focus(rules.length === 1 ? `#add-${name.toLowerCase()}` : first(Math.max(0, index - 1)));
  };
  const button = (label: string, kind: 'up' | 'down' | 'trash', isOff: boolean, press: () => void) =>
    html`<button class="icon-button ${kind}" type="button" aria-label=${`${label} ${word}`} ?disabled=${isOff}
      @click=${press}>${icon(kind === 'trash' ? 'trash' : 'down')}</button>`;
  return html`<div class="rule-buttons">
    ${button('Move up', 'up', index === 0, () => move(-1))}
    ${button('Move down', 'down', index === rules.length - 1, () => move(1))}
    ${button('Remove', 'trash', false, remove)}
  </div>`;
}
