import { type Int64, isSidecar, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { terminatedStatus } from "./container-status.ts"
import { isLive, isStopping, type PodProcesses, type ProcessFacts, type ProcessOrder } from "./process-facts.ts"

/** The longest wait, in milliseconds, until balancers send a process no new connections. */
const maxNotice = 1000
/** Milliseconds from a change of the slices until balancers have observed it: they watch the same slices. */
const endpointsDelay = 100

/** Milliseconds that a process has at least from SIGTERM on, however little is left of the grace, as every kubelet gives it. */
export const minGrace = 2000

interface LiveProcess {
  readonly name: string
  readonly run: number
  readonly facts: ProcessFacts
}

/** Returns the processes of the pod that have not ended. */
export function liveProcesses({ status }: Pod, processes: PodProcesses | undefined): readonly LiveProcess[] {
  const statuses = [status?.containerStatuses, status?.initContainerStatuses, status?.ephemeralContainerStatuses].flatMap(
    (list) => list ?? [],
  )
  return statuses.flatMap(({ name, restartCount }) => {
    // Its status may not know yet that the next run has begun.
    return [restartCount, restartCount + 1].flatMap((run) => {
      const facts = processes?.run(name, run)
      return isLive(facts) ? [{ name, run, facts }] : []
    })
  })
}

/**
 * SIGTERM only after the pod's endpoints are known to be terminating: a server that drains on it gets no new connections then.
 * A sidecar gets it after all other containers have ended, the last sidecar first, or when the grace period is over.
 */
export function stopOrders(pod: Pod, processes: PodProcesses, now: number): { orders: readonly ProcessOrder[]; due?: number } {
  const { isUnlisted: unlisted } = processes
  const live = liveProcesses(pod, processes)
  const waiting = live.filter(({ facts }) => !isStopping(facts))
  const order = ({ name, run }: LiveProcess) => ({ pod, container: name, run })
  const news = waiting.filter(({ facts }) => facts.stopWantedAt === undefined || (unlisted && facts.unlistedAt === undefined))
  if (news.length > 0) {
    const orders = news.map((one): ProcessOrder => ({ do: "warn-process", ...order(one), unlisted }))
    return { orders, due: now + endpointsDelay }
  }
  const stop = (one: LiveProcess): ProcessOrder => ({ do: "stop-process", ...order(one), killAt: killAt(pod, one.facts, now) })
  // A second deletion may shorten the grace period.
  const late = live.filter(({ facts }) => (facts.killAt ?? 0) > killAt(pod, facts, now)).map(stop)
  if (waiting.length === 0) return { orders: late }
  const notice = Math.max(...waiting.map(({ facts }) => noticeEnd(facts)))
  if (notice > now) return { orders: late, due: notice }
  const end = Math.min(...waiting.map(({ facts }) => graceEnd(pod, facts, now)))
  const turn = end <= now ? waiting : waiting.filter(({ name }) => isItsTurn(pod, name, live))
  return { orders: [...late, ...turn.map(stop)], ...(turn.length < waiting.length && { due: end }) }
}

/** Sidecars wait for all containers but the sidecars that were started before them. */
function isItsTurn({ spec }: Pod, name: string, live: readonly LiveProcess[]): boolean {
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar).map((container) => container.name)
  const own = sidecars.indexOf(name)
  return own < 0 || live.every((other) => sidecars.includes(other.name) && sidecars.indexOf(other.name) <= own)
}

function noticeEnd({ stopWantedAt = 0, unlistedAt = Number.POSITIVE_INFINITY }: ProcessFacts): number {
  return Math.min(stopWantedAt + maxNotice, unlistedAt + endpointsDelay)
}

/** When its pod's deletion gives it no more time; where the pod is not deleted, its spec's grace period counts from when it was to stop. */
function graceEnd({ metadata: { deletionTimestamp }, spec }: Pod, { stopWantedAt }: ProcessFacts, now: number): number {
  if (deletionTimestamp !== undefined) return parseTime(deletionTimestamp)
  return (stopWantedAt ?? now) + secondsInMilliseconds(spec?.terminationGracePeriodSeconds ?? 30)
}

/** Milliseconds that a container has whose pod goes on without it. */
export function containerGrace({ spec }: Pod, ofProbe?: Int64): number {
  return Math.max(secondsInMilliseconds(ofProbe ?? spec?.terminationGracePeriodSeconds ?? 30), minGrace)
}

function killAt(pod: Pod, facts: ProcessFacts, now: number): number {
  const isForced = pod.metadata.deletionGracePeriodSeconds === 0
  return isForced ? graceEnd(pod, facts, now) : Math.max(graceEnd(pod, facts, now), now + minGrace)
}

/** A container whose process has ended, though its status does not know it yet. */
export function endedByNow(status: ContainerStatus, processes: PodProcesses | undefined): ContainerStatus {
  const ended = processes?.run(status.name, status.restartCount)?.ended
  return ended === undefined || status.state?.running === undefined ? status : terminatedStatus(status, ended)
}
