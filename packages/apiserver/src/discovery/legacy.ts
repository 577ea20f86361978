import { createHash } from "node:crypto"
import type { Descriptor, Subresource } from "@pilothouse/api"
import { unlessEmpty } from "./aggregated.ts"
import type { ServedGroup, ServedVersion } from "./groups.ts"
import { responseKindOf } from "./response-kind.ts"

/** Of /api: the versions of the core group. */
export function apiVersions(core: ServedGroup, serverAddress: string): object {
  const serverAddressByClientCIDRs = [{ clientCIDR: "0.0.0.0/0", serverAddress }]
  return { kind: "APIVersions", versions: core.versions.map(({ version }) => version), serverAddressByClientCIDRs }
}

/** Of /apis: every group but the core one. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupFacts) }
}

/** Of /apis/<group>. */
export function apiGroup(group: ServedGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFacts(group) }
}

function groupFacts(group: ServedGroup): object {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }))
  return { name: group.name, versions, preferredVersion: versions[0] }
}

/** Of /api/v1 and /apis/<group>/<version>. Clients take the first entry of a kind: the resource comes before its subresources. */
export function apiResourceList({ groupVersion, resources }: ServedVersion): object {
  const entries = resources.flatMap((descriptor) => [
    resourceEntry(descriptor),
    ...descriptor.subresources.map((subresource) => subresourceEntry(descriptor, subresource)),
  ])
  // Upstream leaves apiVersion away for the core group.
  return { kind: "APIResourceList", ...(groupVersion === "v1" ? {} : { apiVersion: "v1" }), groupVersion, resources: entries }
}

function resourceEntry(descriptor: Descriptor): object {
  const hash = storageVersionHash(descriptor)
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

/** Kinds that upstream stores in another version than they are asked for in. */
const storedAs: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding": "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding",
  "apiextensions.k8s.io/v1/CustomResourceDefinition": "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
  "autoscaling/v1/HorizontalPodAutoscaler": "autoscaling/v2/HorizontalPodAutoscaler",
  "events.k8s.io/v1/Event": "/v1/Event",
}

/** Changes when a resource comes to be stored in another version; absent for what is not stored (reviews, bindings). */
function storageVersionHash({ group, version, kind, verbs }: Descriptor): string | undefined {
  if (!verbs.includes("watch")) return undefined
  const own = `${group}/${version}/${kind}`
  const digest = createHash("sha256")
    .update(storedAs[own] ?? own)
    .digest()
  return digest.subarray(0, 8).toString("base64")
}
