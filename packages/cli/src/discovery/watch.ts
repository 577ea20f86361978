import { type EndpointChange, parseQuestion, type WatchHostOptions, watchHost } from "@pilothouse/discovery"
import type { Clock, Files, Log } from "@pilothouse/seams"
import { fileOf, pemOf } from "../apiserver/pem-files.ts"
import { type ClientTlsFlags, checkClientTls } from "./client-tls.ts"

export interface WatchFlags extends ClientTlsFlags {
  readonly server: string
  readonly namespace: string
}

export interface WatchSeams {
  readonly clock: Clock
  readonly log: Log
  readonly files: Files
  print(line: string): void
}

/** Prints what a client of the xDS server is told of a host, from now on. */
export async function watchDiscovery(
  host: string,
  flags: WatchFlags,
  { files, print, ...seams }: WatchSeams,
  signal: AbortSignal,
): Promise<void> {
  const { hostname, port } = parseQuestion(host)
  const { server, namespace } = flags
  checkClientTls(flags)
  const at = () => new Date(seams.clock.now()).toISOString()
  const node = { id: nodeIdOf(namespace), metadata: { GENERATOR: "envoy", NAMESPACE: namespace } }
  await watchHost(
    {
      ...seams,
      server,
      node,
      hostname,
      port,
      ...credentialsOf(flags, files),
      onChange: (change) => print(`${at()} ${describe(change)}`),
      onClusters: (names) => print(`${at()} ${names.length === 0 ? `nothing is told of ${host} now` : `following ${names.join(", ")}`}`),
    },
    signal,
  )
}

function credentialsOf(flags: ClientTlsFlags, files: Files): Pick<WatchHostOptions, "authority" | "certificate" | "token"> {
  const { certificateAuthority, clientCertificate, clientKey, tokenFile } = flags
  if (certificateAuthority === undefined) return {}
  const authority = pemOf(files, "--certificate-authority", certificateAuthority)
  if (clientCertificate !== undefined && clientKey !== undefined) {
    const certificate = {
      chain: pemOf(files, "--client-certificate", clientCertificate),
      key: pemOf(files, "--client-key", clientKey),
    }
    return { authority, certificate }
  }
  return { authority, ...(tokenFile !== undefined && { token: fileOf(files, "--token-file", tokenFile).trim() }) }
}

export function nodeIdOf(namespace: string): string {
  return `sidecar~127.0.0.1~client.${namespace}~${namespace}.svc.cluster.local`
}

const signs = { came: "+", went: "-", changed: "~" } as const

/** "+ web.shop.svc.cluster.local:80 10.244.1.3:8080 HEALTHY here/a" */
function describe({ cluster, what, endpoint }: EndpointChange): string {
  const [, port, , host] = cluster.split("|")
  return [signs[what], `${host}:${port}`, endpoint.address, endpoint.health, endpoint.locality].join(" ").trimEnd()
}
