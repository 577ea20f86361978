import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import {
  type LogLine,
  memoryMetrics,
  recordingLog,
  scriptedTransport,
  seededRandom,
  type Transport,
  type TransportRequest,
  type VirtualClock,
} from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { createClient } from "../../client/client.ts"
import type { PlannedEvent } from "../../controller/plan/plan.ts"
import { LeaderElection } from "../leader-election.ts"
import type { LeaderElectionOptions } from "../leader-election-options.ts"

export const leaseKey = "kube-system/pilothouse"

export interface Candidate {
  readonly election: LeaderElection
  /** "lead at 0", "stop at 12": in seconds since its creation. */
  readonly story: readonly string[]
  readonly recorded: readonly PlannedEvent[]
  readonly requests: readonly TransportRequest[]
  readonly metrics: ReturnType<typeof memoryMetrics>
  /** What it logged. */
  readonly lines: readonly LogLine[]
  /** What run() ended with. */
  readonly ended: Promise<unknown>
  stop(): void
}

export interface CandidateOptions extends Partial<LeaderElectionOptions> {
  readonly layer?: (inner: Transport) => Transport
  /** How long its work takes to end after the stop signal, in milliseconds. */
  readonly drain?: number
  /** Added to what its wall clock says. */
  readonly skew?: number
}

export function candidate(
  server: Cluster,
  identity: string,
  { layer = (inner) => inner, drain = 0, skew = 0, ...options }: CandidateOptions = {},
): Candidate {
  const virtual = server.clock as VirtualClock
  const clock = { ...bound(virtual), now: () => virtual.now() + skew }
  const requests: TransportRequest[] = []
  const transport: Transport = (request) => {
    requests.push(request)
    return server.transport(request)
  }
  const metrics = memoryMetrics()
  const recorded: PlannedEvent[] = []
  const { log, lines } = recordingLog()
  const seams = {
    client: createClient(layer(transport)),
    clock,
    random: seededRandom(identity.length),
    log,
    metrics,
    recordEvent: (event: PlannedEvent) => void recorded.push(event),
  }
  const election = new LeaderElection({ lease: leaseKey, identity, ...options }, seams)
  const start = virtual.elapsed()
  const story: string[] = []
  const record = (what: string) => story.push(`${what} at ${Math.round((virtual.elapsed() - start) / 100) / 10}`)
  const stopping = new AbortController()
  const lead = async ({ stop, lost }: { stop: AbortSignal; lost: AbortSignal }) => {
    record("lead")
    await aborted(stop)
    record(lost.aborted ? "lost" : "stop")
    if (!lost.aborted) await virtual.sleep(drain)
  }
  const ended = election.run(lead, stopping.signal).catch((error: unknown) => error)
  return { election, story, recorded, requests, metrics, lines, ended, stop: () => stopping.abort() }
}

export function bound(clock: VirtualClock) {
  return {
    elapsed: () => clock.elapsed(),
    sleep: clock.sleep.bind(clock),
    timer: clock.timer.bind(clock),
    external: clock.external.bind(clock),
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
}

export function apiServer(): Promise<Cluster> {
  return cluster({ nodes: 0, controllers: [] })
}

export function currentLease(server: Cluster): Promise<Lease> {
  return server.client.get(leases, leaseKey)
}

/** A network that can be cut. */
export function cable(clock: VirtualClock) {
  const state = { cut: false, lost: 0 }
  const layer = (inner: Transport): Transport =>
    scriptedTransport(inner, () => (state.cut ? (state.lost++, { do: "lose-request" }) : { do: "pass" }), clock)
  return { state, layer }
}
