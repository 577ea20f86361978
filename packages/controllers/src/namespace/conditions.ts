import { setCondition } from "@pilothouse/api"
import type { Namespace, NamespaceCondition, NamespaceStatus } from "@pilothouse/api/core/v1"
import type { Content } from "./observe.ts"
import type { Remaining } from "./remaining.ts"

/** What keeps a namespace, by what is wrong; nothing of it: all is well. */
export interface Trouble {
  readonly discovery?: string
  readonly content?: string
  readonly remaining?: string
  readonly finalizers?: string
}

interface Kind {
  readonly type: string
  /** Reason and message when all is well. */
  readonly well: readonly [reason: string, message: string]
  /** The reason when it is not. */
  readonly reason: string
  readonly message: (trouble: Trouble) => string | undefined
}

/** In upstream's order and words. */
const kinds: readonly Kind[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    well: ["ResourcesDiscovered", "All resources successfully discovered"],
    reason: "DiscoveryFailed",
    message: ({ discovery }) => discovery,
  },
  {
    // Only old servers announce a group version that cannot be read.
    type: "NamespaceDeletionGroupVersionParsingFailure",
    well: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
    reason: "GroupVersionParsingFailed",
    message: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    well: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    reason: "ContentDeletionFailed",
    message: ({ content }) => content,
  },
  {
    type: "NamespaceContentRemaining",
    well: ["ContentRemoved", "All content successfully removed"],
    reason: "SomeResourcesRemain",
    message: ({ remaining }) => remaining,
  },
  {
    type: "NamespaceFinalizersRemaining",
    well: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    reason: "SomeFinalizersRemain",
    message: ({ finalizers }) => finalizers,
  },
]

/** The status that says so; conditions of others stay. */
export function statusWith({ status }: Namespace, trouble: Trouble, now: number): NamespaceStatus {
  const conditions = kinds.reduce<readonly NamespaceCondition[] | undefined>(
    (list, kind) => setCondition(list, conditionOf(kind, trouble), now),
    status?.conditions,
  )
  return { ...status, phase: "Terminating", conditions }
}

function conditionOf({ type, well, reason, message }: Kind, trouble: Trouble): NamespaceCondition {
  const wrong = message(trouble)
  return wrong === undefined
    ? { type, status: "False", reason: well[0], message: well[1] }
    : { type, status: "True", reason, message: wrong }
}

/** "Failed to delete all resource types, 2 remaining: …", as upstream says it. */
export function contentFailure(messages: readonly string[]): string | undefined {
  return messages.length === 0
    ? undefined
    : `Failed to delete all resource types, ${messages.length} remaining: ${[...messages].sort().join(", ")}`
}

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
