import { rows } from "./generated/all.descriptors.ts"
import type { Descriptor } from "./schema/descriptor.ts"
import { descriptorFromRow } from "./schema/descriptor-rows.ts"

/** Every built-in resource. metrics.k8s.io (an extension) and versions that are off by default, as storagemigration.k8s.io/v1beta1, are among them. */
export const allDescriptors: readonly Descriptor[] = rows.split("\n").map((row) => descriptorFromRow(row))

const byKind: ReadonlyMap<string, Descriptor> = new Map(
  allDescriptors.map((descriptor) => [key(descriptor.group, descriptor.version, descriptor.kind), descriptor]),
)
const byPlural: ReadonlyMap<string, Descriptor> = new Map(
  allDescriptors.map((descriptor) => [key(descriptor.group, descriptor.version, descriptor.plural), descriptor]),
)

/**
 * Returns the descriptor of an object by its apiVersion and kind. Undefined for custom resources, and for bodies without a resource (Scale,
 * Eviction).
 */
export function descriptorFor(gvk: { readonly group: string; readonly version: string; readonly kind: string }): Descriptor | undefined {
  return byKind.get(key(gvk.group, gvk.version, gvk.kind))
}

/** Returns the descriptor of the resource in a request's path. */
export function descriptorForResource(resource: {
  readonly group: string
  readonly version: string
  readonly plural: string
}): Descriptor | undefined {
  return byPlural.get(key(resource.group, resource.version, resource.plural))
}

/** Every resource with this kind: "Event" is in the core group and in events.k8s.io, "HorizontalPodAutoscaler" in two versions. */
export function descriptorsOfKind(kind: string): readonly Descriptor[] {
  return allDescriptors.filter((descriptor) => descriptor.kind === kind)
}

function key(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`
}
