import { isSidecar, parseTime } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"

const firstWait = 10_000
const maxWait = 300_000
/** A run this long is forgiven what was before it. */
const goodRun = 600_000

/** Reports whether a container that ended so is started again. */
export function restarts({ spec }: Pod, container: Container, exitCode: number): boolean {
  if (spec?.ephemeralContainers?.some(({ name }) => name === container.name)) return false
  if (isSidecar(container) || isToRestartOn(container, exitCode)) return true
  const isInit = spec?.initContainers?.some(({ name }) => name === container.name)
  const policy = container.restartPolicy ?? spec?.restartPolicy ?? "Always"
  if (policy === "Never") return false
  return (policy === "Always" && !isInit) || exitCode !== 0
}

/** Rules of its own say so, whatever the policy is. */
function isToRestartOn({ restartPolicyRules = [] }: Container, exitCode: number): boolean {
  return restartPolicyRules.some(({ action, exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false
    return action === "Restart" && exitCodes !== undefined && listed === (exitCodes.operator === "In")
  })
}

/**
 * Milliseconds between its end and its next start: none the first time, then 10 s, 20 s … up to 5 min.
 * A run that was long enough resets the back-off, and so does another image. Nothing is counted: the last wait stands in the
 * status, between the end of the run before and the start of this one, and the wait that is under way in its message.
 */
export function restartWait(status: ContainerStatus, container: Container): number {
  if (status.restartCount === 0 || status.image !== (container.image ?? "")) return 0
  const { state, lastState } = status
  if (state?.terminated === undefined) return goMilliseconds(state?.waiting?.message) ?? firstWait
  const { startedAt, finishedAt } = state.terminated
  if (between(startedAt, finishedAt) >= goodRun) return 0
  // A longer wait was also for something else: a ConfigMap, its node.
  return Math.min(nextWait(between(lastState?.terminated?.finishedAt, startedAt)), firstWait * 2 ** (status.restartCount - 1))
}

function between(from: string | undefined, to: string | undefined): number {
  return from && to ? parseTime(to) - parseTime(from) : 0
}

/** Twice the last one, which may have been a second more than it should, since starting takes time. */
function nextWait(last: number): number {
  if (last < firstWait) return firstWait
  return Math.min(firstWait * 2 ** (Math.floor(Math.log2(last / firstWait)) + 1), maxWait)
}

/** When it may start again. */
export function restartAt(status: ContainerStatus, container: Container): number {
  const finishedAt = (status.state?.terminated ?? status.lastState?.terminated)?.finishedAt
  return (finishedAt === undefined ? 0 : parseTime(finishedAt)) + restartWait(status, container)
}

/** What it says in "back-off 1m20s restarting …". */
function goMilliseconds(message = ""): number | undefined {
  // prose: the status has the delay in the kubelet's text only.
  const [found, minutes = "0", seconds = "0"] = /\b(?:(\d+)m)?(\d+)s\b/.exec(message) ?? []
  return found === undefined ? undefined : (Number(minutes) * 60 + Number(seconds)) * 1000
}

/** As Go writes it: "10s", "1m20s", "5m0s". */
export function goSeconds(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
