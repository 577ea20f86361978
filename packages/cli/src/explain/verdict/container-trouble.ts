import { isSidecar, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { shortDuration } from "../durations.ts"
import type { ClusterView } from "./cluster-view.ts"
import type { Trouble } from "./trouble.ts"

/** Returns the statuses of init containers and containers, in the order in which they start. */
export function containerStatusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
}

/** Reasons of a waiting container that pass by themselves. */
const starting: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"])
const pulling: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
])

/** Returns what is wrong with a container; undefined of one that is ready, has completed, or has not been reported. */
export function containerTrouble(pod: Pod, status: ContainerStatus, view: ClusterView): Trouble | undefined {
  const { state, ready } = status
  if (state?.waiting) return waitingTrouble(pod, status, view)
  if (state?.terminated && state.terminated.exitCode !== 0) return crash(pod, status, state.terminated)
  return state?.running && !ready ? unreadyContainer(pod, status, view) : undefined
}

function waitingTrouble(pod: Pod, status: ContainerStatus, view: ClusterView): Trouble {
  const { name, image, state, lastState } = status
  const { reason = "", message = "" } = state?.waiting ?? {}
  if (pulling.has(reason)) {
    const text = (who: string) => `image ${image} of container ${of(name, who)} cannot be pulled (${reason})`
    return { cause: `image ${image}`, health: "degraded", text, advice: "correct the image, or give the pod a secret of its registry" }
  }
  if (reason === "CrashLoopBackOff" && lastState?.terminated) return crash(pod, status, lastState.terminated)
  if (!starting.has(reason)) {
    const text = (who: string) => `container ${of(name, who)} cannot be started: ${message === "" ? reason : message}`
    return { cause: `waiting ${name} ${reason} ${message}`, health: "degraded", text }
  }
  const blocked = view.warning(pod, "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox")
  if (blocked === undefined) return startingTrouble(name)
  return { cause: `blocked ${blocked.message}`, health: "degraded", text: (who) => `${who} cannot be started: ${blocked.message}` }
}

function startingTrouble(name: string): Trouble {
  return { cause: "starting", health: "progressing", text: (who) => `container ${of(name, who)} is starting` }
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>

/** Describes a container that has ended with an error. */
export function crash(pod: Pod, { name, restartCount = 0 }: ContainerStatus, { exitCode, reason, message }: Terminated): Trouble {
  const { name: podName = "", namespace = "" } = pod.metadata
  const isOnly = containerStatusesOf(pod).length === 1
  const command = `pilothouse logs ${podName}${restartCount === 0 ? "" : " -p"}${isOnly ? "" : ` -c ${name}`}`
  const how = reason === "OOMKilled" ? `is killed for want of memory${limitText(pod, name)}` : `exits with code ${exitCode}`
  const detail = message === undefined || message === "" ? "" : ` (${message.trim().split("\n").at(-1)})`
  return {
    cause: `crash ${name} ${reason} ${exitCode}`,
    health: "degraded",
    text: (who) => `container ${of(name, who)} ${how}${detail}${restartText(restartCount)}`,
    advice: reason === "OOMKilled" ? "raise the memory limit of the container" : `"${command}" shows what it printed`,
    crashed: { namespace, pod: podName, container: name },
  }
}

function limitText({ spec }: Pod, container: string): string {
  const limit = spec?.containers.find(({ name }) => name === container)?.resources?.limits?.memory
  return limit === undefined ? "" : `, its limit is ${limit}`
}

/** Milliseconds for which a container that runs is taken for one that becomes ready by itself. */
const maxStartTime = 30_000

function unreadyContainer(pod: Pod, status: ContainerStatus, view: ClusterView): Trouble {
  const { name, state, restartCount = 0 } = status
  if (isPlainInit(pod, name))
    return { cause: `init ${name}`, health: "progressing", text: (who) => `init container ${of(name, who)} is running` }
  const age = state?.running?.startedAt ? view.now - parseTime(state.running.startedAt) : 0
  const complaint = view.warning(pod, "Unhealthy")?.message?.trim().split("\n")[0]
  if (complaint === undefined && age < maxStartTime + probeDelay(pod, name)) {
    const text = (who: string) => `container ${of(name, who)} runs for ${shortDuration(age)} and is not ready yet`
    return { cause: `young ${name}`, health: "progressing", text }
  }
  const why = complaint === undefined ? "" : `: ${complaint}`
  const text = (who: string) => `container ${of(name, who)} runs and is not ready${restartText(restartCount)}${why}`
  return { cause: `unready ${name}`, health: "degraded", text }
}

/** Milliseconds before the readiness probe of a container is tried. */
function probeDelay({ spec }: Pod, container: string): number {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  return secondsInMilliseconds(all.find(({ name }) => name === container)?.readinessProbe?.initialDelaySeconds ?? 0)
}

/** An init container that is no sidecar: the others wait for its end. */
function isPlainInit({ spec }: Pod, container: string): boolean {
  return (spec?.initContainers ?? []).some((one) => one.name === container && !isSidecar(one))
}

function restartText(count: number): string {
  if (count === 0) return ""
  return count === 1 ? ", restarted once" : `, restarted ${count} times`
}

/** "app of 3 pods"; of the pod itself "app". */
function of(container: string, who: string): string {
  return who === "it" ? container : `${container} of ${who}`
}
