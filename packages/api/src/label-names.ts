import { form, subdomainErrors, tooLong } from "./names.ts"

const keyForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const valueForm = `(${keyForm})?`
const key = new RegExp(`^${keyForm}$`)
const labelValue = new RegExp(`^${valueForm}$`)

const keyRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

/** Keys of labels, annotations and finalizers: "app", "example.com/app". Returns what is wrong; nothing when the key is good. */
export function checkLabelKey(value: string): readonly string[] {
  const parts = value.split("/")
  if (parts.length > 2) {
    const about = form(keyRule, keyForm, "MyName", "my.name", "123-abc")
    return [`a valid label key ${about} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const prefix = parts.length === 2 ? checkPrefix(parts[0]!) : []
  return [...prefix, ...checkName(parts.at(-1)!)]
}

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"]
  return subdomainErrors(prefix, "bytes").map((message) => `prefix part ${message}`)
}

function checkName(name: string): readonly string[] {
  const length = name === "" ? ["must be non-empty"] : tooLong(name, 63, "bytes")
  const shape = key.test(name) ? [] : [form(keyRule, keyForm, "MyName", "my.name", "123-abc")]
  return [...length, ...shape].map((message) => `name part ${message}`)
}

export function checkLabelValue(value: string): readonly string[] {
  const wrong = tooLong(value, 63, "bytes")
  return labelValue.test(value) ? wrong : [...wrong, form(valueRule, valueForm, "MyValue", "my_value", "12345")]
}
