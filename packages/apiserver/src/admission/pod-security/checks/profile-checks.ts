import { quoted } from "@pilothouse/api"
import type { PodSpec, SELinuxOptions } from "@pilothouse/api/core/v1"
import {
  type CheckPod,
  containersOf,
  containersThat,
  joinQuoted,
  namedContainers,
  plural,
  setters,
  sortedUnique,
  type Violation,
} from "./check.ts"

const appArmorAnnotations = "container.apparmor.security.beta.kubernetes.io/"

/** AppArmor as the runtime has it, or a profile of the node. The annotations are from before there were fields. */
export const appArmorProfile: CheckPod = (spec, { annotations = {} }) => {
  const forbidden = (type: string | undefined) => type !== undefined && !isConfined(type)
  const podType = spec.securityContext?.appArmorProfile?.type
  const names = containersThat(spec, ({ securityContext }) => forbidden(securityContext?.appArmorProfile?.type))
  const types = [podType, ...containersOf(spec).map(({ securityContext }) => securityContext?.appArmorProfile?.type)]
  const annotated = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotations) && !isConfinedAnnotation(value))
    .map(([key, value]) => `${key}=${quoted(value)}`)
    .sort()
  const values = [...sortedUnique(types.filter((type) => type !== undefined).filter(forbidden)), ...annotated]
  const subjects = [...setters(forbidden(podType), names), ...(annotated.length > 0 ? [plural(annotated.length, "annotation")] : [])]
  if (subjects.length === 0) return undefined
  return {
    reason: plural(values.length, "forbidden AppArmor profile"),
    detail: `${subjects.join(" and ")} must not set AppArmor profile type to ${joinQuoted(values)}`,
  }
}

function isConfined(type: string): boolean {
  return type === "RuntimeDefault" || type === "Localhost"
}

function isConfinedAnnotation(value: string): boolean {
  return value === "" || value === "runtime/default" || value.startsWith("localhost/")
}

const seLinuxTypes: readonly string[] = ["", "container_t", "container_init_t", "container_kvm_t"]

/** Types of SELinux for containers; those of container engines since version 1.31 of the standard. */
export function seLinuxOptions(minor: number): CheckPod {
  const allowed = new Set([...seLinuxTypes, ...(minor >= 31 ? ["container_engine_t"] : [])])
  const forbidden = (options: SELinuxOptions | undefined) =>
    options !== undefined && (!allowed.has(options.type ?? "") || (options.user ?? "") !== "" || (options.role ?? "") !== "")
  return (spec) => {
    const names = containersThat(spec, ({ securityContext }) => forbidden(securityContext?.seLinuxOptions))
    const subjects = setters(forbidden(spec.securityContext?.seLinuxOptions), names)
    if (subjects.length === 0) return undefined
    const all = [spec, ...containersOf(spec)].map(({ securityContext }) => securityContext?.seLinuxOptions ?? {})
    const types = sortedUnique(all.map(({ type = "" }) => type)).filter((type) => !allowed.has(type))
    const faults = [
      ...(types.length === 0 ? [] : [`${plural(types.length, "type")} ${joinQuoted(types)}`]),
      ...(all.some(({ user = "" }) => user !== "") ? ["user may not be set"] : []),
      ...(all.some(({ role = "" }) => role !== "") ? ["role may not be set"] : []),
    ]
    const detail = `${subjects.join(" and ")} set forbidden securityContext.seLinuxOptions: ${faults.join("; ")}`
    return { reason: "seLinuxOptions", detail }
  }
}

const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod"
const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/"

/** Before version 1.19 of the standard seccomp profiles are annotations. */
export const seccompAnnotations: CheckPod = (spec, { annotations = {} }) => {
  const keys = [seccompOfPod, ...containersOf(spec).map(({ name }) => `${seccompOfContainer}${name}`)]
  const forbidden = sortedUnique(
    keys.flatMap((key) => {
      const value = annotations[key]
      return value === undefined || isFiltered(value) ? [] : [`${key}=${quoted(value)}`]
    }),
  )
  if (forbidden.length === 0) return undefined
  return { reason: "seccompProfile", detail: `forbidden ${plural(forbidden.length, "annotation")} ${forbidden.join(", ")}` }
}

function isFiltered(value: string): boolean {
  return value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/")
}

/** A seccomp profile is the runtime's or the node's, where there is one. */
export const seccompBaseline: CheckPod = (spec) => {
  const forbidden = (type: string | undefined) => type !== undefined && !isConfined(type)
  const podType = spec.securityContext?.seccompProfile?.type
  const names = containersThat(spec, ({ securityContext }) => forbidden(securityContext?.seccompProfile?.type))
  const subjects = setters(forbidden(podType), names)
  if (subjects.length === 0) return undefined
  const types = [podType, ...containersOf(spec).map(({ securityContext }) => securityContext?.seccompProfile?.type)]
  const values = sortedUnique(types.filter((type) => type !== undefined).filter(forbidden))
  return {
    reason: "seccompProfile",
    detail: `${subjects.join(" and ")} must not set securityContext.seccompProfile.type to ${joinQuoted(values)}`,
  }
}

/** Every container has a seccomp profile, its own or the pod's. */
export const seccompRestricted: CheckPod = (spec, metadata) => seccompBaseline(spec, metadata) ?? missingSeccomp(spec)

function missingSeccomp(spec: PodSpec): Violation | undefined {
  if (spec.securityContext?.seccompProfile !== undefined) return undefined
  const names = containersThat(spec, ({ securityContext }) => securityContext?.seccompProfile === undefined)
  if (names.length === 0) return undefined
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
  return { reason: "seccompProfile", detail: `pod or ${namedContainers(names)} ${must}` }
}
