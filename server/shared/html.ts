/** HTML in which all variable text is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Inserted = Markup | string | number | undefined | false | readonly Inserted[];

/** Template tag: text is escaped, {@link Markup} inserted as it is, undefined and false are left out. */
export function html(parts: TemplateStringsArray, ...values: readonly Inserted[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + inserted(values[index - 1]) + part));
}

function inserted(value: Inserted): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(inserted).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
