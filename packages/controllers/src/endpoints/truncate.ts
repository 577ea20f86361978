import type { EndpointAddress, EndpointSubset } from "@pilothouse/api/core/v1"

/** Larger Endpoints hurt everybody who watches them; EndpointSlices are there for larger Services. */
export const maxCapacity = 1000

type Kind = "addresses" | "notReadyAddresses"

/**
 * At most so many addresses, ready ones first, each subset with its share (rounded up, so that the last may get less).
 * Example: 1000 of 900 ready and 300 not ready in two equal subsets: all ready ones, and 50 of each 150.
 */
export function truncate(subsets: readonly EndpointSubset[], capacity = maxCapacity): readonly EndpointSubset[] {
  const ready = count(subsets, "addresses")
  const notReady = count(subsets, "notReadyAddresses")
  if (ready + notReady <= capacity) return subsets
  if (ready <= capacity) return share(subsets, "notReadyAddresses", notReady, capacity - ready)
  return share(
    subsets.map(({ notReadyAddresses: _, ...rest }) => rest),
    "addresses",
    ready,
    capacity,
  )
}

export function addressCount(subsets: readonly EndpointSubset[]): number {
  return count(subsets, "addresses") + count(subsets, "notReadyAddresses")
}

function count(subsets: readonly EndpointSubset[], kind: Kind): number {
  return subsets.reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0)
}

function share(subsets: readonly EndpointSubset[], kind: Kind, total: number, room: number): readonly EndpointSubset[] {
  let left = room
  const cut = subsets.map(({ [kind]: all = [], ...rest }): EndpointSubset => {
    const some: readonly EndpointAddress[] = all.slice(0, Math.min(left, Math.ceil((all.length / total) * room)))
    left -= some.length
    return some.length === 0 ? rest : { ...rest, [kind]: some }
  })
  // A subset without any address is refused by the server.
  return cut.filter((subset) => subset.addresses !== undefined || subset.notReadyAddresses !== undefined)
}
