import { contentFailure, type Trouble } from "./conditions.ts"
import type { Content } from "./observe.ts"
import type { Remaining } from "./remaining.ts"

/** What keeps the namespace from going, in upstream's words. `errors` came up while deleting. */
export function troubleOf({ failed, unreadable }: Content, remaining: Remaining, errors: readonly string[] = []): Trouble {
  const groups = failed.map(({ groupVersion, message }) => `${groupVersion}: ${message}`)
  const discovery = `Discovery failed for some groups, ${failed.length} failing: unable to retrieve the complete list of server APIs: ${groups.join(", ")}`
  const { resources, finalizers, unexpected } = remaining
  return {
    discovery: failed.length === 0 ? undefined : discovery,
    content: contentFailure([...unreadable, ...unexpected, ...errors]),
    remaining: resources.length === 0 ? undefined : `Some resources are remaining: ${resources.join(", ")}`,
    finalizers: finalizers.length === 0 ? undefined : `Some content in the namespace has finalizers remaining: ${finalizers.join(", ")}`,
  }
}

export function isTroubled(trouble: Trouble): boolean {
  return Object.values(trouble).some((message) => message !== undefined)
}
