import { utf8Length } from "../text/utf8-length.ts"

/**
 * The rules for names. Each check returns what is wrong, in the words users know; an empty list means the name is good.
 * Names of objects count "characters" and label keys and values "bytes" in their messages: so upstream, and both mean bytes.
 */
export type NameCheck = (value: string, options?: NameOptions) => readonly string[]

/** Options of the checks of names. */
export interface NameOptions {
  /** The value is a generateName: a dash may stand at its end, because more comes after it. */
  readonly prefix?: boolean
}

const labelForm = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomainForm = `${labelForm}(\\.${labelForm})*`
const label1035Form = "[a-z]([-a-z0-9]*[a-z0-9])?"
const wildcardForm = `\\*\\.${subdomainForm}`
const label = new RegExp(`^${labelForm}$`)
const subdomain = new RegExp(`^${subdomainForm}$`)
const label1035 = new RegExp(`^${label1035Form}$`)
const wildcard = new RegExp(`^${wildcardForm}$`)

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
const wildcardRule =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"

/** Namespaces, Services, containers, volumes: 63 of a-z, 0-9 and '-'. */
export function checkDns1123Label(value: string, options: NameOptions = {}): readonly string[] {
  const name = options.prefix === true ? withoutDash(value) : value
  const wrong = tooLong(name, 63, "characters")
  if (label.test(name)) return wrong
  return [...wrong, subdomain.test(name) ? "must not contain dots" : form(labelRule, labelForm, "my-name", "123-abc")]
}

/** Most objects: labels with dots between them, 253 in all. */
export function checkDns1123Subdomain(value: string, options: NameOptions = {}): readonly string[] {
  const name = options.prefix === true ? withoutDash(value) : value
  return subdomainErrors(name, "characters")
}

/** @internal `names-of-labels` asks for the same rule counted in "bytes". */
export function subdomainErrors(name: string, unit: "bytes" | "characters"): readonly string[] {
  const wrong = tooLong(name, 253, unit)
  return subdomain.test(name) ? wrong : [...wrong, form(subdomainRule, subdomainForm, "example.com")]
}

/** As a label, but starting with a letter: what services had to be before 1.34. */
export function checkDns1035Label(value: string, options: NameOptions = {}): readonly string[] {
  const name = options.prefix === true ? withoutDash(value) : value
  const wrong = tooLong(name, 63, "characters")
  return label1035.test(name) ? wrong : [...wrong, form(label1035Rule, label1035Form, "my-name", "abc-123")]
}

/** "*.example.com": hosts of an Ingress. */
export function checkWildcardSubdomain(value: string): readonly string[] {
  const wrong = tooLong(value, 253, "characters")
  return wildcard.test(value) ? wrong : [...wrong, form(wildcardRule, wildcardForm, "*.example.com")]
}

/** RBAC names: anything that can stand between two slashes of a path ("system:node"). */
export function checkPathSegmentName(value: string, options: NameOptions = {}): readonly string[] {
  if (options.prefix !== true && (value === "." || value === "..")) return [`may not be '${value}'`]
  return ["/", "%"].filter((character) => value.includes(character)).map((character) => `may not contain '${character}'`)
}

/** Upstream drops two characters and puts one: "ab-" is checked as "aa". */
function withoutDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name
}

/** @internal */
export function tooLong(value: string, max: number, unit: "bytes" | "characters"): readonly string[] {
  // Nothing needs more than three bytes for a unit: short texts are not counted.
  return value.length * 3 > max && utf8Length(value) > max ? [`must be no more than ${max} ${unit}`] : []
}

/** @internal A rule with examples and the regular expression, as every message about a form ends. */
export function form(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ")
  return `${rule} (${examples.length === 0 ? "" : `e.g. ${shown}`}regex used for validation is '${pattern}')`
}
