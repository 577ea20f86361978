import { checkDns1123Label, checkDns1123Subdomain, type FieldError, fieldError, formatFieldErrors } from "@pilothouse/api"
import { formatDuration, PilothouseError } from "@pilothouse/seams"
import {
  defaultPodSecurity,
  isVersion,
  levelFault,
  type Mode,
  modes,
  type PodSecurityConfiguration,
  type Policy,
  parseLevel,
  versionFault,
} from "../pod-security/checks/policy.ts"
import type { ImagePolicySettings } from "../pods/image-policy-webhook.ts"
import type { PodNodeSelectorConfiguration } from "../pods/pod-node-selector.ts"
import type { PodTolerationRestrictionConfiguration } from "../pods/pod-toleration-restriction.ts"
import type { EventLimit } from "./event-rate-limit.ts"

/** What --admission-control-config-file says of the plugins that can be configured. */
export interface PluginConfiguration {
  readonly PodSecurity?: PodSecurityConfiguration
  readonly PodNodeSelector?: PodNodeSelectorConfiguration
  readonly PodTolerationRestriction?: PodTolerationRestrictionConfiguration
  readonly EventRateLimit?: readonly EventLimit[]
  readonly ImagePolicyWebhook?: ImagePolicySettings
}

interface Decoded {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Reads the parts of an AdmissionConfiguration, which are parsed already. Throws for a part that upstream would not start with. */
export function readPluginConfiguration(parts: ReadonlyMap<string, unknown>): PluginConfiguration {
  const read = <T>(name: string, reader: (part: Decoded) => T) =>
    parts.has(name) ? { [name]: reader((parts.get(name) ?? {}) as Decoded) } : {}
  return {
    ...read("PodSecurity", podSecurityOf),
    ...read(
      "PodNodeSelector",
      (part) => (part as { podNodeSelectorPluginConfig?: PodNodeSelectorConfiguration }).podNodeSelectorPluginConfig ?? {},
    ),
    ...read("PodTolerationRestriction", (part) => {
      checkKind(part, "podtolerationrestriction.admission.k8s.io", ["v1alpha1"], "Configuration")
      return part as PodTolerationRestrictionConfiguration
    }),
    ...read("EventRateLimit", eventLimitsOf),
    ...read("ImagePolicyWebhook", imagePolicyOf),
  }
}

function checkKind({ apiVersion = "", kind = "" }: Decoded, group: string, versions: readonly string[], expected: string): void {
  if (kind === expected && versions.some((version) => apiVersion === `${group}/${version}`)) return
  const wanted = `${expected} of ${group}/${versions.join(" or ")}`
  throw new PilothouseError("INVALID", `expected a ${wanted}, found ${kind || "no kind"} of ${apiVersion || "no apiVersion"}`)
}

function refuse(plugin: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new PilothouseError("INVALID", `${plugin} invalid: ${formatFieldErrors(errors)}`)
}

/** A field with a slip would leave a cluster without the policy that it was meant to have: upstream decodes this part strictly. */
function refuseUnknown(plugin: string, path: string, part: object, known: readonly string[]): void {
  const unknown = Object.keys(part).find((field) => !known.includes(field))
  if (unknown !== undefined) {
    throw new PilothouseError("INVALID", `${plugin} invalid: strict decoding error: unknown field ${JSON.stringify(path + unknown)}`)
  }
}

type PodSecurityPart = Decoded & {
  readonly defaults?: Readonly<Record<string, string>>
  readonly exemptions?: Partial<PodSecurityConfiguration["exemptions"]>
}

function podSecurityOf(part: PodSecurityPart): PodSecurityConfiguration {
  checkKind(part, "pod-security.admission.config.k8s.io", ["v1", "v1beta1", "v1alpha1"], "PodSecurityConfiguration")
  const { defaults = {}, exemptions = {} } = part
  refuseUnknown("PodSecurity", "", part, ["apiVersion", "kind", "defaults", "exemptions"])
  refuseUnknown(
    "PodSecurity",
    "defaults.",
    defaults,
    modes.flatMap((mode) => [mode, `${mode}-version`]),
  )
  refuseUnknown("PodSecurity", "exemptions.", exemptions, Object.keys(defaultPodSecurity.exemptions))
  const all = { ...defaultPodSecurity.exemptions, ...exemptions }
  refuse("PodSecurity", [
    ...(["enforce", "warn", "audit"] as const).flatMap((mode) => defaultErrors(defaults, mode)),
    ...exemptionErrors("namespaces", all.namespaces, checkDns1123Label),
    ...exemptionErrors("runtimeClasses", all.runtimeClasses, checkDns1123Subdomain),
    ...exemptionErrors("usernames", all.usernames, (name) => (name === "" ? ["username must not be empty"] : [])),
  ])
  const policy = modes.map((mode) => [
    mode,
    { level: parseLevel(defaults[mode] || "privileged")!, version: defaults[`${mode}-version`] || "latest" },
  ])
  return { defaults: Object.fromEntries(policy) as Policy, exemptions: all }
}

function defaultErrors(defaults: Readonly<Record<string, string>>, mode: Mode): readonly FieldError[] {
  const [level, version] = [defaults[mode] || "privileged", defaults[`${mode}-version`] || "latest"]
  return [
    ...(parseLevel(level) === undefined ? [fieldError.invalid(`defaults.${mode}`, level, levelFault)] : []),
    ...(isVersion(version) ? [] : [fieldError.invalid(`defaults.${mode}-version`, version, versionFault)]),
  ]
}

function exemptionErrors(list: string, values: readonly string[], check: (value: string) => readonly string[]): readonly FieldError[] {
  const seen = new Set<string>()
  return values.flatMap((value, index) => {
    const [field, faults] = [`exemptions.${list}[${index}]`, check(value)]
    if (faults.length > 0) return [fieldError.invalid(field, value, faults.join(", "))]
    if (seen.has(value)) return [fieldError.duplicate(field, value)]
    seen.add(value)
    return []
  })
}

const limitTypes: readonly string[] = ["Namespace", "Server", "SourceAndObject", "User"] satisfies readonly EventLimit["type"][]

function eventLimitsOf(part: Decoded & { readonly limits?: readonly EventLimit[] }): readonly EventLimit[] {
  checkKind(part, "eventratelimit.admission.k8s.io", ["v1alpha1"], "Configuration")
  const { limits = [] } = part
  refuse("EventRateLimit", [
    ...(limits.length === 0 ? [fieldError.invalid("limits", [], "must not be empty")] : []),
    ...limits.flatMap(({ type, burst = 0, qps = 0, cacheSize = 0 }, index) => {
      const field = `limits[${index}]`
      return [
        ...(limitTypes.includes(type) ? [] : [fieldError.notSupported(`${field}.type`, type, limitTypes)]),
        ...(burst > 0 ? [] : [fieldError.invalid(`${field}.burst`, burst, "must be positive")]),
        ...(qps > 0 ? [] : [fieldError.invalid(`${field}.qps`, qps, "must be positive")]),
        ...(type === "Server" || cacheSize >= 0 ? [] : [fieldError.invalid(`${field}.cacheSize`, cacheSize, "must not be negative")]),
      ]
    }),
  ])
  return limits
}

interface ImagePolicyPart extends Decoded {
  readonly imagePolicy?: {
    readonly kubeConfigFile?: string
    readonly allowTTL?: number
    readonly denyTTL?: number
    readonly retryBackoff?: number
    readonly defaultAllow?: boolean
  }
}

const [second, minute] = [1000, 60_000]

function imagePolicyOf({ imagePolicy = {} }: ImagePolicyPart): ImagePolicySettings {
  const { kubeConfigFile = "", allowTTL, denyTTL, retryBackoff, defaultAllow = false } = imagePolicy
  if (typeof defaultAllow !== "boolean")
    throw new PilothouseError("INVALID", `expected a boolean in imagePolicy.defaultAllow, found ${typeof defaultAllow}`)
  return {
    kubeConfigFile,
    allowTtl: timeOf(allowTTL ?? 0, second, { min: second, max: 30 * minute, fallback: 5 * minute }),
    denyTtl: timeOf(denyTTL ?? 0, second, { min: second, max: 30 * minute, fallback: 30 * second }),
    retryBackoff: timeOf(retryBackoff ?? 0, 1, { min: 1, max: 5 * minute, fallback: 500 }),
    defaultAllow,
  }
}

interface TimeLimits {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/** Milliseconds of a number of seconds or milliseconds: 0 stands for the default, -1 for none. */
function timeOf(value: number, unit: number, { min, max, fallback }: TimeLimits): number {
  if (value === -1) return 0
  if (value === 0) return fallback
  const time = value * unit
  if (time >= min && time <= max) return time
  const found = Number.isFinite(time) ? formatDuration(time) : String(value)
  throw new PilothouseError("INVALID", `valid value is between ${formatDuration(min)} and ${formatDuration(max)}, got ${found}`)
}
