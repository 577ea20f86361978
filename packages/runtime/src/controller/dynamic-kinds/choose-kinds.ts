import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import type { Discovered } from "../../client/discovery/discovery.ts"
import { isSameResource } from "../declared-kind.ts"

/**
 * Which resources to follow after a look at the server, by their names: one version of each.
 * Pure. What is followed stays while it is served, and while nobody can say that it is not.
 */
export function chooseKinds(
  { resources, failed }: Discovered,
  current: ReadonlyMap<string, Descriptor>,
  includes: (of: Descriptor) => boolean,
): ReadonlyMap<string, Descriptor> {
  const unavailable = new Set(failed.map(({ groupVersion }) => groupVersion))
  const chosen = new Map<string, Descriptor>()
  for (const [name, of] of current) {
    const served = resources.find((resource) => isSameResource(resource, of))
    const remains = served === undefined ? unavailable.has(apiVersionOf(of)) : canBeWatched(served) && includes(served)
    if (remains) chosen.set(name, of)
  }
  for (const of of resources) {
    const name = resourceNameOf(of)
    if (!chosen.has(name) && canBeWatched(of) && includes(of)) chosen.set(name, of)
  }
  return chosen
}

function canBeWatched({ verbs }: Descriptor): boolean {
  return verbs.includes("list") && verbs.includes("watch")
}
