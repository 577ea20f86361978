import type { ObjectMeta } from "@pilothouse/api"
import type { Container, PodSpec, PodTemplateSpec } from "@pilothouse/api/core/v1"

/** What is checked: a pod, or the template of one. */
export type CheckedPod = Pick<PodTemplateSpec, "metadata" | "spec">

/** What a pod does that a level forbids. */
export interface Violation {
  /** In a word or two, which stand alone where many pods are checked: "hostPort". */
  readonly reason: string
  /** The containers or fields that violate it, and what to do instead. */
  readonly detail: string
}

/** Returns what one rule of a level forbids about a pod. */
export type CheckPod = (spec: PodSpec, metadata: Pick<ObjectMeta, "annotations">) => Violation | undefined

type CheckedContainer = Omit<Container, "resizePolicy">

/** Returns all containers, in the order in which messages name them. */
export function containersOf(spec: PodSpec): readonly CheckedContainer[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec
  return initContainers.length === 0 && ephemeralContainers.length === 0
    ? containers
    : [...initContainers, ...containers, ...ephemeralContainers]
}

/** Returns the names of the containers that do something forbidden. */
export function containersThat(spec: PodSpec, forbidden: (container: CheckedContainer) => boolean): readonly string[] {
  return containersOf(spec)
    .filter(forbidden)
    .map(({ name }) => name)
}

export function plural(count: number, one: string, more = `${one}s`): string {
  return count === 1 ? one : more
}

/** `"a", "b"`: names as they are, without escapes. */
export function joinQuoted(texts: readonly string[]): string {
  return `"${texts.join('", "')}"`
}

export function sortedUnique(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort()
}

/** `container "a"`, `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural(names.length, "container")} ${joinQuoted(names)}`
}

/** `pod and containers "a", "b"`: the subjects of a sentence. */
export function setters(pod: boolean, containers: readonly string[]): readonly string[] {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [namedContainers(containers)] : [])]
}
