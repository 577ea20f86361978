import { amountSign, checkLabelKey, type FieldError, fieldError, formatQuantity, isExtendedResource, parseQuantity } from "@pilothouse/api"
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "@pilothouse/api/core/v1"

const compute = ["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`])
const ephemeral = ["ephemeral-storage", "limits.ephemeral-storage", "requests.ephemeral-storage"]
/** Counted in whole numbers. */
const whole: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
])
const standard: ReadonlySet<string> = new Set([...compute, ...ephemeral, ...whole, "requests.storage"])

function isStandard(name: string): boolean {
  return standard.has(name) || /^(requests\.)?hugepages-/.test(name)
}

/** Validates the amounts of a quota, of its spec or its status. */
export function amountErrors(amounts: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const field = `${path}[${name}]`
    const amount = parseQuantity(text)
    const isWhole = whole.has(name) || isExtendedResource(name)
    addNameErrors(errors, name, field)
    if (amountSign(amount) < 0) errors.push(fieldError.invalid(field, formatQuantity(amount), "must be greater than or equal to 0"))
    if (isWhole && formatQuantity(amount).endsWith("m"))
      errors.push(fieldError.invalid(field, formatQuantity(amount), "must be an integer"))
  }
  return errors
}

function addNameErrors(errors: FieldError[], name: string, field: string): void {
  const faults = checkLabelKey(name)
  for (const fault of faults) errors.push(fieldError.invalid(field, name, fault))
  if (faults.length > 0 || name.includes("/") || isStandard(name)) return
  errors.push(
    fieldError.invalid(field, name, "must be a standard resource type or fully qualified"),
    fieldError.invalid(field, name, "must be a standard resource for quota"),
  )
}

const podScopes = ["Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"]
const forPods: ReadonlySet<string> = new Set(["pods", ...compute])
/** A Map: a scope may be called "constructor". */
const countedBy: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...podScopes.map((scope) => [scope, forPods] as const),
  ["BestEffort", new Set(["pods"])],
  ["VolumeAttributesClass", new Set(["persistentvolumeclaims", "requests.storage"])],
])
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const

/** Returns what is wrong with the scopes of a quota and with their combination with its resources. */
export function scopeErrors(spec: ResourceQuotaSpec | undefined): readonly FieldError[] {
  const { scopes = [], hard = {}, scopeSelector } = spec ?? {}
  const expressions = scopeSelector?.matchExpressions ?? []
  const field = "spec.scopeSelector.matchExpressions"
  return [
    ...setErrors(scopes, Object.keys(hard), { field: "spec.scopes", name: "spec.scopes", refuse: refusals(() => scopes) }),
    ...setErrors(
      expressions.map(({ scopeName }) => scopeName),
      Object.keys(hard),
      { field, name: `${field}.scopeName`, refuse: refusals((scope) => scope) },
    ),
    ...expressions.flatMap((expression) => operatorErrors(expression, field)),
  ]
}

interface ScopeFields {
  readonly field: string
  /** The field that an unknown scope is reported at. */
  readonly name: string
  refuse(field: string, scope: string, detail: string): FieldError
}

/** Errors that show `value`. One that was made before is given again: each shows the whole list, and there may be one for each of its items. */
function refusals(value: (scope: string) => unknown): ScopeFields["refuse"] {
  const made = new Map<unknown, Map<string, FieldError>>()
  return (field, scope, detail) => {
    const shown = value(scope)
    const known = made.get(shown) ?? new Map<string, FieldError>()
    made.set(shown, known)
    const error = known.get(detail) ?? fieldError.invalid(field, shown, detail)
    known.set(detail, error)
    return error
  }
}

function setErrors(scopes: readonly string[], hard: readonly string[], { field, name, refuse }: ScopeFields): readonly FieldError[] {
  return [
    ...scopes.flatMap((scope) => {
      const counted = countedBy.get(scope)
      if (counted === undefined) return [refuse(name, scope, "unsupported scope")]
      const foreign = hard.filter((one) => isStandard(one) && !counted.has(one))
      return foreign.map(() => refuse(field, scope, "unsupported scope applied to resource"))
    }),
    ...opposites
      .filter((pair) => pair.every((scope) => scopes.includes(scope)))
      .map(() => fieldError.invalid(field, scopes, "conflicting scopes")),
  ]
}

function operatorErrors({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, field: string): readonly FieldError[] {
  const named = scopeName === "PriorityClass" || scopeName === "VolumeAttributesClass"
  const onlyExists =
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
  return [
    ...(!named && countedBy.has(scopeName) && operator !== "Exists" ? [fieldError.invalid(`${field}.operator`, operator, onlyExists)] : []),
    ...valueErrors(operator, values, field),
  ]
}

function valueErrors(operator: string, values: readonly string[], field: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [fieldError.required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector")]
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [
            fieldError.invalid(
              `${field}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ]
    default:
      return [fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator")]
  }
}
