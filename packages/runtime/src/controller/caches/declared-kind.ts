import type { Descriptor } from "@pilothouse/api"

/**
 * Returns the declared descriptor of the same resource. There may be several descriptors of one resource, so identity is not enough;
 * it is only the fast path, which every read of a cache takes.
 */
export function declaredKind(declared: readonly Descriptor[], of: Descriptor): Descriptor | undefined {
  return declared.includes(of) ? of : declared.find((kind) => isSameResource(kind, of))
}

/** Reports whether two descriptors name one resource; scope and kind are not compared. */
export function isSameResource(one: Descriptor, other: Descriptor): boolean {
  return one.plural === other.plural && one.group === other.group && one.version === other.version
}
