import { leases } from "@pilothouse/api/coordination/v1"
import { debugAddressAnnotation, transportTo } from "@pilothouse/runtime"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Connection } from "../client/connection.ts"
import { ownAddresses } from "../own-addresses.ts"
import { tracedLooks } from "./rehearse.ts"
import type { TracedLook } from "./trace.ts"

/** Where to look for a leader that remembers. */
export interface HistorySource {
  /** Instead of what the Lease says. */
  readonly server?: string
  /** "kube-system/kube-controller-manager"; unless told otherwise that one and the one of the handlers of OpenStack. */
  readonly lease?: string
}

/** May see traces, and is asked for a token where the kubeconfig's user has none: deploy/rbac.yaml has it. */
const viewer = "kube-system/pilothouse-viewer"

export interface LeaderAnswer {
  readonly looks: readonly TracedLook[]
  /** Why there are none, where there is a leader that could have told; undefined where nobody is known to. */
  readonly failure?: string
}

const usualLeases: readonly string[] = ["kube-system/kube-controller-manager", "kube-system/kuryr-controller"]

/** Whether somebody said whom to ask. */
export function isNamed({ server, lease }: HistorySource): boolean {
  return server !== undefined || lease !== undefined
}

/** What --lease takes. */
export function leaseKey(text: string): string {
  if (/^[^/]+\/[^/]+$/.test(text)) return text
  throw new PilothouseError(
    "USAGE",
    `expected a namespace and a name, such as "kube-system/kube-controller-manager", for --lease, found "${text}"`,
  )
}

/** What the leaders of `pilothouse run` remember. Never throws: whoever asks can do without. */
export async function askLeader(connection: Connection, source: HistorySource, clock: Clock): Promise<LeaderAnswer> {
  const servers = source.server === undefined ? await addressesOnLeases(connection, source.lease) : [source.server]
  if (source.lease !== undefined && servers.length === 0)
    return {
      looks: [],
      failure: `expected a Lease ${source.lease} that a leader of "pilothouse run" holds, found none; "pilothouse get leases -A" lists them`,
    }
  const answers = await Promise.all(servers.map((server) => askServer(connection, server, clock)))
  const failures = answers.flatMap(({ failure }) => failure ?? [])
  const looks = answers.flatMap((answer) => answer.looks)
  return failures.length === 0 ? { looks } : { looks, failure: failures.join("; ") }
}

async function askServer(connection: Connection, server: string, clock: Clock): Promise<LeaderAnswer> {
  try {
    const authorization = await tokenFor(connection)
    // Nobody stands between two programs of one machine; anybody may elsewhere, and would have the token.
    const trust = isOfThisMachine(server, ownAddresses()) ? { insecure: true } : { authorities: connection.authorities() }
    const times = { connectTimeout: "3s", answerTimeout: "10s" } as const
    await using leader = await transportTo({ ...times, ...trust, server, authorization, clock })
    return { looks: await tracedLooks(leader.transport, true) }
  } catch (error) {
    return { looks: [], failure: `the leader at ${server} could not be asked${whyNot(error)}` }
  }
}

/** The transport speaks of the API server, which is well: this port is another program's. */
function whyNot(error: unknown): string {
  if (!(error instanceof PilothouseError) || error.code !== "CONNECTION_LOST") return ` (${messageOf(error)})`
  return ': that is the debug port of "pilothouse run", and it does not answer; check that this leader still runs, and that its port can be reached from here'
}

/** Of those Leases that somebody holds, each address once. */
async function addressesOnLeases(connection: Connection, lease: string | undefined): Promise<readonly string[]> {
  const names = lease === undefined ? usualLeases : [lease]
  const found = await Promise.all(names.map((name) => addressOnLease(connection, name).catch(() => undefined)))
  return [...new Set(found.filter((address) => address !== undefined))]
}

async function addressOnLease({ client }: Connection, lease: string): Promise<string | undefined> {
  const { metadata, spec } = await client.get(leases, lease)
  return spec?.holderIdentity ? metadata.annotations?.[debugAddressAnnotation] : undefined
}

async function tokenFor({ client, authorization }: Connection): Promise<string> {
  const own = await authorization()
  if (own?.startsWith("Bearer ")) return own
  const { status } = await client.requestToken(viewer, { expirationSeconds: 600 })
  if (!status?.token) throw new PilothouseError("CREDENTIALS", `expected a token of ${viewer}, found none; apply deploy/rbac.yaml`)
  return `Bearer ${status.token}`
}

/** A port that listens on all addresses is told by one that others reach it by, too. */
export function isOfThisMachine(server: string, own: readonly string[]): boolean {
  const host = new URL(server).hostname.replace(/^\[(.*)\]$/, "$1")
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host) || own.includes(host)
}
