import { badRequest, StatusError } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { isGlobalUnicastIp, parseIp } from "@pilothouse/api/net"
import { hostAndPort } from "@pilothouse/apiserver"
import { type Dial, messageOf, PilothouseError, type Transport, type TransportRequest } from "@pilothouse/seams"

/** How kubelets are reached, as the flags of kube-apiserver say it. */
export interface KubeletClient {
  readonly dial: Dial
  /** PEM of the client certificate and its key; without them kubelets know the server as anonymous. */
  readonly identity?: () => { readonly certificate: string; readonly key: string }
  /** PEM of the authorities of kubelets' certificates. Left out: any certificate is accepted, as kube-apiserver does. */
  readonly authority?: string
  /** Types of addresses, the preferred first. */
  readonly addressTypes?: readonly string[]
}

/** kube-apiserver's. */
export const defaultAddressTypes: readonly string[] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"]

/** A kubelet's port where its node does not say it. */
const kubeletPort = 10_250

/** Returns the way to the kubelet of a node. What it answers comes as a stream; connections that are upgraded are passed on byte by byte. */
export function kubeletDialer({ dial, identity, authority, addressTypes = defaultAddressTypes }: KubeletClient): (node: Node) => Transport {
  return (node) => async (request) => {
    const place = hostAndPort(addressOf(node, addressTypes), portOf(node))
    const server = `https://${place}`
    const trust = authority === undefined ? { insecure: true } : { caBundle: authority }
    try {
      return await dial({ server, ...trust, ...identity?.(), streams: true })({ ...request, headers: { ...request.headers, host: place } })
    } catch (error) {
      if (request.signal?.aborted || !(error instanceof PilothouseError)) throw error
      throw unreachable(request, server, messageOf(error))
    }
  }
}

function portOf({ status }: Node): number {
  const port = Number(status?.daemonEndpoints?.kubeletEndpoint?.Port ?? kubeletPort)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw failed(`dial tcp: address ${port}: invalid port`)
}

/** The first address of the first type that the node has. Throws in upstream's words. */
function addressOf({ status }: Node, types: readonly string[]): string {
  const addresses = status?.addresses ?? []
  const found = types.map((type) => addresses.find((one) => one.type === type)).find((one) => one !== undefined)
  if (found !== undefined) {
    // Nothing has validated it, and in a URL "a@b/c?" would be another host.
    if (/^[\w.:-]+$/.test(found.address)) return allowedAddress(found.address)
    throw failed(`dial tcp: lookup ${JSON.stringify(found.address)}: no such host`)
  }
  throw failed(`no preferred addresses found; known addresses: [${addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ")}]`)
}

/** A node says its address itself: it must not lead to this machine, nor to where a cloud serves the credentials of one. */
function allowedAddress(address: string): string {
  // As it will be dialled: "127.1" and "2130706433" are addresses too.
  const url = `https://${hostAndPort(address, kubeletPort)}`
  const host = URL.canParse(url) ? new URL(url).hostname.replaceAll(/[[\]]/g, "") : ""
  const isAllowed = parseIp(host) === undefined ? host !== "" && !/^(.*\.)?localhost\.?$/.test(host) : isGlobalUnicastIp(host)
  if (!isAllowed) throw badRequest("address not allowed")
  return address
}

function unreachable({ verb, path, headers, upgrade }: TransportRequest, server: string, why: string): StatusError {
  if (upgrade !== undefined && headers.upgrade !== undefined) return failed(`error dialing backend: ${why}`)
  const method = `${verb[0]}${verb.slice(1).toLowerCase()}`
  return failed(`${method} ${JSON.stringify(`${server}${path}`)}: ${why}`)
}

function failed(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}
