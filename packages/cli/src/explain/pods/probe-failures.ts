import { parseTime } from "@pilothouse/api"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { lastSeen, orderedEvents } from "../events.ts"

/** What the probes of containers last complained of, by the container's name: of those that run and are not ready. */
export async function probeComplaints(client: Client, pod: Pod): Promise<ReadonlyMap<string, string>> {
  const unready = (pod.status?.containerStatuses ?? []).filter(({ state, ready }) => state?.running && !ready)
  if (unready.length === 0 || pod.metadata.uid === undefined) return new Map()
  const events = await orderedEvents(client, pod, "reason=Unhealthy")
  return new Map(
    unready.flatMap((status): readonly [string, string][] => {
      const last = events.findLast((event) => isOf(event.involvedObject.fieldPath, status) && lastSeen(event) >= startOf(status))
      const message = last?.message?.trim().split("\n")[0] ?? ""
      return message === "" ? [] : [[status.name, message]]
    }),
  )
}

/** "spec.containers{web}"; who does not say of which it is complains of the pod. */
function isOf(fieldPath: string | undefined, { name }: ContainerStatus): boolean {
  return !fieldPath || fieldPath.endsWith(`{${name}}`)
}

/** What was said of the run before is over. Times of events may be whole seconds, as this one is. */
function startOf({ state }: ContainerStatus): number {
  return state?.running?.startedAt ? parseTime(state.running.startedAt) : 0
}
