import { form, subdomainErrors, tooLong } from "./names.ts"

const keyForm = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const valueForm = `(${keyForm})?`
const key = new RegExp(`^${keyForm}$`)
const labelValue = new RegExp(`^${valueForm}$`)

const keyRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

/** What is wrong with most of them. Both forms are ASCII: a character is a byte. */
const nothing: readonly string[] = Object.freeze([])
const longest = 63

/** Keys of labels, annotations and finalizers: "app", "example.com/app". Returns what is wrong; nothing when the key is good. */
export function checkLabelKey(value: string): readonly string[] {
  const slash = value.indexOf("/")
  if (slash === -1) return checkName(value)
  if (value.includes("/", slash + 1)) {
    const about = form(keyRule, keyForm, "MyName", "my.name", "123-abc")
    return [`a valid label key ${about} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const [inPrefix, inName] = [checkPrefix(value.slice(0, slash)), checkName(value.slice(slash + 1))]
  return inPrefix.length === 0 ? inName : [...inPrefix, ...inName]
}

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"]
  const wrong = subdomainErrors(prefix, "bytes")
  return wrong.length === 0 ? nothing : wrong.map((message) => `prefix part ${message}`)
}

function checkName(name: string): readonly string[] {
  if (name.length <= longest && key.test(name)) return nothing
  const length = name === "" ? ["must be non-empty"] : tooLong(name, longest, "bytes")
  const shape = key.test(name) ? [] : [form(keyRule, keyForm, "MyName", "my.name", "123-abc")]
  return [...length, ...shape].map((message) => `name part ${message}`)
}

/** Returns why the text is no label value; empty when it is. */
export function checkLabelValue(value: string): readonly string[] {
  if (value.length <= longest && labelValue.test(value)) return nothing
  const wrong = tooLong(value, longest, "bytes")
  return labelValue.test(value) ? wrong : [...wrong, form(valueRule, valueForm, "MyValue", "my_value", "12345")]
}
