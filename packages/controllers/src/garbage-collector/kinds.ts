import { apiVersionOf, type Descriptor, joinKey, type KubeObject, keyOf, type OwnerReference, resourceNameOf } from "@pilothouse/api"
import type { Reader } from "@pilothouse/runtime"

/** Reports whether objects of the kind are collected: all that can be deleted, without Events, which are many and neither own nor are owned. */
export function isCollected({ group, plural, verbs }: Descriptor): boolean {
  return verbs.includes("delete") && !(plural === "events" && (group === "" || group === "events.k8s.io"))
}

/** "pods default/web-1": the key of this controller's queue. */
export function keyFor(of: Descriptor, object: KubeObject): string {
  return `${resourceNameOf(of)} ${keyOf(object)}`
}

export interface Location {
  readonly of: Descriptor
  readonly key: string
}

/** The kind and the key in its cache. Undefined: the kind is gone. */
export function resolveKey(key: string, read: Reader): Location | undefined {
  const at = key.indexOf(" ")
  const [plural, ...group] = key.slice(0, at).split(".")
  const groupName = group.join(".")
  const known = read.kinds().find(({ of }) => of.plural === plural && of.group === groupName)
  return known && { of: known.of, key: key.slice(at + 1) }
}

/** Returns where the caches would have the owner. Undefined: it is of a kind that is not followed, or of one that cannot own the object. */
export function cachedLocation(object: KubeObject, reference: OwnerReference, read: Reader): Location | undefined {
  const group = referenceGroup(reference)
  // Any version of the kind is that kind.
  const known = read.kinds().find(({ of }) => of.kind === reference.kind && of.group === group)
  return known && locate(known.of, object, reference)
}

/** Returns where the server would have the owner. Undefined: it does not know the kind in that version, or one that cannot own the object. */
export async function liveLocation(object: KubeObject, reference: OwnerReference, read: Reader): Promise<Location | undefined> {
  // Only that very version: what one that is not served any more meant is unknown.
  const isMeant = (of: Descriptor) => of.kind === reference.kind && apiVersionOf(of) === reference.apiVersion
  // What is followed is known to be served: a server that does not say what it has must not hold up what can be asked by name.
  const known = read.kinds().find(({ of }) => isMeant(of))
  const of = known?.of ?? (await read.versionsOf(referenceGroup(reference), reference.kind)).find(isMeant)
  return of && locate(of, object, reference)
}

/** The namespace of the owner of a cluster-scoped object is unknown. */
function locate(of: Descriptor, { metadata }: KubeObject, { name }: OwnerReference): Location | undefined {
  if (!of.namespaced) return { of, key: name }
  return metadata.namespace ? { of, key: joinKey({ namespace: metadata.namespace, name }) } : undefined
}

function referenceGroup({ apiVersion }: OwnerReference): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : ""
}
