import { networkInterfaces } from "node:os"

/** Addresses of this machine, without those that lead nowhere from another one. */
export function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address)).map(({ address }) => address)
}
