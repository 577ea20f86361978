import type { Descriptor } from "@pilothouse/api"

/**
 * The declared descriptor of the same resource. Two programs may each have made one of their own for it, so identity says nothing;
 * it is only the quick way to the answer, on a path that every read of a cache takes.
 */
export function declaredKind(declared: readonly Descriptor[], of: Descriptor): Descriptor | undefined {
  return declared.includes(of) ? of : declared.find((kind) => isSameResource(kind, of))
}

export function isSameResource(one: Descriptor, other: Descriptor): boolean {
  return one.plural === other.plural && one.group === other.group && one.version === other.version
}
