// Texts in the person's language. How to add one: see src/paretonym/base/language.py.

/** The address of a request in the language of this tab: the one that its page was sent in. */
export function inLanguage(path) {
  const address = new URL(path, location.origin);
  address.searchParams.set("language", document.documentElement.lang);
  return address;
}

async function fetched() {
  try {
    const response = await fetch(inLanguage("/api/words"), { cache: "no-store" });
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

// Every module that imports this one waits here: texts are known before anything is shown.
const catalogue = (await fetched()) ?? { language: "en", decimal: ".", languages: [], messages: {} };
const plural = new Intl.PluralRules(catalogue.language);
const numbers = catalogue.language === "en" ? "en-US" : catalogue.language;

export const { language, languages } = catalogue;

const put = (text, values) =>
  text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** A text with values for its placeholders: `t("Release {id}", { id })`. */
export function t(message, values = {}) {
  const translation = catalogue.messages[message];
  return put(typeof translation === "string" ? translation : message, values);
}

/** A text about a number of things, which is also the value of its placeholder {number}. */
export function tn(one, many, count, values = {}) {
  const single = plural.select(count) === "one";
  const translation = catalogue.messages[one];
  const text = Array.isArray(translation) ? translation[single ? 0 : translation.length - 1] : count === 1 ? one : many;
  return put(text, { number: grouped(count), ...values });
}

/** A whole number with separators of thousands. */
export const grouped = (count) => count.toLocaleString(numbers);

/** A number that is written with a decimal point, with the one of the language. */
export const numeral = (text) => (catalogue.decimal === "." ? text : text.replace(".", catalogue.decimal));

/** A number as a person types it: a decimal comma is a decimal point where the language has one. */
export const typed = (text) => (catalogue.decimal === "," ? text.replace(",", ".") : text);
