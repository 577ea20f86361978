import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Index, index } from "@pilothouse/runtime"

export function dependentsByOwner(of: Descriptor): Index {
  return index(of, "owner-uid", ownerUids)
}

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
