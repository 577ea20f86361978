import type { Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { SliceChanges } from "./changes.ts"
import { isOwnedBy, withServiceLabels } from "./slice.ts"

/** Makes slices that have to go into those that have to come: one write instead of two. What others keep in their annotations and labels stays. */
export function recycle(changes: SliceChanges, service: Service): SliceChanges {
  const create = [...changes.create]
  const update = [...changes.update]
  const remove: EndpointSlice[] = []
  for (const old of changes.remove) {
    // The address type of a slice never changes, and one of an older Service of this name belongs to the garbage collector.
    const at = isOwnedBy(old, service) ? create.findLastIndex((slice) => slice.addressType === old.addressType) : -1
    const [wanted] = at === -1 ? [] : create.splice(at, 1)
    if (wanted === undefined) remove.push(old)
    else update.push(withServiceLabels({ ...old, endpoints: wanted.endpoints, ports: wanted.ports }, service))
  }
  return { ...changes, create, update, remove }
}
