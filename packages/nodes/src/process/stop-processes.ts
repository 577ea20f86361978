import { parseTime } from "@pilothouse/api"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { terminatedStatus } from "../kubelet/container-status.ts"
import { isLive, type PodProcesses, type ProcessFacts, type ProcessOrder } from "./process-facts.ts"

/** Milliseconds that a process waits at most for the world to hear that it takes no new connections. */
const longestNotice = 1000
/** Milliseconds from the slices' word until balancers have surely heard it: they watch the same slices. */
const balancersHear = 100

interface LiveProcess {
  readonly name: string
  readonly run: number
  readonly facts: ProcessFacts
}

export function liveProcesses({ status }: Pod, processes: PodProcesses | undefined): readonly LiveProcess[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
  return statuses.flatMap(({ name, restartCount }) => {
    // Its status may not know yet that the next run has begun.
    return [restartCount, restartCount + 1].flatMap((run) => {
      const facts = processes?.run(name, run)
      return isLive(facts) ? [{ name, run, facts }] : []
    })
  })
}

/** SIGTERM only after the pod's endpoints are known to be on their way out: whoever drains on it gets no new connections then. */
export function stopOrders(pod: Pod, processes: PodProcesses, now: number): { orders: readonly ProcessOrder[]; due?: number } {
  const { isUnlisted: unlisted } = processes
  const waiting = liveProcesses(pod, processes).filter(({ facts }) => !facts.stopping)
  const order = ({ name, run }: LiveProcess) => ({ pod, container: name, run })
  const news = waiting.filter(({ facts }) => facts.stopWantedAt === undefined || (unlisted && facts.unlistedAt === undefined))
  if (news.length > 0) {
    const orders = news.map((one): ProcessOrder => ({ do: "warn-process", ...order(one), unlisted }))
    return { orders, due: now + balancersHear }
  }
  if (waiting.length === 0) return { orders: [] }
  const due = Math.max(...waiting.map(({ facts }) => noticeEnd(facts)))
  if (due > now) return { orders: [], due }
  return { orders: waiting.map((one): ProcessOrder => ({ do: "stop-process", ...order(one), grace: graceLeft(pod, now) })) }
}

function noticeEnd({ stopWantedAt = 0, unlistedAt = Number.POSITIVE_INFINITY }: ProcessFacts): number {
  return Math.min(stopWantedAt + longestNotice, unlistedAt + balancersHear)
}

/** Milliseconds that its pod's deletion leaves it; where its time is just over, what its spec says. */
function graceLeft({ metadata, spec }: Pod, now: number): number {
  const { deletionTimestamp } = metadata
  if (deletionTimestamp === undefined) return (spec?.terminationGracePeriodSeconds ?? 30) * 1000
  return Math.max(parseTime(deletionTimestamp) - now, 0)
}

/** A container whose process has ended, though its status does not know it yet. */
export function endedByNow(status: ContainerStatus, processes: PodProcesses | undefined): ContainerStatus {
  const ended = processes?.run(status.name, status.restartCount)?.ended
  return ended === undefined || status.state?.running === undefined ? status : terminatedStatus(status, ended)
}
