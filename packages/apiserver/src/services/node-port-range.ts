/** Ports, both ends included. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** Upstream's. */
export const defaultNodePorts: PortRange = { first: 30_000, last: 32_767 }

/** Returns how many of the lowest ports are left to Services that request a certain one, while there are others: 86 of the usual 2768. */
export function staticBand({ first, last }: PortRange): number {
  const size = last - first + 1
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128)
}
