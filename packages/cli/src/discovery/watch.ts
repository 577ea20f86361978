import { type EndpointChange, parseQuestion, watchHost } from "@pilothouse/discovery"
import { type Clock, type Files, type Log, PilothouseError } from "@pilothouse/seams"
import { fileOf, pemOf } from "../apiserver/pem-files.ts"

export interface WatchFlags {
  readonly server: string
  readonly namespace: string
  readonly certificateAuthority?: string
  readonly tokenFile?: string
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
  const { server, namespace, certificateAuthority, tokenFile } = flags
  if (tokenFile !== undefined && certificateAuthority === undefined)
    throw new PilothouseError("USAGE", "expected --certificate-authority with --token-file, found none; a token is never sent in the clear")
  const at = () => new Date(seams.clock.now()).toISOString()
  const node = { id: nodeIdOf(namespace), metadata: { GENERATOR: "envoy", NAMESPACE: namespace } }
  await watchHost(
    {
      ...seams,
      server,
      node,
      hostname,
      port,
      authority: certificateAuthority === undefined ? undefined : pemOf(files, "--certificate-authority", certificateAuthority),
      token: tokenFile === undefined ? undefined : fileOf(files, "--token-file", tokenFile).trim(),
      onChange: (change) => print(`${at()} ${describe(change)}`),
      onClusters: (names) => print(`${at()} ${names.length === 0 ? `nothing is told of ${host} now` : `following ${names.join(", ")}`}`),
    },
    signal,
  )
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
