import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import type { Discovered } from "../client/discovery.ts"
import { isSameResource } from "./declared-kind.ts"

/**
 * Which resources to follow after a look at the server, by their names: one version of each.
 * Pure. What is followed stays while it is served, and while nobody can say that it is not.
 */
export function chooseKinds(
  { resources, failed }: Discovered,
  followed: ReadonlyMap<string, Descriptor>,
  wants: (of: Descriptor) => boolean,
): ReadonlyMap<string, Descriptor> {
  const silent = new Set(failed.map(({ groupVersion }) => groupVersion))
  const chosen = new Map<string, Descriptor>()
  for (const [name, of] of followed) {
    const served = resources.find((resource) => isSameResource(resource, of))
    const stays = served === undefined ? silent.has(apiVersionOf(of)) : canBeFollowed(served) && wants(served)
    if (stays) chosen.set(name, of)
  }
  for (const of of resources) {
    const name = resourceNameOf(of)
    if (!chosen.has(name) && canBeFollowed(of) && wants(of)) chosen.set(name, of)
  }
  return chosen
}

function canBeFollowed({ verbs }: Descriptor): boolean {
  return verbs.includes("list") && verbs.includes("watch")
}
