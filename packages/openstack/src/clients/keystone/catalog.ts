import { PilothouseError } from "@pilothouse/seams"
import type { CatalogEntry, CloudAccess } from "./keystone.ts"

/** Older clouds use other words for the same service. */
const aliases: Readonly<Record<string, readonly string[]>> = { "load-balancer": ["load-balancer", "octavia"] }

/** The address of a service for a region and an interface. */
export function findEndpoint(catalog: readonly CatalogEntry[], type: string, access: Pick<CloudAccess, "region" | "interface">): string {
  const requested = access.interface ?? "public"
  const entries = catalog.filter((entry) => (aliases[type] ?? [type]).includes(entry.type))
  const endpoints = entries.flatMap((entry) => entry.endpoints)
  const found = endpoints.find(
    (endpoint) => endpoint.interface === requested && (access.region === undefined || endpoint.region_id === access.region),
  )
  if (found !== undefined) return found.url
  const where = access.region === undefined ? "any region" : `region ${access.region}`
  throw new PilothouseError(
    "CREDENTIALS",
    `expected a ${requested} endpoint of service "${type}" in ${where} in the catalog, found ${describe(catalog, endpoints)}; check region_name and interface`,
  )
}

function describe(catalog: readonly CatalogEntry[], endpoints: readonly { interface: string; region_id: string }[]): string {
  if (endpoints.length > 0) return endpoints.map((one) => `${one.interface} in ${one.region_id}`).join(", ")
  return catalog.length === 0 ? "an empty catalog" : `only ${catalog.map((entry) => entry.type).join(", ")}`
}
