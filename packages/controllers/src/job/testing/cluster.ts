import { formatTime } from "@pilothouse/api"
import { type Job, type JobSpec, type JobStatus, jobs } from "@pilothouse/api/batch/v1"
import { events, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"

/** Pods of Jobs without instructions succeed at once. */
export const forEver = { name: "main", image: "example/work", command: ["sleep", "infinity"] }

/** Jobs on the embedded server. */
export function work(spec: Partial<JobSpec> = {}, metadata: Job["metadata"] = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", ...metadata },
    spec: {
      ...spec,
      template: { spec: { restartPolicy: "Never", containers: [forEver] }, ...spec.template },
    },
  }
}

export async function statusOf(running: Cluster, name = "work"): Promise<JobStatus> {
  return (await running.client.get(jobs, `default/${name}`)).status ?? {}
}

/** Pods that run, oldest first by name. */
export async function livePods(running: Cluster): Promise<readonly Pod[]> {
  const all = await running.list(pods)
  return all.filter(({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined)
}

/** The pods run for ever: a test says how they end. */
export async function end(running: Cluster, pod: Pod, exitCode = 0): Promise<void> {
  const finishedAt = formatTime(running.clock.now())
  const main = { name: "main", image: "", imageID: "", ready: false, restartCount: 0, state: { terminated: { exitCode, finishedAt } } }
  const status = { phase: exitCode === 0 ? "Succeeded" : "Failed", conditions: [], containerStatuses: [main] }
  await running.client.patch(pods, pod, { status }, { subresource: "status" })
}

export async function endAll(running: Cluster, exitCode = 0): Promise<void> {
  for (const pod of await livePods(running)) await end(running, pod, exitCode)
}

/** The events of the Job in order of time: "Warning BackoffLimitExceeded". */
export async function told(running: Cluster): Promise<readonly string[]> {
  const all = await running.list(events)
  return all.filter(({ involvedObject }) => involvedObject.kind === "Job").map(({ type, reason }) => `${type} ${reason}`)
}
