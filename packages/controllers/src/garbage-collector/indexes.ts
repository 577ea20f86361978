import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Index, index } from "@pilothouse/runtime"

/** Returns the index that finds the dependents of an owner. It and `objectsByUid` are the graph of upstream's GraphBuilder, kept by the informers. */
export function dependentsByOwner(of: Descriptor): Index {
  return index(of, "owner-uid", ownerUids)
}

/** Returns the index that finds an object by its uid, whatever its kind and name. */
export function objectsByUid(of: Descriptor): Index {
  return index(of, "uid", ownUid)
}

// One function for all kinds: an index is its function.
function ownerUids({ metadata }: KubeObject): readonly string[] {
  return metadata.ownerReferences === undefined ? [] : [...new Set(metadata.ownerReferences.map(({ uid }) => uid))]
}

function ownUid({ metadata }: KubeObject): readonly string[] {
  return metadata.uid === undefined ? [] : [metadata.uid]
}
