import { createPrivateKey, X509Certificate } from "node:crypto"
import { type EndpointChange, type WatchHostOptions, watchHost } from "@pilothouse/discovery"
import { type Clock, type Files, type Log, PilothouseError } from "@pilothouse/seams"
import { certificateOf, fileOf, privateKeyOf } from "../certificates/pem-files.ts"
import { askedHost } from "./asked-host.ts"
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

/** Prints what a client of the xDS server receives of a host, from now on. */
export async function watchDiscovery(
  host: string,
  flags: WatchFlags,
  { files, print, ...seams }: WatchSeams,
  signal: AbortSignal,
): Promise<void> {
  const { hostname, port } = askedHost(host)
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
      onClusters: (names) =>
        print(
          `${at()} ${names.length === 0 ? `clients get nothing of ${host} now; "pilothouse discovery explain ${host}" says why` : `following ${names.join(", ")}`}`,
        ),
    },
    signal,
  )
}

function credentialsOf(flags: ClientTlsFlags, files: Files): Pick<WatchHostOptions, "authority" | "certificate" | "token"> {
  const { certificateAuthority, clientCertificate, clientKey, tokenFile } = flags
  if (certificateAuthority === undefined) return {}
  return {
    authority: certificateOf(files, "--certificate-authority", certificateAuthority),
    ...(clientCertificate !== undefined && clientKey !== undefined && { certificate: ownPair(files, clientCertificate, clientKey) }),
    ...(tokenFile !== undefined && { token: fileOf(files, "--token-file", tokenFile).trim() }),
  }
}

function ownPair(files: Files, certificatePath: string, keyPath: string): { readonly chain: string; readonly key: string } {
  const chain = certificateOf(files, "--client-certificate", certificatePath)
  const key = privateKeyOf(files, "--client-key", keyPath)
  if (new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))) return { chain, key }
  throw new PilothouseError(
    "USAGE",
    `expected the key of ${certificatePath} (--client-certificate) in ${keyPath} (--client-key), found another one; give the two that belong together`,
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
