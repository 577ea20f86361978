import { createHash } from "node:crypto"
import type { Descriptor, Subresource } from "@pilothouse/api"
import { queryValue, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { wantsPretty } from "../request/accept.ts"
import { documentResponse, type StaticDocument, staticDocument } from "./document.ts"
import type { ServedGroup, ServedVersion, StorageVersions } from "./groups.ts"
import { responseKindOf } from "./response-kind.ts"

/** Kinds that upstream stores in another version than they are asked for in. */
const storedAs: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding",
  "apiextensions.k8s.io/v1/CustomResourceDefinition": "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
  "autoscaling/v1/HorizontalPodAutoscaler": "autoscaling/v2/HorizontalPodAutoscaler",
  "events.k8s.io/v1/Event": "/v1/Event",
}

/** Answers a request for discovery; undefined for any other. */
export type Discovery = (request: TransportRequest) => TransportResponse | undefined

/** Serves discovery, aggregated and in the older documents. Each document is made when first asked for, and kept. */
export function discovery(groups: readonly ServedGroup[]): Discovery {
  const documents = new Map<string, StaticDocument>()
  return (request) => {
    if (request.verb !== "GET") return undefined
    const parts = request.path.replace(/^\/|\/$/g, "").split("/")
    if ((parts[0] !== "api" && parts[0] !== "apis") || parts.length > 3) return undefined
    const aggregated = parts.length === 1 && wantsAggregated(request.headers.accept)
    const key = `${aggregated} ${parts.join("/")} ${parts.length === 1 ? request.headers.host : ""}`
    const known = documents.get(key) ?? makeDocument(groups, parts, aggregated, request.headers.host ?? "")
    if (known === undefined) return undefined
    // Clients name the host: a bound, in case one makes up new ones for ever.
    if (documents.size > 1000) documents.clear()
    documents.set(key, known)
    const answer = documentResponse(known, request, parts.length === 1 ? {} : { "cache-control": "no-cache, private" })
    return wantsPretty(queryValue(request.query, "pretty"), request.headers["user-agent"]) ? pretty(answer) : answer
  }
}

/** For people; programs get it as short as it can be. */
function pretty(answer: TransportResponse): TransportResponse {
  const { body } = answer
  if (answer.status !== 200 || body.type !== "bytes") return answer
  const value: unknown = JSON.parse(new TextDecoder().decode(body.bytes))
  return { ...answer, body: { ...body, bytes: Buffer.from(JSON.stringify(value, undefined, 2)) } }
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

/** v2beta1 is off since 1.33: a client that accepts nothing else gets the legacy form. Parameters may come in any order. */
function wantsAggregated(accept = ""): boolean {
  return accept.split(",").some((clause) => {
    const parts = clause.split(";").map((part) => part.trim())
    return aggregatedType.split(";").every((part) => parts.includes(part))
  })
}

function makeDocument(
  groups: readonly ServedGroup[],
  parts: readonly string[],
  aggregated: boolean,
  host: string,
): StaticDocument | undefined {
  const core = groups.filter(({ name }) => name === "")
  const named = groups.filter(({ name }) => name !== "")
  const [root, first, second] = parts
  if (aggregated) return staticDocument(groupDiscoveryList(root === "api" ? core : named), aggregatedType)
  if (root === "api") {
    if (second !== undefined || core[0] === undefined) return undefined
    return first === undefined ? staticDocument(apiVersions(core[0], host)) : resourcesOf(core[0], first)
  }
  if (first === undefined) return staticDocument(apiGroupList(named))
  const group = named.find(({ name }) => name === first)
  if (group === undefined) return undefined
  return second === undefined ? staticDocument(apiGroup(group)) : resourcesOf(group, second)
}

function resourcesOf(group: ServedGroup, asked: string): StaticDocument | undefined {
  const served = group.versions.find(({ version }) => version === asked)
  return served && staticDocument(apiResourceList(served))
}

/** Of /api: the versions of the core group. */
function apiVersions(core: ServedGroup, serverAddress: string): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }]
  return { kind: "APIVersions", versions: core.versions.map(({ version }) => version), serverAddressByClientCIDRs }
}

/** Of /apis: every group but the core one. */
function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupFacts) }
}

/** Of /apis/<group>. */
function apiGroup(group: ServedGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFacts(group) }
}

function groupFacts(group: ServedGroup): object {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }))
  return { name: group.name, versions, preferredVersion: versions[0] }
}

/** Of /api/v1 and /apis/<group>/<version>. Clients take the first entry of a kind: the resource comes before its subresources. */
function apiResourceList({ groupVersion, resources, storageVersions }: ServedVersion): object {
  const entries = resources.flatMap((descriptor) => [
    resourceEntry(descriptor, storageVersions),
    ...descriptor.subresources.map((subresource) => subresourceEntry(descriptor, subresource)),
  ])
  // Upstream leaves apiVersion away for the core group.
  return { kind: "APIResourceList", ...(groupVersion === "v1" ? {} : { apiVersion: "v1" }), groupVersion, resources: entries }
}

function resourceEntry(descriptor: Descriptor, storageVersions: StorageVersions | undefined): object {
  const hash = storageVersionHash(descriptor, storageVersions)
  return {
    name: descriptor.plural,
    singularName: descriptor.singular,
    namespaced: descriptor.namespaced,
    kind: descriptor.kind,
    verbs: descriptor.verbs,
    ...unlessEmpty("shortNames", descriptor.shortNames),
    ...unlessEmpty("categories", descriptor.categories),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  }
}

function subresourceEntry(descriptor: Descriptor, subresource: Subresource): object {
  const { group, version, kind } = responseKindOf(descriptor, subresource)
  return {
    name: `${descriptor.plural}/${subresource.name}`,
    singularName: "",
    namespaced: descriptor.namespaced,
    ...(group === "" ? {} : { group }),
    ...(version === "" ? {} : { version }),
    kind,
    verbs: subresource.verbs,
  }
}

/** Changes when a resource comes to be stored in another version; absent for what is not stored (reviews, bindings). */
function storageVersionHash(descriptor: Descriptor, storageVersions: StorageVersions | undefined): string | undefined {
  const { group, kind, verbs } = descriptor
  const version = storageVersions?.has(descriptor) ? storageVersions.get(descriptor) : descriptor.version
  if (!verbs.includes("watch") || version === undefined) return undefined
  const own = `${group}/${version}/${kind}`
  const digest = createHash("sha256")
    .update(storedAs[own] ?? own)
    .digest()
  return digest.subarray(0, 8).toString("base64")
}

/** Everything about all groups in one answer (apidiscovery.k8s.io/v2). */
function groupDiscoveryList(groups: readonly ServedGroup[]): object {
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

function unlessEmpty(name: string, list: readonly unknown[]): Readonly<Record<string, readonly unknown[]>> {
  return list.length === 0 ? {} : { [name]: list }
}
