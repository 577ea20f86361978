import { type Descriptor, type KubeObject, resourceNameOf } from "@pilothouse/api"
import type { Namespace } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { shownName } from "../../client/find-resource.ts"

/** Objects that are named; the others are counted. */
const maxHolders = 5

/** Of a namespace that was deleted and is still there: what in it has a finalizer, and whose. */
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
