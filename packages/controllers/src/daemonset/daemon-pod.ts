import { type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import type { Affinity, Pod } from "@pilothouse/api/core/v1"
import { podFromTemplate } from "../shared/pod-from-template.ts"
import { daemonTolerations } from "./eligibility.ts"

export const hashLabel = "controller-revision-hash"
const generationLabel = "pod-template-generation"
const generationAnnotation = "deprecated.daemonset.template.generation"
const nodeNameField = "metadata.name"

/** A pod that the scheduler can give to one node only. */
export function daemonPod(daemonSet: DaemonSet, node: string, hash: string): Pod {
  const template = daemonSet.spec?.template ?? {}
  const generation = templateGeneration(daemonSet)
  const labels = { ...template.metadata?.labels, ...(generation && { [generationLabel]: generation }), [hashLabel]: hash }
  const pod = podFromTemplate({ ...template, metadata: { ...template.metadata, labels } }, daemonSet, daemonSets)
  const spec = { ...pod.spec!, tolerations: daemonTolerations(pod.spec), affinity: onlyOn(node, pod.spec?.affinity) }
  return { ...pod, spec }
}

/** The template's own required terms are met already, or the node would not be eligible. */
function onlyOn(node: string, affinity: Affinity | undefined): Affinity {
  const term = { matchFields: [{ key: nodeNameField, operator: "In" as const, values: [node] }] }
  const required = { nodeSelectorTerms: [term] }
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required } }
}

/** The node that a pod is on, or is meant for; undefined when it says neither. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const named = terms.flatMap((term) => term.matchFields ?? []).find(({ key, operator }) => key === nodeNameField && operator === "In")
  return named?.values?.length === 1 ? named.values[0] : undefined
}

/** Reports whether a pod is of the current template: by the hash, or by the generation that older versions counted with. */
export function isUpdated({ metadata }: Pod, daemonSet: DaemonSet, hash: string): boolean {
  if (hash !== "" && metadata.labels?.[hashLabel] === hash) return true
  const generation = templateGeneration(daemonSet)
  return generation !== undefined && metadata.labels?.[generationLabel] === generation
}

/** Written by the API server; what is no number counts for nothing. */
function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation]
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(BigInt(text.replace("+", ""))) : undefined
}
