import { leases } from "@pilothouse/api/coordination/v1"
import { isLoopbackIp, parseIp } from "@pilothouse/api/net"
import { debugAddressAnnotation, debugCertificateAnnotation, transportTo } from "@pilothouse/runtime"
import { type Clock, messageOf, PilothouseError, startTimeout } from "@pilothouse/seams"
import type { Connection } from "../../client/connection.ts"
import { printable } from "../../client/printable.ts"
import { ownAddresses } from "../../process/own-addresses.ts"
import { debugAudience } from "../../run/endpoints/debug-audience.ts"
import type { TracedReconcile } from "../trace.ts"
import { readTrace } from "./read-trace.ts"

/** Where to look for a leader that remembers. */
export interface HistorySource {
  /** Instead of what the Lease says. */
  readonly server?: string
  /** "kube-system/kube-controller-manager"; by default that one and the one of the handlers of OpenStack. */
  readonly lease?: string
}

/** The account that may see traces; deploy/rbac.yaml makes it. The user's own credentials are for the API server alone. */
const viewer = "kube-system/pilothouse-viewer"
/** Seconds; the least that API servers issue. */
const tokenLife = 600
/** Milliseconds that a leader has for all of its answer. */
const patience = 15_000
/** Bytes. A leader remembers 1,000 looks of at most 50 operations each. */
const maxAnswerSize = 64 * 1024 * 1024

export interface LeaderAnswer {
  readonly reconciles: readonly TracedReconcile[]
  /** Why there are none, where there is a leader that could have answered; undefined where no leader is known. */
  readonly failure?: string
}

const defaultLeases: readonly string[] = ["kube-system/kube-controller-manager", "kube-system/kuryr-controller"]

/** Reports whether the user named the source. */
export function isNamed({ server, lease }: HistorySource): boolean {
  return server !== undefined || lease !== undefined
}

/** Parses --lease. */
export function leaseKey(text: string): string {
  if (/^[^/]+\/[^/]+$/.test(text)) return text
  throw new PilothouseError(
    "USAGE",
    `expected a namespace and a name, such as "kube-system/kube-controller-manager", for --lease, found "${text}"`,
  )
}

/** What asking leaders needs beside the connection. */
export interface AskOptions {
  readonly clock: Clock
  /** Called with a line for the user before an address is contacted. */
  readonly say: (line: string) => void
}

/** Reads the traces of the leaders of `pilothouse run`. Never rejects: `explain` can do without. */
export async function askLeader(connection: Connection, source: HistorySource, options: AskOptions): Promise<LeaderAnswer> {
  const named = await namedAddresses(connection, source)
  if (source.lease !== undefined && named.length === 0)
    return {
      reconciles: [],
      failure: `expected a Lease ${source.lease} that a leader of "pilothouse run" holds, found none; "pilothouse get leases -A" lists them`,
    }
  const answers = await Promise.all(named.map((address) => askServer(connection, address, options)))
  const failures = answers.flatMap(({ failure }) => failure ?? [])
  const reconciles = answers.flatMap((answer) => answer.reconciles)
  return failures.length === 0 ? { reconciles } : { reconciles, failure: failures.join("; ") }
}

async function askServer(connection: Connection, named: NamedAddress, { clock, say }: AskOptions): Promise<LeaderAnswer> {
  let server = shownAddress(named.address)
  try {
    const target = debugTarget(named, { own: ownAddresses(), hasAuthority: connection.authorities() !== undefined })
    server = target.server
    say(`asking the leader at ${server}, ${named.lease === undefined ? "as --server says" : `as Lease ${named.lease} says`}`)
    return { reconciles: await leaderReconciles(connection, target, clock) }
  } catch (error) {
    return { reconciles: [], failure: `the leader at ${server} could not be asked${whyNot(error)}` }
  }
}

