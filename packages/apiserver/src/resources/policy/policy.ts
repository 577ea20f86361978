import { type FieldError, fieldError } from "@pilothouse/api"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import type { PriorityClass } from "@pilothouse/api/scheduling/v1"
import { oneOf } from "../../validation/field-rules.ts"
import { atMostAll, intOrPercentErrors } from "../../validation/int-or-percent.ts"
import { validateLabelSelector } from "../../validation/label-selector.ts"
import type { ResourceStrategy } from "../resource.ts"

export const podDisruptionBudget: ResourceStrategy<PodDisruptionBudget> = {
  prepareForCreate(object) {
    object.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }
  },
  validate: ({ spec }) => [
    ...(spec?.minAvailable !== undefined && spec.maxUnavailable !== undefined
      ? [fieldError.invalid("spec", inGo(spec), "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...intOrPercentErrors(spec?.minAvailable, "spec.minAvailable"),
    ...atMostAll(spec?.minAvailable, "spec.minAvailable"),
    ...intOrPercentErrors(spec?.maxUnavailable, "spec.maxUnavailable"),
    ...atMostAll(spec?.maxUnavailable, "spec.maxUnavailable"),
    ...(spec?.selector === undefined ? [] : validateLabelSelector(spec.selector, "spec.selector")),
  ],
  generation: "spec",
  unconditionalUpdate: false,
}

/** As Go has it in memory. */
function inGo({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: NonNullable<PodDisruptionBudget["spec"]>): unknown {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  }
}

/** Above this is what the cluster itself needs. */
const highestUserPriority = 1_000_000_000

export const priorityClass: ResourceStrategy<PriorityClass> = {
  defaults(object) {
    object.preemptionPolicy ??= "PreemptLowerPriority"
  },
  validate: ({ metadata, value = 0, preemptionPolicy }) => [
    ...systemErrors(metadata.name ?? "", value),
    ...oneOf(preemptionPolicy, ["PreemptLowerPriority", "Never"], "preemptionPolicy"),
  ],
  validateUpdate: (object, old) => [
    ...((object.value ?? 0) === (old.value ?? 0) ? [] : [fieldError.forbidden("value", "may not be changed in an update.")]),
    ...(object.preemptionPolicy === old.preemptionPolicy
      ? []
      : [fieldError.invalid("preemptionPolicy", object.preemptionPolicy, "field is immutable")]),
  ],
  generation: () => false,
}

function systemErrors(name: string, value: number): readonly FieldError[] {
  if (name.startsWith("system-")) {
    const known = name === "system-cluster-critical" || name === "system-node-critical"
    const text =
      "priority class names with 'system-' prefix are reserved for system use only. error: " +
      `${name} is not a known system priority class`
    return known ? [] : [fieldError.forbidden("metadata.name", text)]
  }
  if (value <= highestUserPriority) return []
  return [fieldError.forbidden("value", `maximum allowed value of a user defined priority is ${highestUserPriority}`)]
}
