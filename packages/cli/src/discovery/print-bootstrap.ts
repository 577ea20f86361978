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
  const [region = "", zone = ""] = (flags.locality ?? "").split("/")
  const options: BootstrapOptions = {
    ...hostAndPort(flags.server),
    namespace: flags.namespace,
    nodeId: flags.nodeId ?? nodeIdOf(flags.namespace),
    region,
    zone,
    network: flags.network,
    authorityFile: flags.certificateAuthority,
    certificateFile: flags.clientCertificate,
    keyFile: flags.clientKey,
    tokenFile: flags.tokenFile,
  }
  if (flags.for === "grpc") return `${JSON.stringify(grpcBootstrap(options), undefined, 2)}\n`
  return stringify(envoyBootstrap({ ...options, ownPorts: true, adminPort: 15_000 }))
}

/** Refuses what is no "host:port". */
export function hostAndPort(server: string): { readonly host: string; readonly port: number } {
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(server) ?? []
  const host = address ?? name
  if (host !== undefined && port !== undefined) return { host, port: Number(port) }
  throw new PilothouseError("USAGE", `expected host:port for --server, found "${server}"`)
}
