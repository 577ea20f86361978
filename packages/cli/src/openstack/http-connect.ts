import type { CloudAccess, Connect, OpenStackService } from "@pilothouse/openstack"
import { type HttpTransport, type Peer, transportTo } from "@pilothouse/runtime"
import { type Clock, type Files, PilothouseError, readText, type Transport } from "@pilothouse/seams"

export interface HttpConnect extends AsyncDisposable {
  readonly connect: Connect
}

export interface HttpConnectOptions {
  readonly clock: Clock
  readonly files: Files
  /** Refuses every change of the cloud from every caller. */
  readonly readOnly?: boolean
}

/** The services of a cloud over HTTP, each opened with its first request. Disposing closes them. */
export function httpConnect({ caFile, verify }: Pick<CloudAccess, "caFile" | "verify">, options: HttpConnectOptions): HttpConnect {
  const { clock, files, readOnly = false } = options
  const authorities = caFile === undefined ? undefined : authoritiesIn(files, caFile)
  const opened: Promise<HttpTransport>[] = []
  const open = (server: string, peer: Peer | undefined): Promise<HttpTransport> => {
    const opening = transportTo({ server, clock, authorities, insecure: verify === false, peer })
    opened.push(opening)
    return opening
  }
  return {
    connect: (server, service) => {
      let one: Promise<HttpTransport> | undefined
      const transport: Transport = async (request) => (await (one ??= open(server, service && peers[service]))).transport(request)
      return readOnly ? onlyReading(transport) : transport
    },
    async [Symbol.asyncDispose]() {
      // One that never opened was reported to its caller.
      const open = (await Promise.allSettled(opened)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
      await Promise.all(open.map((one) => one.close()))
    },
  }
}

const trust = "the file that cafile ([neutron] of kuryr.conf) or cacert (clouds.yaml) names"
const inCatalog = (type: string) => `its address (catalog, or ${type}_endpoint_override)`

/** What a service is called where it does not answer, and what its user can change. */
const peers: Readonly<Record<OpenStackService, Peer>> = {
  keystone: { name: "Keystone", address: "auth_url", authorities: trust },
  neutron: { name: "Neutron", address: inCatalog("network"), authorities: trust },
  octavia: { name: "Octavia", address: inCatalog("load_balancer"), authorities: trust },
  nova: { name: "Nova", address: inCatalog("compute"), authorities: trust },
}

/** To log in is to POST too. */
function onlyReading(transport: Transport): Transport {
  return (request) => {
    if (request.verb === "GET" || request.path.endsWith("/auth/tokens")) return transport(request)
    throw new PilothouseError("TERMINAL", `not sent, this is a dry run: ${request.verb} ${request.path}`)
  }
}

function authoritiesIn(files: Files, path: string): string {
  const text = readText(files, path)
  if (text !== undefined) return text
  throw new PilothouseError("CREDENTIALS", `expected the authorities of the cloud at ${path} (cacert, cafile), found no such file`)
}
