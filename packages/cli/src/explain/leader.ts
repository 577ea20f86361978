import { leases } from "@pilothouse/api/coordination/v1"
import { debugAddressAnnotation, transportTo } from "@pilothouse/runtime"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Connection } from "../client/connection.ts"
import { tracedLooks } from "./rehearse.ts"
import type { TracedLook } from "./trace.ts"

/** Where to look for a leader that remembers. */
export interface HistorySource {
  /** Instead of what the Lease says. */
  readonly server?: string
  /** "kube-system/kube-controller-manager" */
  readonly lease?: string
}

/** May see traces, and is asked for a token where the kubeconfig's user has none: deploy/rbac.yaml has it. */
const viewer = "kube-system/pilothouse-viewer"

export interface LeaderAnswer {
  readonly looks: readonly TracedLook[]
  /** Why there are none, where there is a leader that could have told; undefined where nobody is known to. */
  readonly failure?: string
}

/** What the leader of `pilothouse run` remembers. Never throws: whoever asks can do without. */
export async function askLeader(connection: Connection, source: HistorySource, clock: Clock): Promise<LeaderAnswer> {
  const server = source.server ?? (await addressOnLease(connection, source.lease).catch(() => undefined))
  if (server === undefined) return { looks: [] }
  try {
    const authorization = await tokenFor(connection)
    // Nobody stands between two programs of one machine; anybody may elsewhere, and would have the token.
    const trust = isLoopback(server) ? { insecure: true } : { authorities: connection.authorities() }
    const times = { connectTimeout: "3s", answerTimeout: "10s" } as const
    await using leader = await transportTo({ ...times, ...trust, server, authorization, clock })
    return { looks: await tracedLooks(leader.transport, true) }
  } catch (error) {
    return { looks: [], failure: `the leader at ${server} could not be asked (${messageOf(error)})` }
  }
}

async function addressOnLease({ client }: Connection, lease = "kube-system/kube-controller-manager"): Promise<string | undefined> {
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

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server)
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.")
}
