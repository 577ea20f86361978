import { PilothouseError } from "@pilothouse/seams"
import { type Command, Option } from "commander"
import { goDuration, oneOf, somePath, wholeNumber } from "../flags/flag-values.ts"
import { addRegistryFlags, type RegistryFlags } from "./registry-flags.ts"
import type { TlsFlags } from "./tls.ts"

/** The values of the flags that `addServeFlags` adds. */
export interface ServeFlags extends TlsFlags, RegistryFlags {
  readonly kubeconfig?: readonly string[]
  readonly clusterId?: readonly string[]
  readonly syncTimeout: number
  readonly bindAddress: string
  readonly port: number
  readonly debugPort: number
  readonly maxStreams?: number
  readonly maxStreamsPerConnection?: number
  readonly maxConnections?: number
  readonly meshNetworksFile?: string
  readonly meshNetworksConfigMap?: string
  readonly acrossNetworks: "mutual-tls" | "all"
  readonly resourceTtl?: number
}

/** The flags of a server of its own: what it reads, where it listens, whom it lets in, what it tells. */
export function addServeFlags(command: Command): Command {
  return addEndpointFlags(addListeningFlags(addReadingFlags(command)))
}

/** As Istio gives remote clusters. */
const remotePatience = 30_000

function addReadingFlags(command: Command): Command {
  const clusters = command
    .option("--kubeconfig <path...>", "clusters to read; said again, they are merged by hostname (default: as kubectl)")
    .option(
      "--cluster-id <name...>",
      "what those clusters are called, in the same order: CLUSTER_ID of their clients (default: Kubernetes, cluster-2 …)",
    )
    .addOption(
      new Option(
        "--sync-timeout <duration>",
        "how long a cluster that does not answer at the start, other than the first, holds up the others; 0s is for ever",
      )
        .argParser(goDuration("--sync-timeout", true))
        .default(remotePatience, "30s"),
    )
  return addRegistryFlags(clusters)
}

function addListeningFlags(command: Command): Command {
  const count = (flag: string) => wholeNumber(flag, 1, 1_000_000)
  return command
    .option("--bind-address <address>", "address to listen on; only loopback without TLS", "127.0.0.1")
    .option("--port <number>", "port of xDS, or the next that is free", wholeNumber("--port", 0, 65_535), 15_010)
    .option(
      "--debug-port <number>",
      "port of the debug pages and metrics on 127.0.0.1, or the next that is free",
      wholeNumber("--debug-port", 0, 65_535),
      15_014,
    )
    .option(
      "--tls-cert-file <path>",
      "certificate of the server (PEM); needed for any other address than loopback. Followed, and read again at SIGHUP",
      somePath("--tls-cert-file"),
    )
    .option("--tls-private-key-file <path>", "key of that certificate (PEM)", somePath("--tls-private-key-file"))
    .option(
      "--client-ca-file <path>",
      "authority of client certificates (PEM); without it clients show a service-account token",
      somePath("--client-ca-file"),
    )
    .option("--token-audience <name...>", "whom such a token must be meant for (default: the API server)")
    .option("--max-streams <number>", "streams that may be open at once (default: 100000)", count("--max-streams"))
    .option("--max-streams-per-connection <number>", "of one connection (default: 100)", count("--max-streams-per-connection"))
    .option("--max-connections <number>", "connections (default: a thousand more than streams)", count("--max-connections"))
}

function addEndpointFlags(command: Command): Command {
  return command
    .option("--mesh-networks-file <path>", "which network an address is in, in Istio's format; followed", somePath("--mesh-networks-file"))
    .option(
      "--mesh-networks-config-map <namespace/name>",
      "the same, from the key meshNetworks of a ConfigMap of each cluster; followed",
      objectName("--mesh-networks-config-map"),
    )
    .option(
      "--across-networks <which>",
      "endpoints of other networks that clients receive as the gateways there: mutual-tls (as Istio's gateways need it) or all",
      oneOf("--across-networks", ["mutual-tls", "all"]),
      "mutual-tls",
    )
    .option(
      "--resource-ttl <duration>",
      "clients that can do so forget what they have not received for this time; 1m, at least 1s (default: never)",
      resourceTtl,
    )
}

function objectName(flag: string): (text: string) => string {
  return (text) => {
    if (/^[^/]+\/[^/]+$/.test(text)) return text
    throw new PilothouseError("USAGE", `expected namespace/name for ${flag}, found "${text}"`)
  }
}

const minTtl = 1_000

/** Every client gets a heartbeat twice in that time. */
function resourceTtl(text: string): number {
  const found = goDuration("--resource-ttl")(text)
  if (found >= minTtl) return found
  throw new PilothouseError("USAGE", `expected at least 1s for --resource-ttl, found "${text}"; each client is sent something twice in it`)
}
