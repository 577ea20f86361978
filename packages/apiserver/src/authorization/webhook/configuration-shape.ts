import { PilothouseError } from "@pilothouse/seams"

type Shape = "string" | "boolean" | { readonly list: Shape } | { readonly fields: Readonly<Record<string, Shape>> }

const fields = (shapes: Readonly<Record<string, Shape>>): Shape => ({ fields: shapes })

const webhook = fields({
  authorizedTTL: "string",
  cacheAuthorizedRequests: "boolean",
  unauthorizedTTL: "string",
  cacheUnauthorizedRequests: "boolean",
  timeout: "string",
  subjectAccessReviewVersion: "string",
  matchConditionSubjectAccessReviewVersion: "string",
  failurePolicy: "string",
  connectionInfo: fields({ type: "string", kubeConfigFile: "string" }),
  matchConditions: { list: fields({ expression: "string" }) },
})

const configuration = fields({
  apiVersion: "string",
  kind: "string",
  authorizers: { list: fields({ type: "string", name: "string", webhook }) },
})

/** Throws where an AuthorizationConfiguration has fields that are not known, or values of another type: a typing error must not open a server. */
export function checkConfigurationShape(value: unknown): void {
  const unknown: string[] = []
  check(value, configuration, "", unknown)
  if (unknown.length === 0) return
  throw new PilothouseError("INVALID", `strict decoding error: ${unknown.map((path) => `unknown field "${path}"`).join(", ")}`)
}

function check(value: unknown, shape: Shape, path: string, unknown: string[]): void {
  if (value === undefined || value === null) return
  if (typeof shape === "string") {
    if (typeof value !== shape) throw mismatch(path, `a ${shape}`, value)
    return
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) throw mismatch(path, "a list", value)
    for (const [index, member] of value.entries()) check(member, shape.list, `${path}[${index}]`, unknown)
    return
  }
  if (typeof value !== "object" || Array.isArray(value)) throw mismatch(path, "an object", value)
  for (const [name, member] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`
    if (Object.hasOwn(shape.fields, name)) check(member, shape.fields[name]!, at, unknown)
    else unknown.push(at)
  }
}

function mismatch(path: string, expected: string, value: unknown): PilothouseError {
  const found = Array.isArray(value) ? "a list" : `a value of type ${typeof value}`
  return new PilothouseError("INVALID", `expected ${expected} in ${path === "" ? "the configuration" : path}, found ${found}`)
}
