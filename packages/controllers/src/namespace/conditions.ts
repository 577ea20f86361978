import { setCondition } from "@pilothouse/api"
import type { Namespace, NamespaceCondition, NamespaceStatus } from "@pilothouse/api/core/v1"
import type { Content } from "./observe.ts"
import type { Remaining } from "./remaining.ts"

/** What blocks the deletion of a namespace, by kind; undefined fields block nothing. */
export interface DeletionBlockers {
  readonly discovery?: string
  readonly content?: string
  readonly remaining?: string
  readonly finalizers?: string
}

interface Kind {
  readonly type: string
  /** Reason and message when nothing blocks. */
  readonly well: readonly [reason: string, message: string]
  /** The reason when something does. */
  readonly reason: string
  readonly message: (trouble: DeletionBlockers) => string | undefined
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
    // Only old servers announce a group version that cannot be parsed.
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

/** Returns the status with these conditions; conditions of other controllers stay. */
export function statusWithConditions({ status }: Namespace, trouble: DeletionBlockers, now: number): NamespaceStatus {
  const conditions = kinds.reduce<readonly NamespaceCondition[] | undefined>(
    (list, kind) => setCondition(list, toCondition(kind, trouble), now),
    status?.conditions,
  )
  return { ...status, phase: "Terminating", conditions }
}

function toCondition({ type, well, reason, message }: Kind, trouble: DeletionBlockers): NamespaceCondition {
  const wrong = message(trouble)
  return wrong === undefined
    ? { type, status: "False", reason: well[0], message: well[1] }
    : { type, status: "True", reason, message: wrong }
}

/** Returns "Failed to delete all resource types, 2 remaining: …", upstream's message. */
export function contentFailure(messages: readonly string[]): string | undefined {
  return messages.length === 0
    ? undefined
    : `Failed to delete all resource types, ${messages.length} remaining: ${[...messages].sort().join(", ")}`
}

/** Returns what blocks the deletion, in upstream's words. `errors` are failures of the deletes. */
export function deletionBlockers({ failed, unreadable }: Content, remaining: Remaining, errors: readonly string[] = []): DeletionBlockers {
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

export function isBlocked(trouble: DeletionBlockers): boolean {
  return Object.values(trouble).some((message) => message !== undefined)
}
