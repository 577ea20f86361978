import type { KubeObject } from "../meta/object.ts"

/** A subresource of a resource, with the kind and the verbs that it has. */
export interface Subresource {
  readonly name: string
  /** The kind of its bodies where it is not the resource's own: "autoscaling/v1/Scale". */
  readonly kind?: string
  readonly verbs: readonly string[]
}

/** Only a type: ties a descriptor to the type of its objects. No value ever has it. */
declare const objectType: unique symbol

/** Everything a client or server must know about a resource to speak of it. */
export interface Descriptor<T extends KubeObject = KubeObject> {
  /** "" for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
  readonly [objectType]?: T
}

/** The object type of a descriptor. */
export type ObjectOf<D> = D extends Descriptor<infer T> ? T : never

/** "v1", "apps/v1": what stands in apiVersion. */
export function apiVersionOf(descriptor: Pick<Descriptor, "group" | "version">): string {
  return descriptor.group === "" ? descriptor.version : `${descriptor.group}/${descriptor.version}`
}

/** "pods", "deployments.apps": how Kubernetes names a resource in messages and quotas. */
export function resourceNameOf(descriptor: Pick<Descriptor, "group" | "plural">): string {
  return descriptor.group === "" ? descriptor.plural : `${descriptor.plural}.${descriptor.group}`
}

/** The parts of a request path below the resource. */
export interface PathParts {
  /** Left out: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

/** "/apis/apps/v1/namespaces/default/deployments/web/status" */
export function pathOf(descriptor: Pick<Descriptor, "group" | "version" | "plural">, parts: PathParts = {}): string {
  const root = descriptor.group === "" ? `/api/${descriptor.version}` : `/apis/${descriptor.group}/${descriptor.version}`
  const namespace = parts.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(parts.namespace)}`
  const name = parts.name === undefined ? "" : `/${encodeURIComponent(parts.name)}`
  const subresource = parts.subresource === undefined ? "" : `/${parts.subresource}`
  return `${root}${namespace}/${descriptor.plural}${name}${subresource}`
}
