import { deepEqual, type FieldError, fieldError, mirrorPodAnnotation } from "@pilothouse/api"
import type { Container, Pod, PodSpec, Toleration } from "@pilothouse/api/core/v1"
import { type GoLayout, goLayout, goStructText } from "../go-struct.ts"
import { unifiedDiff } from "../unified-diff.ts"
import { validatePodSpec } from "./pod-spec.ts"
import { podSpecTable } from "./pod-spec-table.ts"
import { seccompAnnotationErrors, seccompMatchErrors } from "./security/security-context.ts"

export function validatePod(pod: Pod): readonly FieldError[] {
  const { annotations } = pod.metadata
  return [
    ...seccompAnnotationErrors("metadata.annotations", annotations),
    ...validatePodSpec(pod.spec, "spec"),
    ...seccompMatchErrors(pod.spec, "spec", annotations),
  ]
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",")

const appArmorAnnotations = "container.apparmor.security.beta.kubernetes.io/"

/** Annotations that decide what a pod may do are those that it was created with. */
export function podAnnotationErrors({ metadata }: Pod, { metadata: before }: Pod): readonly FieldError[] {
  const [now = {}, old = {}] = [metadata.annotations, before.annotations]
  const changed = Object.keys(old).filter((key) => now[key] !== old[key])
  const added = Object.keys(now).filter((key) => old[key] === undefined)
  return [...changed.flatMap((key) => fixedAnnotation(key, "remove or update")), ...added.flatMap((key) => fixedAnnotation(key, "add"))]
}

function fixedAnnotation(key: string, change: string): readonly FieldError[] {
  const field = `metadata.annotations[${key}]`
  if (key.startsWith(appArmorAnnotations)) return [fieldError.forbidden(field, `may not ${change} AppArmor annotations`)]
  return key === mirrorPodAnnotation ? [fieldError.forbidden(field, `may not ${change} mirror pod annotation`)] : []
}

/** Validates that an update changes no immutable field of a pod; a few fields and most annotations are mutable. */
export function validatePodUpdate(pod: Pod, old: Pod, given?: unknown): readonly FieldError[] {
  return [...podAnnotationErrors(pod, old), ...specUpdateErrors(pod, old, given)]
}

function specUpdateErrors({ spec }: Pod, { spec: old }: Pod, given?: unknown): readonly FieldError[] {
  if (spec === undefined || old === undefined || deepEqual(spec, old)) return []
  const counts = [...containerCount(spec, old, "containers"), ...containerCount(spec, old, "initContainers")]
  if (counts.length > 0) return counts
  const errors = [...deadlineErrors(spec, old), ...tolerationErrors(spec, old), ...gateErrors(spec, old)]
  const fixed = withoutChangeable(spec, old)
  if (deepEqual(fixed, old)) return errors
  const difference = unifiedDiff(podSpecText(old), podSpecText(fixed, stillGiven(given, old)))
  return [...errors, fieldError.forbidden("spec", `pod updates may not change fields other than ${changeable}\n${difference}`)]
}

function containerCount(spec: PodSpec, old: PodSpec, list: "containers" | "initContainers"): readonly FieldError[] {
  const same = (spec[list] ?? []).length === (old[list] ?? []).length
  return same ? [] : [fieldError.forbidden(`spec.${list}`, "pod updates may not add or remove containers")]
}

function deadlineErrors(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const field = "spec.activeDeadlineSeconds"
  const [now, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds]
  if (before === undefined) return []
  if (now === undefined) return [fieldError.invalid(field, null, "must not update from a positive integer to nil value")]
  return now > before ? [fieldError.invalid(field, now, "must be less than or equal to previous value")] : []
}

function tolerationErrors(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const now = new Set((spec.tolerations ?? []).map(withoutSeconds))
  if ((old.tolerations ?? []).every((toleration) => now.has(withoutSeconds(toleration)))) return []
  return [fieldError.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")]
}

/** What may not change of a toleration. */
function withoutSeconds({ key, operator, value, effect }: Toleration): string {
  return JSON.stringify([key, operator, value, effect])
}

function gateErrors(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const before = new Set(old.schedulingGates?.map(({ name }) => name))
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [fieldError.forbidden(`spec.schedulingGates[${index}].name`, `only deletion is allowed, but found new scheduling gate '${name}'`)],
  )
}

/** The new spec with the old values of what may change: anything left that differs may not. */
function withoutChangeable(spec: PodSpec, old: PodSpec): PodSpec {
  const images = (containers: readonly Container[] | undefined, before: readonly Container[] | undefined) =>
    containers?.map((container, index) => ({ ...container, image: before?.[index]?.image }))
  const gated = (old.schedulingGates ?? []).length > 0
  const grace = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1
  return {
    ...spec,
    containers: images(spec.containers, old.containers) ?? [],
    initContainers: images(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...(gated && { nodeSelector: old.nodeSelector, affinity: withNodeAffinityOf(spec.affinity, old.affinity) }),
    ...(grace && { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }),
  }
}

/** What the request sent, without the fields that were restored. Upstream rebuilds the list of init containers: an empty one becomes nil. */
function stillGiven(given: unknown, { schedulingGates = [] }: PodSpec): object {
  const spec = (given as { readonly spec?: Partial<PodSpec> | null } | undefined)?.spec ?? {}
  const back = { initContainers: undefined, tolerations: undefined, schedulingGates: undefined }
  return {
    ...spec,
    ...back,
    containers: spec.containers?.map(withRequests),
    ...(schedulingGates.length > 0 && { nodeSelector: undefined }),
  }
}

/** A container with limits has requests too, though empty ones. */
function withRequests(container: Container | null): Container | null {
  const { limits, requests = {} } = container?.resources ?? {}
  return container && limits ? { ...container, resources: { ...container.resources, requests } } : container
}

/** Only the affinity to nodes may change while a pod is held back. None at all and an empty one are the same. */
function withNodeAffinityOf(now: PodSpec["affinity"], before: PodSpec["affinity"]): PodSpec["affinity"] {
  const { nodeAffinity: _, ...others } = now ?? {}
  const merged = before?.nodeAffinity === undefined ? others : { ...others, nodeAffinity: before.nodeAffinity }
  return Object.keys(merged).length === 0 && Object.keys(before ?? {}).length === 0 ? before : merged
}

/** A pod's spec as Go prints it, and what it was made of. Made when it is asked for: only refusals show it. */
function podSpecText(spec: PodSpec, given?: unknown): string {
  return goStructText(inMemory(spec), layoutOf("PodSpec", rowsOf(podSpecTable)), given)
}

function rowsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const lines = table.trim().split("\n")
  return new Map(
    lines.map((line) => {
      const [name = "", ...words] = line.split(" ")
      return [name, words]
    }),
  )
}

function layoutOf(type: string, rows: ReadonlyMap<string, readonly string[]>): GoLayout {
  const nested: Record<string, GoLayout> = {}
  const words = (rows.get(type) ?? []).map((word) => {
    const [field = "", inner] = word.split(">")
    if (inner !== undefined) nested[field.split(/[:=]/)[0] ?? ""] = layoutOf(inner, rows)
    return field
  })
  return goLayout(words.join(" "), nested)
}

/** What of the host a pod shares is said beside its security context, and kept in it. */
function inMemory({ hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext, ...spec }: PodSpec): object {
  const shared = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers }
  return { ...spec, securityContext: securityContext && { ...shared, ...securityContext } }
}
