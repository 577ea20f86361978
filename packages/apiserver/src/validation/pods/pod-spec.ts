import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey, type FieldError, fieldError } from "@pilothouse/api"
import type {
  Container,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  PodTemplateSpec,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from "@pilothouse/api/core/v1"
import { duplicates, named, oneOf } from "../field-rules.ts"
import { validateLabels } from "../object-meta.ts"
import { volumeSourceErrors } from "../volumes/volume-source.ts"
import { hostPortConflicts, validateContainers } from "./container.ts"
import { hostNetworkErrors, hostProcessErrors, hostUsersErrors, operatingSystemErrors } from "./security/operating-system.ts"
import { podSecurityErrors, seccompAnnotationErrors, seccompMatchErrors } from "./security/security-context.ts"

const actions = ["DoNotSchedule", "ScheduleAnyway"]

/** `extraVolumes`: what a StatefulSet's claims will add to each of its pods. */
export function validatePodSpec(spec: PodSpec | undefined, field: string, extraVolumes: readonly string[] = []): readonly FieldError[] {
  // What is not there would have had its defaults.
  if (spec === undefined) return [fieldError.required(`${field}.containers`)]
  const { volumes = [], containers = [], initContainers = [] } = spec
  const names = new Set([...volumes.map(({ name }) => name), ...extraVolumes])
  const hostUsers = spec.hostUsers !== false
  return [
    ...volumeErrors(volumes, `${field}.volumes`),
    ...(containers.length === 0 ? [fieldError.required(`${field}.containers`)] : []),
    ...validateContainers(containers, names, `${field}.containers`, hostUsers),
    ...hostPortConflicts(containers, `${field}.containers`),
    ...validateContainers(initContainers, names, `${field}.initContainers`, hostUsers),
    // They run one after the other, so each is looked at alone; upstream calls each of them the first.
    ...initContainers.flatMap((container) => hostPortConflicts([container], `${field}.initContainers`)),
    ...initContainers.flatMap((container, index) => initErrors(container, `${field}.initContainers[${index}]`)),
    ...sharedNames(spec, `${field}.initContainers`),
    ...hostNetworkErrors(spec, field),
    ...oneOf(spec?.restartPolicy, ["Always", "OnFailure", "Never"], `${field}.restartPolicy`),
    ...oneOf(spec?.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], `${field}.dnsPolicy`),
    ...validateLabels(spec?.nodeSelector, `${field}.nodeSelector`),
    ...podSecurityErrors(spec, field),
    ...(spec?.dnsPolicy === "None" && spec.dnsConfig === undefined
      ? [fieldError.required(`${field}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None")]
      : []),
    ...hostProcessErrors(spec, field),
    ...hostUsersErrors(spec, field),
    ...nameErrors(spec, field),
    ...deadlineErrors(spec, field),
    ...(spec?.tolerations ?? []).flatMap((toleration, index) => tolerationErrors(toleration, `${field}.tolerations[${index}]`)),
    ...placementErrors(spec, field),
    ...operatingSystemErrors(spec, field),
  ]
}

interface TemplateRules {
  /** What a StatefulSet's claims will add to each of its pods. */
  readonly extraVolumes?: readonly string[]
  /** Where the template stands. */
  readonly field?: string
}

/** Returns what is wrong with the pod template of a workload; ephemeral containers are refused there. */
export function validatePodTemplate(
  template: PodTemplateSpec | undefined,
  { extraVolumes = [], field = "spec.template" }: TemplateRules = {},
): readonly FieldError[] {
  const { metadata, spec } = template ?? {}
  const forbidden =
    (spec?.ephemeralContainers ?? []).length > 0
      ? [fieldError.forbidden(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []
  return [
    ...validateLabels(metadata?.labels, `${field}.labels`),
    ...seccompAnnotationErrors(`${field}.annotations`, metadata?.annotations),
    ...validatePodSpec(spec, `${field}.spec`, extraVolumes),
    ...seccompMatchErrors(spec, `${field}.spec`, metadata?.annotations),
    ...forbidden,
  ]
}

/** Validates restartPolicy of workloads that keep their pods running. */
export function validateAlwaysRestarts(template: PodTemplateSpec | undefined, kind: string): readonly FieldError[] {
  if (template?.spec === undefined) return []
  const policy = template.spec.restartPolicy ?? ""
  return [
    ...(policy === "Always" ? [] : [fieldError.notSupported("spec.template.spec.restartPolicy", policy, ["Always"])]),
    ...(template?.spec?.activeDeadlineSeconds === undefined
      ? []
      : [fieldError.forbidden("spec.template.spec.activeDeadlineSeconds", `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ]
}

function volumeErrors(volumes: readonly Volume[], field: string): readonly FieldError[] {
  const errors = volumes.flatMap((volume, index) => {
    const sources = Object.keys(volume).filter((key) => key !== "name")
    const second = sources[1]
    return [
      ...(sources.length === 0 ? [fieldError.required(`${field}[${index}]`, "must specify a volume type")] : []),
      ...(second === undefined ? [] : [fieldError.forbidden(`${field}[${index}].${second}`, "may not specify more than 1 volume type")]),
      ...named(volume.name, checkDns1123Label, `${field}[${index}].name`),
      ...(second === undefined ? volumeSourceErrors(volume, `${field}[${index}]`) : []),
    ]
  })
  const names = volumes.map(({ name }) => name)
  return [...errors, ...duplicates(names, (index) => `${field}[${index}].name`)]
}

const whileRunning = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const

/** One that has to end before the others start is not looked after. */
function initErrors(container: Container, field: string): readonly FieldError[] {
  if (container.restartPolicy === "Always") return []
  const text = "may not be set for init containers without restartPolicy=Always"
  return whileRunning.filter((key) => container[key] !== undefined).map((key) => fieldError.forbidden(`${field}.${key}`, text))
}

function sharedNames(spec: PodSpec | undefined, field: string): readonly FieldError[] {
  const regular = new Set(spec?.containers?.map(({ name }) => name))
  return (spec?.initContainers ?? []).flatMap(({ name }, index) =>
    regular.has(name) ? [fieldError.duplicate(`${field}[${index}].name`, name)] : [],
  )
}

const subdomains = ["serviceAccountName", "nodeName", "priorityClassName"] as const
const labels = ["hostname", "subdomain"] as const

function nameErrors(spec: PodSpec | undefined, field: string): readonly FieldError[] {
  const given = (key: keyof PodSpec) => (spec?.[key] ?? "") !== ""
  return [
    ...subdomains.filter(given).flatMap((key) => named(spec?.[key], checkDns1123Subdomain, `${field}.${key}`)),
    ...labels.filter(given).flatMap((key) => named(spec?.[key], checkDns1123Label, `${field}.${key}`)),
  ]
}

function deadlineErrors(spec: PodSpec | undefined, field: string): readonly FieldError[] {
  const deadline = spec?.activeDeadlineSeconds
  if (deadline === undefined || (deadline >= 1 && deadline <= 2147483647)) return []
  return [fieldError.invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive")]
}

const operators = ["Equal", "Exists"]
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

function tolerationErrors(toleration: Toleration, field: string): readonly FieldError[] {
  const { key = "", value = "", tolerationSeconds } = toleration
  const operator: string = toleration.operator ?? ""
  const effect: string = toleration.effect ?? ""
  return [
    ...(key === "" && operator !== "Exists"
      ? [
          fieldError.invalid(
            `${field}.operator`,
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
          ),
        ]
      : []),
    ...(tolerationSeconds !== undefined && effect !== "NoExecute"
      ? [fieldError.invalid(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
      : []),
    ...(operator === "Exists" && value !== ""
      ? [fieldError.invalid(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === "" || operators.includes(operator) ? [] : [fieldError.notSupported(`${field}.operator`, operator, operators)]),
    ...(effect !== "" && !effects.includes(effect) ? [fieldError.notSupported(`${field}.effect`, effect, effects)] : []),
  ]
}

/** Where a pod may run. */
function placementErrors(spec: PodSpec | undefined, field: string): readonly FieldError[] {
  return [
    ...nodeAffinityErrors(spec, `${field}.affinity.nodeAffinity`),
    ...(spec?.topologySpreadConstraints ?? []).flatMap((one, index) => spreadErrors(one, `${field}.topologySpreadConstraints[${index}]`)),
  ]
}

function nodeAffinityErrors(spec: PodSpec | undefined, field: string): readonly FieldError[] {
  const affinity = spec?.affinity?.nodeAffinity
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution
  const at = `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
  const terms = required?.nodeSelectorTerms ?? []
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return [
    ...(required !== undefined && terms.length === 0 ? [fieldError.required(at, "must have at least one node selector term")] : []),
    ...terms.flatMap((term, index) => termErrors(term, `${at}[${index}]`)),
    ...preferred.flatMap(({ weight, preference }, index) => {
      const one = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`
      const good = weight >= 1 && weight <= 100
      return [
        ...(good ? [] : [fieldError.invalid(`${one}.weight`, weight ?? 0, "must be in the range 1-100")]),
        ...termErrors(preference ?? {}, `${one}.preference`),
      ]
    }),
  ]
}

function termErrors({ matchExpressions = [] }: NodeSelectorTerm, field: string): readonly FieldError[] {
  return matchExpressions.flatMap((requirement, index) => requirementErrors(requirement, `${field}.matchExpressions[${index}]`))
}

function requirementErrors({ key = "", operator, values = [] }: NodeSelectorRequirement, field: string): readonly FieldError[] {
  const keyErrors = checkLabelKey(key).map((text) => fieldError.invalid(`${field}.key`, key, text))
  const said = operatorErrors(operator ?? "", values.length, field)
  return [...said, ...keyErrors]
}

function operatorErrors(operator: string, values: number, field: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values > 0 ? [] : [fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case "Exists":
    case "DoesNotExist":
      return values === 0
        ? []
        : [fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    case "Gt":
    case "Lt":
      return values === 1 ? [] : [fieldError.required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
    default:
      return [fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator")]
  }
}

function spreadErrors(
  { maxSkew = 0, topologyKey = "", whenUnsatisfiable }: TopologySpreadConstraint,
  field: string,
): readonly FieldError[] {
  const action = whenUnsatisfiable ?? ""
  return [
    ...(maxSkew > 0 ? [] : [fieldError.invalid(`${field}.maxSkew`, maxSkew, "must be greater than zero")]),
    ...(topologyKey === "" ? [fieldError.required(`${field}.topologyKey`, "can not be empty")] : []),
    ...(actions.includes(action) ? [] : [fieldError.notSupported(`${field}.whenUnsatisfiable`, action, actions)]),
  ]
}
