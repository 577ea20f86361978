import { form, tooLong } from "./names.ts"

const configKeyForm = "[-._a-zA-Z0-9]+"
const configKey = new RegExp(`^${configKeyForm}$`)
const configKeyRule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
const identifierForm = "[A-Za-z_][A-Za-z0-9_]*"
const identifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"

/** Keys of the data of a ConfigMap or Secret: they become names of files. */
export function checkConfigMapKey(value: string): readonly string[] {
  const shape = configKey.test(value) ? [] : [form(configKeyRule, configKeyForm, "key.name", "KEY_NAME", "key-name")]
  return [...tooLong(value, 253, "characters"), ...shape, ...checkNoParent(value)]
}

function checkNoParent(value: string): readonly string[] {
  if (value === "." || value === "..") return [`must not be '${value}'`]
  return value.startsWith("..") ? ["must not start with '..'"] : []
}

/** Since 1.34: anything printable but '='. */
export function checkEnvironmentName(value: string): readonly string[] {
  if (value === "") return ["environment variable name must be non-empty"]
  if (/^[ -<>-~]*$/.test(value)) return []
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** Returns why the text is no C identifier; empty when it is. */
export function checkIdentifier(value: string): readonly string[] {
  return new RegExp(`^${identifierForm}$`).test(value) ? [] : [form(identifierRule, identifierForm, "my_name", "MY_NAME", "MyName")]
}

/** Returns why the text is no percentage such as "25%"; empty when it is. */
export function checkPercent(value: string): readonly string[] {
  if (/^[0-9]+%$/.test(value)) return []
  return [form("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%")]
}

const httpHeaderForm = "[-A-Za-z0-9]+"

/** Returns why the text is no name of an HTTP header; empty when it is. */
export function checkHttpHeaderName(value: string): readonly string[] {
  if (new RegExp(`^${httpHeaderForm}$`).test(value)) return []
  return [form("a valid HTTP header must consist of alphanumeric characters or '-'", httpHeaderForm, "X-Header-Name")]
}

/** The name of a container's port (RFC 6335): 15 of a-z, 0-9 and single dashes, with a letter among them. */
export function checkPortName(name: string): readonly string[] {
  const wrong = [...tooLong(name, 15, "characters")]
  if (!/^[-a-z0-9]+$/.test(name)) wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  if (!/[a-z]/.test(name)) wrong.push("must contain at least one letter (a-z)")
  if (name.includes("--")) wrong.push("must not contain consecutive hyphens")
  if (name.startsWith("-") || name.endsWith("-")) wrong.push("must not begin or end with a hyphen")
  return wrong
}

/** Returns why the number is no port; empty when it is. */
export function checkPortNumber(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"]
}
