import type { Kubeconfig } from "./types.ts"

/**
 * Several files as one, as kubectl does it: the first file that has a cluster, user, context or current-context of a name decides it,
 * and nothing of a later entry of that name is used.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: mergeByName(configs.map(({ clusters }) => clusters)),
    users: mergeByName(configs.map(({ users }) => users)),
    contexts: mergeByName(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    from: configs.flatMap(({ from }) => from),
  }
}

function mergeByName<Entry>(maps: readonly ReadonlyMap<string, Entry>[]): ReadonlyMap<string, Entry> {
  const merged = new Map<string, Entry>()
  for (const [name, entry] of maps.flatMap((map) => [...map])) if (!merged.has(name)) merged.set(name, entry)
  return merged
}
