import { isLoopbackIp, parseIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"
import { printable } from "../../client/printable.ts"

/** Where a leader is said to answer. */
export interface NamedAddress {
  readonly address: string
  /** The Lease whose annotation it is: any user who may write that Lease chose it. Undefined: the user gave it with --server. */
  readonly lease?: string
  /** SHA-256 of the certificate there, as in the Lease. */
  readonly pins: readonly string[]
}

/** An address that may be contacted, and what may be sent there. */
export type DebugTarget =
  /** Without TLS, on this machine: no credential is sent. */
  | { readonly server: string; readonly trust: "none" }
  /** On this machine: its certificate has one of these fingerprints. */
  | { readonly server: string; readonly trust: "pins"; readonly pins: readonly string[] }
  /** Its certificate is of the cluster's authority, or of the system's where the kubeconfig names none. */
  | { readonly server: string; readonly trust: "authorities" }

/** What is known of this machine and of the cluster. */
export interface TargetFacts {
  /** Addresses of this machine. */
  readonly own: readonly string[]
  /** Whether the kubeconfig names the authority of its cluster. */
  readonly hasAuthority: boolean
}

/** Decides whether an address may be contacted, and how its server is trusted. Throws (INVALID) with a reason where it may not. */
export function debugTarget(named: NamedAddress, { own, hasAuthority }: TargetFacts): DebugTarget {
  const url = URL.parse(named.address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw refused(named, "expected an address such as https://10.0.0.1:10257, without user, query and fragment, found another")
  const server = `${url.origin}${url.pathname.replace(/\/$/, "")}`
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (url.protocol === "http:") {
    if (isLoopbackAddress(host)) return { server, trust: "none" }
    throw refused(named, "expected https://, or http:// with an address of 127.0.0.0/8 or ::1, found http:// to another host")
  }
  if (named.pins.length > 0 && (host === "localhost" || isLoopbackAddress(host) || own.includes(host)))
    return { server, trust: "pins", pins: named.pins }
  if (hasAuthority || named.lease === undefined) return { server, trust: "authorities" }
  throw refused(named, "expected a certificate-authority of the cluster in the kubeconfig, by which that host could be checked, found none")
}

/** A literal, since a name resolves to whatever its server says. Not ::ffff:127.0.0.1, which some systems send over IPv6. */
function isLoopbackAddress(host: string): boolean {
  return isLoopbackIp(host) && parseIp(host)?.mapped !== true
}

function refused({ address, lease }: NamedAddress, why: string): PilothouseError {
  const whose = lease === undefined ? "of --server" : `that Lease ${lease} names`
  return new PilothouseError("INVALID", `the address ${shownAddress(address)} ${whose} is not contacted: ${why}`)
}

/** Short, and without what a terminal would obey. */
export function shownAddress(address: string): string {
  return printable(address.slice(0, 200))
}
