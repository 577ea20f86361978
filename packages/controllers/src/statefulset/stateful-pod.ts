import { type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import type { Pod, PodTemplateSpec, Volume } from "@pilothouse/api/core/v1"
import { podFromTemplate } from "../shared/pod-from-template.ts"
import { claimName, podName, podOrdinal } from "./ordinals.ts"
import { revisionLabel } from "./pod-state.ts"

const nameLabel = "statefulset.kubernetes.io/pod-name"
const indexLabel = "apps.kubernetes.io/pod-index"

/** Returns the pod of one ordinal at one revision: stable name, hostname, labels and claims. */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec, revision: string, ordinal: number): Pod {
  const made = podFromTemplate(template, set, statefulSets)
  const name = podName(set, ordinal)
  const labels = { ...made.metadata.labels, ...identityLabels(name, ordinal), [revisionLabel]: revision }
  const spec = {
    ...made.spec!,
    hostname: name,
    subdomain: set.spec?.serviceName || undefined,
    volumes: podVolumes(set, made.spec?.volumes, ordinal),
  }
  return { ...made, metadata: { ...made.metadata, name, labels }, spec }
}

function identityLabels(name: string, ordinal: number): Readonly<Record<string, string>> {
  return { [nameLabel]: name, [indexLabel]: String(ordinal) }
}

/** Claims of the set come first, and replace volumes of the same name. */
function podVolumes(set: StatefulSet, volumes: readonly Volume[] | undefined, ordinal: number): readonly Volume[] | undefined {
  const names = (set.spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? "")
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } }))
  const replaced = new Set(names)
  const all = [...claims, ...(volumes ?? []).filter(({ name }) => !replaced.has(name))]
  return all.length === 0 ? undefined : all
}

/** Reports whether the pod has the label with its name, by which Services select single pods. */
export function hasIdentity({ metadata }: Pod): boolean {
  return metadata.labels?.[nameLabel] === metadata.name
}

export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  // A set may have thousands of templates, and its pods a volume for each.
  const claimNames = new Map((pod.spec?.volumes ?? []).map(({ name, persistentVolumeClaim }) => [name, persistentVolumeClaim?.claimName]))
  const ordinal = podOrdinal(pod)
  return (set.spec?.volumeClaimTemplates ?? []).every(
    ({ metadata: { name = "" } }) => claimNames.get(name) === claimName(set, name, ordinal),
  )
}

/** Returns the pod with its labels and volumes. The API server refuses new volumes, which the event reports. */
export function repairedPod(set: StatefulSet, pod: Pod): Pod {
  const ordinal = podOrdinal(pod)
  const labels = hasIdentity(pod) ? pod.metadata.labels : { ...pod.metadata.labels, ...identityLabels(pod.metadata.name ?? "", ordinal) }
  const spec = hasStorage(set, pod) ? pod.spec : { ...pod.spec!, volumes: podVolumes(set, pod.spec?.volumes, ordinal) }
  return { ...pod, metadata: { ...pod.metadata, labels }, spec }
}
