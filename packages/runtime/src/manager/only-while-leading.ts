import { PilothouseError, type Transport, type TransportRequest } from "@pilothouse/seams"
import type { Leadership } from "../controller/plan/executors-while-leading.ts"

/**
 * Passes reads always, and writes only while this process leads. A write in flight is aborted when leadership is lost, and one that is sent again (a retry
 * below, new credentials) is checked each time: two leaders that both write would undo each other's work. The signal alone is not enough:
 * after a suspend of the machine, the timer of a retry may fire before the one that finds the lease lost.
 */
export function onlyWhileLeading(inner: Transport, leadership: Leadership): Transport {
  return async (request) => {
    if (request.verb === "GET") return inner(request)
    const beforeSending = () => {
      request.beforeSending?.()
      if (!leadership.isLeading) throw notSent(request)
    }
    beforeSending()
    const signal = request.signal === undefined ? leadership.lost : AbortSignal.any([request.signal, leadership.lost])
    return inner({ ...request, signal, beforeSending })
  }
}

function notSent({ verb, path }: TransportRequest): PilothouseError {
  return new PilothouseError(
    "LEADERSHIP_LOST",
    `expected to lead before a write, found that another may lead: ${verb} ${path} was not sent`,
  )
}
