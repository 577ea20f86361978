import { checkDns1123Subdomain, deepEqual, type FieldError, fieldError, labelSelectorErrors } from "@pilothouse/api"
import type { MutatingWebhook, RuleWithOperations } from "@pilothouse/api/admissionregistration/v1"
import { duplicates } from "./field-rules.ts"
import { matchConditionErrors } from "./match-conditions.ts"
import { reviewVersionErrors, reviewVersions, webhookTargetErrors } from "./webhook-client.ts"

type Webhooks = readonly MutatingWebhook[]

const failurePolicies = ["Fail", "Ignore"]
const matchPolicies = ["Equivalent", "Exact"]
const reinvocationPolicies = ["IfNeeded", "Never"]
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"]
const scopes = ["*", "Cluster", "Namespaced"]
const withoutSideEffects = ["None", "NoneOnDryRun"]
const sideEffectClasses = ["None", "NoneOnDryRun", "Some", "Unknown"]

/** What a configuration that was stored under older rules may keep. */
interface Ratchet {
  readonly requiresNoSideEffects: boolean
  readonly requiresKnownVersion: boolean
  readonly requiresUniqueNames: boolean
  readonly checksConditions: boolean
}

function ratchetOf(webhooks: Webhooks, old: Webhooks | undefined): Ratchet {
  const names = old?.map(({ name }) => name) ?? []
  const conditionsOf = (of: Webhooks) => of.map(({ matchConditions = [] }) => matchConditions)
  return {
    requiresNoSideEffects: old?.every(({ sideEffects }) => withoutSideEffects.includes(sideEffects ?? "")) ?? true,
    requiresKnownVersion: old?.every(({ admissionReviewVersions: listed = [] }) => listed.length === 0 || listed.some(isKnown)) ?? true,
    requiresUniqueNames: new Set(names).size === names.length,
    checksConditions: old === undefined || !deepEqual(conditionsOf(webhooks), conditionsOf(old)),
  }
}

function isKnown(version: string): boolean {
  return reviewVersions.includes(version)
}

/** Returns what is wrong with the webhooks of a configuration, in upstream's words and order. */
export function webhookErrors(webhooks: Webhooks = [], old?: Webhooks): readonly FieldError[] {
  const ratchet = ratchetOf(webhooks, old)
  const versions = { whyRequired: `must specify one of ${reviewVersions.join(", ")}`, requiresKnown: ratchet.requiresKnownVersion }
  const again = duplicates(
    webhooks.map(({ name }) => name),
    (index) => `webhooks[${index}].name`,
  )
  return webhooks.flatMap((webhook, index) => {
    const path = `webhooks[${index}]`
    return [
      ...oneWebhook(webhook, ratchet, path),
      ...reviewVersionErrors(webhook.admissionReviewVersions ?? [], { ...versions, path: `${path}.admissionReviewVersions` }),
      ...(ratchet.requiresUniqueNames ? again.filter(({ field }) => field === `${path}.name`) : []),
    ]
  })
}

function oneWebhook(webhook: MutatingWebhook, ratchet: Ratchet, path: string): readonly FieldError[] {
  const { rules = [], failurePolicy, matchPolicy, reinvocationPolicy, timeoutSeconds = 10, clientConfig, matchConditions = [] } = webhook
  const isTimely = timeoutSeconds >= 1 && timeoutSeconds <= 30
  return [
    ...qualifiedName(webhook.name, `${path}.name`),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `${path}.rules[${index}]`)),
    ...known(failurePolicy, failurePolicies, `${path}.failurePolicy`),
    ...known(matchPolicy, matchPolicies, `${path}.matchPolicy`),
    ...sideEffectErrors(webhook.sideEffects, ratchet, `${path}.sideEffects`),
    ...(isTimely
      ? []
      : [fieldError.invalid(`${path}.timeoutSeconds`, timeoutSeconds, "the timeout value must be between 1 and 30 seconds")]),
    ...labelSelectorErrors(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...labelSelectorErrors(webhook.objectSelector, `${path}.objectSelector`),
    ...known(reinvocationPolicy, reinvocationPolicies, `${path}.reinvocationPolicy`),
    ...webhookTargetErrors(clientConfig ?? {}, `${path}.clientConfig`),
    ...(ratchet.checksConditions ? matchConditionErrors(matchConditions, { path: `${path}.matchConditions` }) : []),
  ]
}

