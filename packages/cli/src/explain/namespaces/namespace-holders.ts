import { compareAmounts, type Descriptor, type KubeObject, parseQuantity, resourceNameOf } from "@pilothouse/api"
import type { Namespace, ResourceQuota } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { shownName } from "../../client/find-resource.ts"
import type { ExplainContext } from "../explain-context.ts"

/** Objects that are named; the others are counted. */
const maxHolders = 5

/** Returns the objects whose finalizers keep a namespace from being deleted, and their finalizers. */
export async function namespaceHolders(client: Client, { metadata }: Namespace): Promise<readonly string[]> {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null) return []
  const resources = await client.resources()
  const listable = firstVersions(resources.filter(({ namespaced, verbs }) => namespaced && verbs.includes("list")))
  const found = await Promise.all(listable.map((of) => heldOf(client, of, metadata.name ?? "")))
  const held = found.flat()
  const more = held.length - maxHolders
  return [...held.slice(0, maxHolders), ...(more > 0 ? [`and ${more} more ${more === 1 ? "object" : "objects"} with finalizers`] : [])]
}

/** The server names each resource in its favourite version first. */
function firstVersions<Of extends Descriptor>(resources: readonly Of[]): readonly Of[] {
  const seen = new Map<string, Of>()
  for (const of of resources) if (!seen.has(resourceNameOf(of))) seen.set(resourceNameOf(of), of)
  return [...seen.values()]
}

/** What cannot be listed is named in the namespace's conditions already. */
async function heldOf(client: Client, of: Descriptor, namespace: string): Promise<readonly string[]> {
  const { items } = await client.list(of, { namespace }).catch((): { items: readonly KubeObject[] } => ({ items: [] }))
  return items.flatMap(({ metadata: { name = "", finalizers } }) =>
    finalizers?.length ? [`${shownName(of, name)} in it is held by ${finalizers.join(", ")}`] : [],
  )
}

const namespaceController = "namespace-controller"

/** Returns lines about a deleted namespace that no controller empties. Where one does, it has messages of its own. */
export function unemptiedLines({ metadata }: Namespace, { controllers }: ExplainContext): readonly string[] {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null || controllers === undefined) return []
  return controllers.includes(namespaceController) ? [] : [`${namespaceController} does not run here: nothing empties it, so that it stays`]
}

/** Returns a line for each resource of a quota that is used up: the server refuses requests for more of it, and no controller is notified of that. */
export function quotaLines({ status }: ResourceQuota): readonly string[] {
  return Object.entries(status?.hard ?? {}).flatMap(([name, hard]) => {
    const used = status?.used?.[name]
    if (used === undefined || compareAmounts(parseQuantity(used), parseQuantity(hard)) < 0) return []
    return [`${name} is used up: ${used} of ${hard}; whatever needs more is refused until something goes or the limit is raised`]
  })
}
