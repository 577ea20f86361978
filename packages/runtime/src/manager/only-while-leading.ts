import { PilothouseError, type Transport } from "@pilothouse/seams"
import type { Leadership } from "../controller/executors-while-leading.ts"

/**
 * Lets reads pass always, and writes only while we lead. A write under way when leadership is lost is given up, and a retry layer below
 * does not send it again: two leaders that both write would undo each other's work.
 */
export function onlyWhileLeading(inner: Transport, leadership: Leadership): Transport {
  return async (request) => {
    if (request.verb === "GET") return inner(request)
    if (!leadership.isLeading) {
      throw new PilothouseError(
        "LEADERSHIP_LOST",
        `expected to lead before a write, found that another may lead: ${request.verb} ${request.path} was not sent`,
      )
    }
    const signal = request.signal === undefined ? leadership.lost : AbortSignal.any([request.signal, leadership.lost])
    return inner({ ...request, signal })
  }
}
