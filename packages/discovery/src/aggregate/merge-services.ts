import type { Service } from "../model/service.ts"

/** One service of several clusters: the first says what it is, the others add their addresses and the accounts that they know. */
export function mergeServices(services: readonly Service[]): Service {
  const addresses = Object.fromEntries(services.flatMap((service) => Object.entries(service.addresses)))
  const external = [...new Set(services.flatMap(({ externalAddresses = [] }) => externalAddresses))]
  return {
    ...services[0]!,
    addresses,
    accounts: [...new Set(services.flatMap(({ accounts }) => accounts))].sort(),
    ...(external.length === 0 ? {} : { externalAddresses: external }),
  }
}
