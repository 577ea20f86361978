import type { Descriptor } from "@pilothouse/api"
import type { ServedGroup, ServedVersion } from "./groups.ts"
import { responseKindOf } from "./response-kind.ts"

/** Everything about all groups in one answer (apidiscovery.k8s.io/v2). */
export function groupDiscoveryList(groups: readonly ServedGroup[]): object {
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items: groups.map(groupDiscovery) }
}

function groupDiscovery({ name, versions }: ServedGroup): object {
  return { metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null }, versions: versions.map(versionDiscovery) }
}

function versionDiscovery({ version, resources, remote }: ServedVersion): object {
  if (remote !== undefined) {
    // Until its server was read, too: a client that took the group for empty would take its objects for gone.
    const { resources: found, freshness } = remote.discovered ?? { resources: [], freshness: "Stale" }
    return { version, ...unlessEmpty("resources", found), freshness }
  }
  return { version, resources: resources.map(resourceDiscovery), freshness: "Current" }
}

function resourceDiscovery(descriptor: Descriptor): object {
  const subresources = descriptor.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: responseKindOf(descriptor, subresource),
    verbs: subresource.verbs,
  }))
  return {
    resource: descriptor.plural,
    // Empty as upstream has it: its own group and version are meant.
    responseKind: { group: "", version: "", kind: descriptor.kind },
    scope: descriptor.namespaced ? "Namespaced" : "Cluster",
    singularResource: descriptor.singular,
    verbs: descriptor.verbs,
    ...unlessEmpty("shortNames", descriptor.shortNames),
    ...unlessEmpty("categories", descriptor.categories),
    ...unlessEmpty("subresources", subresources),
  }
}

export function unlessEmpty(name: string, list: readonly unknown[]): Readonly<Record<string, readonly unknown[]>> {
  return list.length === 0 ? {} : { [name]: list }
}
