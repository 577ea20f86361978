import { type BootstrapOptions, envoyBootstrap, grpcBootstrap } from "@pilothouse/discovery"
import { PilothouseError } from "@pilothouse/seams"
import { stringify } from "yaml"
import { type ClientTlsFlags, checkClientTls } from "./client-tls.ts"
import { nodeIdOf } from "./watch.ts"

export interface BootstrapFlags extends ClientTlsFlags {
  readonly for: "grpc" | "envoy"
  readonly server: string
  readonly namespace: string
  readonly nodeId?: string
  readonly network?: string
  readonly locality?: string
}

/** The bootstrap of a client as text: JSON for gRPC, YAML for Envoy. */
export function printedBootstrap(flags: BootstrapFlags): string {
  checkClientTls(flags)
  const options: BootstrapOptions = {
    ...hostAndPort(flags.server),
    namespace: flags.namespace,
    nodeId: flags.nodeId ?? nodeIdOf(flags.namespace),
    ...localityParts(flags.locality),
    network: flags.network,
    authorityFile: flags.certificateAuthority,
    certificateFile: flags.clientCertificate,
    keyFile: flags.clientKey,
    tokenFile: flags.tokenFile,
  }
  if (flags.for === "grpc") return `${JSON.stringify(grpcBootstrap(options), undefined, 2)}\n`
  return stringify(envoyBootstrap({ ...options, ownPorts: true, adminPort: 15_000 }))
}

/** "region", "region/zone" or "region/zone/subzone", as xDS has it. A fourth part would be lost, and an empty one in front is a slip of the hand. */
function localityParts(locality: string | undefined): Pick<BootstrapOptions, "region" | "zone" | "subZone"> {
  if (locality === undefined) return {}
  const [region = "", zone, subZone, ...more] = locality.split("/")
  const given = [region, zone, subZone].filter((part) => part !== undefined)
  if (more.length === 0 && given.every((part) => part.trim() !== "")) return { region, zone, subZone }
  throw new PilothouseError("USAGE", `expected region, region/zone or region/zone/subzone for --locality, found "${locality}"`)
}

/** Refuses what is no "host:port". */
export function hostAndPort(server: string): { readonly host: string; readonly port: number } {
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(server) ?? []
  const host = address ?? name
  if (host === undefined || host.includes("/") || port === undefined)
    throw new PilothouseError("USAGE", `expected host:port for --server, such as 127.0.0.1:15010 or [::1]:15010, found "${server}"`)
  if (Number(port) >= 1 && Number(port) <= 65_535) return { host, port: Number(port) }
  throw new PilothouseError("USAGE", `expected a port from 1 to 65535 in --server, found "${server}"`)
}
