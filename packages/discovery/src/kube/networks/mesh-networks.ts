import { parseCidrOrIp } from "@pilothouse/api/net"
import { type Duration, type Files, PilothouseError } from "@pilothouse/seams"

/** One network of the mesh. */
export interface MeshNetwork {
  readonly ranges: readonly string[]
  /** Clusters all of whose endpoints are in it. */
  readonly registries: readonly string[]
  readonly gateways: readonly MeshGateway[]
}

/** An address, or a service whose external addresses lead into the network. */
export interface MeshGateway {
  readonly address?: string
  readonly service?: string
  readonly port: number
}

/** The networks of the mesh by name. */
export type MeshNetworks = ReadonlyMap<string, MeshNetwork>

/** A mesh without networks. */
export const noNetworks: ReadonlyMap<string, MeshNetwork> = new Map()

/** Reads Istio's meshNetworks; refuses with the place of what is wrong, so that the last good one can be kept. */
export function readMeshNetworks(found: unknown): MeshNetworks {
  const root = record(found, "meshNetworks")
  const networks = record(root.networks ?? {}, "networks")
  return new Map(Object.entries(networks).map(([name, network]) => [name, readNetwork(network, `networks.${name}`)]))
}

function readNetwork(found: unknown, place: string): MeshNetwork {
  const { endpoints, gateways } = record(found, place)
  const ranges: string[] = []
  const registries: string[] = []
  for (const [at, entry] of list(endpoints, `${place}.endpoints`).entries()) {
    const here = `${place}.endpoints[${at}]`
    const { fromCidr, fromRegistry } = record(entry, here)
    if (typeof fromCidr === "string" && parseCidrOrIp(fromCidr) !== undefined) ranges.push(fromCidr)
    else if (typeof fromRegistry === "string" && fromCidr === undefined) registries.push(fromRegistry)
    else throw wrong(here, 'fromCidr with a range such as "10.0.0.0/8", or fromRegistry with a cluster', entry)
  }
  return {
    ranges,
    registries,
    gateways: list(gateways, `${place}.gateways`).map((entry, at) => readGateway(entry, `${place}.gateways[${at}]`)),
  }
}

function readGateway(found: unknown, place: string): MeshGateway {
  const { address, registryServiceName, registry_service_name: older, port } = record(found, place)
  const service = registryServiceName ?? older
  if (typeof port !== "number") throw wrong(`${place}.port`, "a number", port)
  if (typeof address === "string") return { address, port }
  if (typeof service === "string") return { service, port }
  throw wrong(place, "address or registryServiceName", found)
}

function list(found: unknown, place: string): readonly unknown[] {
  if (found === undefined || found === null) return []
  if (Array.isArray(found)) return found
  throw wrong(place, "a list", found)
}

function record(found: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return found as Readonly<Record<string, unknown>>
  throw wrong(place, "a map", found)
}

function wrong(place: string, expected: string, found: unknown): PilothouseError {
  return new PilothouseError("INVALID", `${place}: expected ${expected}, found ${JSON.stringify(found) ?? "nothing"}`)
}

/** Where the networks of the mesh are read from. */
export interface MeshNetworksSource {
  /** A file, read every 10 s by default … */
  readonly file?: { readonly files: Files; readonly path: string; readonly every?: Duration }
  /** … or a ConfigMap "namespace/name" and its key, by default "meshNetworks". */
  readonly configMap?: { readonly name: string; readonly key?: string }
  /** Reads the text; by default as JSON. The command line passes a YAML reader. */
  readonly parse?: (text: string) => unknown
}
