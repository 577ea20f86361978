import type { Service } from "../model/service.ts"

/** One service of several clusters: the first says what it is, the others add their addresses and the accounts that they know. */
export function mergeServices(services: readonly Service[]): Service | undefined {
  const [first, ...others] = services
  if (first === undefined || others.length === 0) return first
  const addresses = Object.fromEntries(services.flatMap((service) => Object.entries(service.addresses)))
  const external = [...new Set(services.flatMap(({ externalAddresses = [] }) => externalAddresses))]
  return {
    ...first,
    addresses,
    accounts: [...new Set(services.flatMap(({ accounts }) => accounts))].sort(),
    ...(external.length === 0 ? {} : { externalAddresses: external }),
  }
}
