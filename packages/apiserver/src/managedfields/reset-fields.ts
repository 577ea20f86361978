import type { Descriptor } from "@pilothouse/api"
import { excludePaths, type FieldFilter, setOfPaths } from "./fieldpath/index.ts"

type Path = readonly string[]

/** What an endpoint resets of a request cannot be owned through it. By "resource.group/subresource", or "resource.group" for the object itself. */
const resetPaths: Readonly<Record<string, readonly Path[]>> = {
  "certificatesigningrequests.certificates.k8s.io": [["spec"], ["status"]],
  "certificatesigningrequests.certificates.k8s.io/status": [["spec"], ["status", "conditions"]],
  "certificatesigningrequests.certificates.k8s.io/approval": [["spec"], ["status", "certificate"]],
  "podcertificaterequests.certificates.k8s.io": [],
  "deployments.apps/status": [["spec"], ["metadata", "labels"]],
  "pods/status": [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  "namespaces/finalize": [["status"]],
}

/** Their status endpoints leave the metadata alone too, as those of custom resources do. */
const statusOnly: ReadonlySet<string> = new Set([
  "servicecidrs.networking.k8s.io",
  "resourceclaims.resource.k8s.io",
  "volumeattachments.storage.k8s.io",
  "flowschemas.flowcontrol.apiserver.k8s.io",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "apiservices.apiregistration.k8s.io",
])

export interface ResetFields {
  /** Leaves the fields that the endpoint can own. */
  readonly filter: FieldFilter
  /** Fields of the object itself that it can own nothing of, such as `spec`: they need not be compared. */
  readonly roots: readonly string[]
}

/** Returns what an endpoint resets; undefined where it can own everything. */
export function resetFields(descriptor: Descriptor, subresource: string, isCustom = false): ResetFields | undefined {
  const resource = descriptor.group === "" ? descriptor.plural : `${descriptor.plural}.${descriptor.group}`
  const endpoint = subresource === "" ? resource : `${resource}/${subresource}`
  const paths = resetPaths[endpoint] ?? defaultPaths(descriptor, subresource, isCustom || statusOnly.has(resource))
  if (paths.length === 0) return undefined
  const filter = excludePaths(setOfPaths(paths.map((path) => path.map((name) => `f:${name}`))))
  return { filter, roots: paths.flatMap((path) => (path.length === 1 ? path : [])) }
}

function defaultPaths({ subresources }: Descriptor, subresource: string, isStatusOnly: boolean): readonly Path[] {
  if (subresource === "status") return isStatusOnly ? [["metadata"], ["spec"]] : [["spec"]]
  const hasStatus = subresource === "" && subresources.some(({ name }) => name === "status")
  return hasStatus ? [["status"]] : []
}
