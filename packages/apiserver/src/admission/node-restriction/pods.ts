import { deepEqual, isMirrorPod, mirrorPodAnnotation, podConfigMaps, podSecrets, quoted } from "@pilothouse/api"
import { nodes, type Pod, pods, type Volume } from "@pilothouse/api/core/v1"
import { type AdmissionAttributes, refusal } from "../plugin.ts"
import { existing } from "./existing-object.ts"

/** A node creates mirror pods of its own, and deletes pods that are bound to it. */
export function admitPod(node: string, attributes: AdmissionAttributes): void {
  const { operation, namespace, name } = attributes
  if (operation === "CREATE") return admitMirrorPod(node, attributes)
  if (operation === "DELETE") {
    if (existing(attributes, pods, namespace, name).spec?.nodeName === node) return
    throw refusal(attributes, `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`)
  }
  throw refusal(attributes, `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`)
}

function admitMirrorPod(node: string, attributes: AdmissionAttributes): void {
  const pod = attributes.object as unknown as Pod
  const own = `node ${quoted(node)} can only create pods`
  if (!isMirrorPod(pod)) {
    const text = `pod does not have ${quoted(mirrorPodAnnotation)} annotation, node ${quoted(node)} can only create mirror pods`
    throw refusal(attributes, text)
  }
  if (pod.spec?.nodeName !== node) throw refusal(attributes, `${own} with spec.nodeName set to itself`)
  const owners = pod.metadata.ownerReferences ?? []
  if (owners.length > 1) throw refusal(attributes, `${own} with a single owner reference set to itself`)
  const owner = owners[0]
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node) {
    throw refusal(attributes, `${own} with an owner reference set to itself`)
  }
  if (owner.controller !== true) throw refusal(attributes, `${own} with a controller owner reference set to itself`)
  if (owner.blockOwnerDeletion === true)
    throw refusal(attributes, `node ${quoted(node)} must not set blockOwnerDeletion on an owner reference`)
  const { uid = "" } = existing(attributes, nodes, undefined, node).metadata
  if (owner.uid !== uid) throw refusal(attributes, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`)
  checkReferences(node, attributes, pod)
}

/** A pod that a node makes by itself refers to no object of the API: otherwise it would give rights to its node. */
function checkReferences(node: string, attributes: AdmissionAttributes, pod: Pod): void {
  const refer = (what: string) => refusal(attributes, `node ${quoted(node)} can not create pods that reference ${what}`)
  if ((pod.spec?.serviceAccountName ?? "") !== "") throw refer("serviceaccounts")
  if (podSecrets(pod).length > 0) throw refer("secrets")
  if (podConfigMaps(pod).length > 0) throw refer("configmaps")
  if ((pod.spec?.resourceClaims ?? []).length > 0) throw refer("resourceclaims")
  for (const volume of pod.spec?.volumes ?? []) {
    const what = volumeReference(volume)
    if (what !== undefined) throw refer(what)
  }
}

/** By the source of a volume: what it refers to. */
const volumeReferences: Readonly<Record<string, string>> = {
  configMap: "configmaps (via configmap volumes)",
  secret: "secrets (via secret volumes)",
  csi: "csidrivers (via CSI volumes)",
  glusterfs: "endpoints (via glusterFS volumes)",
  persistentVolumeClaim: "persistentvolumeclaims",
  ephemeral: "persistentvolumeclaims (via ephemeral volumes)",
  azureFile: "secrets (via azureFile volumes)",
}

const projectedReferences: Readonly<Record<string, string>> = {
  configMap: "configmaps (via projected volumes)",
  secret: "secrets (via projected volumes)",
  serviceAccountToken: "serviceaccounts (via projected volumes)",
  clusterTrustBundle: "clustertrustbundles",
  podCertificate: "podcertificates",
}

function volumeReference({ name: _name, projected, ...sources }: Volume): string | undefined {
  const own = Object.keys(sources).find((source) => Object.hasOwn(volumeReferences, source))
  if (own !== undefined) return volumeReferences[own]
  const within = (projected?.sources ?? [])
    .flatMap((source) => Object.keys(source))
    .find((source) => Object.hasOwn(projectedReferences, source))
  return within === undefined ? undefined : projectedReferences[within]
}

/** A node reports the status of its own pods, and changes nothing else by it. */
export function admitPodStatus(node: string, attributes: AdmissionAttributes): void {
  const { operation, object, old } = attributes
  if (operation !== "UPDATE") throw refusal(attributes, `unexpected operation ${quoted(operation)}`)
  const [before, after] = [old as Pod, object as unknown as Pod]
  if (before.spec?.nodeName !== node) {
    throw refusal(attributes, `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`)
  }
  if (!deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {})) {
    throw refusal(attributes, `node ${quoted(node)} cannot update labels through pod status`)
  }
  if (!deepEqual(before.status?.resourceClaimStatuses ?? [], after.status?.resourceClaimStatuses ?? [])) {
    throw refusal(attributes, `node ${quoted(node)} cannot update resource claim statues`)
  }
  if (!deepEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus)) {
    throw refusal(attributes, `node ${quoted(node)} cannot update extended resource claim status`)
  }
}

/** A node evicts pods that are bound to it. The name is that of the path, or that of the Eviction where the path has none. */
export function admitEviction(node: string, attributes: AdmissionAttributes): void {
  const { namespace, object } = attributes
  const name = attributes.name || (object?.metadata?.name ?? "")
  if (name === "") throw refusal(attributes, "could not determine pod from request data")
  if (existing(attributes, pods, namespace, name).spec?.nodeName === node) return
  throw refusal(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`)
}
