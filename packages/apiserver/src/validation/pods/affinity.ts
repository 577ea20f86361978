import { checkLabelKey, type FieldError, fieldError } from "@pilothouse/api"
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec, TopologySpreadConstraint } from "@pilothouse/api/core/v1"

/** Where a pod wants to run. */
export function placementErrors(spec: PodSpec | undefined, field: string): readonly FieldError[] {
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

const actions = ["DoNotSchedule", "ScheduleAnyway"]

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
