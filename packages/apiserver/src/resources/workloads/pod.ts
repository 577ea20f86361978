import { compareAmounts, isPodTerminal, isZeroAmount, parseQuantity } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { podAnnotationErrors, validatePod, validatePodUpdate } from "../../validation/pods/pod.ts"
import { keep } from "../generic.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultHostPorts, defaultPodSpec, defaultRequests } from "./pod-spec-defaults.ts"

export const pod: ResourceStrategy<Pod> = {
  defaults: defaultPod,
  prepareForCreate(object) {
    // Older servers took them; a grace that is over before it begins means the shortest one.
    if ((object.spec?.terminationGracePeriodSeconds ?? 0) < 0) object.spec!.terminationGracePeriodSeconds = 1
    object.status = { phase: "Pending", qosClass: qosClass(object as Pod) }
    if ((object.spec?.schedulingGates ?? []).length > 0) {
      const message = "Scheduling is blocked due to non-empty scheduling gates"
      object.status.conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated", message }]
    }
  },
  prepareForStatusUpdate(object, old) {
    keep(object.metadata, old.metadata, "ownerReferences")
    object.status ??= {}
    if (old.status?.qosClass !== undefined) object.status.qosClass = old.status.qosClass
    mirrorAddresses(object.status)
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: podAnnotationErrors,
  generation: "spec",
  deleteAnswer: "object",
  gracePeriod(object, options) {
    if ((object.spec?.nodeName ?? "") === "" || isPodTerminal(object)) return 0
    const asked = options.gracePeriodSeconds ?? object.spec?.terminationGracePeriodSeconds ?? 30
    return asked < 0 ? 1 : asked
  },
  fields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    "spec.restartPolicy": ({ spec }) => spec?.restartPolicy ?? "",
    "spec.schedulerName": ({ spec }) => spec?.schedulerName ?? "",
    "spec.serviceAccountName": ({ spec }) => spec?.serviceAccountName ?? "",
    "spec.hostNetwork": ({ spec }) => String(spec?.hostNetwork ?? false),
    "status.phase": ({ status }) => status?.phase ?? "",
    "status.podIP": ({ status }) => status?.podIP ?? "",
    "status.podIPs": ({ status }) => status?.podIPs?.map(({ ip }) => ip).join(",") ?? "",
    "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  },
}

function defaultPod(object: Draft<Pod>): void {
  if (object.spec === undefined) return
  defaultPodSpec(object.spec)
  defaultRequests(object.spec)
  defaultHostPorts(object.spec)
  // Only of pods: a template leaves it to them.
  object.spec.enableServiceLinks ??= true
}

/** The one address that old clients read is the first of the list that new ones do. */
function mirrorAddresses(status: NonNullable<Draft<Pod>["status"]>): void {
  const first = status.podIPs?.[0]?.ip
  if (status.podIP === undefined && first !== undefined) status.podIP = first
  else if (status.podIP !== undefined && first !== status.podIP) status.podIPs = [{ ip: status.podIP }]
  const host = status.hostIPs?.[0]?.ip
  if (status.hostIP === undefined && host !== undefined) status.hostIP = host
  else if (status.hostIP !== undefined && host !== status.hostIP) status.hostIPs = [{ ip: status.hostIP }]
}

const counted = ["cpu", "memory"] as const

/** How a node treats the pod when it runs short: guaranteed who asks for exactly what it may use, best effort who asks for nothing. */
function qosClass({ spec }: Pod): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  const asks = containers.some(({ resources }) =>
    counted.some((name) => given(resources?.requests?.[name]) || given(resources?.limits?.[name])),
  )
  if (!asks) return "BestEffort"
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable"
}

function given(quantity: string | undefined): boolean {
  return quantity !== undefined && !isZeroAmount(parseQuantity(quantity))
}

function isGuaranteed({ resources }: Container): boolean {
  return counted.every((name) => {
    const limit = resources?.limits?.[name]
    const request = resources?.requests?.[name] ?? limit
    return given(limit) && request !== undefined && compareAmounts(parseQuantity(request), parseQuantity(limit!)) === 0
  })
}
