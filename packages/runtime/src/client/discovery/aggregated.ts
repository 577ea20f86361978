import { apiVersionOf, type Descriptor, type Subresource } from "@pilothouse/api"
import type { FailedGroup } from "./discovery.ts"

/** Accepts aggregated discovery (since 1.26), and the legacy form. */
export const aggregatedTypes = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",")

interface ResponseKind {
  readonly group?: string
  readonly version?: string
  readonly kind: string
}

interface ResourceDiscovery {
  readonly resource: string
  readonly responseKind?: ResponseKind
  readonly scope: "Namespaced" | "Cluster"
  readonly singularResource?: string
  readonly verbs?: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly {
    readonly subresource: string
    readonly responseKind?: ResponseKind
    readonly verbs?: readonly string[]
  }[]
}

interface AggregatedList {
  readonly kind: "APIGroupDiscoveryList"
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly resources?: readonly ResourceDiscovery[]
      /** "Stale" when the aggregated server of the group did not answer recently. */
      readonly freshness?: string
    }[]
  }[]
}

/** Reports whether the server answered in the aggregated form; servers before 1.26 answer in the legacy one. */
export function isAggregated(answer: { readonly kind: string }): answer is AggregatedList {
  return answer.kind === "APIGroupDiscoveryList"
}

/** Reads an aggregated discovery document in the server's order: the preferred version of a group first. */
export function fromAggregated({ items }: AggregatedList): readonly Descriptor[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.flatMap((resource) => descriptorOf(metadata.name ?? "", version, resource)),
    ),
  )
}

/** With client-go's message. */
export function staleVersions({ items }: AggregatedList): readonly FailedGroup[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions
      .filter(({ freshness }) => freshness === "Stale")
      .map(({ version }) => apiVersionOf({ group: metadata.name ?? "", version }))
      .map((groupVersion) => ({ groupVersion, message: `stale GroupVersion discovery: ${groupVersion}` })),
  )
}

/** A resource of which only subresources are served has no kind, and is skipped. */
function descriptorOf(group: string, version: string, resource: ResourceDiscovery): readonly Descriptor[] {
  if (resource.responseKind === undefined) return []
  const { kind } = resource.responseKind
  const descriptor: Descriptor = {
    group,
    version,
    kind,
    plural: resource.resource,
    singular: resource.singularResource || kind.toLowerCase(),
    namespaced: resource.scope === "Namespaced",
    verbs: resource.verbs ?? [],
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      verbs: verbs ?? [],
      ...otherKind(responseKind, { group, version, kind }),
    })),
  }
  return [descriptor]
}

/** Returns the kind only where it differs from the resource's own; an empty group and version mean those of the resource. */
export function otherKind(found: ResponseKind | undefined, own: Required<ResponseKind>): Pick<Subresource, "kind"> {
  if (found === undefined || found.kind === "") return {}
  const version = found.version || own.version
  const group = found.version ? (found.group ?? "") : found.group || own.group
  if (found.kind === own.kind && version === own.version && group === own.group) return {}
  return { kind: [...(group === "" ? [] : [group]), version, found.kind].join("/") }
}