function known(value: string | undefined, supported: readonly string[], path: string): readonly FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [fieldError.notSupported(path, value, supported)]
}

function qualifiedName(name: string | undefined, path: string): readonly FieldError[] {
  if (name === undefined || name === "") return [fieldError.required(path)]
  const faults = checkDns1123Subdomain(name)
  if (faults.length > 0) return faults.map((text) => fieldError.invalid(path, name, text))
  const text = "should be a domain with at least three segments separated by dots"
  return name.split(".").length < 3 ? [fieldError.invalid(path, name, text)] : []
}

function sideEffectErrors(value: string | undefined, { requiresNoSideEffects }: Ratchet, path: string): readonly FieldError[] {
  const supported = requiresNoSideEffects ? withoutSideEffects : sideEffectClasses
  if (value === undefined) return [fieldError.required(path, `must specify one of ${supported.join(", ")}`)]
  return known(value, supported, path)
}

/** Returns what is wrong with a rule of a webhook or a policy. */
export function ruleErrors(rule: RuleWithOperations, path: string): readonly FieldError[] {
  const { operations: listed = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  return [
    ...starErrors(listed, `${path}.operations`, "operations"),
    ...listed.flatMap((operation, index) => known(operation, operations, `${path}.operations[${index}]`)),
    ...starErrors(apiGroups, `${path}.apiGroups`, "API groups"),
    ...starErrors(apiVersions, `${path}.apiVersions`, "API versions"),
    ...apiVersions.flatMap((version, index) => (version === "" ? [fieldError.required(`${path}.apiVersions[${index}]`)] : [])),
    ...resourceErrors(resources, `${path}.resources`),
    ...known(scope, scopes, `${path}.scope`),
  ]
}

function starErrors(listed: readonly string[], path: string, what: string): readonly FieldError[] {
  if (listed.length === 0) return [fieldError.required(path)]
  if (listed.length === 1 || !listed.includes("*")) return []
  return [fieldError.invalid(path, listed, `if '*' is present, must not specify other ${what}`)]
}

function resourceErrors(listed: readonly string[], path: string): readonly FieldError[] {
  if (listed.length === 0) return [fieldError.required(path)]
  const errors = [...partErrors(listed, path)]
  if (listed.length > 1 && listed.includes("*/*")) {
    errors.push(fieldError.invalid(path, listed, "if '*/*' is present, must not specify other resources"))
  }
  // Upstream looks at the last one without a slash alone.
  const last = listed.findLast((one) => one !== "" && !one.includes("/"))
  if (listed.includes("*") && last !== undefined && last !== "*") {
    errors.push(fieldError.invalid(path, listed, "if '*' is present, must not specify other resources without subresources"))
  }
  return errors
}

function* partErrors(listed: readonly string[], path: string): Generator<FieldError> {
  const [allParts, allResources] = [new Set<string>(), new Set<string>()]
  for (const [index, one] of listed.entries()) {
    if (one === "") yield fieldError.required(`${path}[${index}]`)
    const slash = one.indexOf("/")
    if (slash === -1) continue
    const [resource, part] = [one.slice(0, slash), one.slice(slash + 1)]
    if (allParts.has(resource)) yield fieldError.invalid(`${path}[${index}]`, one, `if '${resource}/*' is present, must not specify ${one}`)
    if (allResources.has(part)) yield fieldError.invalid(`${path}[${index}]`, one, `if '*/${part}' is present, must not specify ${one}`)
    if (part === "*") allParts.add(resource)
    if (resource === "*") allResources.add(part)
  }
}