async function leaderReconciles(connection: Connection, target: DebugTarget, clock: Clock): Promise<readonly TracedReconcile[]> {
  const error = () => new PilothouseError("TIMEOUT", `it did not answer within ${patience / 1000} s`)
  using limit = startTimeout({ clock, timeout: patience, name: "the leader answers", error })
  await using leader = await transportTo({
    ...(await shownTo(target, connection)),
    connectTimeout: "3s",
    maxAnswerSize,
    clock,
  })
  const { status, body } = await leader.transport({ verb: "GET", path: "/debug/trace", query: {}, headers: {}, signal: limit.signal })
  const text = body.type === "bytes" ? new TextDecoder().decode(body.bytes) : ""
  // A redirect too: no client here follows one.
  if (status !== 200) throw new PilothouseError("INVALID", `it answered ${status}: ${printable(text.trim().slice(0, 300))}`)
  return readTrace(parsed(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PilothouseError("INVALID", "expected a trace in JSON, found something else")
  }
}

/** How the server is checked, and the credential that only it gets: none without TLS. */
async function shownTo(target: DebugTarget, connection: Connection) {
  const { server, trust } = target
  if (trust === "none") return { server }
  const authorization = await tokenFor(connection)
  if (trust === "pins") return { server, authorization, pins: target.pins }
  return { server, authorization, authorities: connection.authorities() }
}

/** The transport speaks of the API server, which is well: this port is another program's. */
function whyNot(error: unknown): string {
  if (!(error instanceof PilothouseError) || error.code !== "CONNECTION_LOST") return ` (${printable(messageOf(error))})`
  if (!error.retryable) return ` (${printable(messageOf(error))}); ${howToTrust}`
  return ': that is the debug port of "pilothouse run", and it does not answer; check that this leader still runs, and that its port can be reached from here'
}

const howToTrust =
  'start "pilothouse run" with a --tls-cert-file of the cluster\'s authority, or forward its port to this machine and name that with --server'

/** What the user or the Leases say, each address once. */
async function namedAddresses(connection: Connection, { server, lease }: HistorySource): Promise<readonly NamedAddress[]> {
  const names = lease === undefined ? defaultLeases : [lease]
  const found = await Promise.all(names.map((name) => onLease(connection, name).catch(() => undefined)))
  const held = found.filter((one) => one !== undefined)
  // A port that is forwarded from the leader shows the leader's certificate.
  if (server !== undefined) return [{ address: server, pins: held.flatMap(({ pins }) => pins) }]
  return [
    ...new Map(
      held.flatMap((one) => (one.address === undefined ? [] : [[one.address, { ...one, address: one.address }] as const])),
    ).values(),
  ]
}

type OnLease = Pick<NamedAddress, "lease" | "pins"> & { readonly address: string | undefined }

/** Undefined where the Lease has no holder. */
async function onLease({ client }: Connection, lease: string): Promise<OnLease | undefined> {
  const { metadata, spec } = await client.get(leases, lease)
  if (!spec?.holderIdentity) return undefined
  const { [debugAddressAnnotation]: address, [debugCertificateAnnotation]: pin = "" } = metadata.annotations ?? {}
  return { address, lease, pins: /^[0-9a-f]{64}$/.test(pin) ? [pin] : [] }
}

/** A token that the ports of leaders take, and nothing else does: a program that gets hold of it may read traces and metrics for ten minutes. */
async function tokenFor({ client }: Connection): Promise<string> {
  const asked = client.requestToken(viewer, { audiences: [debugAudience], expirationSeconds: tokenLife })
  const { status } = await asked.catch((error: unknown) => {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected a token of ${viewer}, found that the API server issues none: ${messageOf(error)}; apply deploy/rbac.yaml, and be allowed to create serviceaccounts/token there`,
    )
  })
  if (!status?.token) throw new PilothouseError("CREDENTIALS", `expected a token of ${viewer}, found none; apply deploy/rbac.yaml`)
  return `Bearer ${status.token}`
}

/** Where a leader is said to answer. */
interface NamedAddress {
  readonly address: string
  /** The Lease whose annotation it is: any user who may write that Lease chose it. Undefined: the user gave it with --server. */
  readonly lease?: string
  /** SHA-256 of the certificate there, as in the Lease. */
  readonly pins: readonly string[]
}

/** An address that may be contacted, and what may be sent there. */
type DebugTarget =
  /** Without TLS, on this machine: no credential is sent. */
  | { readonly server: string; readonly trust: "none" }
  /** On this machine: its certificate has one of these fingerprints. */
  | { readonly server: string; readonly trust: "pins"; readonly pins: readonly string[] }
  /** Its certificate is of the cluster's authority, or of the system's where the kubeconfig names none. */
  | { readonly server: string; readonly trust: "authorities" }

/** What is known of this machine and of the cluster. */
interface TargetFacts {
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
function shownAddress(address: string): string {
  return printable(address.slice(0, 200))
}
