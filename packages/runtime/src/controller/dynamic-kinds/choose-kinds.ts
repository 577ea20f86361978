import { apiVersionOf, type Descriptor, resourceNameOf } from "@pilothouse/api"
import type { Discovered } from "../../client/discovery/discovery.ts"
import { isSameResource } from "../declared-kind.ts"

/**
 * Chooses the resources to watch after a discovery, by name: one version of each.
 * Pure. A watched version stays while it is served, and while its group does not answer.
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
